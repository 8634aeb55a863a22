"""Variants whose edges have lengths, and convolutions with filters of these."""

from .common import (ATTR, BIPARTITE, SOURCES, TOKENS, WEIGHT, X, linear,
                     variant)
from .convolutions import POINTS
from .embeddings import IDS, embedding
from .neighbours import within

SOFTPLUS = {"type": "ShiftedSoftplus"}


def lengths(rows="points", **args):
    return {"name": "length", "type": "EdgeLength", "input": rows, **args}


def smearing(name="smeared", **args):
    return {"name": name, "type": "GaussianSmearing", **args}


def filters(*widths):
    """Linear layers with shifted softplus between them."""
    layers = []
    for i, (columns, rows) in enumerate(zip(widths, widths[1:])):
        layers += [SOFTPLUS] if i else []
        layers.append({"type": "Linear", "in_features": columns,
                       "out_features": rows})
    return layers


def block(name, rows, width, gaussians, cutoff, **args):
    return {"name": name, "type": "InteractionBlock", "input": rows,
            "hidden_channels": width, "num_gaussians": gaussians,
            "num_filters": 8, "cutoff": cutoff, "edge_weight": "length",
            "edge_attr": "smeared", **args}


variant("edgelength", "Distances between the ends of each edge", POINTS,
        {**lengths(), "name": "y"})
variant("edgelength-bipartite", "The same of two kinds of nodes",
        linear("a", 6, 3, input="x_src"), linear("b", 4, 3, input="x_dst"),
        {"name": "y", "type": "EdgeLength", "inputs": ["a", "b"]},
        inputs=SOURCES, graphs=BIPARTITE)
variant("gaussiansmearing", "GaussianSmearing of one number per edge",
        smearing("y", input="edge_weight"), inputs=(X, WEIGHT))
variant("gaussiansmearing-channel", "GaussianSmearing of the only channel",
        linear("h", 6, 1), smearing("y", start=-1.5, stop=2, num_gaussians=7))
variant("shiftedsoftplus", "The activation of SchNet",
        {"name": "y", "type": "ShiftedSoftplus"})
variant("cfconv", "CFConv, whose filters are made of attributes",
        {"name": "y", "type": "CFConv", "in_channels": 6, "out_channels": 5,
         "num_filters": 7, "cutoff": 2.5, "nn": filters(3, 4, 7),
         "edge_weight": "edge_weight", "edge_attr": "edge_attr"},
        inputs=(X, WEIGHT, ATTR))
variant("interactionblock", "An InteractionBlock on the model's graph", POINTS,
        lengths(), smearing(stop=3, num_gaussians=9),
        block("y", "x", 6, 9, 3))
# The block and its convolution share the network of filters.
SHARED = {f"interactions.{i}.mlp.{part}": f"interactions.{i}.conv.nn.{part}"
          for i in (0, 1)
          for part in ("0.weight", "0.bias", "2.weight", "2.bias")}
variant("schnet", "SchNet: two blocks on the nodes within a radius, and a number "
        "for each graph", embedding("embedding", 9, 12, input="ids"),
        {**within(3), "input": "x", "name": "interaction_graph"},
        lengths("x", graph="interaction_graph"),
        smearing("smeared", stop=3, num_gaussians=10),
        block("interactions.0", "embedding", 12, 10, 3,
              graph="interaction_graph"),
        {"name": "h", "type": "Add", "inputs": ["embedding", "interactions.0"]},
        block("interactions.1", "h", 12, 10, 3, graph="interaction_graph"),
        {"name": "rows", "type": "Add", "inputs": ["h", "interactions.1"]},
        linear("lin1", 12, 6), SOFTPLUS, linear("lin2", 6, 1),
        {"name": "y", "type": "global_add_pool"}, inputs=(IDS, X),
        graphs=TOKENS, shared=SHARED)
