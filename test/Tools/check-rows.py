"""Checks that the first rows are the same to the last bit, however many follow.

    check-rows.py --tools BIN --scratch PREFIX --channels N [--compile OPTIONS]
                  [--most ROWS] [--tolerance T] MODEL

MODEL, whose input is `x` of N channels, computes each node by itself. It runs on
ROWS nodes without edges, which must give what the interpreter gives, to T (1e-5), and
then on fewer: on each number up to 50. Those rows must be the same, with 1, 2 or 3
threads.
"""

import argparse
import pathlib
import random
import shlex
import sys

import npz
import toolbench


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--channels", type=int, required=True)
    parser.add_argument("--compile", default="", metavar="OPTIONS")
    parser.add_argument("--most", type=int, default=131)
    parser.add_argument("--tolerance", default="1e-5")
    arguments = parser.parse_args()

    bench = toolbench.Bench(arguments.tools, arguments.scratch)
    library, output = bench.path("model.so"), bench.path("output.npz")
    bench.run("gnn-compile", arguments.model, *shlex.split(arguments.compile),
              "-o", library)
    generator = random.Random(0)
    channels = arguments.channels
    values = [generator.gauss(0, 1) for _ in range(arguments.most * channels)]

    def run(count, threads):
        graph = bench.path("graph.npz")
        npz.write(graph, {
            "x": ("<f4", (count, channels), values[:count * channels]),
            "edge_index": ("<i8", (2, 0), [])})
        bench.run("gnn-run-library", library, "--graph", graph, "--threads",
                  threads, "--all-threads", "--output", output)
        return {name: npz.read(output, name)[1:] for name in npz.names(output)}

    whole = run(arguments.most, 1)
    expected = bench.path("expected.npz")
    bench.run("gnn-run", arguments.model, "--interpret", "--graph",
              bench.path("graph.npz"), "--output", expected)
    bench.run("gnn-run", library, "--graph", bench.path("graph.npz"), "--check",
              expected, "--rtol", arguments.tolerance, "--atol", arguments.tolerance)
    for count in range(1, min(50, arguments.most) + 1):
        for name, (shape, rows) in run(count, 1 + count % 3).items():
            width = shape[1]
            if shape[0] != count or rows != whole[name][1][:count * width]:
                sys.exit(f"{count} rows of {name} differ from those of "
                         f"{arguments.most}")


if __name__ == "__main__":
    main()
