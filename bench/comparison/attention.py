"""Attention over listed edges, without the projections around it."""

import numpy as np
import torch
from torch.nn.functional import leaky_relu

from .measure import OURS, Candidate, aligned, attempt
from .peers import dgl_graph, import_dgl

GRAPHS = ["cora", "facebook", "uniform", "hub", "star", "arxiv"]
SIZES = [(1, 32), (8, 8), (8, 10), (3, 20), (4, 32), (8, 64)]
KERNELS = {"GAT": "gat-attention", "GATv2": "gatv2-attention",
           "TransformerConv": "dot-attention"}


def inputs(kind, num_nodes, heads, width):
    """Arguments of the kernel; the last one of nodes is the values."""
    generator = np.random.default_rng(0)
    shapes = {"GAT": [(num_nodes, heads)] * 2 + [(num_nodes, heads, width)],
              "GATv2": [(num_nodes, heads, width)] * 2 + [(heads, width)],
              "TransformerConv": [(num_nodes, heads, width)] * 3}[kind]
    result = [aligned(generator.standard_normal(shape, np.float32))
              for shape in shapes]
    if kind == "TransformerConv":
        result[0] *= width**-0.5
    return result


def eager(kind, tensors, edges, num_nodes):
    """As PyTorch Geometric's layers do it."""
    from torch_geometric.utils import scatter, softmax
    source, destination = edges
    a, b, c = tensors
    if kind == "GAT":
        scores, values = leaky_relu(a[destination] + b[source], 0.2), c
    elif kind == "GATv2":
        sums = leaky_relu(a[destination] + b[source], 0.2)
        scores, values = (sums * c).sum(-1), b
    else:
        scores, values = (a[destination] * b[source]).sum(-1), c
    weights = softmax(scores, destination, num_nodes=num_nodes)
    return scatter(values[source] * weights.unsqueeze(-1), destination,
                   dim_size=num_nodes)


def dgl_attention(kind, tensors, graph):
    """As DGL's layers do it."""
    ops = import_dgl().ops
    g = dgl_graph(graph)
    a, b, c = tensors

    def run():
        if kind == "GAT":
            scores, values = leaky_relu(ops.v_add_u(
                g, a.unsqueeze(-1), b.unsqueeze(-1)), 0.2), c
        elif kind == "GATv2":
            sums = leaky_relu(ops.v_add_u(g, a, b), 0.2)
            scores, values = (sums * c).sum(-1, keepdim=True), b
        else:
            scores, values = ops.v_dot_u(g, a, b), c
        return ops.u_mul_e_sum(g, values, ops.edge_softmax(g, scores))

    return Candidate(run)


def candidates(library, graph, kind, values):
    tensors = [torch.from_numpy(value) for value in values]
    edges = torch.from_numpy(graph.edge_index)
    heads, width = (values[1] if kind == "GATv2" else values[2]).shape[1:]
    shapes = {"H": heads, "D": width}
    if kind == "TransformerConv":
        shapes["TOPOLOGY"] = "csr"
    kernel = library.kernel(KERNELS[kind], **shapes)
    return {
        OURS: Candidate(*kernel.bind([graph], values)),
        "PyG eager": Candidate(
            lambda: eager(kind, tensors, edges, graph.num_nodes)),
        "DGL": attempt(lambda: dgl_attention(kind, tensors, graph)),
    }


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    names = ["cora", "uniform"] if quick else GRAPHS
    for name, graph in library.graph_list(names):
        for kind in KERNELS:
            for heads, width in [(4, 32)] if quick else SIZES:
                values = inputs(kind, graph.num_nodes, heads, width)
                gathered = values[1] if kind == "GATv2" else values[2]
                bound = library.gather_bound(
                    graph, gathered, 2 if kind == "TransformerConv" else 1)
                yield measurement.row(
                    "attention", f"{kind}, {name}, {heads} x {width}",
                    lambda: candidates(library, graph, kind, values), bound)
