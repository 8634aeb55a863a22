"""Graphs for gnn-encode, with the encodings it is to find in them.

Each file holds a graph and, under expected_NAME, what the array NAME must be:
random walks from PyTorch Geometric's AddRandomWalkPE, eigenvalues from numpy
on PyTorch Geometric's get_laplacian, distances from Floyd and Warshall's
algorithm; every graph of a batch by itself.
"""

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import AddRandomWalkPE
from torch_geometric.utils import get_laplacian, to_dense_adj

from .common import draw, edges, rng

VECTORS = 5
STEPS = 8
MAX_DISTANCE = 4


def undirected(r, n, count):
    pairs = draw(r, count, np.arange(n), np.arange(n)) if n else []
    return pairs + [(b, a) for a, b in pairs if a != b]


def batch(name, parts):
    """The batch of (nodes, pairs, weight of a pair)."""
    all_pairs, weights, nodes, first = [], [], [], 0
    for number, (count, pairs, weigh) in enumerate(parts):
        all_pairs += [(a + first, b + first) for a, b in pairs]
        weights += [weigh(a, b) for a, b in pairs]
        nodes += [number] * count
        first += count
    order = rng("encodings " + name).permutation(len(all_pairs))
    edge_index = edges([all_pairs[i] for i in order])
    arrays = {"edge_index": edge_index,
              "edge_weight": np.array(weights, np.float32)[order],
              "batch": np.array(nodes, np.int64)}
    return {**arrays, **expected(arrays, len(parts))}


def distances(adjacency):
    """[destination, source], inf where there is no path."""
    result = np.where(adjacency, 1.0, np.inf)
    np.fill_diagonal(result, 0)
    for k in range(len(result)):
        result = np.minimum(result, result[:, k:k + 1] + result[k:k + 1])
    return result.T


def expected(arrays, count):
    walks, values, lengths = [], [], []
    for number in range(count):
        nodes = np.flatnonzero(arrays["batch"] == number)
        first = nodes[0] if len(nodes) else 0
        own = np.isin(arrays["edge_index"][0], nodes)
        index = torch.from_numpy(arrays["edge_index"][:, own] - first)
        weight = torch.from_numpy(arrays["edge_weight"][own])
        n = len(nodes)
        if n == 0:
            values.append(np.zeros(VECTORS))
            continue
        data = Data(edge_index=index, edge_weight=weight, num_nodes=n)
        walks.append(AddRandomWalkPE(STEPS)(data).random_walk_pe.numpy())
        laplacian = to_dense_adj(
            *get_laplacian(index, weight, "sym", num_nodes=n)[:1],
            edge_attr=get_laplacian(index, weight.double(), "sym",
                                    num_nodes=n)[1], max_num_nodes=n)[0]
        found = np.linalg.eigvalsh(laplacian.numpy())[1:VECTORS + 1]
        values.append(np.pad(found, (0, VECTORS - len(found))))
        adjacency = to_dense_adj(index, max_num_nodes=n)[0].numpy() > 0
        hops = distances(adjacency)
        lengths.append(np.where(np.isinf(hops), MAX_DISTANCE + 1,
                                np.minimum(hops, MAX_DISTANCE)).ravel())
    return {
        "expected_random_walk_pe": np.concatenate(walks).astype(np.float32),
        "expected_laplacian_eigenvector_pe_values":
            np.stack(values).astype(np.float32),
        "expected_shortest_path": np.concatenate(lengths).astype(np.int64),
    }


def symmetric_weight(a, b):
    return 0.25 + ((min(a, b) * 7 + max(a, b) * 3) % 11) / 8


def graphs():
    r = rng("encodings")
    cycle = [(i, (i + 1) % 9) for i in range(9)]
    star = [(0, i) for i in range(1, 8)]
    both = lambda pairs: pairs + [(b, a) for a, b in pairs]
    yield "undirected", batch("undirected", [
        (1, [], symmetric_weight),
        (1, [(0, 0)], symmetric_weight),
        (2, both([(0, 1)]), symmetric_weight),
        (9, both(cycle), symmetric_weight),
        (9, both(cycle) * 2, lambda a, b: 1),
        (8, both(star), lambda a, b: 1),
        (4, both([(0, 1)]) + [(2, 2)], symmetric_weight),
        (6, [(a, b) for a in range(6) for b in range(6) if a != b],
         lambda a, b: 0.1),
        (40, undirected(r, 40, 70), symmetric_weight),
    ])
    directed = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3), (3, 4), (0, 1)]
    yield "directed", {k: v for k, v in batch("directed", [
        (5, directed, lambda a, b: 0.5 + a),
        (30, draw(r, 60, np.arange(30), np.arange(30)),
         lambda a, b: 1 + 0.1 * a),
    ]).items() if "laplacian" not in k}
