"""Runs the model of an end-to-end test on every graph it has a reference for.

    check-model.py --tools BIN --graphs GRAPHS --scratch PREFIX FOLDER
                   [--targets TARGET,...] [--compile OPTIONS] [--run OPTIONS]
                   [--expected FILE] [--graph ONE] [--threads N,...]

FOLDER holds model.yaml, model.safetensors and expected.npz, whose arrays are
named GRAPH/OUTPUT; FILE takes the place of the latter. The model is compiled
once for each target (cpu, gpu-emu, cuda); the library then runs on
GRAPHS/GRAPH.npz for each graph, one after the other in one session of
gnn-run-library, which compares; OPTIONS, separated by blanks, are for gnn-compile
and for it. Where that fails, each run is repeated in a session of its own, to tell
which of them fail.
With --graph, it runs on that file alone, and arrays are named OUTPUT.
With --threads, it runs on each of these numbers of threads, and what it computes on
the first one is compared with the reference, and with all others to the last bit.
On cuda, runs are also replayed.
"""

import argparse
import pathlib
import shlex
import sys
import zipfile

from commands import run


def graph_names(expected):
    """The graphs that the arrays of an .npz are for, in their order there."""
    with zipfile.ZipFile(expected) as archive:
        members = archive.namelist()
    names = []
    for member in members:
        graph, slash, _ = member.partition("/")
        if not slash:
            sys.exit(f"{expected}: array {member} is not named GRAPH/OUTPUT")
        if graph not in names:
            names.append(graph)
    if not names:
        sys.exit(f"{expected}: no arrays, so nothing would be checked")
    return names


def runs_on(graph, reference, ways, arguments, scratch):
    """The options of all runs on a graph, which a reference is compared with."""
    checked = [*graph, *reference, "--rtol", "1e-5", "--atol", "1e-6"]
    if not arguments.threads:
        return [checked + way for way in ways]
    first, *others = arguments.threads.split(",")
    same = [*graph, "--check", scratch, "--rtol", "0", "--atol", "0", "--threads"]
    return [options for way in ways for options in (
        [*checked, *way, "--threads", first, "--output", scratch],
        *([*same, threads, *way] for threads in others))]


def check(arguments, target, expected, names):
    """Whether the model agrees with the reference on every graph."""
    library = f"{arguments.scratch}.{target}.so"
    if not run([str(arguments.tools / "gnn-compile"), str(arguments.folder),
                "-o", library, f"--target={target}",
                *shlex.split(arguments.compile)]):
        return False

    # The last run is what is compared: on the CPU, where that costs little, one
    # with what the session has kept of the first. On a GPU, kernel by kernel, and
    # as a CUDA graph.
    ways = {"cpu": [[] if arguments.run else ["--repeat", "2"]],
            "cuda": [[], ["--replay", "--repeat", "3"]]}.get(target, [[]])
    runs = {}
    for name in names:
        graph = arguments.graph or arguments.graphs / f"{name}.npz"
        reference = ["--check", str(expected),
                     *([] if arguments.graph else [f"--check-prefix={name}/"])]
        runs[name] = [
            [library, *options, *shlex.split(arguments.run)]
            for options in runs_on(["--graph", str(graph)], reference, ways,
                                   arguments, f"{arguments.scratch}.{target}.npz")]
    if not run_all(runs, arguments, target):
        return False
    print(f"{arguments.folder.name}: {len(names)} graphs agree on {target}")
    return True


def run_all(runs, arguments, target):
    """Whether all runs, which are lists of options by graph, succeed."""
    program = str(arguments.tools / "gnn-run-library")
    all_runs = [options for each in runs.values() for options in each]
    commands = pathlib.Path(f"{arguments.scratch}.{target}.commands")
    commands.write_text("".join(" ".join(options) + "\n" for options in all_runs))
    together = [program, "--commands", str(commands)]
    # Words of a command line are between spaces.
    has_spaces = any(" " in word for options in all_runs for word in options)
    if not has_spaces and run(together, is_quiet=True):
        return True
    failed = [name for name, each in runs.items()
              if not all(run([program, *options]) for options in each)]
    if failed:
        print(f"{arguments.folder.name}: {len(failed)} of {len(runs)} graphs "
              f"failed on {target}: {', '.join(failed)}")
    elif not has_spaces:
        print(f"{arguments.folder.name}: on {target}, runs fail only in a session "
              "of all graphs:")
        run(together)
    return not failed and has_spaces


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--targets", default="cpu", metavar="TARGET,...")
    parser.add_argument("--compile", default="", metavar="OPTIONS")
    parser.add_argument("--run", default="", metavar="OPTIONS")
    parser.add_argument("--expected", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--graph", type=pathlib.Path, metavar="ONE")
    parser.add_argument("--threads", default="", metavar="N,...")
    arguments = parser.parse_args()

    expected = arguments.expected or arguments.folder / "expected.npz"
    names = ([arguments.graph.stem] if arguments.graph
             else graph_names(expected))
    # All of them, so that one run tells everything.
    agree = [check(arguments, target, expected, names)
             for target in arguments.targets.split(",")]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
