"""One layer of every kind beside PyTorch Geometric's, with attributes of edges
where it takes some: what whole models of the seven kinds in models.py leave out."""

import pathlib
import sys

import numpy as np
import torch

from .measure import OURS, Candidate, aligned

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NODES, EDGES, WIDTH, ATTRIBUTES, TYPES = 10000, 100000, 64, 16, 8
DEGREES = [1, 4, 6, 3, 2, 1, 1]  # of PNAConv's training set


def perceptron(width, hidden, out):
    return [{"type": "Linear", "in_features": width, "out_features": hidden},
            {"type": "ReLU"},
            {"type": "Linear", "in_features": hidden, "out_features": out}]


def pna(**more):
    return {"type": "PNAConv", "aggregators": ["mean", "min", "max", "std"],
            "scalers": ["identity", "amplification", "attenuation"],
            "deg": DEGREES, **more}


def attention(kind, **more):
    return {"type": kind, "out_channels": WIDTH // 4, "heads": 4, **more}


WITH_EDGES = {"edge_dim": ATTRIBUTES, "edge_attr": "e"}
# What takes in_channels has the width of the inputs, and of the outputs if it says
# nothing else.
LAYERS = {
    "GCNConv": {}, "GCNConv, weights": {"edge_weight": "w"}, "SAGEConv": {}, "SAGEConv, max": {"aggr": "max"},
    "SAGEConv, softmax": {"aggr": "softmax"},
    "SAGEConv, project": {"project": True}, "GraphConv": {},
    "GINConv": {"nn": perceptron(WIDTH, WIDTH, WIDTH)},
    "GINEConv": {"nn": perceptron(WIDTH, WIDTH, WIDTH), **WITH_EDGES},
    "GENConv": {}, "GENConv, edges": WITH_EDGES, "LEConv": {},
    "SGConv, K = 3": {"K": 3}, "SSGConv, K = 3": {"K": 3, "alpha": 0.1},
    "TAGConv, K = 3": {"K": 3},
    "GCN2Conv": {"channels": WIDTH, "alpha": 0.1, "theta": 0.5, "layer": 2,
                 "initial": "x"},
    "MixHopConv": {}, "ClusterGCNConv": {"diag_lambda": 0.1},
    "DirGNNConv, SAGEConv": {"conv": {"type": "SAGEConv", "in_channels": WIDTH,
                                      "out_channels": WIDTH}},
    "AntiSymmetricConv, 4 steps": {"in_channels": WIDTH, "num_iters": 4},
    "HypergraphConv": {},
    "FAConv": {"channels": WIDTH, "initial": "x"},
    "FiLMConv": {}, "FiLMConv, 8 relations": {"num_relations": TYPES, "edge_type": "t"},
    "EGConv": {}, "EGConv, 3 aggregators": {
        "aggregators": ["symnorm", "max", "mean"], "num_heads": 4},
    "LGConv": {},
    "APPNP, K = 10": {"K": 10, "alpha": 0.1}, "ChebConv, K = 3": {"K": 3},
    "ARMAConv, 3 stacks": {"num_stacks": 3, "num_layers": 2},
    "PNAConv": pna(), "PNAConv, edges": pna(**WITH_EDGES),
    "PNAConv, 4 towers": pna(towers=4, divide_input=True),
    "GeneralConv, 4 heads": {"heads": 4, "attention": True},
    "EdgeConv": {"nn": perceptron(2 * WIDTH, WIDTH, WIDTH)},
    "NNConv, 16 channels": {"in_channels": 16, "out_channels": 16,
                            "nn": perceptron(ATTRIBUTES, 32, 256),
                            "edge_attr": "e"},
    "CGConv, edges": {"channels": WIDTH, "dim": ATTRIBUTES, "edge_attr": "e"},
    "GMMConv, 5 kernels": {"dim": ATTRIBUTES, "kernel_size": 5,
                           "edge_attr": "e"},
    "CFConv": {"num_filters": WIDTH, "cutoff": 2, "edge_weight": "w",
               "edge_attr": "e", "nn": perceptron(ATTRIBUTES, WIDTH, WIDTH)},
    "PDNConv": {"hidden_channels": 32, **WITH_EDGES},
    "PointGNNConv": {"pos": "p", "mlp_h": perceptron(WIDTH, WIDTH, 3),
                     "mlp_f": perceptron(WIDTH + 3, WIDTH, WIDTH),
                     "mlp_g": perceptron(WIDTH, WIDTH, WIDTH)},
    "PointTransformerConv": {"pos": "p"},
    "PointTransformerConv, networks": {
        "pos": "p", "pos_nn": perceptron(3, WIDTH, WIDTH),
        "attn_nn": perceptron(WIDTH, WIDTH, WIDTH)},
    "FeaStConv, 8 heads": {"heads": 8},
    "GatedGraphConv, 3 steps": {"out_channels": WIDTH, "num_layers": 3},
    "ResGatedGraphConv": {}, "ResGatedGraphConv, edges": WITH_EDGES,
    "GATConv": attention("GATConv"),
    "GATConv, edges": attention("GATConv", **WITH_EDGES),
    "GATv2Conv": attention("GATv2Conv"),
    "GATv2Conv, edges": attention("GATv2Conv", **WITH_EDGES),
    "GATEConv": WITH_EDGES,
    "TransformerConv": attention("TransformerConv"),
    "TransformerConv, edges": attention("TransformerConv", beta=True,
                                        **WITH_EDGES),
    "SuperGATConv": attention("SuperGATConv"), "AGNNConv": {},
    "RGCNConv": {"num_relations": TYPES, "edge_type": "t"},
    "RGCNConv, 4 bases": {"num_relations": TYPES, "num_bases": 4,
                          "edge_type": "t"},
    "RGCNConv, 4 blocks": {"num_relations": TYPES, "num_blocks": 4,
                           "edge_type": "t"},
    "RGATConv": attention("RGATConv", num_relations=TYPES, edge_type="t"),
    "RGATConv, edges": attention("RGATConv", num_relations=TYPES, edge_type="t",
                                 **WITH_EDGES),
    "LightGCN, 3 layers": {"num_layers": 3},
    "SGFormerAttention": {"channels": WIDTH},
    "LayerNorm": {"in_channels": WIDTH, "mode": "node"}, "Normalize": {},
    "GELU": {}, "SiLU": {}, "Tanh": {}, "Sigmoid": {}, "ELU": {}, "Mish": {},
    "Softplus": {}, "LogSigmoid": {}, "ShiftedSoftplus": {}, "GLU": {},
    "Softmax": {}, "LogSoftmax": {},
    "LeakyReLU, 300 features": {}, "ELU, 300 features": {},
    "GELU, 300 features": {}, "GLU, 512 features": {},
    "RMSNorm, 300 features": {"normalized_shape": 300},
    "AggregateEdges, 256 features": {"input": "e"},
    "AggregateEdges, 300 features": {"input": "e"},
}
# These have other arguments than in_channels and out_channels, or none.
OWN_WIDTHS = {"GINConv", "GINEConv", "EdgeConv", "LGConv", "APPNP", "CGConv",
              "PointGNNConv",
              "DirGNNConv", "AntiSymmetricConv", "FAConv", "GCN2Conv",
              "GatedGraphConv", "AGNNConv", "LightGCN", "SGFormerAttention",
              "LayerNorm", "GELU",
              "SiLU", "Tanh", "Sigmoid", "ELU", "Mish", "Softplus",
              "LogSigmoid", "ShiftedSoftplus", "GLU", "Softmax", "LogSoftmax",
              "LeakyReLU", "RMSNorm", "Normalize", "AggregateEdges"}


def get_width(name):
    """Features of what the layer of this name reads."""
    words = name.split()
    return int(words[-2]) if words[-1] == "features" else WIDTH


def describe(name):
    """The model of one layer."""
    layer = {"name": "y", "type": name.partition(",")[0], **LAYERS[name]}
    if layer["type"] not in OWN_WIDTHS:
        layer.setdefault("in_channels", WIDTH)
        layer.setdefault("out_channels", WIDTH)
    width = get_width(name)
    inputs = [{"name": "x", "channels": layer.get("in_channels", width)}]
    if layer["type"] == "HypergraphConv":
        inputs[0]["per"] = "source"  # and destinations are hyperedges
    if "pos" in layer:
        inputs.append({"name": "p", "channels": 3})
    if layer["type"] == "AggregateEdges":
        inputs.append({"name": "e", "channels": width, "per": "edge"})
    if "edge_attr" in layer:
        inputs.append({"name": "e", "channels": ATTRIBUTES, "per": "edge"})
    if "edge_weight" in layer:
        inputs.append({"name": "w", "channels": [], "per": "edge"})
    if "edge_type" in layer:
        inputs.append({"name": "t", "channels": [], "per": "edge",
                       "dtype": "int64"})
    # All nodes are one graph.
    return {"name": "-".join(name.replace(",", "").replace("=", "").split()),
            "batch": False, "inputs": inputs, "layers": [layer]}


def make_inputs(description, generator):
    arrays = {}
    for entry in description["inputs"]:
        rows = EDGES if entry.get("per") == "edge" else NODES
        if entry["name"] == "t":
            arrays["t"] = generator.integers(0, TYPES, rows)
        elif entry["name"] == "w":
            arrays["w"] = aligned(generator.random(rows, np.float32))
        else:
            arrays[entry["name"]] = aligned(generator.standard_normal(
                (rows, entry["channels"]), np.float32))
    return arrays


def candidates(library, graph, name, without):
    # The classes of the layers, as the golden files have them.
    sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))
    from reference import Model
    torch.manual_seed(0)
    description = describe(name)
    network = Model(description).eval()
    arrays = make_inputs(description, np.random.default_rng(0))
    tensors = {key: torch.from_numpy(array) for key, array in arrays.items()}
    edges = torch.from_numpy(graph.edge_index)

    def bind(description, options):
        model = library.model(description, network.state_dict(), options)
        return Candidate(*model.bind([graph], list(arrays.values())))

    return {OURS: bind(description, ()),
            f"{OURS}, without": bind(
                {**description, "name": f"{description['name']}-without"},
                without),
            "PyG eager": Candidate(lambda: network(tensors, edges))}


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    edge_index = np.random.default_rng(0).integers(0, NODES, (2, EDGES))
    order = np.argsort(edge_index[1], kind="stable")
    graph = library.from_edges(NODES,
                               np.ascontiguousarray(edge_index[:, order]))
    for name in ["GINEConv", "EdgeConv"] if quick else LAYERS:
        yield measurement.row("layers", name,
                              lambda: candidates(library, graph, name,
                                                 measurement.without))
