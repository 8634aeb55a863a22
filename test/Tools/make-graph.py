"""Makes a graph file for tests: edges of a given kind, random features.

    make-graph.py OUT.npz --nodes N [--channels C] [--seed S] [--edges KIND]
                  [--drop I]

KIND is complete, causal, window:W (all pairs, those up to the destination,
those at most W apart), blocks:SIZE,SIZE,... (all pairs within consecutive
blocks, which also become `batch`), random:E (E edges, any of them) or none (no
array `edge_index` at all). The list of edges is shuffled. --drop leaves out
edge number I of it.
"""

import argparse
import itertools
import random
import sys

import npz


def block_of_nodes(sizes, nodes):
    if sum(sizes) != nodes:
        sys.exit(f"blocks of {sum(sizes)} nodes in all for {nodes} nodes")
    return [block for block, size in enumerate(sizes) for _ in range(size)]


def make_edges(kind, nodes, generator):
    """The (source, destination) pairs and the block of each node, if any."""
    kind, _, argument = kind.partition(":")
    if kind == "random":
        return [(generator.randrange(nodes), generator.randrange(nodes))
                for _ in range(int(argument))], None
    pairs = itertools.product(range(nodes), repeat=2)
    blocks = None
    if kind == "causal":
        pairs = ((s, d) for s, d in pairs if s <= d)
    elif kind == "window":
        pairs = ((s, d) for s, d in pairs if abs(s - d) <= int(argument))
    elif kind == "blocks":
        blocks = block_of_nodes([int(s) for s in argument.split(",")], nodes)
        pairs = ((s, d) for s, d in pairs if blocks[s] == blocks[d])
    elif kind != "complete":
        sys.exit(f"unknown kind of edges '{kind}'")
    pairs = list(pairs)
    generator.shuffle(pairs)
    return pairs, blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--channels", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--edges", default="none")
    parser.add_argument("--drop", type=int)
    arguments = parser.parse_args()

    generator = random.Random(arguments.seed)
    count = arguments.nodes * arguments.channels
    arrays = {"x": ("<f4", (arguments.nodes, arguments.channels),
                    [generator.gauss(0, 1) for _ in range(count)])}
    if arguments.edges != "none":
        pairs, blocks = make_edges(arguments.edges, arguments.nodes, generator)
        if arguments.drop is not None:
            del pairs[arguments.drop]
        arrays["edge_index"] = ("<i8", (2, len(pairs)),
                                [pair[side] for side in range(2)
                                 for pair in pairs])
        if blocks is not None:
            arrays["batch"] = ("<i8", (arguments.nodes,), blocks)
    npz.write(arguments.output, arrays)


if __name__ == "__main__":
    main()
