"""Graphs that are too large to keep in a file, or have no nodes on one side.

`write(name, folder)` writes one of GRAPHS as an .npz with the arrays that the
end-to-end graphs have, and returns its path.
"""

import pathlib
import random
import struct
import zipfile


def make_array(descr, shape, values):
    """The bytes of an .npy file."""
    shape = "(" + "".join(f"{size}, " for size in shape) + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = list(values)
    code = {"<f4": "f", "<i8": "q"}[descr]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
            header.encode() + struct.pack(f"<{len(values)}{code}", *values))


def make_graph(arrays, edges):
    """Adds edges, pairs (source, destination), with weights and features."""
    generator = random.Random(len(edges))
    floats = lambda n: [generator.uniform(-1.5, 1.5) for _ in range(n)]
    count = len(edges)
    arrays["edge_index"] = make_array(
        "<i8", (2, count), [s for s, _ in edges] + [d for _, d in edges])
    arrays["edge_weight"] = make_array("<f4", (count,), floats(count))
    arrays["edge_attr"] = make_array("<f4", (count, 3), floats(3 * count))
    return arrays


def make_nodes(count, width, seed):
    generator = random.Random(seed)
    return make_array("<f4", (count, width),
                      [generator.uniform(-1.5, 1.5)
                       for _ in range(count * width)])


def make_large():
    """150 nodes: more than two tiles of anything, and no multiple of a tile."""
    generator = random.Random(150)
    count = 150
    edges = [(generator.randrange(count), generator.randrange(count))
             for _ in range(700)]
    # Segments of uneven size; one is larger than a tile.
    batch = [0] * 70 + [1] * 3 + [2] + [3] * 76
    return make_graph({"x": make_nodes(count, 6, 1),
                       "batch": make_array("<i8", (count,), batch)}, edges)


def make_degrees():
    """In-degrees from 0 to 34, and 300, each of several nodes but the last."""
    generator = random.Random(300)
    degrees = [degree for degree in range(35) for _ in range(3)] + [300]
    generator.shuffle(degrees)
    count = len(degrees)
    edges = [(generator.randrange(count), node)
             for node, degree in enumerate(degrees) for _ in range(degree)]
    batch = [0] * 10 + [1] * (count - 10)
    return make_graph({"x": make_nodes(count, 6, 4),
                       "batch": make_array("<i8", (count,), batch)}, edges)


def make_crowded():
    """9,000 edges, most of them of one node in the middle, and none of the last
    nodes."""
    generator = random.Random(9000)
    count = 300
    edges = [(generator.randrange(count), 150 if i % 9 < 5 else
              generator.randrange(count - 20)) for i in range(9000)]
    return make_graph({"x": make_nodes(count, 6, 5),
                       "batch": make_array("<i8", (count,), [0] * count)}, edges)


def make_bipartite(sources, destinations):
    arrays = {"x_src": make_nodes(sources, 6, 2),
              "x_dst": make_nodes(destinations, 4, 3),
              "num_sources": make_array("<i8", (), [sources]),
              "num_destinations": make_array("<i8", (), [destinations])}
    return make_graph(arrays, [])


GRAPHS = {
    "large": make_large,
    "degrees": make_degrees,
    "crowded": make_crowded,
    "bipartite-no-edges": lambda: make_bipartite(4, 3),
    "bipartite-no-sources": lambda: make_bipartite(0, 3),
    "bipartite-no-destinations": lambda: make_bipartite(4, 0),
}


def write(name, folder):
    path = pathlib.Path(folder) / f"{name}.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for array, content in GRAPHS[name]().items():
            archive.writestr(array + ".npy", content)
    return str(path)
