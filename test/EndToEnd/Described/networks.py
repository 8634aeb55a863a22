"""Networks as users of PyTorch Geometric write them, and examples of their data."""

import torch
import torch.nn.functional as F
import torch_geometric.nn as pyg
from torch.nn import Embedding, Linear, ReLU, Sequential, SiLU
from torch_geometric.data import Data
from torch_geometric.nn import (GATv2Conv, GCNConv, GINConv, GINEConv,
                                JumpingKnowledge, NNConv, SAGEConv, global_add_pool,
                                global_max_pool, global_mean_pool)
from torch_geometric.nn.models import schnet
from torch_geometric.utils import scatter

import neighbours

# PyTorch Geometric's need a library of its own; this is what theirs compute.
pyg.radius_graph = schnet.radius_graph = neighbours.radius_graph


def example(nodes=40, edges=160, graphs=3):
    """A graph with the kinds of tensors that networks read."""
    batch = torch.arange(nodes) * graphs // nodes
    low = torch.searchsorted(batch, batch)
    size = torch.bincount(batch)[batch]
    destination = torch.randint(0, nodes, (edges,)).sort().values
    # Edges stay within graphs.
    source = low[destination] + (torch.rand(edges) * size[destination]).long()
    return Data(x=torch.randn(nodes, 8), edge_index=torch.stack([source, destination]),
                edge_attr=torch.randn(edges, 3), edge_weight=torch.rand(edges),
                z=torch.randint(0, 5, (nodes,)), pos=2 * torch.randn(nodes, 3),
                batch=batch)


def some(data, *names):
    return {name: data[name] for name in names}


class Functions(torch.nn.Module):
    """A forward of a Data, with functions between layers."""

    def __init__(self):
        super().__init__()
        self.conv1 = GATv2Conv(8, 8, heads=2, dropout=0.6)
        self.conv2 = GCNConv(16, 4)

    def forward(self, data):
        x, edge_index = data.x, data.edge_index
        x = F.dropout(x, p=0.6, training=self.training)
        x = F.elu(self.conv1(x, edge_index))
        x = F.dropout(x, p=0.6, training=self.training)
        x = self.conv2(x, edge_index, data.edge_weight)
        return F.log_softmax(x, dim=-1)


class Residuals(torch.nn.Module):
    """Sums, products, numbers, lists of layers, and what is changed in place."""

    def __init__(self):
        super().__init__()
        self.first = Linear(8, 16)
        self.convs = torch.nn.ModuleList(SAGEConv(16, 16) for _ in range(3))
        self.norms = torch.nn.ModuleList(pyg.GraphNorm(16) for _ in range(3))
        self.act = ReLU(inplace=True)
        self.gate = Linear(16, 16)
        self.loss = Linear(16, 2)  # of training alone, and another one
        self.spare = Linear(16, 16)
        self.last = Linear(48, 5)

    def forward(self, x, edge_index, batch=None):
        x = before = self.first(x)
        steps = []
        for conv, norm in zip(self.convs, self.norms):
            h = self.act(norm(conv(x, edge_index), batch))
            h = h * torch.sigmoid(self.gate(h))
            x = (x + h) / 2 - 0.1 * before
            steps += [x]
            self.loss(x)
        x = torch.cat(steps, dim=1)
        x += x.clone()
        return self.last(F.leaky_relu_(x, 0.2))


class Molecules(torch.nn.Module):
    """Embedded atoms, networks in arguments, readouts."""

    def __init__(self):
        super().__init__()
        self.atoms = Embedding(5, 8)
        self.conv1 = GINEConv(pyg.MLP([8, 16, 8]), edge_dim=3)
        self.conv2 = GINConv(Sequential(Linear(8, 16), torch.nn.BatchNorm1d(16),
                                        ReLU(), Linear(16, 8)), train_eps=True)
        self.jump = JumpingKnowledge("cat")
        self.head = pyg.MLP([48, 16, 1], norm="layer_norm")

    def forward(self, z, edge_index, edge_attr, batch):
        first = self.conv1(self.atoms(z), edge_index, edge_attr).relu()
        second = torch.tanh(self.conv2(first, edge_index))
        x = self.jump([first, second])
        x = torch.cat([global_add_pool(x, batch), pyg.global_mean_pool(x, batch),
                       global_max_pool(x, batch)], dim=-1)
        return self.head(x)


class Steps(torch.nn.Module):
    """A GRU that goes on from step to step, as in the MPNN of PyTorch Geometric's
    examples."""

    def __init__(self):
        super().__init__()
        self.first = Linear(8, 8)
        self.conv = NNConv(8, 8, Sequential(Linear(3, 16), ReLU(), Linear(16, 64)),
                           aggr="mean")
        self.gru = torch.nn.GRU(8, 8)
        self.readout = pyg.Set2Set(8, processing_steps=3)
        self.weigh = pyg.AttentionalAggregation(Linear(8, 1))
        self.last = Linear(24, 1)

    def forward(self, data):
        out = F.relu(self.first(data.x))
        h = out.unsqueeze(0)
        for _ in range(3):
            m = F.relu(self.conv(out, data.edge_index, data.edge_attr))
            out, h = self.gru(m.unsqueeze(0), h)
            out = out.squeeze(0)
        out = torch.cat([self.readout(out, data.batch),
                         self.weigh(out, data.batch)], dim=-1)
        return self.last(out).view(-1)


