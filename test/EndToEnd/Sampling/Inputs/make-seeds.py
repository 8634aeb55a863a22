"""Writes nodes 5, 59 and 0 of 60 as NumPy arrays of several kinds.

    make-seeds.py FOLDER
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Tools"))
import npz

NODES = [5, 59, 0]


def main():
    folder = pathlib.Path(sys.argv[1])
    arrays = {
        "int32": ("<i4", (3,), NODES),
        "int64": ("<i8", (3,), NODES),
        "bool": ("|b1", (60,), [node in NODES for node in range(60)]),
        "float": ("<f4", (3,), NODES),
        "short": ("|b1", (3,), [1, 1, 1]),
        "matrix": ("<i8", (3, 1), NODES),
        "beyond": ("<i8", (1,), [60]),
        "none": ("<i8", (0,), []),
        "narrow": ("<f4", (60, 1), range(60)),
    }
    for name, array in arrays.items():
        (folder / f"{name}.npy").write_bytes(npz.npy(*array))


if __name__ == "__main__":
    main()
