"""Whole models of PyTorch Geometric's examples and of papers, with random weights, on
batches of the size that they have: molecules, crystals, jets of particles."""

import sys

import numpy as np
import torch

from .layers import ROOT
from .measure import OURS, Candidate, aligned


def perceptron(*widths, norm=False):
    layers = []
    for i, (width, out) in enumerate(zip(widths, widths[1:])):
        layers.append({"type": "Linear", "in_features": width, "out_features": out})
        if i < len(widths) - 2:
            if norm:
                layers.append({"type": "BatchNorm1d", "num_features": out})
            layers.append({"type": "ReLU"})
    return layers


def head(*widths, pool="global_add_pool"):
    """A row for each graph, then linear layers."""
    return [{"type": pool}] + [
        {"name": f"head{i}", **layer} if layer["type"] == "Linear" else layer
        for i, layer in enumerate(perceptron(*widths))]


def gin():
    """mutag_gin.py."""
    layers = []
    for i in range(5):
        layers += [{"name": f"conv{i}", "type": "GINConv",
                    "nn": perceptron(64 if i else 7, 64, 64, norm=True)},
                   {"type": "ReLU"}]
    return 7, None, layers + head(64, 64, 2)


def pna():
    """pna.py, of ZINC, with attributes of edges in the place of their embedding."""
    layers = []
    for i in range(4):
        layers += [{"name": f"conv{i}", "type": "PNAConv", "in_channels": 75,
                    "out_channels": 75, "edge_dim": 50, "edge_attr": "e",
                    "towers": 5, "divide_input": False,
                    "aggregators": ["mean", "min", "max", "std"],
                    "scalers": ["identity", "amplification", "attenuation"],
                    "deg": [0, 100, 300, 400, 100]},
                   {"name": f"norm{i}", "type": "BatchNorm", "in_channels": 75},
                   {"type": "ReLU"}]
    return 75, 50, layers + head(75, 50, 25, 1)


def mpnn():
    """qm9_nn_conv.py, one step, with a sum over each molecule."""
    return 11, 5, [
        {"name": "lin", "type": "Linear", "in_channels": 11, "out_channels": 64},
        {"type": "ReLU"},
        {"name": "conv", "type": "NNConv", "in_channels": 64, "out_channels": 64,
         "edge_attr": "e", "nn": perceptron(5, 128, 64 * 64), "aggr": "mean",
         "root_weight": False},
        {"type": "ReLU"}, *head(64, 64, 1)]


def gine():
    """The GIN with attributes of edges of the Open Graph Benchmark's molecules."""
    layers = []
    for i in range(3):
        layers += [{"name": f"conv{i}", "type": "GINEConv", "edge_attr": "e",
                    "nn": perceptron(300, 600, 300, norm=True)},
                   {"name": f"norm{i}", "type": "BatchNorm", "in_channels": 300},
                   {"type": "ReLU"}]
    return 300, 300, layers + head(300, 1, pool="global_mean_pool")


def cgcnn():
    """Crystals: Xie and Grossman, doi:10.1103/PhysRevLett.120.145301."""
    layers = [{"name": f"conv{i}", "type": "CGConv", "channels": 64, "dim": 41,
               "edge_attr": "e", "batch_norm": True} for i in range(3)]
    return 64, 41, layers + head(64, 128, 1, pool="global_mean_pool")


def particles():
    """Jets: Qu and Gouskos, doi:10.1103/PhysRevD.101.056019, on given neighbours."""
    layers = [{"name": f"conv{i}", "type": "EdgeConv", "aggr": "mean",
               "nn": perceptron(2 * width, out, out, out, norm=True)}
              for i, (width, out) in enumerate([(4, 64), (64, 128), (128, 256)])]
    return 4, None, layers + head(256, 256, 2, pool="global_mean_pool")


# The model, and graphs: molecules, or how many of how many nodes with how many
# neighbours each.
EXAMPLES = {
    "GIN, molecules": (gin, None), "GINE, molecules": (gine, None),
    "PNA, molecules": (pna, None), "MPNN, molecules": (mpnn, None),
    "CGCNN, crystals": (cgcnn, (300, 30, 12)),
    "ParticleNet, jets": (particles, (100, 100, 7)),
}


def make_graph(library, shape):
    """A graph and the sizes of those that it consists of."""
    if shape is None:
        (_, graph), = library.graph_list(["molecules"])
        return graph, library.graph_sizes("molecules")
    count, size, degree = shape
    destinations = np.repeat(np.arange(count * size), degree)
    others = np.random.default_rng(0).integers(0, size, len(destinations))
    sources = destinations // size * size + others
    return (library.from_edges(count * size, np.stack([sources, destinations])),
            np.full(count, size, np.int64))


def candidates(library, name, without):
    sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))
    from reference import Model
    make, shape = EXAMPLES[name]
    graph, sizes = make_graph(library, shape)
    channels, attributes, layers = make()
    torch.manual_seed(0)
    generator = np.random.default_rng(0)
    arrays = {"x": aligned(generator.standard_normal(
        (graph.num_nodes, channels), np.float32))}
    inputs = [{"name": "x", "channels": channels}]
    if attributes:
        arrays["e"] = aligned(generator.standard_normal(
            (graph.edge_index.shape[1], attributes), np.float32))
        inputs.append({"name": "e", "channels": attributes, "per": "edge"})
    description = {"name": "example", "inputs": inputs, "layers": layers}
    network = Model(description).eval()
    tensors = {key: torch.from_numpy(array) for key, array in arrays.items()}
    tensors["num_graphs"] = torch.tensor(len(sizes))
    edges = torch.from_numpy(graph.edge_index)
    batch = torch.repeat_interleave(torch.from_numpy(sizes))
    graphs = [graph, library.blocks(sizes, np.ones(len(sizes), np.int64))]

    def bind(label, options):
        model = library.model({**description, "name": label},
                              network.state_dict(), options)
        return Candidate(*model.bind(graphs, list(arrays.values())))

    label = name.partition(",")[0]
    return {OURS: bind(label, ()),
            f"{OURS}, without": bind(f"{label}-without", without),
            "PyG eager": Candidate(lambda: network(tensors, edges, batch))}


@torch.inference_mode()
def rows(measurement, quick):
    for name in list(EXAMPLES)[:1] if quick else EXAMPLES:
        yield measurement.row(
            "examples", name,
            lambda: candidates(measurement.library, name,
                               measurement.without))
