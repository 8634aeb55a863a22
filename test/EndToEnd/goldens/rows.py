"""Variants of norms, activations, joins and pooling."""

from .common import *  # noqa: F403

# Norms
variant("layernorm-graph", "PyG's LayerNorm over all nodes together, called "
        "without batch", {"name": "y", "type": "LayerNorm", "in_channels": 6})
variant("layernorm-graph-no-affine", "PyG's LayerNorm, graph mode, no weights",
        {"name": "y", "type": "LayerNorm", "in_channels": 6, "eps": 0.01,
         "affine": False})
variant("layernorm-node", "PyG's LayerNorm of each node",
        {"name": "y", "type": "LayerNorm", "in_channels": 6, "mode": "node"})
variant("layernorm-torch", "torch.nn.LayerNorm",
        {"name": "y", "type": "LayerNorm", "normalized_shape": 6})
variant("layernorm-torch-no-affine", "torch.nn.LayerNorm without weights",
        {"name": "y", "type": "LayerNorm", "normalized_shape": [6],
         "eps": 0.01, "elementwise_affine": False})
variant("rmsnorm", "torch.nn.RMSNorm, the smallest eps",
        {"name": "y", "type": "RMSNorm", "normalized_shape": 6})
variant("rmsnorm-no-affine", "torch.nn.RMSNorm without weights",
        {"name": "y", "type": "RMSNorm", "normalized_shape": [6], "eps": 0.01,
         "elementwise_affine": False})
variant("batchnorm", "PyG's BatchNorm at inference",
        {"name": "y", "type": "BatchNorm", "in_channels": 6})
variant("batchnorm-torch", "torch.nn.BatchNorm1d at inference",
        {"name": "y", "type": "BatchNorm1d", "num_features": 6, "eps": 0.001})
variant("batchnorm-no-affine", "torch.nn.BatchNorm1d without weights",
        {"name": "y", "type": "BatchNorm1d", "num_features": 6,
         "affine": False})

variant("messagenorm", "MessageNorm of rows of another width",
        gcn("conv", 6, 5),
        {"name": "y", "type": "MessageNorm", "inputs": ["x", "conv"]})
variant("diffgroupnorm", "DiffGroupNorm at inference",
        {"name": "y", "type": "DiffGroupNorm", "in_channels": 6, "groups": 4,
         "lamda": 0.5})
variant("diffgroupnorm-no-affine", "DiffGroupNorm without weights of the norm",
        {"name": "y", "type": "DiffGroupNorm", "in_channels": 6, "groups": 1,
         "eps": 0.01, "affine": False})

# Norms of the graphs of a batch, and of all nodes together
ALL = {**GRAPHS, **NO_BATCH}
# PyTorch refuses to take the variance of one row.
SEVERAL = {k: v for k, v in ALL.items() if len(v["x"]) != 1}
for name, shows, norm, graphs in [  # graphs without a batch, or none
        ("graphnorm", "GraphNorm", {"in_channels": 6}, ALL),
        ("graphnorm-eps", "GraphNorm, another eps",
         {"in_channels": 6, "eps": 0.01}, None),
        ("layernorm-batch", "LayerNorm of each graph",
         {"in_channels": 6, "batch": True}, ALL),
        ("layernorm-batch-no-affine", "LayerNorm of each graph, no weights",
         {"in_channels": 6, "eps": 0.01, "affine": False, "mode": "graph",
          "batch": True}, None),
        ("instancenorm", "InstanceNorm", {"in_channels": 6}, SEVERAL),
        ("instancenorm-affine", "InstanceNorm with weights, another eps",
         {"in_channels": 6, "eps": 0.01, "affine": True}, SEVERAL),
        ("instancenorm-running", "InstanceNorm with statistics of training",
         {"in_channels": 6, "track_running_stats": True}, None),
        ("instancenorm-running-affine", "InstanceNorm with statistics of "
         "training and weights", {"in_channels": 6, "affine": True,
                                  "track_running_stats": True}, None),
        ("pairnorm", "PairNorm", {}, ALL),
        ("pairnorm-scale", "PairNorm, another scale and eps",
         {"scale": 2.5, "eps": 0.01}, ALL),
        ("pairnorm-individually", "PairNorm of each row",
         {"scale": 2.5, "scale_individually": True}, ALL),
        ("meansubtractionnorm", "MeanSubtractionNorm", {}, ALL),
        ("graphsizenorm", "GraphSizeNorm", {}, ALL)]:
    y = {"name": "y", "type": shows.split()[0].strip(","), **norm}
    variant(name, shows, y, graphs=ALL)
    if graphs:
        variant(f"{name}-no-batch", f"{shows}, where all nodes are one graph",
                y, graphs=graphs, batch=False)
