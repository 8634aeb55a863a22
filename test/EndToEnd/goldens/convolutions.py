"""Variants of convolutions."""

from .common import *  # noqa: F403

# Linear
variant("linear", "PyG's Linear", linear("y", 6, 5))
variant("linear-no-bias", "PyG's Linear without bias",
        {**linear("y", 6, 5), "bias": False})
variant("linear-torch", "torch.nn.Linear, named by in_features",
        {"name": "y", "type": "Linear", "in_features": 6, "out_features": 5})
variant("linear-wide", "a Linear wider than a vector register block",
        linear("hidden", 6, 130), RELU, linear("y", 130, 67))

# GCNConv
conv("gcnconv", "GCNConv with its defaults", "GCNConv")
conv("gcnconv-wide", "GCNConv, 67 channels", "GCNConv", out=67)
conv("gcnconv-weight", "GCNConv with edge weights", "GCNConv",
     inputs=(X, WEIGHT))
conv("gcnconv-improved", "GCNConv, improved: without edge weights PyG's "
     "added loops weigh 1 all the same", "GCNConv", improved=True)
conv("gcnconv-improved-weight", "GCNConv, improved: added loops weigh 2",
     "GCNConv", inputs=(X, WEIGHT), improved=True)
conv("gcnconv-no-loops", "GCNConv that adds no self loops", "GCNConv",
     add_self_loops=False)
conv("gcnconv-no-loops-weight", "GCNConv with edge weights, no added loops",
     "GCNConv", inputs=(X, WEIGHT), add_self_loops=False)
conv("gcnconv-no-normalize", "GCNConv, normalize: false (and so no loops)",
     "GCNConv", normalize=False)
conv("gcnconv-no-normalize-weight", "GCNConv, normalize: false, edge weights",
     "GCNConv", inputs=(X, WEIGHT), normalize=False)
conv("gcnconv-no-bias", "GCNConv without bias", "GCNConv", bias=False)
variant("gcnconv-deep", "two GCNConvs, the same edge weights in both",
        {**gcn("conv1", 6, 16), "edge_weight": "edge_weight"}, RELU,
        {"type": "Dropout", "p": 0.5},
        {**gcn("y", 16, 5), "edge_weight": "edge_weight"},
        inputs=(X, WEIGHT))

# SAGEConv
conv("sageconv", "SAGEConv with its defaults (mean)", "SAGEConv")
conv("sageconv-max", "SAGEConv, max; a row without edges gives 0", "SAGEConv",
     aggr="max")
conv("sageconv-add", "SAGEConv, add", "SAGEConv", aggr="add")
conv("sageconv-std", "SAGEConv, std", "SAGEConv", aggr="std")
conv("sageconv-list", "SAGEConv, three aggregations side by side", "SAGEConv",
     aggr=["mean", "max", "std"])
conv("sageconv-normalize", "SAGEConv, rows of length one", "SAGEConv",
     normalize=True)
conv("sageconv-no-root", "SAGEConv without the node's own row", "SAGEConv",
     root_weight=False)
conv("sageconv-project", "SAGEConv, a Linear and ReLU on the neighbours",
     "SAGEConv", project=True)
conv("sageconv-project-max", "SAGEConv, project and max", "SAGEConv",
     project=True, aggr="max")
conv("sageconv-no-bias", "SAGEConv without bias", "SAGEConv", bias=False)
conv("sageconv-bipartite", "SAGEConv on a bipartite graph", "SAGEConv",
     inputs=SOURCES)
conv("sageconv-bipartite-project", "SAGEConv on a bipartite graph, project",
     "SAGEConv", inputs=SOURCES, project=True, aggr="max")

# GraphConv
conv("graphconv", "GraphConv with its defaults (add)", "GraphConv")
conv("graphconv-mean", "GraphConv, mean", "GraphConv", aggr="mean")
conv("graphconv-max", "GraphConv, max", "GraphConv", aggr="max")
conv("graphconv-weight", "GraphConv with edge weights", "GraphConv",
     inputs=(X, WEIGHT))
conv("graphconv-mean-weight", "GraphConv, mean of weighted rows", "GraphConv",
     inputs=(X, WEIGHT), aggr="mean")
conv("graphconv-max-weight", "GraphConv, max of weighted rows", "GraphConv",
     inputs=(X, WEIGHT), aggr="max")
conv("graphconv-no-bias", "GraphConv without bias", "GraphConv", bias=False)
conv("graphconv-bipartite", "GraphConv on a bipartite graph", "GraphConv",
     inputs=SOURCES)
conv("graphconv-bipartite-weight", "GraphConv, bipartite, edge weights",
     "GraphConv", inputs=SOURCES + (WEIGHT,))

