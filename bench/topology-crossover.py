"""From which density on attention runs faster over all pairs of nodes.

    python3 bench/topology-crossover.py [--bin build/bin] [--threads N]

One attention, without the layers around it, is compiled over listed edges and
over all pairs (gnn-compile --topology=sparse and =dense), and both take turns
on random graphs of growing density. Prints a Markdown table of the ratio of
their times, listed edges by all pairs: above 1 all pairs win. The last column
is the density at which it passes 1, interpolated. Needs numpy.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import numpy as np

DENSITIES = [0.1, 0.2, 0.3, 0.5, 0.7, 1.0]

MODEL = """\
#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
func.func @attention(%g: !gnn.graph<csr>,
                     %q: tensor<?x{h}x{d}xf32> {{gnn.name = "q"}},
                     %k: tensor<?x{h}x{d}xf32> {{gnn.name = "k"}},
                     %v: tensor<?x{h}x{d}xf32> {{gnn.name = "v"}})
    -> tensor<?x{h}x{d}xf32> {{
  %y = gnn.attention %g
    score dst(%q : tensor<?x{h}x{d}xf32>) src(%k : tensor<?x{h}x{d}xf32>) {{
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }}
    value src(%v : tensor<?x{h}x{d}xf32>) {{
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }}
    {{score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
      value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
      weight_map = #h}}
    : !gnn.graph<csr> -> tensor<?x{h}x{d}xf32>
  return %y : tensor<?x{h}x{d}xf32>
}}
"""


def median(arguments, library, graph):
    """Median milliseconds of a run."""
    report = pathlib.Path(library).with_suffix(".json")
    subprocess.run([arguments.bin / "gnn-run", library, "--graph", graph,
                    "--repeat", str(arguments.runs), "--threads",
                    str(arguments.threads), "--json", report, "--quiet"],
                   check=True)
    return json.loads(report.read_text())["run_ms_median"]


def crossover(ratios):
    """Where the ratio passes 1, between two densities; None if it does not."""
    for (a, low), (b, high) in zip(ratios, ratios[1:]):
        if low < 1 <= high:
            return a + (b - a) * (1 - low) / (high - low)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default="build/bin",
                        help="the folder of gnn-compile and gnn-run")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5,
                        help="turns of each side (default: 5)")
    parser.add_argument("--runs", type=int, default=5,
                        help="counted runs in each turn (default: 5)")
    arguments = parser.parse_args()

    print("| heads x width | nodes | " +
          " | ".join(f"{d:.0%}" for d in DENSITIES) + " | crossover |")
    print("|---|---|" + "---|" * (len(DENSITIES) + 1))
    with tempfile.TemporaryDirectory() as scratch:
        for heads, width in ((8, 8), (4, 32), (8, 64)):
            model = pathlib.Path(scratch) / "attention.mlir"
            model.write_text(MODEL.format(h=heads, d=width))
            libraries = []
            for topology in ("sparse", "dense"):
                libraries.append(f"{scratch}/{topology}.so")
                subprocess.run([arguments.bin / "gnn-compile", model, "-o",
                                libraries[-1], f"--topology={topology}"],
                               check=True)
            for nodes in (32, 256, 1024):
                generator = np.random.default_rng(nodes)
                rows = [generator.standard_normal((nodes, heads, width))
                        .astype(np.float32) for _ in range(3)]
                ratios = []
                for density in DENSITIES:
                    mask = generator.random((nodes, nodes)) < density
                    destination, source = mask.nonzero()
                    graph = f"{scratch}/graph.npz"
                    np.savez(graph, q=rows[0], k=rows[1], v=rows[2],
                             edge_index=np.stack([source, destination]))
                    ratios.append((density, statistics.median(
                        median(arguments, libraries[0], graph) /
                        median(arguments, libraries[1], graph)
                        for _ in range(arguments.rounds))))
                at = crossover(ratios)
                print(f"| {heads} x {width} | {nodes} | " +
                      " | ".join(f"{r:.2f}" for _, r in ratios) +
                      f" | {'never' if at is None else f'{at:.0%}'} |",
                      flush=True)


if __name__ == "__main__":
    main()
