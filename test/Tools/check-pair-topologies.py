"""Checks that a model with values per edge gives the same whatever the topology.

    check-pair-topologies.py --tools BIN --scratch PREFIX
                             [--targets TARGET,...] MODEL INPUT...

MODEL is a model folder for CSR graphs that reads `x`, 6 channels per node, and
the INPUTs, one value per edge each: NAME:CHANNELS is of float32, NAME<LIMIT one
whole number (int64) below LIMIT. Its function, as `gnn-compile --emit=gnn`
prints it, is compiled for CSR and for graphs whose edges follow from their
type, with nothing else changed than the type of the graph and, where pairs of
nodes have values whether or not they are edges, that of the tensors holding
them: these are [N, N, ...] there. On the same edges and values all elements
must agree to 1e-5 of the largest; with two edges' values exchanged they must
not.
"""

import argparse
import pathlib
import random
import re

import graphs
import npz
import toolbench

CASES = [
    ("complete", [(1, "complete"), (37, "complete")]),
    ("causal", [(2, "causal"), (37, "causal")]),
    ("window<2>", [(2, "window:2"), (37, "window:2")]),
    ("block_diagonal", [(1, "blocks:1"), (37, "blocks:1,20,3,13")]),
]


class Input:
    def __init__(self, text):
        name, separator, number = re.fullmatch(r"(\w+)([:<])(\d+)",
                                               text).groups()
        self.name = name
        self.limit = int(number) if separator == "<" else None
        self.channels = 1 if self.limit else int(number)
        self.descr = "<i8" if self.limit else "<f4"
        self.tail = () if self.limit else (self.channels,)
        self.type = "xi64>" if self.limit else f"x{number}xf32>"

    def draw(self, generator):
        if self.limit:
            return [generator.randrange(self.limit)]
        return [generator.gauss(0, 1) for _ in range(self.channels)]

    def make_array(self, shape, rows):
        return (self.descr, (*shape, *self.tail), sum(rows, []))

    def make_dense(self, text):
        """The function where this input has a value for each pair."""
        listed = re.escape("tensor<?" + self.type)
        text = re.sub(rf'{listed} {{gnn.axis = "edge", gnn.graph = 0 : i64, '
                      rf'(.*?gnn.name = "{self.name}")',
                      rf"tensor<?x?{self.type} {{\1", text)
        return re.sub(rf"(gnn.edges_from_tensor .*){listed}",
                      rf"\1tensor<?x?{self.type}", text)


class Checker(toolbench.Bench):
    def __init__(self, tools, scratch, target, model, inputs):
        super().__init__(tools, scratch, target)
        self.text, self.inputs = self.print_function(model), inputs

    def compile(self, topology):
        text = self.text
        if topology != "csr":
            text = text.replace("!gnn.graph<csr>", f"!gnn.graph<{topology}>")
        if topology not in ("csr", "block_diagonal"):
            for each in self.inputs:
                text = each.make_dense(text)
        return self.compile_function(text, topology)

    def check(self, topology, library, sparse, nodes, kind):
        generator = random.Random(0)
        pairs, blocks = graphs.make_edges(kind, nodes, generator)
        x = ("<f4", (nodes, 6),
             [generator.gauss(0, 1) for _ in range(nodes * 6)])
        listed = {"x": x, "edge_index": (
            "<i8", (2, len(pairs)), [p[side] for side in (0, 1)
                                     for p in pairs])}
        implied = {"x": x}
        if blocks:
            implied["batch"] = listed["batch"] = ("<i8", (nodes,), blocks)
        exchanged = dict(listed)
        for each in self.inputs:
            # Values of pairs that are no edges must not matter.
            value = {(j, i): each.draw(generator) for i in range(nodes)
                     for j in range(nodes)}
            rows = [value[p] for p in pairs]
            listed[each.name] = each.make_array((len(pairs),), rows)
            exchanged[each.name] = each.make_array((len(pairs),), rows[::-1])
            implied[each.name] = each.make_array(
                (len(pairs),) if blocks else (nodes, nodes),
                [value[j, i] for i in range(nodes) for j in range(nodes)
                 if not blocks or blocks[i] == blocks[j]])
        files = [self.path(f"{name}.npz")
                 for name in ("listed", "implied", "exchanged", "expected")]
        for file, arrays in zip(files, (listed, implied, exchanged)):
            npz.write(file, arrays)
        check = ["--check", files[3], "--rtol", "1e-5", "--atol", "0"]
        self.run("gnn-run-library", sparse, "--graph", files[0],
                 "--output", files[3])
        self.run("gnn-run-library", library, "--graph", files[1], *check)
        if nodes > 10:
            self.run("gnn-run-library", sparse, "--graph", files[2], *check,
                     status=1)

    def check_all(self):
        sparse = self.compile("csr")
        for topology, cases in CASES:
            library = self.compile(topology)
            for nodes, kind in cases:
                self.check(topology, library, sparse, nodes, kind)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("inputs", nargs="+", type=Input, metavar="INPUT")
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--targets", default="cpu,gpu-emu")
    arguments = parser.parse_args()
    for target in arguments.targets.split(","):
        Checker(arguments.tools, arguments.scratch, target, arguments.model,
                arguments.inputs).check_all()


if __name__ == "__main__":
    main()
