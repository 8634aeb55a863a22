"""Asks ptxas what the kernels of models need, and prints it as a table.

    check-ptxas.py --compiler gnn-compile --ptxas PTXAS --scratch PREFIX
                   [--chips sm_80,sm_90] MODEL...

Each model is compiled to PTX for each chip, and ptxas says how many registers a
thread of each kernel takes, how much workgroup memory a block takes, and whether
registers are spilled to memory. The exit status is 1 if any are.
"""

import argparse
import pathlib
import re
import subprocess
import sys

KERNEL = re.compile(r"Compiling entry function '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def run(command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"$ {' '.join(command)}\n{done.stdout}")
    return done.stdout


def kernels(log):
    """(name, registers, workgroup memory, stack, spilled) of each kernel."""
    rows = []
    name, stack, spilled = None, 0, 0
    for line in log.splitlines():
        if match := KERNEL.search(line):
            name = match[1]
        elif match := SPILLS.search(line):
            stack, spilled = int(match[1]), int(match[2])
        elif match := USED.search(line):
            shared = SHARED.search(line)
            rows.append((name, int(match[1]), int(shared[1]) if shared else 0,
                         stack, spilled))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--chips", default="sm_80,sm_90")
    arguments = parser.parse_args()

    print("| model | chip | kernels | most registers | most workgroup memory "
          "(bytes) | with a stack | spilling |")
    print("|---|---|---|---|---|---|---|")
    spilling = 0
    for model in arguments.models:
        for chip in arguments.chips.split(","):
            ptx = arguments.scratch + ".ptx"
            run([arguments.compiler, str(model), "--target=cuda",
                 f"--chip={chip}", "--emit=ptx", "-o", ptx])
            rows = kernels(run([arguments.ptxas, "-v", f"-arch={chip}", ptx,
                                "-o", arguments.scratch + ".cubin"]))
            if not rows:
                sys.exit(f"ptxas says nothing about the kernels of {model}")
            spills = sum(row[4] > 0 for row in rows)
            spilling += spills
            print(f"| {'/'.join(model.parts[-2:])} | {chip} | {len(rows)} "
                  f"| {max(row[1] for row in rows)} "
                  f"| {max(row[2] for row in rows)} "
                  f"| {sum(row[3] > 0 for row in rows)} | {spills} |")
    return 1 if spilling else 0


if __name__ == "__main__":
    sys.exit(main())