variant("pairnorm-sources", "PairNorm of the sources of a bipartite graph",
        {"name": "y", "type": "PairNorm", "input": "x_src"}, inputs=SOURCES,
        graphs=BIPARTITE, batch=False)
variant("norms-deep", "a model with norms of each graph",
        gcn("conv1", 6, 8),
        {"name": "norm1", "type": "GraphNorm", "in_channels": 8}, RELU,
        gcn("conv2", 8, 8), {"type": "PairNorm"}, {"type": "GraphSizeNorm"},
        {"type": "global_add_pool"}, linear("y", 8, 3),
        # Of whose equal rows norms leave rounding errors.
        graphs={k: v for k, v in ALL.items() if k != "complete"})

# Activations
for name, layer in {
        "relu": {"type": "ReLU"},
        "elu": {"type": "ELU"},
        "elu-alpha": {"type": "ELU", "alpha": 0.4},
        "leakyrelu": {"type": "LeakyReLU"},
        "leakyrelu-slope": {"type": "LeakyReLU", "negative_slope": 0.3},
        "gelu": {"type": "GELU"},
        "gelu-tanh": {"type": "GELU", "approximate": "tanh"},
        "silu": {"type": "SiLU"},
        "sigmoid": {"type": "Sigmoid"},
        "tanh": {"type": "Tanh"},
        "softmax": {"type": "Softmax"},
        "logsoftmax": {"type": "LogSoftmax"},
}.items():
    variant(f"activation-{name}", f"{layer['type']} after a Linear",
            linear("lin", 6, 7), {"name": "y", **layer})
for name, layer in {
        "relu6": {"type": "ReLU6"},
        "celu": {"type": "CELU", "alpha": 0.4},
        "selu": {"type": "SELU"},
        "mish": {"type": "Mish"},
        "logsigmoid": {"type": "LogSigmoid"},
        "hardsigmoid": {"type": "Hardsigmoid"},
        "hardswish": {"type": "Hardswish"},
        "tanhshrink": {"type": "Tanhshrink"},
        "hardtanh": {"type": "Hardtanh", "min_val": -0.5, "max_val": 2.0},
        "softplus": {"type": "Softplus"},
        "softplus-beta": {"type": "Softplus", "beta": 2.0, "threshold": 5.0},
        "softsign": {"type": "Softsign"},
}.items():
    variant(f"activation-{name}", f"{layer['type']} of numbers of all sizes",
            {"name": "y", **layer},
            graphs={**SLOPES, "random": GRAPHS["random"],
                    "empty": GRAPHS["empty"]})
variant("activation-prelu", "PReLU with one slope",
        {"name": "y", "type": "PReLU"})
variant("activation-prelu-channels", "PReLU with a slope for each channel",
        {"name": "y", "type": "PReLU", "num_parameters": 6})
variant("activation-prelu-nn", "PReLU within a GINConv",
        {"name": "y", "type": "GINConv", "nn": [
            {"type": "Linear", "in_channels": 6, "out_channels": 5},
            {"type": "PReLU"}]})
variant("activation-glu", "GLU, half of the channels gates the other",
        linear("lin", 6, 8), {"name": "y", "type": "GLU"})
variant("activation-alone", "a model without any weights",
        {"type": "Identity"}, {"name": "y", "type": "ReLU"})

# Several values
variant("residual-add", "a residual around a convolution",
        linear("lin", 6, 8), gcn("conv", 8, 8), RELU,
        {"name": "drop", "type": "Dropout", "p": 0.5},
        {"name": "y", "type": "Add", "inputs": ["lin", "drop"]})
variant("residual-input", "a residual from the model's input, three terms",
        gcn("a", 6, 6), linear("b", 6, 6, input="x"),
        {"name": "y", "type": "Add", "inputs": ["x", "a", "b"]})
