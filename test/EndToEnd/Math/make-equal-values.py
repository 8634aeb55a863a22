"""Writes what equal-values.test runs on.

    make-equal-values.py FOLDER
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Tools"))
import npz  # noqa: E402


def main():
    folder = pathlib.Path(sys.argv[1])
    generator = random.Random(0)
    values = [generator.uniform(-bound, bound)
              for bound in (1, 10, 1000, 1e6) for _ in range(20)]
    for width in (7, 100, 384):
        shape = (len(values), width)
        npz.write(folder / f"rows-{width}.npz", {
            "x": ("<f4", shape, [v for v in values for _ in range(width)]),
            "edge_index": ("<i8", (2, 0), [])})
        npz.write(folder / f"zeros-{width}.npz", {
            "y": ("<f4", shape, [0.0] * (len(values) * width))})
    # A graph of many nodes, and a batch of graphs of 7 nodes.
    for name, nodes, numbers in [("graph", 1000, [1234.567]),
                                 ("batch", 7, values)]:
        shape = (nodes * len(numbers), 6)
        npz.write(folder / f"{name}.npz", {
            "x": ("<f4", shape, [v for v in numbers for _ in range(nodes * 6)]),
            "batch": ("<i8", (shape[0],),
                      [i for i in range(len(numbers)) for _ in range(nodes)]),
            "edge_index": ("<i8", (2, 0), [])})
        npz.write(folder / f"{name}-zeros.npz",
                  {"y": ("<f4", shape, [0.0] * (shape[0] * 6))})
    model = folder / "norm"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"\2" + bytes(7) + b"{}")


if __name__ == "__main__":
    main()
