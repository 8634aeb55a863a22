"""Variants that look rows up in tables."""

from .common import *  # noqa: F403


def tokens(name, sizes):
    """Sentences of these lengths: a node per word, and edges between nodes that
    follow each other."""
    r = rng("graph " + name)
    nodes = sum(sizes)
    batch = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)
    return {
        "edge_index": edges([(i, i + 1) for i in range(nodes - 1)
                             if batch[i] == batch[i + 1]]),
        "x": features(r, nodes, 6),
        "ids": r.integers(0, 9, nodes).astype(np.int64),
        "kinds": r.integers(0, 2, (nodes, 3)).astype(np.int32),
        "batch": batch,
        "num_graphs": np.int64(len(sizes)),
    }


for name, sizes in {"tokens": [5, 1, 7], "tokens-hole": [3, 0, 4],
                    "tokens-one": [1], "tokens-none": []}.items():
    TOKENS[name] = tokens(name, sizes)

IDS = {"name": "ids", "channels": [], "dtype": "int64"}
IDS32 = {"name": "ids", "channels": [], "dtype": "int32"}


def embedding(name, rows, columns, **rest):
    return {"name": name, "type": "Embedding", "num_embeddings": rows,
            "embedding_dim": columns, **rest}


variant("embedding", "Embedding of whole numbers", embedding("y", 9, 5),
        inputs=(IDS,), graphs=TOKENS)
variant("embedding-int32", "Embedding of int32, which the file has as int64",
        embedding("y", 12, 1, padding_idx=0), inputs=(IDS32,), graphs=TOKENS)
variant("embedding-conv", "Embeddings of two inputs, then a convolution",
        embedding("a", 9, 6), embedding("b", 11, 6, input="ids"),
        {"name": "sum", "type": "Add", "inputs": ["a", "b", "x"]},
        gcn("y", 6, 4), inputs=(IDS, X), graphs=TOKENS)
variant("positionembedding-block-diagonal",
        "PositionEmbedding counts within a sentence",
        {"name": "y", "type": "PositionEmbedding", "num_embeddings": 7,
         "embedding_dim": 6}, graph="block_diagonal", graphs=TOKENS)
variant("positionembedding", "PositionEmbedding on a graph without segments",
        {"name": "y", "type": "PositionEmbedding", "num_embeddings": 16,
         "embedding_dim": 6, "offset": 2}, graphs=TOKENS)
variant("addembedding", "AddEmbedding: one row of a table for all",
        {"name": "y", "type": "AddEmbedding", "num_embeddings": 3,
         "embedding_dim": 6, "index": 1}, graphs=TOKENS)
variant("pool-first", "global_first_pool: the first node of each graph",
        {"name": "y", "type": "global_first_pool"}, graphs=TOKENS)
variant("pool-first-block-diagonal", "global_first_pool after attention",
        embedding("h", 9, 8),
        {"name": "mha", "type": "MultiheadAttention", "embed_dim": 8,
         "num_heads": 2}, {"name": "y", "type": "global_first_pool"},
        inputs=(IDS,), graph="block_diagonal", graphs=TOKENS)
variant("pool-last", "global_last_pool: the last node of each graph",
        {"name": "y", "type": "global_last_pool"}, graphs=TOKENS)
variant("pool-mean-sqrt", "global_mean_sqrt_pool: sums by roots of sizes",
        {"name": "y", "type": "global_mean_sqrt_pool"}, graphs=TOKENS)
variant("pool-weighted-mean", "global_weighted_mean_pool: weights 1, 2, 3, ...",
        {"name": "y", "type": "global_weighted_mean_pool"}, graphs=TOKENS)
variant("normalize", "Normalize: rows of length 1",
        {"name": "y", "type": "Normalize"}, graphs=TOKENS)
variant("lightgcn", "LightGCN of looked up rows", embedding("embedding", 9, 5),
        {"name": "y", "type": "LightGCN", "num_layers": 3}, inputs=(IDS,),
        graphs=TOKENS)