variant("mul", "a gate: the product of two layers",
        gcn("conv", 6, 8), linear("lin", 6, 8, input="x"),
        {"name": "gate", "type": "Sigmoid"},
        {"name": "y", "type": "Mul", "inputs": ["conv", "gate"]})
variant("concat", "layers of different widths side by side, then a Linear",
        gcn("a", 6, 5), linear("b", 6, 3, input="x"),
        {"type": "Concat", "inputs": ["x", "a", "b"]}, linear("y", 14, 4))
for mode in ("cat", "max"):
    variant(f"jumpingknowledge-{mode}", f"JumpingKnowledge, {mode}, over three "
            "convolutions", gcn("conv1", 6, 8), {"name": "h1", **RELU},
            gcn("conv2", 8, 8), {"name": "h2", **RELU}, gcn("conv3", 8, 8),
            {"name": "y", "type": "JumpingKnowledge", "mode": mode,
             "inputs": ["h1", "h2", "conv3"]})
variant("jumpingknowledge-linear", "JumpingKnowledge, cat, then a Linear that is "
        "narrower than what is side by side", gcn("conv1", 6, 8), {"name": "h1", **RELU},
        gcn("conv2", 8, 8), {"name": "h2", **RELU}, gcn("conv3", 8, 8),
        {"name": "h", "type": "JumpingKnowledge", "mode": "cat",
         "inputs": ["h1", "h2", "conv3"]}, linear("y", 24, 3))

# Pooling
for kind in ("add", "mean", "max"):
    variant(f"pool-{kind}", f"global_{kind}_pool: one row per graph of the "
            "batch", {"name": "y", "type": f"global_{kind}_pool"},
            graphs={**GRAPHS, **NO_BATCH})
variant("pool-concat", "three pools side by side, then a Linear",
        gcn("conv", 6, 8), {"name": "act", **RELU},
        {"name": "add", "type": "global_add_pool", "input": "act"},
        {"name": "mean", "type": "global_mean_pool", "input": "act"},
        {"name": "max", "type": "global_max_pool", "input": "act"},
        {"type": "Concat", "inputs": ["add", "mean", "max"]},
        linear("y", 24, 4), graphs={**GRAPHS, **NO_BATCH})
# Rows of graphs
BATCHES = {**GRAPHS, **NO_BATCH}
variant("gather-graphs", "GatherGraphs: what a pool has made of its graph for "
        "each node", {"type": "global_max_pool"},
        {"name": "y", "type": "GatherGraphs"}, graphs=BATCHES)
variant("graph-embedding", "GraphEmbedding: the same row for each graph",
        {"name": "y", "type": "GraphEmbedding", "embedding_dim": 5},
        graphs=BATCHES)


def gin(name, rows):
    return {"name": name, "type": "GINConv", "input": rows, "nn": [
        {"type": "Linear", "in_features": 6, "out_features": 6}]}


variant("virtual-node", "two GINConv and a virtual node, which reads all nodes "
        "of its graph and is read by them",
        {"name": "virtual", "type": "GraphEmbedding", "embedding_dim": 6},
        {"name": "sent", "type": "GatherGraphs"},
        {"name": "h", "type": "Add", "inputs": ["x", "sent"]},
        {"name": "pool", "type": "global_add_pool"},
        {"type": "Add", "inputs": ["pool", "virtual"]},
        linear("wide", 6, 12), RELU, linear("narrow", 12, 6),
        {"name": "virtual1", **RELU}, {"name": "sent1", "type": "GatherGraphs"},
        gin("conv", "h"), {"name": "h1", **RELU},
        {"name": "h2", "type": "Add", "inputs": ["h1", "sent1"]},
        gin("conv1", "h2"), {"type": "global_mean_pool"}, linear("y", 6, 3),
        graphs=BATCHES)

variant("deep", "a deep model of many kinds of layers",
        gcn("conv1", 6, 16),
        {"name": "norm", "type": "BatchNorm", "in_channels": 16}, RELU,
        {"type": "Dropout", "p": 0.5},
        {"name": "conv2", "type": "GATConv", "in_channels": 16,
         "out_channels": 4, "heads": 4}, {"type": "ELU"},
        {"name": "conv3", "type": "SAGEConv", "in_channels": 16,
         "out_channels": 12}, {"type": "global_mean_pool"},
        linear("lin", 12, 4), {"name": "y", "type": "LogSoftmax"},
        graphs={**GRAPHS, **NO_BATCH})
