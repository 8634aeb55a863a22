"""Writes what infinite-blocks.test runs on.

    make-infinite-blocks.py FOLDER BLOCKS

Blocks are 2 x 2 and full of ones, and so are features, but for an infinite one.
"""

import array
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Tools"))
import npz  # noqa: E402


def main():
    folder, blocks = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    width = 2 * blocks
    npz.write(folder / "graph.npz", {
        "x": ("<f4", (2, width), [float("inf")] + [1.0] * (2 * width - 1)),
        "edge_index": ("<i8", (2, 1), [0, 1]),
        "edge_type": ("<i8", (1,), [1])})
    npz.write(folder / "expected.npz", {
        "y": ("<f4", (2, width),
              [0.0] * width + [float("inf")] * 2 + [2.0] * (width - 2))})
    ones = array.array("f", [1.0] * (3 * blocks * 4)).tobytes()
    header = json.dumps({"y.weight": {
        "dtype": "F32", "shape": [3, blocks, 2, 2],
        "data_offsets": [0, len(ones)]}}).encode()
    (folder / "model.safetensors").write_bytes(
        len(header).to_bytes(8, "little") + header + ones)


if __name__ == "__main__":
    main()