# LEConv
conv("leconv", "LEConv with its defaults", "LEConv")
conv("leconv-bipartite-weight", "LEConv, bipartite, edge weights, no bias",
     "LEConv", inputs=SOURCES + (WEIGHT,), bias=False)

# GINConv
MLP = [{"type": "Linear", "in_features": 6, "out_features": 16}, RELU,
       {"type": "Linear", "in_features": 16, "out_features": 5}]
variant("ginconv", "GINConv with its defaults: eps 0",
        {"name": "y", "type": "GINConv", "nn": MLP})
variant("ginconv-eps", "GINConv, eps given",
        {"name": "y", "type": "GINConv", "eps": 0.25, "nn": MLP})
variant("ginconv-train-eps", "GINConv, eps learned: the state_dict has it",
        {"name": "y", "type": "GINConv", "train_eps": True, "nn": MLP})
variant("ginconv-batchnorm", "GINConv, BatchNorm1d inside its nn",
        {"name": "y", "type": "GINConv", "eps": 0.1, "nn": [
            MLP[0], {"type": "BatchNorm1d", "num_features": 16}, RELU, MLP[2],
            RELU]})
variant("ginconv-mlp", "GINConv with PyG's MLP, whose layers have names",
        {"name": "y", "type": "GINConv", "nn": [
            linear("lins.0", 6, 16),
            {"name": "norms.0", "type": "BatchNorm", "in_channels": 16}, RELU,
            linear("lins.1", 16, 5)]})
variant("ginconv-bipartite", "GINConv on a bipartite graph",
        linear("rows", 4, 6, input="x_dst"),
        {"name": "y", "type": "GINConv", "inputs": ["x_src", "rows"],
         "eps": 0.25, "nn": MLP},
        inputs=SOURCES, graphs=BIPARTITE)

# SGConv
conv("sgconv", "SGConv with its defaults: one hop", "SGConv")
conv("sgconv-3-hops", "SGConv, three hops", "SGConv", K=3)
conv("sgconv-no-hops", "SGConv without hops: only its Linear", "SGConv", K=0)
conv("sgconv-weight", "SGConv with edge weights", "SGConv",
     inputs=(X, WEIGHT), K=2)
conv("sgconv-no-loops", "SGConv that adds no self loops", "SGConv", K=2,
     add_self_loops=False)
conv("sgconv-no-bias", "SGConv without bias", "SGConv", bias=False)
conv("sgconv-complete", "SGConv on all pairs of nodes", "SGConv", K=2,
     graph="complete")

# TAGConv
conv("tagconv", "TAGConv with its defaults: three hops", "TAGConv")
conv("tagconv-weight", "TAGConv, two hops with edge weights, no bias",
     "TAGConv", inputs=(X, WEIGHT), K=2, bias=False)
conv("tagconv-no-normalize", "TAGConv, plain weighted sums", "TAGConv",
     inputs=(X, WEIGHT), K=1, normalize=False)

# SSGConv
conv("ssgconv", "SSGConv with its defaults: one hop", "SSGConv", alpha=0.1)
conv("ssgconv-4-hops", "SSGConv, four hops with edge weights, no added loops",
     "SSGConv", inputs=(X, WEIGHT), alpha=0.25, K=4, add_self_loops=False)

# MixHopConv
conv("mixhopconv", "MixHopConv with its defaults: no, one and two hops",
     "MixHopConv")
conv("mixhopconv-powers", "MixHopConv of powers in another order, one of them "
     "twice, with edge weights, no added loops and no bias", "MixHopConv", out=3,
     inputs=(X, WEIGHT), powers=[3, 1, 3], add_self_loops=False, bias=False)

# ClusterGCNConv
conv("clustergcnconv", "ClusterGCNConv with its defaults: a mean",
     "ClusterGCNConv")
conv("clustergcnconv-diagonal", "ClusterGCNConv with more of a node's own row",
     "ClusterGCNConv", diag_lambda=0.5)
# Without added loops, PyG wants one of each node.
conv("clustergcnconv-complete", "ClusterGCNConv on all pairs of nodes with less of "
     "what loops give, no bias", "ClusterGCNConv", diag_lambda=-0.25,
     add_self_loops=False, bias=False, graph="complete")

# DirGNNConv
def both_ways(name, shows, conv, graph=None, **args):
    variant(name, shows, {"name": "y", "type": "DirGNNConv", "conv": {
        "type": conv, "in_channels": 6, "out_channels": 5}, **args}, graph=graph)


both_ways("dirgnnconv", "DirGNNConv around a SAGEConv: predecessors and successors",
          "SAGEConv")
both_ways("dirgnnconv-gat", "DirGNNConv around a GATConv, which has no loops then",
          "GATConv", alpha=0.25)
both_ways("dirgnnconv-no-root", "DirGNNConv around a GCNConv, without a node's own row",
          "GCNConv", root_weight=False)
