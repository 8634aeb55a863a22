"""Writes two graphs of two nodes and an edge each, with a `ptr` of choice.

    make-ptr.py OUT.npz POINTER...
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
import npz

path, *pointers = sys.argv[1:]
npz.write(path, {
    "edge_index": ("<i8", (2, 4), [0, 1, 2, 3, 1, 0, 3, 2]),
    "ptr": ("<i8", (len(pointers),), [int(p) for p in pointers])})
