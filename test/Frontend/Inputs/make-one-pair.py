"""Writes a graph of one node for GraphormerLayer with the distance and the
length of the path between it and itself.

    make-one-pair.py OUT.npz DISTANCE LENGTH
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tools"))
import npz  # noqa: E402

path, distance, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
npz.write(path, {
    "x": ("<f4", (1, 6), [0] * 6),
    "edge_index": ("<i8", (2, 0), []),
    "batch": ("<i8", (1,), [0]),
    "shortest_path": ("<i8", (1,), [distance]),
    "path_features": ("<f4", (1, 2, 3), [0] * 6),
    "path_lengths": ("<i8", (1,), [length])})
