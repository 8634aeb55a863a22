"""Asks ptxas what the kernels of models need, and prints it as a table.

    check-ptxas.py --compiler gnn-compile --ptxas PTXAS --scratch PREFIX
                   [--chips sm_80,sm_90] [--rows ROWS] [--expect PAGE] MODEL...

Each model is compiled to PTX for each chip, and ptxas says how many registers a
thread of each kernel takes, how much workgroup memory a block takes, and whether
registers are spilled to memory. The exit status is 1 if any are. ROWS is a file like
bench/gpu/rows.txt, whose kernels are models, too. PAGE is one of Markdown that has to
have all of the table: the same but for a few registers, which depend on the toolkit.
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
KERNELS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "kernels"
# By how many registers toolkits may differ.
SLACK = 16


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


def expand_rows(path, scratch):
    """(name, file, options) of each kernel that the benchmarks' rows name."""
    seen = set()
    for line in path.read_text().splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        name, kernel, precision, shapes = words[1:5]
        if (kernel, precision, shapes) in seen:
            continue
        seen.add((kernel, precision, shapes))
        text = (KERNELS / f"{kernel}.mlir").read_text()
        for shape in shapes.split(","):
            parameter, value = shape.split("=")
            text = text.replace(f"$({parameter})", value)
        file = pathlib.Path(f"{scratch}.{name}.mlir")
        file.write_text(text)
        yield name, file, [f"--precision={precision}", "--topology=sparse"]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def find_difference(row, page):
    """What `page` has instead of this line of the table; None if it agrees."""
    row = cells(row)
    for line in page:
        other = cells(line)
        if other[:2] != row[:2] or len(other) != len(row):
            continue
        near = abs(int(other[3]) - int(row[3])) <= SLACK
        return None if near and other[4:] == row[4:] and other[2] == row[2] \
            else line
    return "no such row"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=pathlib.Path, nargs="*")
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--expect", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--chips", default="sm_80,sm_90")
    arguments = parser.parse_args()

    print("| model | chip | kernels | most registers | most workgroup memory "
          "(bytes) | with a stack | spilling |")
    print("|---|---|---|---|---|---|---|")
    failures = 0
    models = [("/".join(model.parts[-2:]), model, [])
              for model in arguments.models]
    if arguments.rows:
        models += expand_rows(arguments.rows, arguments.scratch)
    page = arguments.expect and [
        line for line in arguments.expect.read_text().splitlines()
        if line.startswith("|")]
    for name, model, options in models:
        for chip in arguments.chips.split(","):
            ptx = arguments.scratch + ".ptx"
            run([arguments.compiler, str(model), "--target=cuda",
                 f"--chip={chip}", *options, "--emit=ptx", "-o", ptx])
            rows = kernels(run([arguments.ptxas, "-v", f"-arch={chip}", ptx,
                                "-o", arguments.scratch + ".cubin"]))
            if not rows:
                sys.exit(f"ptxas says nothing about the kernels of {model}")
            spills = sum(row[4] > 0 for row in rows)
            failures += spills > 0
            line = (f"| {name} | {chip} | {len(rows)} "
                    f"| {max(row[1] for row in rows)} "
                    f"| {max(row[2] for row in rows)} "
                    f"| {sum(row[3] > 0 for row in rows)} | {spills} |")
            print(line)
            difference = page and find_difference(line, page)
            if difference:
                failures += 1
                print(f"{arguments.expect.name} has: {difference}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
