"""Layers that read which graph of a batch a node is in, readouts and norms, beside
PyTorch Geometric's: on a batch of molecules."""

import sys

import numpy as np
import torch

from .layers import ROOT, WIDTH, get_width, perceptron
from .measure import OURS, Candidate, aligned

# What networks of molecules often have, and no whole registers or lines.
WIDE = 300
LAYERS = {
    "global_add_pool": {}, "global_mean_pool": {}, "global_max_pool": {},
    "AttentionalAggregation": {"gate_nn": perceptron(WIDTH, WIDTH, 1)},
    "AttentionalAggregation, gates of channels": {
        "gate_nn": perceptron(WIDTH, WIDTH, WIDTH),
        "nn": perceptron(WIDTH, WIDTH, WIDTH)},
    "Set2Set, 3 steps": {"in_channels": WIDTH, "processing_steps": 3},
    "GraphNorm": {"in_channels": WIDTH},
    "InstanceNorm": {"in_channels": WIDTH},
    "LayerNorm of graphs": {"in_channels": WIDTH, "mode": "graph", "batch": True},
    "PairNorm": {}, "MeanSubtractionNorm": {}, "GraphSizeNorm": {},
    "global_add_pool, 256 features": {}, "global_add_pool, 300 features": {},
    "global_mean_pool, 300 features": {}, "global_max_pool, 300 features": {},
    "GraphNorm, 300 features": {"in_channels": WIDE},
    "PairNorm, 300 features": {}, "MeanSubtractionNorm, 300 features": {},
}


def describe(name):
    """The model of one layer."""
    kind = name.partition(",")[0].partition(" ")[0]
    return {"name": "-".join(name.replace(",", "").split()),
            "inputs": [{"name": "x", "channels": get_width(name)}],
            "layers": [{"name": "y", "type": kind, **LAYERS[name]}]}


def candidates(library, graph, sizes, name, without):
    # The classes of the layers, as the golden files have them.
    sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))
    from reference import Model
    torch.manual_seed(0)
    description = describe(name)
    network = Model(description).eval()
    x = aligned(np.random.default_rng(0).standard_normal(
        (graph.num_nodes, get_width(name)), np.float32))
    tensors = {"x": torch.from_numpy(x), "num_graphs": torch.tensor(len(sizes))}
    edges = torch.from_numpy(graph.edge_index)
    batch = torch.repeat_interleave(torch.from_numpy(sizes))
    blocks = library.blocks(sizes, np.ones(len(sizes), np.int64))

    def bind(label, options):
        model = library.model({**description, "name": label},
                              network.state_dict(), options)
        return Candidate(*model.bind([graph, blocks], [x]))

    label = description["name"]
    return {OURS: bind(label, ()),
            f"{OURS}, without": bind(f"{label}-without", without),
            "PyG eager": Candidate(lambda: network(tensors, edges, batch))}


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    (_, graph), = library.graph_list(["molecules"])
    sizes = library.graph_sizes("molecules")
    for name in list(LAYERS)[:1] if quick else LAYERS:
        yield measurement.row(
            "readouts", name,
            lambda: candidates(library, graph, sizes, name, measurement.without))
