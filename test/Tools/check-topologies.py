"""Checks that one gnn function gives the same whatever the topology.

    check-topologies.py --tools BIN --scratch PREFIX [--except TOPOLOGY]
                        [--targets TARGET,...] MODEL

MODEL is a model folder for complete graphs. Its function, as `gnn-compile
--emit=gnn` prints it, is compiled for complete, causal, window and
block-diagonal graphs and for CSR, with nothing else changed than the type of
the graph. On CSR graphs that list just the edges of a dense one, all elements
must agree to 1e-5 of the largest; on a CSR graph with an edge less they must
not. With --except, one topology is left out: that on which the layer is not
defined. All of that for each TARGET (cpu and gpu-emu).
"""

import argparse
import pathlib
import sys

import graphs
import toolbench

# Sizes that no tile or vector divides, and the smallest ones.
CASES = [
    ("complete", [(0, "complete"), (1, "complete"), (37, "complete"),
                  (203, "complete")]),
    ("causal", [(1, "causal"), (2, "causal"), (131, "causal")]),
    ("window<3>", [(2, "window:3"), (5, "window:3"), (131, "window:3")]),
    ("block_diagonal", [(1, "blocks:1"), (6, "blocks:1,5"),
                        (131, "blocks:1,37,3,90")]),
]


class Checker(toolbench.Bench):
    def __init__(self, tools, scratch, target, model):
        super().__init__(tools, scratch, target)
        self.text = self.print_function(model)
        if "!gnn.graph<complete>" not in self.text:
            sys.exit(f"{model} is no model for complete graphs")

    def compile(self, topology):
        """The library of the function with its graph of type `topology`."""
        return self.compile_function(
            self.text.replace("!gnn.graph<complete>",
                              f"!gnn.graph<{topology}>"), topology)

    def check(self, dense, sparse, nodes, edges):
        """Runs both libraries on a graph with these edges."""
        expected = self.path("expected.npz")
        tolerances = ["--rtol", "1e-5", "--atol", "0"]
        graph = self.path("graph.npz")
        graphs.write(graph, nodes, edges, clusters=True)
        self.run("gnn-run-library", sparse, "--graph", graph,
                 "--output", expected)
        self.run("gnn-run-library", dense, "--graph", graph,
                 "--check", expected, *tolerances)
        if nodes < 100:
            return
        # Sensitive to a single edge, or the comparison would show nothing.
        graphs.write(graph, nodes, edges, drop=0, clusters=True)
        self.run("gnn-run-library", sparse, "--graph", graph,
                 "--check", expected, *tolerances, status=1)

    def check_all(self, left_out):
        sparse = self.compile("csr")
        for topology, cases in CASES:
            if topology == left_out:
                continue
            dense = self.compile(topology)
            for nodes, edges in cases:
                self.check(dense, sparse, nodes, edges)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--targets", default="cpu,gpu-emu")
    parser.add_argument("--except", dest="left_out", metavar="TOPOLOGY",
                        choices=[topology for topology, _ in CASES])
    arguments = parser.parse_args()
    for target in arguments.targets.split(","):
        Checker(arguments.tools, arguments.scratch, target,
                arguments.model).check_all(arguments.left_out)


if __name__ == "__main__":
    main()
