"""Checks rows of a batch's output against those of some of its graphs alone.

    check-alone.py --tools BIN MODEL OUTPUT.npz BATCH.npz --rows {graph,node}

The graphs are in the folder `graphs` beside BATCH.npz, in order of their names.
--rows says what the rows of OUTPUT.npz are: one for each graph, or each node.
"""

import argparse
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Tools"))
import npz


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("batch", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--rows", choices=["graph", "node"], required=True)
    arguments = parser.parse_args()

    pointers = npz.read(arguments.batch, "ptr")[2]
    paths = sorted((arguments.batch.parent / "graphs").iterdir())
    _, (rows, width), values = npz.read(arguments.output, "y")
    if rows != (len(paths) if arguments.rows == "graph" else pointers[-1]):
        sys.exit(f"{rows} rows")
    magnitude = max(map(abs, values))
    alone = arguments.output.with_suffix(".alone.npz")
    chosen = range(0, len(paths), len(paths) // 10)
    for number in chosen:
        subprocess.run([arguments.tools / "gnn-run", arguments.model,
                        "--graph", paths[number], "--quiet",
                        "--output", alone], check=True)
        begin, end = ((number, number + 1) if arguments.rows == "graph"
                      else pointers[number:number + 2])
        wanted = npz.read(alone, "y")[2]
        got = values[begin * width:end * width]
        if len(got) != len(wanted) or not all(
                math.isclose(a, b, rel_tol=0, abs_tol=1e-6 * magnitude)
                for a, b in zip(got, wanted)):
            sys.exit(f"{paths[number]}: {wanted} alone, {got} in the batch")
    print(f"{len(paths)} graphs, {len(chosen)} of them alone")


if __name__ == "__main__":
    main()
