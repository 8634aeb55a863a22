"""Compares compiled random programs with the interpreter.

    random-programs.py --tools BIN --graphs GRAPHS --scratch PREFIX [--first SEED]
                       [--seeds N] [--targets TARGET,...] [--settings N]
                       [--filter REGEX] [--options OPTIONS] [--print]

Each seed makes a function of the gnn dialect out of steps that models are made of:
messages, aggregations, attention, linear layers, what is done to rows, loops and
reversals of graphs. It is compiled by default and with N random settings of
gnn-compile, in which about half of its switches are off, for each target, and compared
with what gnn-interpret makes of it as the tests in test/Differential are, on one thread
and on two, on some of their graphs. OPTIONS are those of gnn-compile that it has in any
case. Programs whose text REGEX is not found in are
left out, and with --print they are only printed.

Of a program that fails, the fewest results and switches that suffice are sought, and
what is left is written to PREFIX.SEED.small.mlir.

Values stay moderate and are not compared with each other unless they are exact, so
that rounding makes no difference that counts.
"""

import argparse
import pathlib
import platform
import random
import re
import shlex
import sys

from commands import run
from random_programs import Program
from switches import find_flags, minimise

COMPARE = (pathlib.Path(__file__).parents[1] / "Differential" / "Inputs" /
           "compare.py")

# Processors whose code runs on the machine, besides its own.
OTHER_CPUS = []
if platform.machine() == "x86_64":
    OTHER_CPUS += ["x86-64", "x86-64-v2", "x86-64-v3", "portable"]
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.is_file() and "avx512vl" in cpuinfo.read_text():
        OTHER_CPUS.append("x86-64-v4")


def settings(seed, target, switches, number, fixed):
    """Options of gnn-compile: none, and those of each setting; `fixed` are there, too."""
    yield []
    for turn in range(number):
        chance = random.Random(f"{seed} {target} {turn}")
        options = [f"--{switch}=false" for switch in switches
                   if random.Random(f"{seed} {target} {turn} {switch}").random() < 0.5]
        if target == "cpu":
            options.append(chance.choice(["-O0", "-O1", "-O1", "-O3"]))
            if "--target-cpu" not in fixed:
                options.append("--target-cpu=" +
                               chance.choice(["native"] * 3 + OTHER_CPUS))
            if chance.random() < 0.1 and "--llvm-passes" not in fixed:
                options.append("--llvm-passes=default<O3>")
        if chance.random() < 0.3 and "--topology" not in fixed:
            options.append("--topology=" + chance.choice(["sparse", "dense"]))
        if chance.random() < 0.3:
            options.append(f"--long-row-edges={chance.choice([1, 3, 16])}")
        yield options


def check(arguments, path, program, graphs, target, options, is_quiet=False):
    """Whether the program in `path` computes the same compiled with these options."""
    words = " ".join([f"--target={target}", arguments.options, *options])
    tolerance = "0.06" if "--precision" in words else program.tolerance
    return run([sys.executable, str(COMPARE), "--tools", str(arguments.tools),
                "--graphs", str(arguments.graphs), "--scratch", f"{path}.t",
                "--rtol", tolerance, "--atol", tolerance,
                *(["--threads", "1,2"] if target == "cpu" else []),
                f"--options={words}", str(path), *graphs], is_quiet)


def reduce(arguments, seed, program, graphs, target, options):
    """Prints the fewest results, graphs and options that suffice."""
    small = pathlib.Path(f"{arguments.scratch}.{seed}.small.mlir")

    def fails(results, graphs, options):
        small.write_text(program.text(results))
        return not check(arguments, small, program, graphs, target, options, True)

    results = minimise(program.results, lambda fewer: fewer and
                       fails(fewer, graphs, options))
    options = minimise(options, lambda fewer: fails(results, graphs, fewer))
    graphs = minimise(graphs, lambda fewer: fails(results, fewer, options)
                      if fewer else False)
    small.write_text(program.text(results))
    print(f"What suffices: {small} {' '.join(graphs)} --target={target} "
          f"{arguments.options} {shlex.join(options)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument("--targets", default="cpu,gpu-emu", metavar="TARGET,...")
    parser.add_argument("--settings", type=int, default=1, metavar="N")
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--options", default="", metavar="OPTIONS")
    parser.add_argument("--print", action="store_true")
    arguments = parser.parse_args()

    pathlib.Path(arguments.scratch).parent.mkdir(parents=True, exist_ok=True)
    flags, on_cpus = find_flags(arguments.tools / "gnn-compile")
    failures = 0
    programs = 0
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        program = Program(seed)
        text = program.text(program.results)
        if not re.search(arguments.filter, text):
            continue
        if arguments.print:
            print(f"// {seed}\n{text}")
            continue
        programs += 1
        path = pathlib.Path(f"{arguments.scratch}.{seed}.mlir")
        path.write_text(text)
        names = program.graph_names
        graphs = random.Random(seed).sample(names, min(len(names), 4))
        for target in arguments.targets.split(","):
            switches = sorted(on_cpus if target == "cpu" else flags)
            for options in settings(seed, target, switches, arguments.settings,
                                    arguments.options):
                if check(arguments, path, program, graphs, target, options):
                    continue
                failures += 1
                print(f"seed {seed} fails", flush=True)
                reduce(arguments, seed, program, graphs, target, options)
                break
        sys.stdout.flush()
    print(f"{programs} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
