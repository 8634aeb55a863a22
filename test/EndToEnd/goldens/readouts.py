"""Variants of pooling with learned weights, and of recurrent cells."""

from .common import ATTR, GRAPHS, NO_BATCH, RELU, X, layer, linear, variant
from .neighbours import edge_network

ALL = {**GRAPHS, **NO_BATCH}


def perceptron(*widths):
    """Layers with the names of PyTorch Geometric's MLP."""
    layers = []
    for i, (columns, rows) in enumerate(zip(widths, widths[1:])):
        if i:
            layers += [{"name": f"norms.{i - 1}", "type": "BatchNorm",
                        "in_channels": columns}, RELU]
        layers.append(linear(f"lins.{i}", columns, rows))
    return layers


layer("attentionalaggregation", "A number for each node says how much it counts",
      "AttentionalAggregation", gate_nn=edge_network(6, 4, 1), graphs=ALL)
layer("attentionalaggregation-channels", "One for each channel of what is summed",
      "AttentionalAggregation", gate_nn=edge_network(6, 5), nn=edge_network(6, 5),
      graphs=ALL)
layer("attentionalaggregation-mlp", "Networks that are PyTorch Geometric's MLP",
      "AttentionalAggregation", gate_nn=perceptron(6, 4, 1),
      nn=perceptron(6, 7, 5))
layer("set2set", "Set2Set of three steps", "Set2Set", in_channels=6,
      processing_steps=3, graphs=ALL)
layer("set2set-once", "Set2Set of one", "Set2Set", in_channels=6,
      processing_steps=1)


def of_graph(kind, out=5, **args):
    """A convolution from nodes to their graphs."""
    return {"name": "y", "type": kind, "inputs": ["x", "graphs"], "graph": "batch",
            "in_channels": 6, "out_channels": out, **args}


POOLED = {"name": "graphs", "type": "global_max_pool"}
variant("gatconv-batch", "GATConv from nodes to their graphs", POOLED,
        of_graph("GATConv", heads=2, add_self_loops=False), graphs=ALL)
variant("sageconv-batch", "SAGEConv from nodes to their graphs", POOLED,
        of_graph("SAGEConv", aggr=["mean", "max"]))
variant("transformerconv-batch", "TransformerConv from nodes to their graphs",
        POOLED, linear("wide", 6, 7),
        {**of_graph("TransformerConv", heads=3, in_channels=[6, 7], beta=True),
         "inputs": ["x", "wide"]})
variant("edgeconv-batch", "EdgeConv from nodes to their graphs", POOLED,
        {"name": "y", "type": "EdgeConv", "inputs": ["x", "graphs"],
         "graph": "batch", "nn": edge_network(12, 8, 5)})
variant("gateconv", "GATEConv, with attributes of edges", {
    "name": "y", "type": "GATEConv", "in_channels": 6, "out_channels": 6,
    "edge_dim": 3, "edge_attr": "edge_attr"}, inputs=(X, ATTR))
variant("grucell", "A GRUCell of rows of two widths", linear("h", 6, 5, input="x"),
        {"name": "y", "type": "GRUCell", "inputs": ["x", "h"], "input_size": 6,
         "hidden_size": 5})
variant("grucell-no-bias", "A GRUCell without biases",
        {"name": "y", "type": "GRUCell", "inputs": ["x", "x"], "input_size": 6,
         "hidden_size": 6, "bias": False})


def step(number, rows):
    """A message and what the GRU makes of it, with the weights of the first."""
    conv = {"name": f"conv{number}", "type": "NNConv", "input": rows,
            "in_channels": 5, "out_channels": 5, "edge_attr": "edge_attr",
            "nn": edge_network(3, 4, 25), "aggr": "mean", "root_weight": False}
    gru = {"name": f"gru{number}", "type": "GRUCell",
           "inputs": [f"m{number}", rows], "input_size": 5, "hidden_size": 5}
    if number:
        conv["weights"], gru["weights"] = "conv0", "gru0"
    return [conv, {"name": f"m{number}", "type": "ReLU"}, gru]


variant("mpnn", "Three steps of message passing with the same weights, and Set2Set",
        linear("lin0", 6, 5), {"name": "h", "type": "ReLU"}, *step(0, "h"),
        *step(1, "gru0"), *step(2, "gru1"),
        {"name": "set2set", "type": "Set2Set", "in_channels": 5,
         "processing_steps": 3},
        linear("lin1", 10, 4), {"type": "Tanh"}, linear("y", 4, 2),
        inputs=(X, ATTR))


def attentive_fp(layers, steps):
    """The layers of PyTorch Geometric's AttentiveFP of rows of 5 channels."""
    leaky, elu = {"type": "LeakyReLU"}, {"type": "ELU"}

    def update(gru, came, hidden, **weights):
        return {"name": gru, "type": "GRUCell", "inputs": [came, hidden],
                "input_size": 5, "hidden_size": 5, **weights}
    model = [linear("lin1", 6, 5), {"name": "x0", **leaky},
             {"name": "gate_conv", "type": "GATEConv", "in_channels": 5,
              "out_channels": 5, "edge_dim": 3, "edge_attr": "edge_attr"},
             {"name": "h0", **elu}, update("gru", "h0", "x0"),
             {"name": "x1", **RELU}]
    gat = {"type": "GATConv", "in_channels": 5, "out_channels": 5,
           "add_self_loops": False, "negative_slope": 0.01}
    for i in range(layers - 1):
        model += [{"name": f"atom_convs.{i}", **gat}, {"name": f"h{i + 1}", **elu},
                  update(f"atom_grus.{i}", f"h{i + 1}", f"x{i + 1}"),
                  {"name": f"x{i + 2}", **RELU}]
    atoms = f"x{layers}"
    model += [{"type": "global_add_pool"}, {"name": "out0", **RELU}]
    for i in range(steps):
        conv = {"name": f"mol_conv{i}", "weights": "mol_conv"}
        gru = {"name": f"mol_gru{i}", "weights": "mol_gru"}
        model += [{**gat, "inputs": [atoms, f"out{i}"], "graph": "batch",
                   **(conv if i else {"name": "mol_conv"})},
                  {"name": f"mol_h{i}", **elu},
                  {**update("mol_gru", f"mol_h{i}", f"out{i}"),
                   **(gru if i else {})}, {"name": f"out{i + 1}", **RELU}]
    return model + [linear("y", 5, 2)]


variant("attentivefp", "AttentiveFP: two layers on atoms, two on molecules",
        *attentive_fp(layers=2, steps=2), inputs=(X, ATTR))