both_ways("dirgnnconv-complete", "DirGNNConv on all pairs of nodes", "GraphConv",
          graph="complete")

# AntiSymmetricConv
variant("antisymmetricconv", "AntiSymmetricConv with its defaults: one step of a "
        "GCNConv", {"name": "y", "type": "AntiSymmetricConv", "in_channels": 6})
variant("antisymmetricconv-steps", "AntiSymmetricConv with edge weights, three steps "
        "of a GraphConv, no bias",
        {"name": "y", "type": "AntiSymmetricConv", "in_channels": 6, "num_iters": 3,
         "epsilon": 0.3, "gamma": 0.5, "act": "elu", "act_kwargs": {"alpha": 0.5},
         "bias": False, "edge_weight": "edge_weight",
         "phi": {"type": "GraphConv", "in_channels": 6, "out_channels": 6}},
        inputs=(X, WEIGHT))
variant("antisymmetricconv-weight", "AntiSymmetricConv with edge weights, no "
        "activation", {"name": "y", "type": "AntiSymmetricConv", "in_channels": 6,
                       "act": None, "edge_weight": "edge_weight"},
        inputs=(X, WEIGHT))

# HypergraphConv
def hyper(name, shows, *before, **args):
    variant(name, shows, *before,
            {"name": "y", "type": "HypergraphConv", "input": "x_src",
             "in_channels": 6, "out_channels": 5, **args},
            inputs=(X_SRC, X_DST) if before else (X_SRC,), graphs=BIPARTITE)


ATTRIBUTES = {**linear("attributes", 4, 6), "input": "x_dst"}
hyper("hypergraphconv", "HypergraphConv: means of nodes, and of hyperedges")
hyper("hypergraphconv-weight", "HypergraphConv with weights of hyperedges, no bias",
      {**linear("weights", 4, 1), "input": "x_dst"}, bias=False,
      hyperedge_weight="weights")
hyper("hypergraphconv-attention", "HypergraphConv with attention among the nodes of "
      "each hyperedge", ATTRIBUTES, use_attention=True, hyperedge_attr="attributes")
hyper("hypergraphconv-heads", "HypergraphConv with attention of several heads among "
      "the hyperedges of each node, and weights", ATTRIBUTES,
      {**linear("weights", 4, 1), "input": "x_dst"}, use_attention=True,
      attention_mode="edge", heads=3, concat=False, negative_slope=0.1,
      hyperedge_attr="attributes", hyperedge_weight="weights")

# FAConv
def fa(name, rows="x", **args):
    return {"name": name, "type": "FAConv", "input": rows, "channels": 6,
            "initial": "x", **args}


variant("faconv", "two FAConv", fa("h"), fa("y", "h", eps=0.3))
variant("faconv-no-normalize", "FAConv with edge weights of its own, without the "
        "first rows", linear("h", 6, 6),
        fa("y", "h", normalize=False, eps=0.0, edge_weight="edge_weight"),
        inputs=(X, WEIGHT))
variant("faconv-no-loops", "FAConv that adds no self loops", linear("h", 6, 6),
        fa("y", "h", add_self_loops=False))

# FiLMConv
conv("filmconv", "FiLMConv with its defaults: a mean", "FiLMConv")
conv("filmconv-bipartite", "FiLMConv from sources to destinations, a maximum",
     "FiLMConv", inputs=SOURCES, aggr="max")
conv("filmconv-no-act", "FiLMConv, sums without an activation", "FiLMConv",
     act=None, aggr="add")
conv("filmconv-complete", "FiLMConv on all pairs of nodes, with tanh", "FiLMConv",
     act="tanh", graph="complete")

# EGConv
conv("egconv", "EGConv with its defaults: the weights of GCNConv", "EGConv",
     out=16)
conv("egconv-several", "EGConv with all aggregators", "EGConv", out=12,
     num_heads=3, num_bases=2,
     aggregators=["sum", "mean", "symnorm", "min", "max", "var", "std"])
conv("egconv-no-loops", "EGConv with means and maxima, no added loops, no bias",
     "EGConv", out=6, num_heads=2, num_bases=3, aggregators=["max", "mean"],
     add_self_loops=False, bias=False)

conv("egconv-mean", "EGConv with means and added loops", "EGConv", out=6,
     num_heads=2, num_bases=3, aggregators=["mean"])

# SimpleConv
layer("simpleconv", "SimpleConv with its defaults: a sum", "SimpleConv")
layer("simpleconv-weight", "SimpleConv, a weighted sum and the node's own row",
      "SimpleConv", inputs=(X, WEIGHT), combine_root="sum")
layer("simpleconv-loops", "SimpleConv, weighted means and maxima with one more loop of "
      "each node", "SimpleConv", inputs=(X, WEIGHT), aggr=["mean", "max"],
      combine_root="self_loop")
