"""Checks the batches that gnn-run made of a graph, and what it made of them.

    check-batches.py --tools BIN MODEL GRAPH.npz OUTPUT.npz BATCHES
                     (--fan-outs N,N,... --batch-size B [--seeds 0,5,17]
                      [--replace] | --clusters K)

OUTPUT.npz and BATCHES were written by gnn-run with --output and --save-batches.
The batches are compared with what sampling and clusters are defined as, by the
edge list of GRAPH.npz; MODEL, a library, is run on each batch alone, and its
rows must be those of OUTPUT.npz to the last bit.
"""

import argparse
import collections
import pathlib
import subprocess
import sys

import npz


def numbers(text):
    return [int(number) for number in text.split(",")]


class Graph:
    """The edges of a graph file."""

    def __init__(self, path):
        self.path = path
        _, (_, count), values = npz.read(path, "edge_index")
        self.edges = list(zip(values[:count], values[count:]))
        self.incoming = collections.defaultdict(list)
        for number, (_, destination) in enumerate(self.edges):
            self.incoming[destination].append(number)


class Batch(Graph):
    """A graph that says which nodes and edges of another it has."""

    def __init__(self, path):
        super().__init__(path)
        self.nodes = npz.read(path, "n_id")[2]
        self.edge_numbers = npz.read(path, "e_id")[2]
        (self.size,) = npz.read(path, "batch_size")[2]


def check(condition, batch, message):
    if not condition:
        sys.exit(f"{batch.path}: {message}")


def check_edges(graph, batch):
    """What is true of any part of a graph."""
    check(len(set(batch.nodes)) == len(batch.nodes), batch, "a node is twice")
    for (source, destination), number in zip(batch.edges, batch.edge_numbers,
                                             strict=True):
        check(graph.edges[number] == (batch.nodes[source],
                                      batch.nodes[destination]),
              batch, f"edge {number} is another one")


def check_sampled(graph, batch, seeds, fan_outs, replace):
    """The definition of sampling, hop by hop."""
    check(batch.nodes[:batch.size] == list(dict.fromkeys(seeds)), batch,
          "the seeds are not the first nodes")
    begin, end = 0, batch.size
    for fan_out in fan_outs:
        reached = end
        for node in range(begin, end):
            available = len(graph.incoming[batch.nodes[node]])
            drawn = [batch.edge_numbers[e] for e in batch.incoming[node]]
            wanted = (available if fan_out < 0
                      else fan_out * (available > 0) if replace
                      else min(fan_out, available))
            check(len(drawn) == wanted, batch,
                  f"{len(drawn)} edges of node {node}, not {wanted}")
            check(drawn == sorted(drawn), batch, "edges out of order")
            check(replace or len(set(drawn)) == len(drawn), batch,
                  f"an edge of node {node} was drawn twice")
            # Nodes are numbered as they are reached.
            for e in batch.incoming[node]:
                source = batch.edges[e][0]
                check(source <= reached, batch, "nodes out of order")
                reached = max(reached, source + 1)
        begin, end = end, reached
    check(end == len(batch.nodes), batch, "nodes that were not reached")
    check(all(not batch.incoming[node] for node in range(begin, end)), batch,
          "nodes of the last hop have edges")


def check_induced(graph, batch):
    """The definition of a cluster: some nodes, and all edges among them."""
    check(batch.nodes == sorted(batch.nodes), batch, "nodes out of order")
    check(batch.size == len(batch.nodes), batch, "not all nodes are wanted")
    nodes = set(batch.nodes)
    wanted = [number for number, edge in enumerate(graph.edges)
              if nodes.issuperset(edge)]
    check(sorted(batch.edge_numbers) == wanted, batch, "other edges")


def rows_of(path, name):
    _, shape, values = npz.read(path, name)
    width = len(values) // shape[0] if shape[0] else 0
    return [values[row * width:(row + 1) * width] for row in range(shape[0])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("graph")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("batches", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--fan-outs", type=numbers)
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--seeds", type=numbers)
    parser.add_argument("--replace", action="store_true")
    parser.add_argument("--clusters", type=int)
    parser.add_argument("--name", default="y")
    arguments = parser.parse_args()

    graph = Graph(arguments.graph)
    batches = [Batch(path) for path in sorted(arguments.batches.iterdir())]
    rows = rows_of(arguments.output, arguments.name)
    if arguments.clusters:
        if not 1 < len(batches) <= arguments.clusters:
            sys.exit(f"{len(batches)} batches")
        every = sorted(node for batch in batches for node in batch.nodes)
        if every != list(range(len(rows))):
            sys.exit("the clusters are not a partition of the nodes")
        wanted = [batch.nodes for batch in batches]
    else:
        seeds = arguments.seeds or list(range(len(rows)))
        size = arguments.batch_size
        wanted = [seeds[i:i + size] for i in range(0, len(seeds), size)]
    if sum(map(len, wanted)) != len(rows):
        sys.exit(f"{len(rows)} rows")

    position = 0
    for batch, nodes in zip(batches, wanted, strict=True):
        check_edges(graph, batch)
        if arguments.clusters:
            check_induced(graph, batch)
        else:
            check_sampled(graph, batch, nodes, arguments.fan_outs,
                          arguments.replace)
        alone = arguments.output.with_suffix(".alone.npz")
        subprocess.run([arguments.tools / "gnn-run", arguments.model,
                        "--graph", batch.path, "--quiet", "--output", alone],
                       check=True)
        alone = rows_of(alone, arguments.name)
        for node in nodes:
            row = node if arguments.clusters else position
            check(rows[row] == alone[batch.nodes.index(node)], batch,
                  f"row {row} of the output is not that of node {node}")
            position += 1
    print(f"{len(batches)} batches, {position} rows")


if __name__ == "__main__":
    main()
