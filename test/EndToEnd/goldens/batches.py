"""Small graphs that are joined to a batch, and models of it."""

import numpy as np

from .common import edges, features, rng


def small(name, nodes, pairs):
    r = rng("small " + name)
    return {
        "x": features(r, nodes, 6),
        "edge_index": edges(pairs),
        "edge_attr": features(r, len(pairs), 3),
        "label": np.int64(r.integers(10)),  # one number for the graph
    }


def both_ways(pairs):
    return pairs + [(b, a) for a, b in pairs]


SMALL = [
    small("ring", 6, both_ways([(i, (i + 1) % 6) for i in range(6)])),
    small("one node", 1, []),
    small("star", 5, [(i, 0) for i in range(1, 5)]),
    small("no edges", 3, []),
    small("loop and duplicates", 2, [(0, 0), (0, 1), (0, 1)]),
    small("chain", 4, both_ways([(i, i + 1) for i in range(3)])),
]

BATCHES = {
    "molecules": {
        "name": "molecules",
        "inputs": [{"name": "x", "channels": 6},
                   {"name": "edge_attr", "channels": 3, "per": "edge"}],
        "layers": [
            {"name": "conv1", "type": "GINEConv", "edge_dim": 3,
             "edge_attr": "edge_attr",
             "nn": [{"type": "Linear", "in_channels": 6, "out_channels": 16},
                    {"type": "ReLU"},
                    {"type": "Linear", "in_channels": 16,
                     "out_channels": 16}]},
            {"type": "ReLU"},
            {"name": "conv2", "type": "GCNConv", "in_channels": 16,
             "out_channels": 8},
            {"type": "global_mean_pool"},
            {"name": "y", "type": "Linear", "in_channels": 8,
             "out_channels": 3},
        ],
    },
    "sentences": {
        "name": "sentences",
        "graph": "block_diagonal",
        "inputs": [{"name": "x", "channels": 6}],
        "layers": [
            {"name": "lin", "type": "Linear", "in_channels": 6,
             "out_channels": 16},
            {"name": "y", "type": "TransformerEncoderLayer", "d_model": 16,
             "nhead": 4, "dim_feedforward": 32},
        ],
    },
}