variant("simpleconv-bipartite", "SimpleConv, own rows before means of sources",
        {"name": "y", "type": "SimpleConv", "inputs": ["x_src", "x_dst"],
         "aggr": "mean", "combine_root": "cat"},
        inputs=SOURCES, graphs=BIPARTITE)

# GCN2Conv
def gcn2(name, rows="x", **args):
    return {"name": name, "type": "GCN2Conv", "input": rows, "channels": 6,
            "initial": "x", **args}


variant("gcn2conv", "two GCN2Conv with identity mapping",
        gcn2("conv", alpha=0.1, theta=0.5, layer=1), {"name": "h", **RELU},
        gcn2("y", "h", alpha=0.1, theta=0.5, layer=2))
variant("gcn2conv-weights", "GCN2Conv, a matrix for the first rows, edge "
        "weights, without identity mapping",
        linear("h", 6, 6),
        gcn2("y", "h", alpha=0.4, shared_weights=False,
             edge_weight="edge_weight"), inputs=(X, WEIGHT))

# LGConv
layer("lgconv", "LGConv with its defaults", "LGConv")
layer("lgconv-weight", "LGConv with edge weights", "LGConv",
      inputs=(X, WEIGHT))
layer("lgconv-no-normalize", "LGConv, plain sums", "LGConv", normalize=False)
layer("lgconv-no-normalize-weight", "LGConv, plain weighted sums", "LGConv",
      inputs=(X, WEIGHT), normalize=False)
layer("lgconv-causal", "LGConv on each node and those before it", "LGConv",
      graph="causal")

# APPNP
layer("appnp", "APPNP, ten steps", "APPNP", K=10, alpha=0.1)
layer("appnp-weight", "APPNP with edge weights", "APPNP", inputs=(X, WEIGHT),
      K=3, alpha=0.25)
layer("appnp-no-loops", "APPNP that adds no self loops", "APPNP", K=3,
      alpha=0.25, add_self_loops=False)
layer("appnp-no-normalize", "APPNP, normalize: false (and so no loops)",
      "APPNP", K=2, alpha=0.5, normalize=False)
layer("appnp-no-normalize-weight", "APPNP, normalize: false, edge weights",
      "APPNP", inputs=(X, WEIGHT), K=2, alpha=0.5, normalize=False)
layer("appnp-window", "APPNP on pairs at most 2 apart", "APPNP", K=3,
      alpha=0.2, graph={"window": 2})
variant("appnp-deep", "APPNP after an MLP, as it is used",
        linear("lin1", 6, 16), RELU, linear("lin2", 16, 4),
        {"name": "prop", "type": "APPNP", "K": 5, "alpha": 0.1},
        {"name": "y", "type": "LogSoftmax"})

# ChebConv
WITH_ANY_EDGE = {k: v for k, v in GRAPHS.items() if v["edge_index"].size}
WITH_EDGES = {k: v for k, v in GRAPHS.items()
              if (v["edge_index"][0] != v["edge_index"][1]).any()}
conv("chebconv", "ChebConv, three polynomials", "ChebConv", K=3)
conv("chebconv-1", "ChebConv, the constant polynomial: a Linear", "ChebConv",
     K=1)
conv("chebconv-2", "ChebConv, two polynomials", "ChebConv", K=2)
conv("chebconv-weight", "ChebConv with edge weights", "ChebConv", K=4,
     inputs=(X, WEIGHT))
conv("chebconv-rw", "ChebConv, random-walk normalisation", "ChebConv", K=4,
     normalization="rw")
conv("chebconv-rw-weight", "ChebConv, random-walk normalisation, edge weights",
     "ChebConv", K=3, normalization="rw", inputs=(X, WEIGHT))
# Without edges PyG divides 0 by 0 here.
conv("chebconv-plain", "ChebConv, the Laplacian as it is", "ChebConv", K=3,
     normalization=None, graphs=WITH_EDGES)
conv("chebconv-plain-weight", "ChebConv, the Laplacian as it is, edge weights",
     "ChebConv", K=3, normalization=None, inputs=(X, WEIGHT),
     graphs=WITH_EDGES)
conv("chebconv-lambda", "ChebConv, lambda_max given", "ChebConv", K=3,
     lambda_max=1.5)
conv("chebconv-plain-lambda-weight", "ChebConv, the Laplacian as it is, edge "
     "weights, lambda_max given", "ChebConv", K=3, normalization=None,
     inputs=(X, WEIGHT), lambda_max=7)
conv("chebconv-no-bias", "ChebConv without bias", "ChebConv", K=2, bias=False)
conv("chebconv-complete", "ChebConv on all pairs of nodes", "ChebConv", K=3,
     graph="complete")
