"""Variants of attention layers and transformers."""

from .common import *  # noqa: F403

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
    for fill in ("add", "max", "min", "mul"):
        conv(f"{low}-edge-{fill}", f"{kind}, edge features; those of an added "
             f"loop are the node's in-edges joined by {fill}", kind,
             inputs=(X, ATTR), edge_dim=3, fill_value=fill)
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
