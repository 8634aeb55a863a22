"""Makes small random graphs: a file for each, and one with all of them.

    make-graphs.py FOLDER --graphs N

  graphs/I.npz   graph number I, in as many digits as sort them
  all.npz        all of them, with `ptr`
"""

import argparse
import pathlib
import random
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Tools"))
import npz


def make_graph(generator):
    """Rows of x, pairs of nodes and rows of edge_attr."""
    nodes = generator.randint(1, 30)
    pairs = [(generator.randrange(nodes), generator.randrange(nodes))
             for _ in range(generator.randint(0, 2 * nodes))]
    return ([[generator.gauss(0, 1) for _ in range(6)] for _ in range(nodes)],
            pairs,
            [[generator.gauss(0, 1) for _ in range(3)] for _ in pairs])


def write(path, x, pairs, attributes, **others):
    npz.write(path, {
        "x": ("<f4", (len(x), 6), [value for row in x for value in row]),
        "edge_index": ("<i8", (2, len(pairs)),
                       [pair[side] for side in range(2) for pair in pairs]),
        "edge_attr": ("<f4", (len(pairs), 3),
                      [value for row in attributes for value in row]),
        **others,
    }, zipfile.ZIP_STORED)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--graphs", type=int, required=True)
    arguments = parser.parse_args()
    generator = random.Random(0)
    (arguments.folder / "graphs").mkdir()
    digits = len(str(arguments.graphs))
    all_x, all_pairs, all_attributes, pointers = [], [], [], [0]
    for number in range(arguments.graphs):
        x, pairs, attributes = make_graph(generator)
        write(arguments.folder / "graphs" / f"{number:0{digits}}.npz",
              x, pairs, attributes)
        first = len(all_x)
        all_x += x
        all_pairs += [(a + first, b + first) for a, b in pairs]
        all_attributes += attributes
        pointers.append(len(all_x))
    write(arguments.folder / "all.npz", all_x, all_pairs, all_attributes,
          ptr=("<i8", (len(pointers),), pointers))


if __name__ == "__main__":
    main()
