"""Models of two layers, as PyTorch Geometric and DGL compute them and as
descriptions for gnn-compile."""

import torch
from torch.nn.functional import leaky_relu

from .peers import csr_matrix, import_dgl, make_dgl_graph

HIDDEN, OUT, HEADS = 64, 32, 8
KINDS = ["GCN", "SAGE", "GIN", "GAT", "GATv2", "TransformerConv"]


def perceptron(width, out):
    return [{"type": "Linear", "in_channels": width, "out_channels": out},
            {"type": "ReLU"},
            {"type": "Linear", "in_channels": out, "out_channels": out}]


def layer(kind, width, out, heads):
    """A layer of a description."""
    if kind == "GIN":
        return {"type": "GINConv", "nn": perceptron(width, out)}
    if kind in ("GCN", "SAGE"):
        return {"type": f"{kind}Conv", "in_channels": width,
                "out_channels": out}
    kind = kind if kind.endswith("Conv") else f"{kind}Conv"
    return {"type": kind, "in_channels": width, "out_channels": out // heads,
            "heads": heads}


class Network(torch.nn.Module):
    """Two layers with a ReLU between them."""

    def __init__(self, kind, width):
        super().__init__()
        self.kind, self.width = kind, width
        self.conv1 = self.make(width, HIDDEN, HEADS)
        self.conv2 = self.make(HIDDEN, OUT, 1)

    def make(self, width, out, heads):
        from torch_geometric import nn
        arguments = layer(self.kind, width, out, heads)
        kind = getattr(nn, arguments.pop("type"))
        if self.kind == "GCN":
            # The norm of a graph is computed once, as compiled models do.
            arguments["cached"] = True
        if "nn" in arguments:
            return kind(torch.nn.Sequential(
                torch.nn.Linear(width, out), torch.nn.ReLU(),
                torch.nn.Linear(out, out)))
        return kind(**arguments)

    def description(self, name, sparse=False):
        return {"name": name,
                "inputs": [{"name": "x", "channels": self.width,
                            "sparse": sparse}],
                "layers": [
                    {"name": "conv1", **layer(self.kind, self.width, HIDDEN,
                                              HEADS)},
                    {"type": "ReLU"},
                    {"name": "conv2", **layer(self.kind, HIDDEN, OUT, 1)}]}

    def forward(self, x, edges):
        return self.conv2(self.conv1(x, edges).relu(), edges)

    def on_matrix(self, graph):
        """A function with sums as products of PyTorch's CSR matrices, and
        GCN's norm computed beforehand; None where layers cannot do it."""
        from torch_geometric.nn.conv.gcn_conv import gcn_norm
        edges = torch.from_numpy(graph.edge_index)
        if self.kind in ("SAGE", "GIN"):
            matrix = csr_matrix(graph)
            return lambda x: self(x, matrix)
        if self.kind != "GCN":
            return None
        edges, weights = gcn_norm(edges, num_nodes=graph.num_nodes)
        matrix = torch.sparse_coo_tensor(
            edges.flip(0), weights, (graph.num_nodes,) * 2).to_sparse_csr()

        def run(x):
            for conv in (self.conv1, self.conv2):
                x = torch.sparse.mm(matrix, conv.lin(x)) + conv.bias
                x = x.relu() if conv is self.conv1 else x
            return x

        return run

    def on_dgl(self, graph):
        """A function of DGL's kernels, put together as its layers are."""
        edges = torch.from_numpy(graph.edge_index)
        plain = make_dgl_graph(edges, graph.num_nodes)
        loops = torch.arange(graph.num_nodes).expand(2, -1)
        others = edges[:, edges[0] != edges[1]]
        looped = make_dgl_graph(torch.cat([others, loops], 1), graph.num_nodes)
        looped.norm = looped.in_degrees().float().rsqrt().unsqueeze(-1)
        return lambda x: dgl_layer(self.kind, self.conv2, plain, looped,
                                   dgl_layer(self.kind, self.conv1, plain,
                                             looped, x).relu())


class GPSNetwork(torch.nn.Module):
    """GraphGPS: two layers, each of a GIN and attention within every graph of a
    batch, between linear ones."""

    def __init__(self, width):
        super().__init__()
        from torch_geometric.nn import GINConv, GPSConv
        self.width = width
        self.lin = torch.nn.Linear(width, HIDDEN)
        self.gps1, self.gps2 = (
            GPSConv(HIDDEN, GINConv(torch.nn.Sequential(
                torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.ReLU(),
                torch.nn.Linear(HIDDEN, HIDDEN))), heads=HEADS)
            for _ in range(2))
        self.out = torch.nn.Linear(HIDDEN, OUT)

    def description(self, name, batched):
        gps = {"type": "GPSConv", "channels": HIDDEN, "heads": HEADS,
               "conv": layer("GIN", HIDDEN, HIDDEN, 1)}
        return {"name": name, "batch": batched,
                "inputs": [{"name": "x", "channels": self.width}],
                "layers": [{"name": "lin", "type": "Linear",
                            "in_channels": self.width, "out_channels": HIDDEN},
                           {"name": "gps1", **gps}, {"name": "gps2", **gps},
                           {"name": "out", "type": "Linear",
                            "in_channels": HIDDEN, "out_channels": OUT}]}

    def forward(self, x, edges, batch):
        x = self.lin(x)
        for conv in (self.gps1, self.gps2):
            x = conv(x, edges, batch)
        return self.out(x)


def dgl_layer(kind, conv, plain, looped, x):
    ops = import_dgl().ops
    if kind == "GCN":
        norm = looped.norm
        return ops.copy_u_sum(looped, conv.lin(x) * norm) * norm + conv.bias
    if kind == "SAGE":
        return conv.lin_l(ops.copy_u_mean(plain, x)) + conv.lin_r(x)
    if kind == "GIN":
        return conv.nn(x + ops.copy_u_sum(plain, x))
    heads = (-1, conv.heads, conv.out_channels)
    if kind == "GAT":
        values, g = conv.lin(x).view(heads), looped
        source = (values * conv.att_src).sum(-1, keepdim=True)
        destination = (values * conv.att_dst).sum(-1, keepdim=True)
        scores = leaky_relu(ops.v_add_u(g, destination, source), 0.2)
    elif kind == "GATv2":
        values, g = conv.lin_l(x).view(heads), looped
        sums = ops.v_add_u(g, conv.lin_r(x).view(heads), values)
        scores = (leaky_relu(sums, 0.2) * conv.att).sum(-1, keepdim=True)
    else:
        values, g = conv.lin_value(x).view(heads), plain
        queries = conv.lin_query(x).view(heads) * conv.out_channels**-0.5
        scores = ops.v_dot_u(g, queries, conv.lin_key(x).view(heads))
    y = ops.u_mul_e_sum(g, values, ops.edge_softmax(g, scores)).flatten(1)
    return y + (conv.lin_skip(x) if kind == "TransformerConv" else conv.bias)
