"""Makes a graph file for tests: edges of a given kind, random features.

    make-graph.py OUT.npz --nodes N [--channels C] [--seed S] [--edges KIND]
                  [--drop I] [--edge-weights] [--edge-channels C]

KIND is complete, causal, window:W (all pairs, those up to the destination,
those at most W apart), blocks:SIZE,SIZE,... (all pairs within consecutive
blocks, which also become `batch`), random:E (E edges, any of them), hub:E (E
edges to node 0), communities:E:M (E edges among M nodes that are as far apart
from each other as can be) or none (no array `edge_index` at all). The list of
edges is shuffled. --drop leaves out edge number I of it;
--edge-weights adds a number for each edge, --edge-channels a row `edge_attr`.
"""

import argparse

import graphs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--channels", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--edges", default="none")
    parser.add_argument("--drop", type=int)
    parser.add_argument("--edge-weights", action="store_true")
    parser.add_argument("--edge-channels", type=int)
    arguments = parser.parse_args()
    graphs.write(arguments.output, arguments.nodes, arguments.edges,
                 arguments.channels, arguments.seed, arguments.drop,
                 edge_weights=arguments.edge_weights,
                 edge_channels=arguments.edge_channels)


if __name__ == "__main__":
    main()
