"""Makes a graph with features and edge weights, its edges in any order.

    make-graph.py OUT.npz --nodes N --edges E
"""

import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Tools"))
import npz


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--edges", type=int, required=True)
    arguments = parser.parse_args()
    generator = random.Random(arguments.nodes)
    # The last node has no in-edges, many have several from the same node.
    sources = generator.choices(range(arguments.nodes), k=arguments.edges)
    destinations = generator.choices(range(arguments.nodes - 1),
                                     k=arguments.edges)
    npz.write(arguments.output, {
        "x": ("<f4", (arguments.nodes, 6),
              [generator.gauss(0, 1) for _ in range(6 * arguments.nodes)]),
        "edge_index": ("<i8", (2, arguments.edges), sources + destinations),
        "edge_weight": ("<f4", (arguments.edges,),
                        [generator.random() for _ in range(arguments.edges)]),
    })


if __name__ == "__main__":
    main()
