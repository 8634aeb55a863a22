"""RGCNConv on one graph whose edges have the numbers of their relations, of the sizes of
data sets that it is used on: PyTorch Geometric's examples of entities and links."""

import sys

import numpy as np
import torch

from .layers import ROOT
from .measure import OURS, Candidate, absent, aligned, attempt
from .peers import import_dgl

# Nodes, edges, relations, channels, blocks and bases.
GRAPHS = {
    "AIFB": (8285, 58086, 90, 16, None, None),
    "AIFB, 30 bases": (8285, 58086, 90, 16, None, 30),
    "MUTAG": (23644, 148454, 46, 16, None, None),
    "BGS": (333845, 1832398, 206, 16, None, None),
    "FB15k-237, 100 channels": (14541, 544230, 474, 100, 5, None),
    "FB15k-237, 500 channels": (14541, 544230, 474, 500, 5, None),
}


class Data:
    """Edges at random, sorted by destination; few relations have most of them."""

    def __init__(self, library, name):
        (nodes, edges, self.relations, self.channels, self.blocks,
         self.bases) = GRAPHS[name]
        generator = np.random.default_rng(0)
        ends = generator.integers(0, nodes, (2, edges))
        order = np.argsort(ends[1], kind="stable")
        self.graph = library.from_edges(nodes,
                                        np.ascontiguousarray(ends[:, order]))
        share = 1 / np.arange(1, self.relations + 1)
        self.types = generator.choice(self.relations, edges,
                                      p=share / share.sum())
        self.x = aligned(generator.standard_normal((nodes, self.channels),
                                                   np.float32))

    def describe(self):
        return {"name": "relations",
                "inputs": [{"name": "x", "channels": self.channels},
                           {"name": "t", "channels": [], "per": "edge",
                            "dtype": "int64"}],
                "layers": [{"name": "y", "type": "RGCNConv",
                            "in_channels": self.channels,
                            "out_channels": self.channels,
                            "num_relations": self.relations,
                            "num_blocks": self.blocks, "num_bases": self.bases,
                            "edge_type": "t"}]}


def pyg(data, layer, kind):
    """`kind` with the weights of `layer`."""
    import torch_geometric.nn
    module = getattr(torch_geometric.nn, kind)(
        data.channels, data.channels, data.relations,
        num_blocks=data.blocks, num_bases=data.bases).eval()
    module.load_state_dict(layer.state_dict())
    x, types = torch.from_numpy(data.x), torch.from_numpy(data.types)
    edges = torch.from_numpy(data.graph.edge_index)
    return Candidate(lambda: module(x, edges, types))


def dgl(data, layer):
    """Its layer adds up; means are sums of messages with a weight."""
    if data.blocks and data.channels > 100:
        return absent("has a matrix in memory for each edge, 100 GB")
    library = import_dgl()
    from dgl.nn.pytorch import RelGraphConv
    module = RelGraphConv(data.channels, data.channels, data.relations,
                          "bdd" if data.blocks else
                          "basis" if data.bases else None,
                          data.blocks or data.bases).eval()
    with torch.no_grad():
        if data.bases:
            module.linear_r.coeff.copy_(layer.comp)
        module.linear_r.W.copy_(layer.weight.reshape(module.linear_r.W.shape))
        module.loop_weight.copy_(layer.root)
        module.h_bias.copy_(layer.bias)
    edges = torch.from_numpy(data.graph.edge_index)
    types = torch.from_numpy(data.types)
    pairs = edges[1] * data.relations + types
    _, which, counts = pairs.unique(return_inverse=True, return_counts=True)
    norm = (1 / counts[which].float())[:, None]
    # Edges in the order of their relations, as it says is faster.
    order = types.sort(stable=True).indices
    graph = library.graph((edges[0][order], edges[1][order]),
                          num_nodes=data.graph.num_nodes)
    graph.create_formats_()
    x, types, norm = torch.from_numpy(data.x), types[order], norm[order]
    return Candidate(lambda: module(graph, x, types, norm, presorted=True))


def candidates(library, name):
    sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))
    from reference import Model
    torch.manual_seed(0)
    data = Data(library, name)
    network = Model(data.describe()).eval()
    layer = network.steps[0][1]

    def ours(description, options=()):
        model = library.model(description, network.state_dict(), options)
        return Candidate(*model.bind([data.graph], [data.x, data.types]))

    result = {OURS: ours(data.describe()),
              f"{OURS}, without": ours({**data.describe(), "name": "without"},
                                       ["--group-edges=false"]),
              "PyG RGCNConv": attempt(lambda: pyg(data, layer, "RGCNConv"))}
    if not data.blocks:
        # With blocks it has a matrix in memory for each edge.
        result["PyG FastRGCNConv"] = attempt(
            lambda: pyg(data, layer, "FastRGCNConv"))
    result["DGL RelGraphConv"] = attempt(lambda: dgl(data, layer))
    return result


@torch.inference_mode()
def rows(measurement, quick):
    for name in ["AIFB"] if quick else GRAPHS:
        yield measurement.row("relations", name,
                              lambda: candidates(measurement.library, name))