conv("chebconv-causal", "ChebConv on each node and those before it",
     "ChebConv", K=3, graph="causal")
conv("chebconv-block-diagonal", "ChebConv on all pairs within a graph of the "
     "batch", "ChebConv", K=3, graph="block_diagonal")
conv("chebconv-block-diagonal-weight", "ChebConv on all pairs within a graph "
     "of the batch, edge weights", "ChebConv", K=3, inputs=(X, WEIGHT),
     graph="block_diagonal", graphs=BLOCKS)

# ARMAConv
conv("armaconv", "ARMAConv with its defaults: one stack of one layer",
     "ARMAConv")
conv("armaconv-stacks", "ARMAConv, three stacks of two layers", "ARMAConv",
     num_stacks=3, num_layers=2)
conv("armaconv-layers", "ARMAConv, one stack of three layers", "ARMAConv",
     num_layers=3)
conv("armaconv-shared", "ARMAConv, layers that share their weights",
     "ARMAConv", num_stacks=2, num_layers=3, shared_weights=True)
conv("armaconv-weight", "ARMAConv with edge weights", "ARMAConv",
     inputs=(X, WEIGHT), num_stacks=2, num_layers=2)
conv("armaconv-no-act", "ARMAConv without activation", "ARMAConv",
     num_stacks=2, num_layers=2, act=None)
conv("armaconv-tanh", "ARMAConv, tanh", "ARMAConv", num_stacks=2,
     num_layers=2, act="tanh")
conv("armaconv-no-bias", "ARMAConv without bias", "ARMAConv", num_stacks=2,
     num_layers=2, bias=False)
conv("armaconv-complete", "ARMAConv on all pairs of nodes", "ARMAConv",
     num_stacks=2, num_layers=2, graph="complete")

# GINEConv
WIDE = [{"type": "Linear", "in_features": 3, "out_features": 16}, RELU,
        {"type": "Linear", "in_features": 16, "out_features": 5}]
layer("gineconv", "GINEConv, edge features made as wide as rows", "GINEConv",
      inputs=(X, ATTR), edge_dim=3, nn=MLP)
layer("gineconv-eps", "GINEConv, eps given", "GINEConv", inputs=(X, ATTR),
      edge_dim=3, eps=0.25, nn=MLP)
layer("gineconv-train-eps", "GINEConv, eps learned", "GINEConv",
      inputs=(X, ATTR), edge_dim=3, train_eps=True, nn=MLP)
variant("gineconv-same-width", "GINEConv, edge features as wide as rows",
        linear("rows", 6, 3),
        {"name": "y", "type": "GINEConv", "edge_attr": "edge_attr",
         "eps": 0.5, "nn": WIDE}, inputs=(X, ATTR))
variant("gineconv-bipartite", "GINEConv on a bipartite graph",
        linear("rows", 4, 6, input="x_dst"),
        {"name": "y", "type": "GINEConv", "inputs": ["x_src", "rows"],
         "edge_attr": "edge_attr", "edge_dim": 3, "nn": MLP},
        inputs=SOURCES + (ATTR,), graphs=BIPARTITE)

# GENConv
conv("genconv", "GENConv with its defaults: softmax, two linear layers",
     "GENConv")
conv("genconv-edges", "GENConv with attributes of edges, a learned temperature, "
     "MessageNorm and LayerNorm", "GENConv", inputs=(X, ATTR), edge_dim=3, t=0.5,
     learn_t=True, msg_norm=True, norm="layer", num_layers=3, bias=True)
variant("genconv-same-width", "GENConv, a mean, attributes as wide as rows, one "
        "linear layer without a norm",
        linear("e", 3, 6, input="edge_attr"),
        {"name": "y", "type": "GENConv", "input": "x", "in_channels": 6,
         "out_channels": 6, "aggr": "mean", "norm": None, "num_layers": 1,
         "edge_attr": "e"}, inputs=(X, ATTR))
conv("genconv-bipartite", "GENConv on a bipartite graph, max, no norm",
     "GENConv", inputs=SOURCES, aggr="max", norm=None, eps=0.01)

# LightGCN
layer("lightgcn-weight", "LightGCN with weights of edges", "LightGCN", num_layers=2,
      inputs=(X, WEIGHT))
layer("lightgcn-no-normalize", "LightGCN with plain sums", "LightGCN",
      num_layers=2, normalize=False)

# PointNetConv: three of the channels are coordinates.
def point_net(name, rows="x", **args):
    return {"name": name, "type": "PointNetConv", "input": rows, **args}


POINTS = linear("points", 6, 3, input="x")
variant("pointnetconv", "PointNetConv with both networks", POINTS,
        point_net("y", pos="points", local_nn=[
            {"type": "Linear", "in_features": 9, "out_features": 8}, RELU,
            {"type": "Linear", "in_features": 8, "out_features": 7}],
            global_nn=[{"type": "Linear", "in_features": 7, "out_features": 5}]))
