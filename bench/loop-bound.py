"""What a processor's ports allow the loops of a kernel.

    python3 bench/loop-bound.py [--bin build/bin] KERNEL NAME=VALUE...
    python3 bench/loop-bound.py gatv2-attention H=8 D=8

Compiles a template of bench/kernels, without prefetches, stores past the caches and
threads, all of which make copies of loops, and prints the loops of the assembly as a
tree: how many instructions each has besides the loops in it, and for innermost ones
the cycles of an iteration by llvm-mca, loads from the first cache and no branch
mispredicted. A loop over edges loads an index for each, one over rows some of the row
pointer, one over registers, as that of the exponentials, none.

LLVM's models of Intel's processors after Skylake know one unit for multiply-adds of
512 bits, where servers have two. So Skylake's is what --mcpu defaults to, with the
six instructions a cycle of those that came after.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPTIONS = ["--prefetch=false", "--stream=false", "--parallelize=false",
           "--topology=sparse"]
ITERATIONS = 1000


class Loop:
    """The lines from a label to the last jump back to it."""

    def __init__(self, begin, end):
        self.begin, self.end, self.inner = begin, end, []

    def holds(self, other):
        return self.begin <= other.begin and other.end <= self.end

    def instructions(self, lines):
        """Those that are in no inner loop."""
        return [lines[i] for i in range(self.begin, self.end + 1)
                if is_instruction(lines[i])
                and not any(loop.begin <= i <= loop.end for loop in self.inner)]


def is_instruction(line):
    return line.startswith("\t") and not line.lstrip().startswith((".", "#"))


def find_loops(lines):
    """The outermost loops, with those inside of them."""
    labels = {line[:-1]: i for i, line in enumerate(lines)
              if re.fullmatch(r"\.LBB\w+:", line)}
    ends = {}
    for i, line in enumerate(lines):
        jump = re.match(r"\tj\w+\s+(\.LBB\w+)", line)
        if jump and labels[jump[1]] <= i:
            ends[labels[jump[1]]] = i
    outermost, open_loops = [], []
    for begin, end in sorted(ends.items()):
        loop = Loop(begin, end)
        while open_loops and not open_loops[-1].holds(loop):
            open_loops.pop()
        (open_loops[-1].inner if open_loops else outermost).append(loop)
        open_loops.append(loop)
    return outermost


def count_indices(instructions):
    """Loads of 32 bits at entries of an array."""
    load = re.compile(r"\t(movslq|movl)\s+-?\d*\(%\w+,%\w+,4\), %")
    return sum(bool(load.match(line)) for line in instructions)


def get_cycles(arguments, instructions, scratch):
    """Of one iteration among many."""
    source = scratch / "loop.s"
    # Jumps end no iteration that llvm-mca knows of.
    source.write_text("\n".join(line for line in instructions
                                if not line.startswith("\tj")) + "\n")
    report = subprocess.run(
        [arguments.mca, f"--mcpu={arguments.mcpu}",
         f"--dispatch={arguments.dispatch}", f"--iterations={ITERATIONS}",
         source], check=True, capture_output=True, text=True).stdout
    return int(re.search(r"Total Cycles:\s+(\d+)", report)[1]) / ITERATIONS


def show(arguments, lines, loops, scratch, depth=0):
    for loop in loops:
        instructions = loop.instructions(lines)
        text = f"{'  ' * depth}{lines[loop.begin][:-1]:12}"
        text = f"{text:24} {len(instructions):4} instructions"
        if not loop.inner:
            cycles = get_cycles(arguments, instructions, scratch)
            text += f", {cycles:5.1f} cycles"
            if indices := count_indices(instructions):
                text += f", {indices} indices, {cycles / indices:.1f} each"
        print(text)
        show(arguments, lines, loop.inner, scratch, depth + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", help="a file of bench/kernels, without .mlir")
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE",
                        help="what its template leaves open")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin",
                        help="the folder of gnn-compile")
    parser.add_argument("--target-cpu", default="native",
                        help="of gnn-compile (default: native)")
    parser.add_argument("--mca", default="llvm-mca-22",
                        help="the command (default: llvm-mca-22)")
    parser.add_argument("--mcpu", default="skylake-avx512",
                        help="llvm-mca's model (default: skylake-avx512)")
    parser.add_argument("--dispatch", type=int, default=6,
                        help="instructions a cycle (default: 6)")
    arguments = parser.parse_args()
    if not shutil.which(arguments.mca):
        parser.error(f"there is no {arguments.mca}; --mca names another one")
    text = (ROOT / "bench/kernels" / f"{arguments.kernel}.mlir").read_text()
    for value in ["TOPOLOGY=csr", *arguments.values]:
        name, _, value = value.partition("=")
        text = text.replace(f"$({name})", value)
    if missing := sorted(set(re.findall(r"\$\((\w+)\)", text))):
        parser.error(f"{arguments.kernel} needs values of {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "kernel.mlir").write_text(text)
        subprocess.run([arguments.bin / "gnn-compile", *OPTIONS,
                        f"--target-cpu={arguments.target_cpu}",
                        scratch / "kernel.mlir", "-o", scratch / "kernel.s"],
                       check=True)
        lines = (scratch / "kernel.s").read_text().splitlines()
        loops = find_loops(lines)
        if not loops:
            sys.exit("loop-bound.py: there are no loops")
        show(arguments, lines, loops, scratch)


if __name__ == "__main__":
    main()
