"""Makes a graph of 5 a's and 4 b's that lists all pairs of a's and b's, and of
b's those up to the destination and those at most one apart.

    make-typed.py OUT.npz
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Tools"))
import npz  # noqa: E402


def main():
    r = random.Random(0)
    arrays = {}
    for kind, nodes, width in (("a", 5, 3), ("b", 4, 6)):
        values = [r.gauss(0, 1) for _ in range(nodes * width)]
        arrays[f"x/{kind}"] = ("<f4", (nodes, width), values)
    b = range(4)
    for name, pairs in {
            "a__all__b": [(j, i) for j in range(5) for i in b],
            "b__earlier__b": [(j, i) for j in b for i in b if j <= i],
            "b__near__b": [(j, i) for j in b for i in b if abs(i - j) <= 1],
    }.items():
        r.shuffle(pairs)
        ends = [p[0] for p in pairs] + [p[1] for p in pairs]
        arrays[f"edge_index/{name}"] = ("<i8", (2, len(pairs)), ends)
    npz.write(sys.argv[1], arrays)


if __name__ == "__main__":
    main()
