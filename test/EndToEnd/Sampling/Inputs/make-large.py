"""Makes a large graph most of whose nodes are alone, and its other nodes' graph.

    make-large.py FOLDER

  large.npz    the edges of 1,000,000 nodes
  x.npy        their features, 384 MB, zeros but for 4,000 nodes (a sparse file)
  seeds.npy    those nodes
  compact.npz  the graph of those nodes alone, with features
"""

import array
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Tools"))
import npz

NODES, CHANNELS, USED, DEGREE = 1_000_000, 96, 4_000, 7


def main():
    folder = pathlib.Path(sys.argv[1])
    generator = random.Random(0)
    used = generator.sample(range(NODES), USED)
    edges = [generator.choices(range(USED), k=USED * DEGREE)
             for side in range(2)]
    rows = [array.array("f", (generator.uniform(-1, 1)
                              for _ in range(CHANNELS))) for _ in range(USED)]
    npz.write(folder / "compact.npz", {
        "x": ("<f4", (USED, CHANNELS), [v for row in rows for v in row]),
        "edge_index": ("<i8", (2, USED * DEGREE), edges[0] + edges[1]),
    })
    npz.write(folder / "large.npz", {
        "edge_index": ("<i8", (2, USED * DEGREE),
                       [used[node] for side in edges for node in side]),
    })
    (folder / "seeds.npy").write_bytes(npz.npy("<i8", (USED,), used))
    with open(folder / "x.npy", "wb") as file:
        begin = file.write(npz.header("<f4", (NODES, CHANNELS)))
        file.truncate(begin + 4 * NODES * CHANNELS)
        for node, row in zip(used, rows):
            file.seek(begin + 4 * CHANNELS * node)
            row.tofile(file)


if __name__ == "__main__":
    main()
