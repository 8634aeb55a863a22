"""Saves a torch_geometric.data.HeteroData as gnn-run reads it.

    import hetero_npz
    hetero_npz.save(data, "graph.npz")

Every tensor becomes an array named ATTRIBUTE/TYPE: data["paper"].x is
`x/paper`, data["author", "writes", "paper"].edge_index is
`edge_index/author__writes__paper`. Node types without features keep their
number of nodes as `num_nodes/TYPE`.
"""

import numpy as np
import torch


def arrays(data):
    """The arrays of a HeteroData by their names in the file."""
    result = {}
    for kind in data.node_types:
        if "x" not in data[kind]:
            result[f"num_nodes/{kind}"] = np.int64(data[kind].num_nodes)
    for kind in data.node_types + data.edge_types:
        name = kind if isinstance(kind, str) else "__".join(kind)
        for attribute, value in data[kind].items():
            if isinstance(value, torch.Tensor):
                result[f"{attribute}/{name}"] = value.numpy()
    return result


def save(data, path):
    np.savez_compressed(path, **arrays(data))


def relations(x, edge_index, edge_type, num_relations):
    """The arrays of a graph whose edges have a number each, as RGCNConv takes
    them in PyTorch Geometric: nodes of one type `node`, edges of the types
    [node, r0, node], [node, r1, node], ..."""
    result = {"x/node": x.numpy()}
    for i in range(num_relations):
        result[f"edge_index/node__r{i}__node"] = (
            edge_index[:, edge_type == i].numpy())
    return result
