"""Aggregations of neighbours' rows."""

import numpy as np
import torch

from .measure import OURS, Candidate, aligned, attempt
from .peers import csr_matrix, dgl_graph, import_dgl

GRAPHS = ["cora", "citeseer", "facebook", "uniform", "hub", "star", "rmat",
          "web", "arxiv", "molecules"]
WIDTHS = [16, 32, 64, 100, 128, 256, 300]
MULTI = "sum + mean + max"


def kinds(d):
    """What is computed of rows of `d` features."""
    return ["sum"] + ["mean", "max", MULTI] * (d in (32, 128))


def scatter(x, edges, kind, num_nodes):
    """As PyTorch Geometric does it, eager."""
    from torch_geometric.utils import scatter as reduce
    return reduce(x[edges[0]], edges[1], dim_size=num_nodes, reduce=kind)


def candidates(library, graph, x, kind):
    tensor, edges = torch.from_numpy(x), torch.from_numpy(graph.edge_index)
    kernel = library.kernel("aggregate", D=x.shape[1], KIND=kind)
    matrix = csr_matrix(graph)

    def sparse():
        if kind == "sum":
            return Candidate(lambda: torch.sparse.mm(matrix, tensor))
        reduce = {"max": "amax"}.get(kind, kind)
        return Candidate(lambda: torch.sparse.mm(matrix, tensor, reduce))

    def dgl():
        op = getattr(import_dgl().ops, f"copy_u_{kind}")
        g = dgl_graph(graph)

        def result():
            y = op(g, tensor)
            return torch.where(torch.isinf(y), 0, y)

        return Candidate(lambda: op(g, tensor), result)

    return {
        OURS: Candidate(*kernel.bind([graph], [x])),
        "torch.sparse": attempt(sparse),
        "PyG scatter": Candidate(
            lambda: scatter(tensor, edges, kind, graph.num_nodes)),
        "DGL": attempt(dgl),
    }


def multi(library, graph, x):
    """Three aggregations at once. The first peer is ours: the sum alone."""
    tensor, edges = torch.from_numpy(x), torch.from_numpy(graph.edge_index)
    kinds = ("sum", "mean", "max")
    kernel = library.kernel("multi-aggregate", D=x.shape[1])
    one = library.kernel("aggregate", D=x.shape[1], KIND="sum")
    time, compute = kernel.bind([graph], [x], outputs=3)
    sum_alone = one.bind([graph], [x])[0]
    return {
        OURS: Candidate(time, compute),
        "gnn-mlir, sum alone": Candidate(sum_alone, compute),
        "PyG scatter": Candidate(
            lambda: [scatter(tensor, edges, kind, graph.num_nodes)
                     for kind in kinds]),
    }


def sampled(quick):
    """Pairs of graph and width."""
    if quick:
        return [("cora", 64), ("uniform", 64), ("hub", 64)]
    return ([(name, d) for name in GRAPHS for d in WIDTHS]
            + [("large", d) for d in (16, 64)])


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    for name, d in sampled(quick):
        graph = library.graph(name)
        if graph is None:
            continue
        x = aligned(np.random.default_rng(0).standard_normal(
            (graph.num_nodes, d), np.float32))
        bound = library.gather_bound(graph, x)
        for kind in kinds(d):
            yield measurement.row(
                "spmm", f"{kind}, {name}, d = {d}",
                lambda: multi(library, graph, x) if kind == MULTI
                else candidates(library, graph, x, kind), bound)
