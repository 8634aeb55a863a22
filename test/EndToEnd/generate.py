"""Writes the graphs, models and expected outputs of the end-to-end tests.

    bench/setup-venv.sh .venv
    .venv/bin/python test/EndToEnd/generate.py [--cora CORA.npz] [VARIANT...]

Everything comes from PyTorch Geometric on the CPU in float32, in eval mode.
Weights and graphs are drawn from numpy generators seeded by their own names,
so a rerun (same package versions) writes the same bytes, and adding a variant
changes no other. With variant names as arguments only those are written.

  Inputs/graphs/NAME.npz        the graphs
  Layers/VARIANT/model.yaml     one model for each variant ...
  Layers/VARIANT/expected.npz   ... and its output `GRAPH/y` on the graphs
  Karate/MODEL/expected.npz     logits of examples/karate/MODEL on its graph
  Cora/MODEL/expected.npz       those of examples/cora/MODEL (with --cora)
"""

import argparse
import pathlib
import zlib

import numpy as np
import torch

import reference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def rng(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def save(path, arrays):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


# ---------------------------------------------------------------- the graphs


def edges(pairs):
    """[2, E] of a list of (source, destination)."""
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()


def features(r, *shape):
    return r.standard_normal(shape).astype(np.float32)


def edge_arrays(r, count):
    return {
        "edge_weight": r.uniform(0.2, 1.5, count).astype(np.float32),
        "edge_attr": features(r, count, 3),
    }


def graph(name, sizes, make_pairs):
    """A graph of sum(sizes) nodes; `sizes` are those of the batch's graphs."""
    r = rng("graph " + name)
    nodes = sum(sizes)
    edge_index = edges(make_pairs(r, nodes))
    return {
        "edge_index": edge_index,
        "x": features(r, nodes, 6),
        **edge_arrays(r, edge_index.shape[1]),
        "batch": np.repeat(np.arange(len(sizes)), sizes).astype(np.int64),
    }


def bipartite(name, sources, destinations, make_pairs):
    r = rng("graph " + name)
    edge_index = edges(make_pairs(r))
    return {
        "edge_index": edge_index,
        "x_src": features(r, sources, 6),
        "x_dst": features(r, destinations, 4),
        **edge_arrays(r, edge_index.shape[1]),
        "num_sources": np.int64(sources),
        "num_destinations": np.int64(destinations),
    }


def draw(r, count, sources, destinations):
    """`count` random (source, destination) out of the two lists."""
    return list(zip(r.choice(sources, count), r.choice(destinations, count)))


def random_pairs(r, n):
    """60 unsorted edges, among them duplicates and self loops."""
    pairs = draw(r, 50, np.arange(n), np.arange(n))
    pairs += pairs[:6] + [(3, 3), (7, 7), (7, 7), (15, 15)]
    return [pairs[i] for i in r.permutation(len(pairs))]


def isolated_pairs(r, n):
    """0..2 have no in-edge; 3, 4 and the last node have no edge at all."""
    return draw(r, 22, [0, 1, 2, 5, 6, 7, 8, 9], [5, 6, 7, 8, 9, 10])


def loop_pairs(r, n):
    """Self loops at 1, 4 and 8, and two (of different weights) at 6."""
    pairs = draw(r, 16, np.arange(n), np.arange(n))
    pairs = [(a, b) for a, b in pairs if a != b]
    pairs += [(1, 1), (4, 4), (8, 8), (6, 6), (6, 6)]
    return [pairs[i] for i in r.permutation(len(pairs))]


def duplicate_pairs(r, n):
    """Each of eight edges one to four times, and one self loop."""
    pairs = draw(r, 8, np.arange(n), np.arange(n)) * 2
    pairs += pairs[:5] * 2 + [(2, 2)]
    return [pairs[i] for i in r.permutation(len(pairs))]


def hub_pairs(r, n):
    """In-edges of 0 from all, out-edges of 59 to all, a few others."""
    pairs = [(i, 0) for i in range(n)] + [(n - 1, i) for i in range(n)]
    pairs += draw(r, 40, np.arange(n), np.arange(n))
    return [pairs[i] for i in r.permutation(len(pairs))]


def complete_pairs(r, n):
    pairs = [(i, j) for i in range(n) for j in range(n)]
    return [pairs[i] for i in r.permutation(len(pairs))]


def none(r, n):
    return []


GRAPHS = {
    "random": graph("random", [7, 1, 12], random_pairs),
    "isolated": graph("isolated", [5, 4, 3], isolated_pairs),
    "loops": graph("loops", [4, 6], loop_pairs),
    "duplicates": graph("duplicates", [3, 3, 2], duplicate_pairs),
    "one-node": graph("one-node", [1], none),
    "one-node-loop": graph("one-node-loop", [1], lambda r, n: [(0, 0)]),
    "no-edges": graph("no-edges", [2, 3], none),
    # The third graph of this batch has no nodes.
    "hub": graph("hub", [20, 1, 0, 39], hub_pairs),
    "complete": graph("complete", [8], complete_pairs),
    "empty": graph("empty", [], none),
}
# Without a batch vector all nodes are one graph: for the pooling layers.
NO_BATCH = {"no-batch": {k: v for k, v in GRAPHS["random"].items()
                         if k != "batch"}}
BIPARTITE = {
    "bipartite": bipartite(
        "bipartite", 11, 7,
        lambda r: draw(r, 24, np.arange(11), np.arange(7)) + [(2, 2), (2, 2)]),
    # More destinations than sources; sources 0 and 4 have no out-edge,
    # destinations 0, 5 and the last one no in-edge.
    "bipartite-isolated": bipartite(
        "bipartite-isolated", 5, 8,
        lambda r: draw(r, 12, [1, 2, 3], [1, 2, 3, 4, 6])),
}


# -------------------------------------------------------------- the variants

X = {"name": "x", "channels": 6}
WEIGHT = {"name": "edge_weight", "channels": [], "per": "edge"}
ATTR = {"name": "edge_attr", "channels": 3, "per": "edge"}
X_SRC = {"name": "x_src", "channels": 6, "per": "source"}
X_DST = {"name": "x_dst", "channels": 4, "per": "destination"}

VARIANTS = {}


def variant(name, shows, *layers, inputs=(X,), graph=None, graphs=GRAPHS,
            shared=None):
    """Adds a variant. The file leaves out the entries `shared` maps to others,
    and says so in its metadata, as safetensors.torch.save_model does."""
    description = {"name": name}
    if graph is not None:
        description["graph"] = graph
    description["inputs"] = [dict(i) for i in inputs]
    description["layers"] = list(layers)
    VARIANTS[name] = (shows, description, graphs, shared or {})


def conv(name, shows, kind, out=5, inputs=(X,), graph=None, graphs=None,
         shared=None, **args):
    """A variant of one convolution that reads x, 6 channels wide."""
    layer = {"name": "y", "type": kind, "in_channels": 6, "out_channels": out}
    if X_SRC in inputs:
        layer.update(inputs=["x_src", "x_dst"], in_channels=[6, 4])
        graphs = graphs or BIPARTITE
    layer.update(args)
    if WEIGHT in inputs:
        layer["edge_weight"] = "edge_weight"
    if ATTR in inputs:
        layer["edge_attr"] = "edge_attr"
    variant(name, shows, layer, inputs=inputs, graph=graph,
            graphs=graphs or GRAPHS, shared=shared)


def linear(name, columns, rows, **wiring):
    return {"name": name, "type": "Linear", **wiring, "in_channels": columns,
            "out_channels": rows}


def gcn(name, columns, rows, **wiring):
    return {"name": name, "type": "GCNConv", **wiring, "in_channels": columns,
            "out_channels": rows}


RELU = {"type": "ReLU"}
SOURCES = (X_SRC, X_DST)

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


def layer(name, shows, kind, inputs=(X,), graph=None, graphs=None, **args):
    """A variant of one layer that does not name the width of what it reads."""
    description = {"name": "y", "type": kind, **args}
    for key in ("edge_weight", "edge_attr"):
        if any(i["name"] == key for i in inputs):
            description[key] = key
    variant(name, shows, description, inputs=inputs, graph=graph,
            graphs=graphs or GRAPHS)


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

# AGNNConv
layer("agnnconv", "AGNNConv with its defaults", "AGNNConv")
layer("agnnconv-fixed", "AGNNConv, beta is a buffer", "AGNNConv",
      requires_grad=False)
layer("agnnconv-no-loops", "AGNNConv that adds no self loops", "AGNNConv",
      add_self_loops=False)
layer("agnnconv-complete", "AGNNConv on all pairs of nodes", "AGNNConv",
      graph="complete")
layer("agnnconv-causal", "AGNNConv on each node and those before it",
      "AGNNConv", graph="causal")

# SuperGATConv
S = "SuperGATConv"
conv("supergatconv", "SuperGATConv with its defaults: MX", S)
conv("supergatconv-heads", "SuperGATConv, 4 heads side by side", S, heads=4)
conv("supergatconv-mean-heads", "SuperGATConv, mean of 3 heads", S, heads=3,
     concat=False)
conv("supergatconv-sd", "SuperGATConv, scaled dot products", S, heads=2,
     attention_type="SD")
conv("supergatconv-slope", "SuperGATConv, another slope, no bias", S, heads=2,
     negative_slope=0.05, bias=False)
conv("supergatconv-no-loops", "SuperGATConv that adds no self loops", S,
     heads=2, add_self_loops=False)
conv("supergatconv-complete", "SuperGATConv on all pairs of nodes", S,
     heads=2, graph="complete")
conv("supergatconv-block-diagonal", "SuperGATConv on all pairs within a graph "
     "of the batch", S, heads=2, attention_type="SD", graph="block_diagonal")

# GATConv and GATv2Conv
for kind in ("GATConv", "GATv2Conv"):
    low = kind.lower()
    conv(low, f"{kind} with its defaults: one head", kind)
    conv(f"{low}-8-heads", f"{kind}, 8 heads side by side", kind, out=4,
         heads=8)
    conv(f"{low}-mean-heads", f"{kind}, mean of 4 heads", kind, heads=4,
         concat=False)
    conv(f"{low}-slope", f"{kind}, another slope", kind, heads=2,
         negative_slope=0.05)
    conv(f"{low}-no-loops", f"{kind} that adds no self loops", kind, heads=2,
         add_self_loops=False)
    conv(f"{low}-edge", f"{kind}, edge features; those of an added loop are "
         "the mean of the node's in-edges", kind, heads=2,
         inputs=(X, ATTR), edge_dim=3)
    conv(f"{low}-edge-fill", f"{kind}, edge features; those of an added loop "
         "are 0.5", kind, heads=2, inputs=(X, ATTR), edge_dim=3,
         fill_value=0.5)
    conv(f"{low}-edge-no-loops", f"{kind}, edge features, no added loops",
         kind, heads=2, inputs=(X, ATTR), edge_dim=3, add_self_loops=False)
    conv(f"{low}-bipartite", f"{kind} on a bipartite graph; loops are added "
         "for the first min(sources, destinations) nodes", kind, heads=2,
         inputs=SOURCES)
    conv(f"{low}-bipartite-no-loops", f"{kind}, bipartite, no added loops",
         kind, heads=2, inputs=SOURCES, add_self_loops=False)
    conv(f"{low}-bipartite-edge", f"{kind}, bipartite, edge features", kind,
         heads=2, inputs=SOURCES + (ATTR,), edge_dim=3, add_self_loops=False)
    conv(f"{low}-bipartite-edge-fill", f"{kind}, bipartite, edge features; "
         "those of an added loop are 0.5", kind, heads=2,
         inputs=SOURCES + (ATTR,), edge_dim=3, fill_value=0.5)
    # PyG raises here if an edge leads to a destination past the sources.
    conv(f"{low}-bipartite-edge-mean", f"{kind}, bipartite, edge features; "
         "those of an added loop are the mean of the in-edges", kind, heads=2,
         inputs=SOURCES + (ATTR,), edge_dim=3,
         graphs={"bipartite": BIPARTITE["bipartite"]})
    conv(f"{low}-residual", f"{kind} with a residual", kind, heads=2,
         residual=True)
    conv(f"{low}-residual-mean-heads", f"{kind} with a residual, mean of "
         "heads", kind, heads=4, concat=False, residual=True)
    conv(f"{low}-no-bias", f"{kind} without bias", kind, heads=2, bias=False)
    conv(f"{low}-complete", f"{kind} on all pairs of nodes", kind, heads=2,
         graph="complete")
    conv(f"{low}-causal", f"{kind} on each node and those before it", kind,
         heads=2, graph="causal")
    conv(f"{low}-block-diagonal", f"{kind} on all pairs within a graph of "
         "the batch", kind, heads=2, graph="block_diagonal")
conv("gatv2conv-share", "GATv2Conv, one weight for both sides, which the "
     "file has twice", "GATv2Conv", heads=2, share_weights=True)
conv("gatv2conv-share-once", "GATv2Conv, one weight for both sides, which "
     "the file has once (safetensors.torch.save_model)", "GATv2Conv", heads=2,
     share_weights=True, bias=False,  # the metadata's order is random, so one
     shared={"y.lin_r.weight": "y.lin_l.weight"})

# TransformerConv
T = "TransformerConv"
conv("transformerconv", "TransformerConv with its defaults", T)
conv("transformerconv-4-heads", "TransformerConv, 4 heads side by side", T,
     heads=4)
conv("transformerconv-mean-heads", "TransformerConv, mean of 4 heads", T,
     heads=4, concat=False)
conv("transformerconv-beta", "TransformerConv, gated skip", T, heads=2,
     beta=True)
conv("transformerconv-beta-mean-heads", "TransformerConv, gated skip, mean "
     "of heads", T, heads=2, beta=True, concat=False)
conv("transformerconv-edge", "TransformerConv, edge features in keys and "
     "values", T, heads=2, inputs=(X, ATTR), edge_dim=3)
conv("transformerconv-no-root", "TransformerConv without skip; the state_dict "
     "has lin_skip all the same", T, heads=2, root_weight=False)
conv("transformerconv-no-bias", "TransformerConv without biases", T, heads=2,
     bias=False)
conv("transformerconv-bipartite", "TransformerConv on a bipartite graph", T,
     heads=2, inputs=SOURCES)
conv("transformerconv-bipartite-edge", "TransformerConv, bipartite, edge "
     "features", T, heads=2, inputs=SOURCES + (ATTR,), edge_dim=3)
conv("transformerconv-complete", "TransformerConv on all pairs of nodes", T,
     heads=2, graph="complete")
conv("transformerconv-causal", "TransformerConv on each node and those "
     "before it", T, heads=2, graph="causal")
conv("transformerconv-window", "TransformerConv on pairs at most 2 apart", T,
     heads=2, graph={"window": 2})
conv("transformerconv-block-diagonal", "TransformerConv on all pairs within "
     "a graph of the batch", T, heads=2, graph="block_diagonal")
conv("gcnconv-complete", "GCNConv on all pairs of nodes", "GCNConv",
     graph="complete")
conv("sageconv-complete", "SAGEConv on all pairs of nodes", "SAGEConv",
     graph="complete")
conv("sageconv-complete-max", "SAGEConv, max over all nodes", "SAGEConv",
     graph="complete", aggr="max")


# TransformerEncoderLayer
def encoder(name, shows, graph, **args):
    variant(name, shows, linear("proj", 6, 16),
            {"name": "y", "type": "TransformerEncoderLayer", "d_model": 16,
             "nhead": 4, "dim_feedforward": 32, **args}, graph=graph)


encoder("encoder", "TransformerEncoderLayer, norms after, ReLU", "complete")
encoder("encoder-norm-first", "TransformerEncoderLayer, norms first, GELU",
        "complete", norm_first=True, activation="gelu", layer_norm_eps=0.001)
encoder("encoder-no-bias", "TransformerEncoderLayer without biases",
        "complete", bias=False)
encoder("encoder-causal", "TransformerEncoderLayer, a causal sequence",
        "causal", is_causal=True)
encoder("encoder-is-causal", "TransformerEncoderLayer that hides later nodes "
        "of all", "complete", is_causal=True)
encoder("encoder-is-causal-window", "TransformerEncoderLayer that hides later "
        "nodes of a band", {"window": 2}, is_causal=True)
encoder("encoder-is-causal-block-diagonal", "TransformerEncoderLayer that hides "
        "later nodes of each graph of the batch", "block_diagonal",
        is_causal=True)
encoder("encoder-window", "TransformerEncoderLayer, a band of attention",
        {"window": 2})
encoder("encoder-block-diagonal", "TransformerEncoderLayer, attention within "
        "each graph of the batch", "block_diagonal")



# MultiheadAttention
def attention(name, shows, graph=None, graphs=GRAPHS, **args):
    variant(name, shows, linear("proj", 6, 16),
            {"name": "y", "type": "MultiheadAttention", "embed_dim": 16,
             "num_heads": 4, **args}, graph=graph, graphs=graphs)


def cross_attention(name, shows, graph="complete", graphs=BIPARTITE, **args):
    variant(name, shows,
            {"name": "y", "type": "MultiheadAttention", "embed_dim": 4,
             "num_heads": 2, "kdim": 6, "vdim": 6, **args,
             "inputs": ["x_src", "x_dst"]},
            inputs=SOURCES, graph=graph, graphs=graphs)


# PyTorch has no number for a query that may read nothing.
READS_ANY = {k: v for k, v in GRAPHS.items() if len(v["x"]) and
             len(v["x"]) == len(set(v["edge_index"][1]))}
attention("multiheadattention", "MultiheadAttention of all nodes", "complete")
attention("multiheadattention-no-bias", "MultiheadAttention without biases, "
          "one head", "complete", bias=False, num_heads=1)
attention("multiheadattention-is-causal", "MultiheadAttention that hides "
          "later nodes", "complete", is_causal=True)
attention("multiheadattention-causal", "MultiheadAttention, each node and "
          "those before it", "causal")
attention("multiheadattention-window", "MultiheadAttention, a band",
          {"window": 2})
attention("multiheadattention-block-diagonal", "MultiheadAttention within "
          "each graph of the batch", "block_diagonal")
attention("multiheadattention-csr", "MultiheadAttention along edges; an edge "
          "that is there twice counts twice", graphs=READS_ANY)
cross_attention("multiheadattention-cross", "cross-attention, kdim and vdim: a "
                "weight each for queries, keys and values")
cross_attention("multiheadattention-cross-no-bias", "cross-attention without "
                "biases", bias=False, num_heads=1)
cross_attention("multiheadattention-cross-is-causal", "cross-attention that "
                "hides sources of higher numbers", is_causal=True)
cross_attention("multiheadattention-cross-csr", "cross-attention along edges",
                graph=None, graphs={"bipartite": BIPARTITE["bipartite"]})
variant("multiheadattention-cross-same-width", "cross-attention of rows of one "
        "width: one weight for queries, keys and values",
        linear("keys", 6, 12, input="x_src"),
        linear("queries", 4, 12, input="x_dst"),
        {"name": "y", "type": "MultiheadAttention", "embed_dim": 12,
         "num_heads": 3, "inputs": ["keys", "queries"]},
        inputs=SOURCES, graph="complete", graphs=BIPARTITE)
variant("multiheadattention-two-inputs", "keys and values from another layer "
        "than queries, on the same nodes",
        linear("queries", 6, 12), RELU, linear("keys", 12, 8),
        {"name": "y", "type": "MultiheadAttention", "embed_dim": 12,
         "num_heads": 3, "kdim": 8, "vdim": 8, "inputs": ["keys", "queries"]},
        graph="complete")

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
variant("batchnorm", "PyG's BatchNorm at inference",
        {"name": "y", "type": "BatchNorm", "in_channels": 6})
variant("batchnorm-torch", "torch.nn.BatchNorm1d at inference",
        {"name": "y", "type": "BatchNorm1d", "num_features": 6, "eps": 0.001})
variant("batchnorm-no-affine", "torch.nn.BatchNorm1d without weights",
        {"name": "y", "type": "BatchNorm1d", "num_features": 6,
         "affine": False})

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


# --------------------------------------------------------------- the outputs


def randomise(model, name):
    """Draws every parameter and buffer, so that none can be forgotten."""
    r = rng("weights " + name)
    tensors = [*model.named_parameters(), *model.named_buffers()]
    for key, tensor in tensors:
        if key.endswith("num_batches_tracked"):
            tensor.fill_(int(r.integers(1, 100)))
            continue
        if key.endswith(("running_var", "scaler", "avg_deg_lin",
                         "avg_deg_log")):
            value = np.asarray(r.uniform(0.5, 1.5, tensor.shape))
        elif tensor.dim() > 1:
            value = r.standard_normal(tensor.shape) / tensor.shape[-1]**0.5
        elif key.endswith("weight"):  # of a norm
            value = 1 + 0.3 * r.standard_normal(tensor.shape)
        else:
            value = 0.5 * r.standard_normal(tensor.shape)
        # GINConv's eps stays what model.yaml says, unless it is learned.
        if not key.endswith("eps") or isinstance(tensor, torch.nn.Parameter):
            tensor.copy_(torch.from_numpy(value))


def run(model, arrays):
    tensors = {k: torch.from_numpy(np.asarray(v)) for k, v in arrays.items()}
    edge_index = tensors.pop("edge_index")
    batch = tensors.pop("batch", None)
    return model(tensors, edge_index, batch).numpy()


def write_variant(name):
    shows, description, graphs, shared = VARIANTS[name]
    model = reference.Model(description).eval()
    randomise(model, name)
    expected = {}
    for graph_name, arrays in graphs.items():
        try:
            y = run(model, arrays)
        except Exception as error:
            if graph_name != "empty":
                raise
            # PyTorch does not run this one without nodes: written by hand.
            print(f"{name}: empty by hand ({str(error).splitlines()[0]})")
            y = np.zeros((0, expected["random/y"].shape[1]), np.float32)
        assert y.dtype == np.float32 and np.isfinite(y).all(), graph_name
        expected[f"{graph_name}/y"] = y
    folder = HERE / "Layers" / name
    state = {k: v for k, v in model.state_dict().items() if k not in shared}
    reference.write(folder, description, state,
                    f"{shows}. Made by generate.py.", metadata=shared)
    save(folder / "expected.npz", expected)
    (folder / "run.test").write_text(
        f"// RUN: %check-model %S\n// {shows}.\n")


def write_example(path, graph):
    """Writes what the model examples/`path` yields on a graph file."""
    model = reference.read(ROOT / "examples" / path)
    arrays = np.load(graph)
    y = run(model, {k: arrays[k] for k in ("x", "edge_index")})
    group, name = path.split("/")
    save(HERE / group.capitalize() / name / "expected.npz",
         {model.description["layers"][-1]["name"]: y})


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variants", nargs="*", metavar="VARIANT")
    parser.add_argument("--cora", help="cora.npz; also writes Cora/")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name, arrays in {**GRAPHS, **NO_BATCH, **BIPARTITE}.items():
        save(HERE / "Inputs" / "graphs" / f"{name}.npz", arrays)
    for name in arguments.variants or VARIANTS:
        write_variant(name)
    karate = ROOT / "examples" / "karate"
    write_example("karate/gcn", karate / "karate.npz")
    write_example("karate/gat", karate / "karate.npz")
    write_example("karate/transformer", karate / "karate-adjacency.npz")
    if arguments.cora:
        write_example("cora/gcn", arguments.cora)
        write_example("cora/gat", arguments.cora)


if __name__ == "__main__":
    main()