variant("pointnetconv-positions", "PointNetConv of positions alone, no added loops",
        POINTS, point_net("y", "points", add_self_loops=False, local_nn=[
            {"type": "Linear", "in_features": 3, "out_features": 4}, RELU]))
variant("pointnetconv-plain", "PointNetConv without networks, means", POINTS,
        point_net("y", pos="points", aggr="mean"))
variant("pointnetconv-complete", "PointNetConv on all pairs of nodes", POINTS,
        point_net("y", pos="points", aggr="add", local_nn=[
            {"type": "Linear", "in_features": 9, "out_features": 8}, RELU]),
        graph="complete")

# EdgeConv
PAIR = [{"type": "Linear", "in_features": 12, "out_features": 16}, RELU,
        {"type": "Linear", "in_features": 16, "out_features": 5}]
layer("edgeconv", "EdgeConv with its defaults: max", "EdgeConv", nn=PAIR)
layer("edgeconv-add", "EdgeConv, add", "EdgeConv", nn=PAIR, aggr="add")
layer("edgeconv-list", "EdgeConv, two aggregations side by side", "EdgeConv",
      nn=PAIR, aggr=["mean", "min"])
layer("edgeconv-norms", "EdgeConv, norms inside its nn: one over all edges",
      "EdgeConv", nn=[
          PAIR[0], {"type": "BatchNorm1d", "num_features": 16}, RELU,
          {"type": "LayerNorm", "in_channels": 16}, PAIR[2],
          {"type": "Tanh"}], graphs=WITH_ANY_EDGE)
variant("edgeconv-bipartite", "EdgeConv on a bipartite graph",
        linear("rows", 4, 6, input="x_dst"),
        {"name": "y", "type": "EdgeConv", "inputs": ["x_src", "rows"],
         "nn": PAIR}, inputs=SOURCES, graphs=BIPARTITE)
layer("edgeconv-complete", "EdgeConv on all pairs of nodes", "EdgeConv",
      nn=PAIR, graph="complete")
layer("edgeconv-causal", "EdgeConv on each node and those before it",
      "EdgeConv", nn=PAIR, aggr="mean", graph="causal")
layer("edgeconv-window", "EdgeConv on pairs at most 2 apart", "EdgeConv",
      nn=PAIR, aggr="add", graph={"window": 2})
layer("edgeconv-block-diagonal", "EdgeConv on all pairs within a graph of the "
      "batch", "EdgeConv", nn=PAIR, graph="block_diagonal")

# NNConv
MATRIX = [{"type": "Linear", "in_features": 3, "out_features": 8}, RELU,
          {"type": "Linear", "in_features": 8, "out_features": 30}]
conv("nnconv", "NNConv with its defaults: add", "NNConv", nn=MATRIX,
     inputs=(X, ATTR))
conv("nnconv-mean", "NNConv, mean", "NNConv", nn=MATRIX, inputs=(X, ATTR),
     aggr="mean")
conv("nnconv-max", "NNConv, max", "NNConv", nn=MATRIX, inputs=(X, ATTR),
     aggr="max")
conv("nnconv-no-root", "NNConv without the node's own row", "NNConv",
     nn=MATRIX, inputs=(X, ATTR), root_weight=False)
conv("nnconv-no-bias", "NNConv without bias, one Linear", "NNConv",
     nn=[{"type": "Linear", "in_features": 3, "out_features": 30}],
     inputs=(X, ATTR), bias=False)
conv("nnconv-wide", "NNConv, 48 hidden channels: sums of 288 products", "NNConv",
     nn=[{"type": "Linear", "in_features": 3, "out_features": 48}, RELU,
         {"type": "Linear", "in_features": 48, "out_features": 30}],
     inputs=(X, ATTR))
conv("nnconv-bipartite", "NNConv on a bipartite graph", "NNConv", nn=MATRIX,
     inputs=SOURCES + (ATTR,))

# GMMConv
conv("gmmconv", "GMMConv with its defaults: mean of two kernels", "GMMConv",
     inputs=(X, ATTR), dim=3, kernel_size=2)
conv("gmmconv-add", "GMMConv, add, five kernels", "GMMConv", inputs=(X, ATTR),
     dim=3, kernel_size=5, aggr="add")
conv("gmmconv-separate", "GMMConv, kernels of their own for each pair of "
     "channels", "GMMConv", inputs=(X, ATTR), dim=3, kernel_size=2,
     separate_gaussians=True)
conv("gmmconv-no-root", "GMMConv without the node's own row", "GMMConv",
     inputs=(X, ATTR), dim=3, kernel_size=2, root_weight=False)
