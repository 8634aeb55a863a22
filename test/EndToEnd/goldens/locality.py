"""Variants of attention to few, to pairs in both directions, to clusters."""

from .common import *  # noqa: F403

D = "DotProductAttention"
conv("dotproductattention", "DotProductAttention with its defaults", D, out=6)
conv("dotproductattention-heads", "DotProductAttention, 3 heads side by side, "
     "scaled, with biases", D, out=2, heads=3, scale=True, bias=True)
conv("dotproductattention-mean-heads", "DotProductAttention, mean of 4 heads",
     D, out=6, heads=4, concat=False)
conv("dotproductattention-no-residual", "DotProductAttention without the "
     "node's own row", D, residual=False)
conv("dotproductattention-edge", "DotProductAttention, edge attributes in the "
     "score", D, out=3, heads=2, inputs=(X, ATTR), edge_dim=3)
conv("dotproductattention-bipartite", "DotProductAttention on a bipartite "
     "graph", D, out=4, inputs=SOURCES)
conv("dotproductattention-bipartite-all", "DotProductAttention, bipartite, "
     "with edge attributes, a gate and the two largest scores", D, out=2,
     heads=2, inputs=SOURCES + (ATTR,), edge_dim=3, gate="before_softmax",
     top_k=2)
for graph, text in [("complete", "on all pairs of nodes"),
                    ("causal", "on each node and those before it"),
                    ({"window": 2}, "on nodes at most 2 apart"),
                    ("block_diagonal", "on all pairs within a graph of the "
                     "batch")]:
    low = (graph if isinstance(graph, str) else "window").replace("_", "-")
    conv(f"dotproductattention-{low}", f"DotProductAttention {text}", D, out=3,
         heads=2, graph=graph)
    conv(f"dotproductattention-top-{low}", f"DotProductAttention, gated and "
         f"to the three largest scores, {text}", D, out=3, heads=2, top_k=3,
         gate="before_softmax", graph=graph)

# Symmetric attention
conv("symmetricattention", "DotProductAttention, one weight for queries and "
     "keys", D, out=3, heads=2, share_query_key=True)
conv("symmetricattention-distance", "DotProductAttention, one weight for "
     "queries and keys and a term by distance", D, out=3, heads=2,
     share_query_key=True, max_distance=3)
conv("symmetricattention-edge", "DotProductAttention, symmetrised, terms by "
     "distance and by edge attributes", D, out=3, heads=2,
     inputs=(X, ATTR), edge_dim=3, share_query_key=True, max_distance=2,
     symmetrize=True)
conv("symmetricattention-half", "DotProductAttention, half of the weights and "
     "half of their transposition", D, out=6, symmetrize=True)
for graph, text in [("complete", "on all pairs of nodes"),
                    ({"window": 2}, "on nodes at most 2 apart"),
                    ("block_diagonal", "on all pairs within a graph of the "
                     "batch")]:
    low = (graph if isinstance(graph, str) else "window").replace("_", "-")
    conv(f"symmetricattention-{low}", f"DotProductAttention, symmetrised, with "
         f"a term by distance, {text}", D, out=3, heads=2, graph=graph,
         share_query_key=True, max_distance=4, symmetrize=True)
conv("symmetricattention-blocks-edge", "DotProductAttention, symmetrised, with "
     "edge attributes, on all pairs within a graph of the batch", D, out=3,
     heads=2, graph="block_diagonal", inputs=(X, ATTR), edge_dim=3,
     symmetrize=True, graphs=BLOCKS)
conv("symmetricattention-blocks-csr", "DotProductAttention, symmetrised, with "
     "edge attributes, on the same pairs as listed edges", D, out=3,
     heads=2, inputs=(X, ATTR), edge_dim=3, symmetrize=True, graphs=BLOCKS)

# Dynamic sparse attention
conv("sparseattention-gate-before", "DotProductAttention, a gate on scores", D,
     out=3, heads=2, gate="before_softmax")
conv("sparseattention-gate-after", "DotProductAttention, a gate on weights", D,
     out=3, heads=2, gate="after_softmax")
conv("sparseattention-gate-edge", "DotProductAttention, a gate on weights that "
     "reads edge attributes too", D, out=3, heads=2, inputs=(X, ATTR),
     edge_dim=3, gate="after_softmax")
conv("sparseattention-top-1", "DotProductAttention to the largest score", D,
     out=6, top_k=1)
conv("sparseattention-top-3", "DotProductAttention to the three largest scores "
     "of each head", D, out=3, heads=2, top_k=3)
conv("sparseattention-top-all", "DotProductAttention to more than there are",
     D, out=3, heads=2, top_k=1000)
conv("sparseattention-all", "DotProductAttention, gated weights of the two "
     "largest scores, symmetrised", D, out=3, heads=2, inputs=(X, ATTR),
     edge_dim=3, gate="after_softmax", top_k=2, symmetrize=True)

# Hierarchical attention: in the neighbourhood, and among clusters
POOL = {"name": "pooled", "type": "ClusterPool", "input": "x"}
BACK = {"name": "back", "type": "ClusterUnpool"}


def attention(name, **wiring):
    return {"name": name, "type": D, **wiring, "in_channels": 6,
            "out_channels": 3, "heads": 2}


variant("hierarchicalattention", "Attention to neighbours and, among the means "
        "of clusters, to all others", attention("near"), POOL,
        attention("far"), BACK,
        {"name": "y", "type": "Add", "inputs": ["near", "back"]},
        graphs=CLUSTERED)
for graph, text in [("complete", "all pairs of nodes"),
                    ({"window": 2}, "nodes at most 2 apart"),
                    ("block_diagonal", "all pairs within a graph of the "
                     "batch")]:
    low = (graph if isinstance(graph, str) else "window").replace("_", "-")
    variant(f"hierarchicalattention-{low}", f"Attention on {text} and among "
            "clusters", attention("near"), POOL,
            attention("far"), BACK,
            {"name": "y", "type": "Add", "inputs": ["near", "back"]},
            graph=graph, graphs=CLUSTERED)
variant("hierarchicalattention-deep", "Two encoder layers among the sums of "
        "clusters between two convolutions of nodes", gcn("before", 6, 8), RELU,
        {"name": "pooled", "type": "ClusterPool", "aggr": "add"},
        {"name": "first", "type": "TransformerEncoderLayer", "d_model": 8,
         "nhead": 2, "dim_feedforward": 12},
        linear("between", 8, 8),
        {"name": "second", "type": "TransformerEncoderLayer", "d_model": 8,
         "nhead": 4, "dim_feedforward": 12, "norm_first": True},
        BACK, {"name": "both", "type": "Add", "inputs": ["before", "back"]},
        gcn("y", 8, 5), graphs=CLUSTERED)
variant("hierarchicalattention-pool", "The largest of each cluster",
        {"name": "y", "type": "ClusterPool", "aggr": "max"}, graphs=CLUSTERED)
