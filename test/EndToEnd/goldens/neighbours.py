"""Variants on graphs that are made of rows."""

from .common import RELU, X, linear, variant
from .convolutions import POINTS
from .edges import aggregate, concat, gather


def edge_network(*widths):
    """Linear layers with ReLU between them."""
    layers = []
    for i, (columns, rows) in enumerate(zip(widths, widths[1:])):
        layers += [RELU] if i else []
        layers.append({"type": "Linear", "in_features": columns,
                       "out_features": rows})
    return layers


def dynamic(name="y", **args):
    return {"name": name, "type": "DynamicEdgeConv", **args}


def near(k, rows="points", **args):
    return {"name": "near", "type": "KNNGraph", "input": rows, "k": k, **args}


def within(r, **args):
    return {"name": "near", "type": "RadiusGraph", "input": "points", "r": r,
            **args}


variant("dynamicedgeconv", "DynamicEdgeConv of three neighbours",
        dynamic(k=3, nn=edge_network(12, 8, 5)))
variant("dynamicedgeconv-twice", "Neighbours of rows, then of what these become; "
        "more than most graphs have nodes",
        dynamic("a", k=12, nn=edge_network(12, 7), aggr="mean"), RELU,
        dynamic(k=4, nn=edge_network(14, 6, 4), aggr=["max", "add"]))
variant("dynamicedgeconv-all", "DynamicEdgeConv without a batch",
        dynamic(k=5, nn=edge_network(12, 5)), batch=False)
variant("dynamicedgeconv-complete", "DynamicEdgeConv of a model that is passed no "
        "edges", dynamic(k=2, nn=edge_network(12, 5)), graph="complete")
variant("gravnetconv", "GravNetConv",
        {"name": "y", "type": "GravNetConv", "in_channels": 6,
         "out_channels": 5, "space_dimensions": 3, "propagate_dimensions": 4,
         "k": 4})
variant("knngraph", "Convolutions on neighbours and on the model's graph", POINTS,
        near(4),
        {"name": "a", "type": "GCNConv", "input": "x", "graph": "near",
         "in_channels": 6, "out_channels": 8}, RELU,
        {"name": "b", "type": "GATConv", "in_channels": 8, "out_channels": 4,
         "heads": 2},
        {"name": "y", "type": "SAGEConv", "graph": "near", "in_channels": 8,
         "out_channels": 3, "aggr": "max"})
variant("knngraph-cosine", "Neighbours by angles, each node one of its own",
        near(3, "x", loop=True, cosine=True),
        {"name": "y", "type": "EdgeConv", "input": "x", "graph": "near",
         "nn": edge_network(12, 5)})
variant("knngraph-edges", "Rows of the edges to neighbours", POINTS, near(3),
        gather("sources", "points", graph="near"),
        gather("destinations", "points", graph="near"),
        concat("both", "sources", "destinations"), linear("e", 6, 4), RELU,
        linear("attr", 4, 6),
        aggregate("sums", aggr="mean"),
        {"name": "c", "type": "GINEConv", "input": "x", "graph": "near",
         "edge_attr": "attr",
         "nn": [{"type": "Linear", "in_features": 6, "out_features": 5}]},
        concat("y", "sums", "c"))
variant("radiusgraph", "Convolution of the nodes within a radius", POINTS,
        within(1.5),
        {"name": "y", "type": "GraphConv", "input": "x", "graph": "near",
         "in_channels": 6, "out_channels": 5})
variant("radiusgraph-few", "At most two of them, each node one of its own", POINTS,
        within(2, loop=True, max_num_neighbors=2),
        {"name": "y", "type": "PointNetConv", "input": "x", "pos": "points",
         "graph": "near", "add_self_loops": False})
