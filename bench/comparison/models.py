"""Whole models of two layers on every graph."""

import numpy as np
import torch

from .measure import OURS, Candidate, absent, aligned, attempt
from .networks import KINDS, GPSNetwork, Network

GRAPHS = ["cora", "citeseer", "facebook", "uniform", "hub", "rmat", "web",
          "arxiv", "molecules"]
# Compiling takes PyTorch a minute for each model and width of features.
COMPILED = ["cora", "arxiv"]
# Attention between all nodes is for small graphs.
GPS_GRAPHS = ["cora", "molecules"]
GENERATED_WIDTH = 128
# Features of which fewer are not 0 are given as sparse matrices.
SPARSE_BELOW = 0.1


def features(library, name, num_nodes):
    """A real graph's own, or random ones."""
    path = library.data / f"{name}.npz"
    if path.exists():
        with np.load(path) as file:
            return aligned(file["x"].astype(np.float32))
    return aligned(np.random.default_rng(0).standard_normal(
        (num_nodes, GENERATED_WIDTH), np.float32))


def candidates(library, graph, kind, name, x, with_compiler):
    torch.manual_seed(0)
    network = Network(kind, x.shape[1]).eval()
    tensor, edges = torch.from_numpy(x), torch.from_numpy(graph.edge_index)
    state = network.state_dict()
    model = library.model(network.description(f"{kind}-{name}"), state)
    result = {OURS: Candidate(*model.bind([graph], [x]))}
    is_sparse = np.count_nonzero(x) < SPARSE_BELOW * x.size
    if is_sparse:
        result[f"{OURS}, dense x"] = result[OURS]
        model = library.model(network.description(f"{kind}-{name}-sparse",
                                                  sparse=True), state)
        matrix, values = library.matrix(x)
        result[OURS] = Candidate(*model.bind([graph, matrix], [values]))
    result["PyG eager"] = Candidate(lambda: network(tensor, edges))

    def on_matrix():
        run = network.on_matrix(graph)
        return Candidate(lambda: run(tensor)) if run else absent(
            "attention is not a product of matrices")

    def on_sparse():
        rows = tensor.to_sparse_csr()
        run = network.on_matrix(graph)
        run = run if run and kind == "GCN" else lambda r: network(r, edges)
        run(rows)
        return Candidate(lambda: run(rows))

    def on_dgl():
        run = network.on_dgl(graph)
        return Candidate(lambda: run(tensor))

    def compiled():
        torch._dynamo.reset()
        run = torch.compile(network)
        return Candidate(lambda: run(tensor, edges))

    result["PyG, CSR matrix"] = attempt(on_matrix)
    result["PyG, CSR x"] = attempt(on_sparse) if is_sparse else absent(
        "the features are not sparse")
    result["DGL"] = attempt(on_dgl)
    result["PyG, torch.compile"] = attempt(compiled) if with_compiler else (
        absent("only measured on " + " and ".join(COMPILED)))
    return result


def gps_candidates(library, graph, name, x, with_compiler):
    """Attention within each molecule, or between all nodes of a graph."""
    torch.manual_seed(0)
    network = GPSNetwork(x.shape[1]).eval()
    tensor, edges = torch.from_numpy(x), torch.from_numpy(graph.edge_index)
    sizes = library.graph_sizes(name)
    model = library.model(
        network.description(f"GraphGPS-{name}", batched=sizes is not None),
        network.state_dict())
    graphs, batch = [graph], None
    if sizes is not None:
        graphs.append(library.blocks(sizes, np.ones(len(sizes), np.int64)))
        batch = torch.repeat_interleave(torch.from_numpy(sizes))

    def compiled():
        torch._dynamo.reset()
        run = torch.compile(network)
        return Candidate(lambda: run(tensor, edges, batch))

    return {
        OURS: Candidate(*model.bind(graphs, [x])),
        "PyG eager": Candidate(lambda: network(tensor, edges, batch)),
        "PyG, CSR matrix": absent("only measured for layers without attention"),
        "DGL": absent("it has no such layer"),
        "PyG, torch.compile": attempt(compiled) if with_compiler else (
            absent("only measured on " + " and ".join(COMPILED))),
    }


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    names = ["cora", "uniform"] if quick else GRAPHS
    for name, graph in library.graph_list(names):
        x = features(library, name, graph.num_nodes)
        for kind in KINDS:
            yield measurement.row(
                "models", f"{kind}, {name}",
                lambda: candidates(library, graph, kind, name, x,
                                   name in COMPILED and not quick))
        if name in GPS_GRAPHS:
            yield measurement.row(
                "models", f"GraphGPS, {name}",
                lambda: gps_candidates(library, graph, name, x,
                                       name in COMPILED and not quick))
