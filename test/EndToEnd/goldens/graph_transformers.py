"""Variants of graph transformers."""

from .common import *  # noqa: F403

ALL = {**GRAPHS, **NO_BATCH}


# GPSConv
def gps(name, shows, conv, inputs=(X,), graph=None, graphs=ALL, batch=None,
        **args):
    y = {"name": "y", "type": "GPSConv", "channels": 6, "conv": conv, **args}
    for key in ("edge_weight", "edge_attr"):
        if any(i["name"] == key for i in inputs):
            y[key] = key
    variant(name, shows, y, inputs=inputs, graph=graph, graphs=graphs,
            batch=batch)


GCN = {"type": "GCNConv", "in_channels": 6, "out_channels": 6}
GIN = {"type": "GINConv",
       "nn": [linear("l", 6, 6), RELU, linear("l", 6, 6)]}
for inner in GIN["nn"]:
    inner.pop("name", None)
gps("gpsconv", "GPSConv with its defaults around GCNConv: batch norm", GCN)
gps("gpsconv-gin-heads", "GPSConv around GINConv, 3 heads", GIN, heads=3)
gps("gpsconv-edge", "GPSConv around GINEConv, which reads edge features",
    {**GIN, "type": "GINEConv", "edge_dim": 3}, inputs=(X, ATTR), heads=2)
gps("gpsconv-weight", "GPSConv around GraphConv with edge weights",
    {**GCN, "type": "GraphConv"}, inputs=(X, WEIGHT), heads=2)
gps("gpsconv-no-conv", "GPSConv without a local layer", None, heads=2)
gps("gpsconv-layer-norm", "GPSConv, layer norm of each graph", GCN, heads=2,
    norm="layer_norm")
gps("gpsconv-layer-norm-node", "GPSConv, layer norm of each node", GCN,
    heads=2, norm="layer_norm", norm_kwargs={"mode": "node", "eps": 0.01})
gps("gpsconv-layer-norm-no-affine", "GPSConv, layer norm of each graph "
    "without weights", GCN, norm="layer_norm", norm_kwargs={"affine": False})
gps("gpsconv-no-norm", "GPSConv without norms, another activation and its "
    "argument", GCN, norm=None, act="leaky_relu",
    act_kwargs={"negative_slope": 0.2})
gps("gpsconv-no-attention-bias", "GPSConv, attention without biases", GCN,
    attn_kwargs={"bias": False}, norm_kwargs={"eps": 0.01, "affine": False})
gps("gpsconv-no-batch", "GPSConv where all nodes are one graph", GCN, heads=2,
    batch=False)
gps("gpsconv-no-batch-layer-norm", "GPSConv where all nodes are one graph, "
    "layer norm", GCN, norm="layer_norm", batch=False)
gps("gpsconv-complete", "GPSConv whose local layer reads all pairs of nodes",
    {**GCN, "type": "GATConv"}, graph="complete", heads=2)
gps("gpsconv-block-diagonal", "GPSConv whose local layer reads all pairs of "
    "nodes of one graph", {**GCN, "type": "GATConv"}, graph="block_diagonal",
    heads=2, graphs=GRAPHS)
variant("gpsconv-pool", "two GPSConv, a pool and a Linear",
        linear("lin", 6, 8),
        {"name": "gps1", "type": "GPSConv", "channels": 8, "heads": 4,
         "conv": {"type": "GCNConv", "in_channels": 8, "out_channels": 8}},
        {"name": "gps2", "type": "GPSConv", "channels": 8, "heads": 2,
         "conv": {"type": "SAGEConv", "in_channels": 8, "out_channels": 8},
         "norm": "layer_norm"},
        {"type": "global_add_pool"}, linear("y", 8, 3), graphs=ALL)


# SANLayer
def san(name, shows, graphs=ALL, batch=None, **args):
    y = {"name": "y", "type": "SANLayer", "in_dim": 6, "out_dim": 6,
         "num_heads": 2, "edge_dim": 3, "gamma": 0.5, "edge_attr": "edge_attr",
         **args}
    variant(name, shows, y, inputs=(X, ATTR), graphs=graphs, batch=batch)


san("sanlayer", "SANLayer with its defaults: batch norm, no biases")
san("sanlayer-one-head", "SANLayer of one head, layer norm", num_heads=1,
    layer_norm=True, batch_norm=False)
san("sanlayer-bias", "SANLayer with biases, both norms", use_bias=True,
    layer_norm=True)
san("sanlayer-no-residual", "SANLayer to another width without residual",
    out_dim=8, num_heads=4, residual=False)
san("sanlayer-edges-only", "SANLayer, gamma 0: attention to neighbours only",
    gamma=0)
san("sanlayer-no-batch", "SANLayer where all nodes are one graph", gamma=2,
    batch=False)
