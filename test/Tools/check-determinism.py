"""Checks that outputs are the same to the last bit, however they are computed.

    check-determinism.py --tools BIN --scratch PREFIX [--compile OPTIONS]
                         MODEL GRAPH...

MODEL is compiled twice, with OPTIONS, which must give the same library. It runs on each
GRAPH with 1, 2 and 4 threads, three times each; the .npz files it writes must
all be equal.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout}exit status {done.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--compile", default="", metavar="OPTIONS")
    arguments = parser.parse_args()

    library = pathlib.Path(arguments.scratch + ".so")
    command = (arguments.tools / "gnn-compile", arguments.model, "-o", library,
               *shlex.split(arguments.compile))
    run(*command)
    code = library.read_bytes()
    run(*command)
    if library.read_bytes() != code:
        sys.exit("compiling the model again gave another library")

    output = pathlib.Path(arguments.scratch + ".npz")
    for graph in arguments.graphs:
        first = None
        for threads in (1, 2, 4):
            for repetition in range(3):
                run(arguments.tools / "gnn-run-library", library,
                    "--graph", graph, "--threads", threads, "--output", output)
                result = output.read_bytes()
                output.unlink()
                first = first or result
                if result != first:
                    sys.exit(f"{graph}: run {repetition + 1} on {threads} "
                             "threads differs from the first on one")


if __name__ == "__main__":
    main()
