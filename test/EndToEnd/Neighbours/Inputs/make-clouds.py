"""Writes a batch of clouds of points whose coordinates are whole numbers, so that
distances are exact and many are the same.

    make-clouds.py OUT.npz
"""

import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[3] / "Tools"))
import npz  # noqa: E402


def normal(generator, count, width):
    return [tuple(round(generator.gauss(0, width)) for _ in range(3))
            for _ in range(count)]


def main():
    generator = random.Random(0)
    grid = [(x, y, z) for x in range(11) for y in range(11) for z in range(11)]
    generator.shuffle(grid)
    # Many in one place, and two that are nowhere.
    dense = [(7, 7, 7)] * 300 + normal(generator, 1498, 40)
    dense += [(float("nan"), 0, 0), (float("inf"), 1, 1)]
    generator.shuffle(dense)
    line = [(i, 0, 0) for i in range(3)]
    clouds = [normal(generator, 2000, 30), grid, [], dense, line]
    points = [number for cloud in clouds for point in cloud for number in point]
    sizes = [len(cloud) for cloud in clouds]
    count = sum(sizes)
    pointers = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    npz.write(sys.argv[1], {
        "pos": ("<f4", (count, 3), points),
        "number": ("<f4", (count, 1), list(range(count))),
        "ptr": ("<i8", (len(pointers),), pointers)})


main()