conv("gmmconv-no-bias", "GMMConv without bias, one kernel", "GMMConv",
     inputs=(X, ATTR), dim=3, kernel_size=1, bias=False)
conv("gmmconv-bipartite", "GMMConv on a bipartite graph", "GMMConv",
     inputs=SOURCES + (ATTR,), dim=3, kernel_size=3)
conv("gmmconv-bipartite-separate", "GMMConv on a bipartite graph, kernels of "
     "their own for each pair of channels", "GMMConv",
     inputs=SOURCES + (ATTR,), dim=3, kernel_size=3, separate_gaussians=True)

# CGConv
layer("cgconv", "CGConv with its defaults: no edge features", "CGConv",
      channels=6)
layer("cgconv-edge", "CGConv with edge features", "CGConv", channels=6, dim=3,
      inputs=(X, ATTR))
layer("cgconv-mean", "CGConv, mean", "CGConv", channels=6, dim=3, aggr="mean",
      inputs=(X, ATTR))
layer("cgconv-max", "CGConv, max", "CGConv", channels=6, aggr="max")
layer("cgconv-batchnorm", "CGConv, BatchNorm1d of what was received",
      "CGConv", channels=6, dim=3, batch_norm=True, inputs=(X, ATTR))
layer("cgconv-no-bias", "CGConv without biases", "CGConv", channels=6,
      bias=False)
layer("cgconv-complete", "CGConv on all pairs of nodes", "CGConv", channels=6,
      graph="complete")
variant("cgconv-bipartite", "CGConv on a bipartite graph",
        {"name": "y", "type": "CGConv", "channels": [6, 4], "dim": 3,
         "inputs": ["x_src", "x_dst"], "edge_attr": "edge_attr"},
        inputs=SOURCES + (ATTR,), graphs=BIPARTITE)

# One number per edge counts as one channel.
for kind, args in {
        "GINEConv": {"edge_dim": 1, "nn": MLP},
        "NNConv": {"in_channels": 6, "out_channels": 5,
                   "nn": [{"type": "Linear", "in_features": 1,
                           "out_features": 30}]},
        "GMMConv": {"in_channels": 6, "out_channels": 5, "dim": 1,
                    "kernel_size": 2},
        "CGConv": {"channels": 6, "dim": 1},
        "PNAConv": {"in_channels": 6, "out_channels": 5, "edge_dim": 1,
                    "aggregators": ["mean", "max"], "scalers": ["identity"],
                    "deg": [1, 2]},
}.items():
    variant(f"{kind.lower()}-number", f"{kind}, one number per edge",
            {"name": "y", "type": kind, **args, "edge_attr": "edge_weight"},
            inputs=(X, WEIGHT))

# GeneralConv
G = "GeneralConv"
conv("generalconv", "GeneralConv with its defaults: add", G)
for aggr in ("mean", "max", "min", "mul", "var", "std", "softmax"):
    conv(f"generalconv-{aggr}", f"GeneralConv, {aggr}", G, aggr=aggr)
conv("generalconv-same-width", "GeneralConv, the row itself for lack of "
     "another width", G, out=6)
conv("generalconv-skip-linear", "GeneralConv, a Linear in the skip in spite "
     "of equal widths", G, out=6, skip_linear=True)
conv("generalconv-edge", "GeneralConv with edge features", G,
     inputs=(X, ATTR), in_edge_channels=3)
conv("generalconv-both-ways", "GeneralConv, messages of both ends", G,
     directed_msg=False)
conv("generalconv-heads", "GeneralConv, the mean of three heads", G, heads=3,
     aggr="max")
conv("generalconv-additive", "GeneralConv, additive attention", G, heads=2,
     attention=True)
conv("generalconv-additive-edge", "GeneralConv, additive attention, edge "
     "features, messages of both ends", G, heads=2, attention=True,
     inputs=(X, ATTR), in_edge_channels=3, directed_msg=False)
conv("generalconv-dot", "GeneralConv, attention by dot products", G, heads=2,
     attention=True, attention_type="dot_product")
conv("generalconv-dot-edge", "GeneralConv, attention by dot products, edge "
     "features, messages of both ends, mean", G, heads=2, attention=True,
     attention_type="dot_product", inputs=(X, ATTR), in_edge_channels=3,
     directed_msg=False, aggr="mean")
conv("generalconv-dot-both-ways", "GeneralConv, attention by dot products, "
     "messages of both ends, rows of length one", G, attention=True,
     attention_type="dot_product", directed_msg=False, l2_normalize=True)
conv("generalconv-normalize", "GeneralConv, rows of length one, no bias", G,
     l2_normalize=True, bias=False, inputs=(X, ATTR), in_edge_channels=3)
conv("generalconv-bipartite", "GeneralConv on a bipartite graph", G,
     inputs=SOURCES)
