"""Layers on graphs with several types of nodes beside PyTorch Geometric's: papers,
their authors and the venues that published them."""

import sys

import numpy as np
import torch

from .layers import ROOT
from .measure import OURS, Candidate, aligned

WIDTH, HEADS = 64, 4
NODES = {"paper": 10000, "author": 20000, "venue": 100}
EDGES = {("author", "writes", "paper"): 100000,
         ("paper", "written_by", "author"): 100000,  # the same, turned round
         ("paper", "cites", "paper"): 50000,
         ("paper", "published_in", "venue"): 10000}


def convolutions(kind, **more):
    """A HeteroConv of this layer for every edge type."""
    conv = {"type": kind, "in_channels": [WIDTH, WIDTH], "out_channels": WIDTH,
            **more}
    return {"type": "HeteroConv", "aggr": "sum",
            "convs": {"__".join(key): conv for key in EDGES}}


def own(kind, **more):
    return {"type": kind, "in_channels": WIDTH, "out_channels": WIDTH, **more}


LAYERS = {
    "HGTConv, 4 heads": own("HGTConv", heads=HEADS),
    "HANConv, 4 heads": own("HANConv", heads=HEADS),
    "HeteroConv of SAGEConv": convolutions("SAGEConv"),
    "HeteroConv of GraphConv": convolutions("GraphConv"),
    "HeteroConv of GATConv, 4 heads": convolutions(
        "GATConv", out_channels=WIDTH // HEADS, heads=HEADS,
        add_self_loops=False),
    "RGCNConv": own("RGCNConv", num_relations=len(EDGES)),
    "HeteroLinear": own("HeteroLinear"),
    "HeteroDictLinear": own("HeteroDictLinear"),
}


def describe(name):
    """The model of one layer."""
    return {"name": "-".join(name.replace(",", "").split()),
            "node_types": list(NODES),
            "edge_types": [list(key) for key in EDGES],
            "inputs": [{"name": "x", "per": kind, "channels": WIDTH}
                       for kind in NODES],
            "layers": [{"name": "y", **LAYERS[name]}]}


def make_edges():
    """Ends of the edges of each type, sorted by destination."""
    generator = np.random.default_rng(0)
    result = {}
    for (source, relation, destination), count in EDGES.items():
        if relation == "written_by":
            ends = result["author", "writes", "paper"][::-1]
        else:
            ends = np.stack([generator.integers(0, NODES[kind], count)
                             for kind in (source, destination)])
        order = np.argsort(ends[1], kind="stable")
        result[source, relation, destination] = np.ascontiguousarray(
            ends[:, order])
    return result


def make_peer(network, data):
    """The layer on its inputs, in the form in which it takes them: what puts
    types one after the other is not timed."""
    layer, module = network.steps[0]
    if layer["type"] not in ("RGCNConv", "HeteroLinear"):
        rows = data.x_dict
        return lambda: list(network.apply_layer(layer, module, [rows],
                                                data).values())
    whole = data.to_homogeneous()
    sizes = list(NODES.values())
    if layer["type"] == "HeteroLinear":
        return lambda: module(whole.x, whole.node_type).split(sizes)
    return lambda: module(whole.x, whole.edge_index,
                          whole.edge_type).split(sizes)


def candidates(library, graphs, name):
    # The classes of the layers, as the golden files have them.
    sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))
    from heterogeneous import HeterogeneousModel, load
    torch.manual_seed(0)
    generator = np.random.default_rng(0)
    rows = {kind: aligned(generator.standard_normal((count, WIDTH), np.float32))
            for kind, count in NODES.items()}
    description = describe(name)
    data = load(description,
                {**{f"x/{kind}": x for kind, x in rows.items()},
                 **{f"edge_index/{'__'.join(key)}": graph.edge_index
                    for key, graph in graphs.items()}})
    network = HeterogeneousModel(description).eval()
    peer = make_peer(network, data)
    peer()  # which gives weights to layers that wait for their first input

    def bind(description, options=()):
        model = library.model(description, network.state_dict(), options)
        return Candidate(*model.bind(list(graphs.values()), list(rows.values()),
                                     outputs=len(NODES)))

    return {OURS: bind(description),
            f"{OURS}, without": bind(
                {**description, "name": f"{description['name']}-without"},
                ["--fold-linear=false", "--merge-linear=false"]),
            "PyG eager": Candidate(peer)}


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    graphs = {key: library.from_edges(NODES[key[2]], ends, NODES[key[0]])
              for key, ends in make_edges().items()}
    for name in ["HGTConv, 4 heads"] if quick else LAYERS:
        yield measurement.row("typed", name,
                              lambda: candidates(library, graphs, name))
