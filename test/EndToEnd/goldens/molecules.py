"""Variants that read properties of atoms and bonds, several numbers for each."""

import numpy as np

from .common import GRAPHS, linear, rng, variant

# What the Open Graph Benchmark has of an atom and of a bond.
ATOM = [119, 5, 12, 12, 10, 6, 6, 2, 2]
BOND = [5, 6, 2]


def numbers(r, count, sizes):
    return np.stack([r.integers(0, size, count) for size in sizes], 1)


def molecule(name, arrays):
    r = rng(f"molecule {name}")
    nodes, edges = len(arrays["x"]), arrays["edge_index"].shape[1]
    return {"edge_index": arrays["edge_index"], "atom": numbers(r, nodes, ATOM),
            "bond": numbers(r, edges, BOND),
            "charge": numbers(r, nodes, [3, 4]).astype(np.int32)}


MOLECULES = {f"molecule-{name}": molecule(name, arrays)
             for name, arrays in GRAPHS.items()}

ATOMS = {"name": "atom", "channels": 9, "dtype": "int64"}
BONDS = {"name": "bond", "channels": 3, "per": "edge", "dtype": "int64"}
CHARGES = {"name": "charge", "channels": 2, "dtype": "int32"}

variant("atom-encoder", "AtomEncoder: the rows of nine tables, added up",
        {"name": "y", "type": "AtomEncoder", "emb_dim": 6}, inputs=(ATOMS,),
        graphs=MOLECULES)
variant("bond-encoder", "AtomEncoder and BondEncoder before a convolution",
        {"name": "h", "type": "AtomEncoder", "emb_dim": 6},
        {"name": "e", "type": "BondEncoder", "emb_dim": 6, "input": "bond"},
        {"name": "y", "type": "GINEConv", "input": "h", "edge_attr": "e",
         "nn": [{"type": "Linear", "in_features": 6, "out_features": 5}]},
        inputs=(ATOMS, BONDS), graphs=MOLECULES)
variant("bond-encoder-linear", "BondEncoder, and linear layers of what it gives",
        {"name": "h", "type": "AtomEncoder", "emb_dim": 4},
        {"name": "e", "type": "BondEncoder", "emb_dim": 3, "input": "bond"},
        {"name": "a", "type": "TransformerConv", "input": "h", "in_channels": 4,
         "out_channels": 3, "heads": 2, "edge_dim": 3, "edge_attr": "e"},
        {"name": "y", "type": "GATv2Conv", "in_channels": 6,
         "out_channels": 3, "edge_dim": 3, "edge_attr": "e"},
        inputs=(ATOMS, BONDS), graphs=MOLECULES)
variant("atom-encoder-sizes", "Tables of other sizes, read by other layers, too",
        {"name": "h", "type": "AtomEncoder", "emb_dim": 5, "input": "charge",
         "num_embeddings": [3, 4]}, linear("z", 5, 4),
        {"name": "first", "type": "AtomEncoder", "emb_dim": 4,
         "input": "charge", "num_embeddings": [5, 6]},
        {"name": "y", "type": "Add", "inputs": ["z", "first"]},
        inputs=(CHARGES,), graphs=MOLECULES)
