"""Variants of attention between points, and of weights by how nodes differ."""

from .common import ATTR, BIPARTITE, GRAPHS, SOURCES, X, conv, linear, variant
from .convolutions import POINTS
from .neighbours import edge_network, near


def point_transformer(**args):
    return {"name": "y", "type": "PointTransformerConv", "input": "x",
            "pos": "points", "in_channels": 6, "out_channels": 5, **args}


def point_gnn(**args):
    return {"name": "y", "type": "PointGNNConv", "input": "x", "pos": "points",
            "mlp_h": edge_network(6, 4, 3), "mlp_f": edge_network(9, 8, 7),
            "mlp_g": edge_network(7, 6), **args}


variant("pointgnnconv", "PointGNNConv", POINTS, point_gnn())
variant("pointgnnconv-mean", "PointGNNConv of means and sums, on neighbours", POINTS,
        near(4), point_gnn(graph="near", aggr=["mean", "add"],
                           mlp_g=edge_network(14, 6)))
variant("pointgnnconv-complete", "PointGNNConv on all pairs of nodes", POINTS,
        point_gnn(), graph="complete")
variant("pointtransformerconv", "PointTransformerConv with its defaults", POINTS,
        point_transformer())
variant("pointtransformerconv-networks", "PointTransformerConv with both networks, "
        "no loops added", POINTS,
        point_transformer(pos_nn=edge_network(3, 8, 5),
                          attn_nn=edge_network(5, 7, 5), add_self_loops=False))
variant("pointtransformerconv-near", "PointTransformerConv on neighbours", POINTS,
        near(4), point_transformer(graph="near", pos_nn=edge_network(3, 5)))
variant("pointtransformerconv-complete", "PointTransformerConv on all pairs", POINTS,
        point_transformer(attn_nn=edge_network(5, 5)), graph="complete")
conv("feastconv", "FeaStConv of one head", "FeaStConv")
# PyTorch Geometric's does not run without edges.
conv("feastconv-heads", "FeaStConv of several heads, no loops added", "FeaStConv",
     heads=3, add_self_loops=False,
     graphs={name: arrays for name, arrays in GRAPHS.items()
             if arrays["edge_index"].size})
conv("feastconv-complete", "FeaStConv on all pairs of nodes", "FeaStConv", heads=4,
     bias=False, graph="complete")
variant("feastconv-bipartite", "FeaStConv on a bipartite graph",
        linear("rows", 4, 6, input="x_dst"),
        {"name": "y", "type": "FeaStConv", "inputs": ["x_src", "rows"],
         "in_channels": 6, "out_channels": 4, "heads": 2,
         "add_self_loops": False}, inputs=SOURCES, graphs=BIPARTITE)
conv("pdnconv", "PDNConv with its defaults", "PDNConv", edge_dim=3,
     hidden_channels=4, inputs=(X, ATTR))
conv("pdnconv-no-loops", "PDNConv without loops and bias", "PDNConv", edge_dim=3,
     hidden_channels=4, add_self_loops=False, bias=False, inputs=(X, ATTR))
conv("pdnconv-no-normalize", "PDNConv without normalisation", "PDNConv", edge_dim=3,
     hidden_channels=7, normalize=False, inputs=(X, ATTR))
