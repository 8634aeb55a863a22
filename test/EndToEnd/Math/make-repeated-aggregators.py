"""Writes what repeated-aggregators.test runs on.

    make-repeated-aggregators.py FOLDER

The weight is the identity: outputs are what the aggregators make.
"""

import array
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Tools"))
import npz  # noqa: E402


def main():
    folder = pathlib.Path(sys.argv[1])
    # The first node gets the rows of the others, these get nothing.
    npz.write(folder / "graph.npz", {
        "x": ("<f4", (3, 2), [9, 9, 1, 2, 3, 6]),
        "edge_index": ("<i8", (2, 2), [1, 2, 0, 0])})
    for name, row in [("mean", [2, 4]), ("var", [1, 4]), ("std", [1, 2])]:
        npz.write(folder / f"{name}.npz", {
            "y": ("<f4", (3, 6), [*row, 4, 8, *row] + [0] * 12)})
    identity = array.array("f", [float(row == column) for row in range(6)
                                 for column in range(6)]).tobytes()
    header = json.dumps({"y.lin_l.weight": {
        "dtype": "F32", "shape": [6, 6],
        "data_offsets": [0, len(identity)]}}).encode()
    model = folder / "model"
    model.mkdir()
    (model / "model.safetensors").write_bytes(
        len(header).to_bytes(8, "little") + header + identity)


if __name__ == "__main__":
    main()