conv("generalconv-bipartite-additive", "GeneralConv, bipartite, additive "
     "attention, edge features", G, inputs=SOURCES + (ATTR,), heads=2,
     in_edge_channels=3, attention=True)
conv("generalconv-complete", "GeneralConv on all pairs of nodes, attention",
     G, heads=2, attention=True, graph="complete")

# PNAConv
P = {"aggregators": ["mean", "min", "max", "std"],
     "scalers": ["identity", "amplification", "attenuation"],
     "deg": [1, 4, 6, 3, 2]}
conv("pnaconv", "PNAConv, the paper's aggregators and scalers", "PNAConv", **P)
conv("pnaconv-all", "PNAConv, every aggregator and scaler", "PNAConv",
     **{**P, "aggregators": ["sum", "mean", "min", "max", "var", "std"],
        "scalers": ["identity", "amplification", "attenuation", "linear",
                    "inverse_linear"]})
conv("pnaconv-one", "PNAConv, one aggregator and one scaler", "PNAConv",
     **{**P, "aggregators": ["sum"], "scalers": ["linear"]})
conv("pnaconv-edge", "PNAConv with edge features", "PNAConv",
     inputs=(X, ATTR), edge_dim=3, **P)
conv("pnaconv-towers", "PNAConv, two towers on all of the row", "PNAConv",
     out=8, towers=2, **P)
conv("pnaconv-divide", "PNAConv, three towers on their parts of the row, edge "
     "features", "PNAConv", out=6, inputs=(X, ATTR), edge_dim=3, towers=3,
     divide_input=True, **P)
conv("pnaconv-layers", "PNAConv, three layers before and two after",
     "PNAConv", pre_layers=3, post_layers=2, **P)
conv("pnaconv-layers-towers", "PNAConv, two layers before and three after in "
     "two towers, ELU", "PNAConv", out=8, towers=2, divide_input=True,
     pre_layers=2, post_layers=3, act="elu", act_kwargs={"alpha": 0.5}, **P)
conv("pnaconv-softplus", "PNAConv, an activation with two arguments",
     "PNAConv", post_layers=2, act="softplus",
     act_kwargs={"beta": 2.0, "threshold": 5.0}, **P)
conv("pnaconv-train-norm", "PNAConv, averages that were learned", "PNAConv",
     train_norm=True, **P)
conv("pnaconv-complete", "PNAConv on all pairs of nodes", "PNAConv",
     graph="complete", **P)

# GatedGraphConv
layer("gatedgraphconv", "GatedGraphConv, three steps on rows padded with "
      "zeros", "GatedGraphConv", out_channels=8, num_layers=3)
layer("gatedgraphconv-same-width", "GatedGraphConv, nothing to pad",
      "GatedGraphConv", out_channels=6, num_layers=2)
layer("gatedgraphconv-weight", "GatedGraphConv with edge weights",
      "GatedGraphConv", inputs=(X, WEIGHT), out_channels=8, num_layers=2)
layer("gatedgraphconv-max", "GatedGraphConv, max", "GatedGraphConv",
      out_channels=8, num_layers=2, aggr="max")
layer("gatedgraphconv-no-bias", "GatedGraphConv without biases",
      "GatedGraphConv", out_channels=8, num_layers=2, bias=False)
layer("gatedgraphconv-complete", "GatedGraphConv on all pairs of nodes",
      "GatedGraphConv", out_channels=8, num_layers=2, aggr="mean",
      graph="complete")

# ResGatedGraphConv
R = "ResGatedGraphConv"
conv("resgatedgraphconv", "ResGatedGraphConv with its defaults", R)
conv("resgatedgraphconv-edge", "ResGatedGraphConv with edge features", R,
     inputs=(X, ATTR), edge_dim=3)
conv("resgatedgraphconv-act", "ResGatedGraphConv, another gate", R, act="tanh")
conv("resgatedgraphconv-hard", "ResGatedGraphConv, Hardsigmoid for a gate", R,
     act="hardsigmoid")
conv("resgatedgraphconv-leaky", "ResGatedGraphConv, LeakyReLU for a gate", R,
     act="leaky_relu", inputs=(X, ATTR), edge_dim=3)
conv("resgatedgraphconv-no-root", "ResGatedGraphConv without the node's own "
     "row", R, root_weight=False)
conv("resgatedgraphconv-no-bias", "ResGatedGraphConv without bias", R,
     bias=False)
conv("resgatedgraphconv-bipartite", "ResGatedGraphConv on a bipartite graph",
     R, inputs=SOURCES)
conv("resgatedgraphconv-bipartite-edge", "ResGatedGraphConv, bipartite, edge "
     "features", R, inputs=SOURCES + (ATTR,), edge_dim=3)
conv("resgatedgraphconv-complete", "ResGatedGraphConv on all pairs of nodes",
     R, graph="complete")
