"""Graphs for tests: edges of a given kind, random features."""

import itertools
import random

import npz


def block_of_nodes(sizes, nodes):
    if sum(sizes) != nodes:
        raise ValueError(f"blocks of {sum(sizes)} nodes for {nodes} nodes")
    return [block for block, size in enumerate(sizes) for _ in range(size)]


def make_edges(kind, nodes, generator):
    """The (source, destination) pairs and the block of each node, if any."""
    kind, _, argument = kind.partition(":")
    if kind == "random":
        return [(generator.randrange(nodes), generator.randrange(nodes))
                for _ in range(int(argument))], None
    if kind == "hub":
        return [(generator.randrange(nodes), 0)
                for _ in range(int(argument))], None
    if kind == "communities":
        count, members = (int(number) for number in argument.split(":"))
        away = nodes // members
        return [(s, (s + away * generator.randrange(members)) % nodes)
                for s in (generator.randrange(nodes) for _ in range(count))], None
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
        raise ValueError(f"unknown kind of edges '{kind}'")
    pairs = list(pairs)
    generator.shuffle(pairs)
    return pairs, blocks


def write(path, nodes, edges="none", channels=6, seed=0, drop=None,
          clusters=False, edge_weights=False, edge_channels=None):
    """Writes a graph file; make-graph.py says what the arguments mean. With
    `clusters`, nodes lie in a quarter as many clusters, in no order."""
    generator = random.Random(seed)
    arrays = {"x": ("<f4", (nodes, channels),
                    [generator.gauss(0, 1) for _ in range(nodes * channels)])}
    if edges != "none":
        pairs, blocks = make_edges(edges, nodes, generator)
        if drop is not None:
            del pairs[drop]
        arrays["edge_index"] = ("<i8", (2, len(pairs)),
                                [pair[side] for side in range(2)
                                 for pair in pairs])
        if edge_weights:
            arrays["edge_weight"] = ("<f4", (len(pairs),),
                                     [generator.random() for _ in pairs])
        if edge_channels is not None:
            shape = (len(pairs), edge_channels)
            arrays["edge_attr"] = ("<f4", shape,
                                   [generator.gauss(0, 1)
                                    for _ in range(shape[0] * shape[1])])
        if blocks is not None:
            arrays["batch"] = ("<i8", (nodes,), blocks)
    if clusters:
        arrays["cluster"] = ("<i8", (nodes,), [7 * i % (nodes // 4 + 1)
                                               for i in range(nodes)])
    npz.write(path, arrays)
