"""Peers that need more than an import."""

import os
import sys
import types


def import_dgl():
    """DGL. Its package for loading data, graphbolt, is a library for each
    version of PyTorch up to 2.2; kernels do not need it, so that something
    empty takes its place where it does not load."""
    os.environ.setdefault("DGLBACKEND", "pytorch")
    if "dgl" in sys.modules:
        return sys.modules["dgl"]
    names = ("dgl.graphbolt", "dgl.graphbolt.internal")

    class Empty(types.ModuleType):
        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (), {})

    for name in names:
        module = Empty(name)
        module.__path__ = []
        sys.modules[name] = module
    import dgl
    return dgl


def dgl_graph(graph):
    """A DGL graph with all its formats made, of which each kernel takes one."""
    import torch
    edges = torch.from_numpy(graph.edge_index)
    return make_dgl_graph(edges, graph.num_nodes)


def make_dgl_graph(edges, num_nodes):
    dgl = import_dgl()
    result = dgl.graph((edges[0], edges[1]), num_nodes=num_nodes)
    result.create_formats_()
    return result


def csr_matrix(graph, weights=None):
    """The adjacency matrix, a row for each destination, as PyTorch's CSR.
    Edges are sorted by destination."""
    import torch
    source, destination = torch.from_numpy(graph.edge_index)
    pointers = torch.zeros(graph.num_nodes + 1, dtype=torch.int64)
    pointers[1:] = torch.bincount(destination,
                                  minlength=graph.num_nodes).cumsum(0)
    if weights is None:
        weights = torch.ones(len(source))
    return torch.sparse_csr_tensor(pointers, source, weights,
                                   (graph.num_nodes, graph.num_nodes))