class Transformer(torch.nn.Module):
    """GraphGPS, with attention among the nodes of each graph."""

    def __init__(self):
        super().__init__()
        self.atoms = Embedding(5, 12)
        self.places = Linear(8, 4)
        self.bonds = Linear(3, 16)
        self.convs = torch.nn.ModuleList(
            pyg.GPSConv(16, GINEConv(Sequential(Linear(16, 16), ReLU(),
                                                Linear(16, 16))), heads=4)
            for _ in range(2))

    def forward(self, z, x, edge_index, edge_attr, batch):
        x = torch.cat((self.atoms(z), self.places(x)), 1)
        edge_attr = self.bonds(edge_attr)
        for conv in self.convs:
            x = conv(x, edge_index, batch, edge_attr=edge_attr)
        return global_add_pool(x, batch)


def make_sequential():
    return pyg.Sequential("x, edge_index, batch", [
        (GCNConv(8, 16), "x, edge_index -> x1"), ReLU(inplace=True),
        (GCNConv(16, 16), "x1, edge_index -> x2"), ReLU(inplace=True),
        (lambda x1, x2: [x1, x2], "x1, x2 -> xs"),
        (JumpingKnowledge("max"), "xs -> x"),
        (global_mean_pool, "x, batch -> x"), Linear(16, 3)])


class Interactions(torch.nn.Module):
    """Networks of edges and of nodes, which yield both."""

    def __init__(self):
        super().__init__()
        self.edge = Sequential(Linear(19, 16), SiLU(), Linear(16, 4))
        self.node = Linear(12, 8)
        self.score = Linear(8, 6)

    def forward(self, x, edge_index, edge_attr):
        row, col = edge_index
        message = self.edge(torch.cat([x[row], x[col], edge_attr], dim=-1))
        received = scatter(message, col, dim=0, dim_size=x.size(0), reduce="mean")
        x = self.node(torch.cat([x, received], dim=1))
        z = self.score(x)
        return {"nodes": x, "edges": message,
                "links": (z[row] * z[col]).sum(dim=-1)}


class Words(torch.nn.Module):
    """Attention among all rows, as one sentence of a batch, and the mean of all."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2,
            norm=torch.nn.LayerNorm(8))
        self.attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = torch.nn.LayerNorm(8)
        self.head = Linear(8, 3)

    def forward(self, x):
        h = self.encoder(x.unsqueeze(0))
        attended, _ = self.attention(h, h, h, need_weights=False)
        words = self.norm(h + attended).squeeze(0)
        return words, self.head(words.mean(dim=0))


NETWORKS = {
    "functions": (lambda: (Functions(), example()),
                  "Functions between layers, of a Data"),
    "residuals": (lambda: (Residuals(), some(example(), "x", "edge_index", "batch")),
                  "Sums and products of rows, some in place"),
    "molecules": (lambda: (Molecules(), some(example(), "z", "edge_index",
                                             "edge_attr", "batch")),
                  "Networks in the arguments of layers, and readouts"),
    "interactions": (lambda: (Interactions(), some(example(), "x", "edge_index",
                                                   "edge_attr")),
                     "Rows of edges gathered, scattered and multiplied"),
    "steps": (lambda: (Steps(), example()), "A GRU, and readouts with weights"),
    "transformer": (lambda: (Transformer(), some(example(), "z", "x", "edge_index",
                                                 "edge_attr", "batch")),
                    "Attention among the nodes of each graph"),
    "sequential": (lambda: (make_sequential(), some(example(), "x", "edge_index",
                                                    "batch")),
                   "A Sequential of PyTorch Geometric"),
    "words": (lambda: (Words(), some(example(), "x")),
              "Attention among all rows, and their mean"),
    "gat": (lambda: (pyg.GAT(8, 16, 3, out_channels=4, jk="cat", heads=2, v2=True,
                             edge_dim=3, norm="graph_norm", act="elu"),
                     some(example(), "x", "edge_index", "edge_attr", "batch")),
            "One of PyTorch Geometric's models"),
    "attentivefp": (lambda: (pyg.AttentiveFP(8, 16, 4, edge_dim=3, num_layers=2,
                                             num_timesteps=2),
                             some(example(), "x", "edge_index", "edge_attr",
                                  "batch")),
                    "Modules that are called twice, and edges to graphs"),
    "schnet": (lambda: (pyg.SchNet(16, 16, num_interactions=2, num_gaussians=10,
                                   cutoff=4.0), some(example(), "z", "pos", "batch")),
               "A graph of near nodes, and the lengths of its edges"),
}
