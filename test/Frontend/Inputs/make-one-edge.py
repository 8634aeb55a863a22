"""Writes a graph of one node with an edge to itself, of a relation.

    make-one-edge.py OUT.npz RELATION
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tools"))
import npz  # noqa: E402

npz.write(sys.argv[1], {
    "x": ("<f4", (1, 6), [0] * 6),
    "edge_index": ("<i8", (2, 1), [0, 0]),
    "edge_type": ("<i8", (1,), [int(sys.argv[2])])})
