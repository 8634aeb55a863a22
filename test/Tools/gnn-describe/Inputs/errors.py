"""Prints what gnn_describe says of networks that it cannot describe, one per line.

    errors.py FOLDER        which has to stay empty
"""

import pathlib
import sys

import torch
import torch_geometric.nn as pyg
from torch_geometric.data import Data

from gnn_describe import DescribeError, describe

torch.manual_seed(0)
DATA = {"x": torch.randn(6, 4), "edge_index": torch.randint(0, 6, (2, 9)),
        "edge_attr": torch.randn(9, 3), "batch": torch.zeros(6, dtype=torch.long)}


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        self.conv = pyg.GCNConv(4, 4)
        self.norm = pyg.GraphNorm(4)
        self.layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        self.register_buffer("order", torch.arange(5, -1, -1))


def report(name, forward, data=DATA, change=None):
    network = type(name, (Network,), {"forward": forward})()
    if change:
        change(network)
    try:
        describe(network, data, pathlib.Path(sys.argv[1]) / name)
        print(f"{name}: described")
    except DescribeError as error:
        print(f"{name}: {error}")


def exponential(self, x):
    return self.lin(x).exp()


def branches(self, x):
    return self.lin(x) if x.sum() > 0 else x


def count(self, x):
    return self.lin(x) / x.size(0)


def heads(self, x):
    return self.lin(x).view(-1, 2, 2)


def other_edges(self, x, edge_index):
    return self.conv(x, edge_index.flip(0))


def rows_below(self, x):
    return torch.cat([self.lin(x), x], dim=0)


def over_nodes(self, x):
    return torch.softmax(self.lin(x), dim=0)


def some_batches(self, x, edge_index, batch):
    return self.norm(self.norm(x, batch))


def sources(self, x, edge_index):
    from torch_geometric.utils import scatter
    return self.lin(scatter(x[edge_index[1]], edge_index[0], dim_size=6))


def many(self, *tensors):
    return self.lin(tensors[0])


def plain(self, x):
    return self.lin(x)


def broadcast(self, x):
    return self.lin(x) * self.lin(x)[:, :1]


def shuffled(self, x):
    return self.lin(x)[self.order]


def dropout(self, x):
    return torch.nn.functional.dropout(self.lin(x))


def batch_of_words(self, x):
    return self.layer(x.unsqueeze(1))


def rolled(self, x):
    return self.lin(x).roll(1, 0)


def nothing(self, x):
    return x


def convolution(self, x, edge_index):
    return self.conv(x, edge_index)


def without_name(network):
    network.conv = pyg.ResGatedGraphConv(4, 4, act=lambda x: x)


def changed(network):
    network.conv.improved = True
    network.conv.aggr_module = pyg.aggr.MedianAggregation()


report("exponential", exponential)
report("branches", branches)
report("count", count)
report("heads", heads)
report("other-edges", other_edges)
report("rows-below", rows_below)
report("over-nodes", over_nodes)
report("some-batches", some_batches)
report("sources", sources)
report("many", many)
report("broadcast", broadcast)
report("shuffled", shuffled)
report("dropout", dropout)
report("batch-of-words", batch_of_words)
report("rolled", rolled)
report("nothing", nothing)
report("activation", convolution, change=without_name)
report("changed", convolution, change=changed)
report("double", plain, {"x": torch.randn(6, 4).double()})
report("one-node", plain, {"x": torch.randn(1, 4)})
report("sparse", convolution, {"x": DATA["x"], "edge_index": torch.eye(6).to_sparse()})
report("rows", lambda self, x, y: self.lin(x) + y, {**DATA, "y": torch.randn(7, 4)})
report("missing", lambda self, x, weight: self.lin(x), Data(x=DATA["x"]))
