"""Variants of attention that knows positions, and of padding masks."""

import importlib.util

from .common import *  # noqa: F403
from .common import HERE, draw, graph, rng


def attention(name, shows, graph=None, graphs=GRAPHS, width=16, **args):
    variant(name, shows, linear("proj", 6, width),
            {"name": "y", "type": "MultiheadAttention", "embed_dim": width,
             "num_heads": 4, **args}, graph=graph, graphs=graphs)


def encoder(name, shows, graph, **args):
    variant(name, shows, linear("proj", 6, 16),
            {"name": "y", "type": "TransformerEncoderLayer", "d_model": 16,
             "nhead": 4, "dim_feedforward": 32, **args}, graph=graph)


WHERE = {
    "complete": "of all nodes",
    "causal": "of each node and those before it",
    "window": "of a band",
    "block-diagonal": "within each graph of the batch",
    "csr": "along edges",
}
POSITIONS = {
    "alibi": ("ALiBi", {"position": "alibi"}),
    "rotary": ("rotary positions", {"position": "rotary"}),
    "relative": ("relative positions (Shaw et al.), told apart up to 3",
                 {"position": "relative", "max_relative_position": 3}),
    "relative-bias": ("a bias per distance up to 5",
                      {"position": "relative_bias",
                       "max_relative_position": 5}),
}
for position, (shows, args) in POSITIONS.items():
    for where, what in WHERE.items():
        kind = {"window": {"window": 2}, "block-diagonal": "block_diagonal",
                "csr": None}.get(where, where)
        attention(f"attention-{position}-{where}", f"Attention {what}, {shows}",
                  kind, **args)
    encoder(f"encoder-{position}", f"An encoder layer with {shows}",
            "complete", **args)
encoder("encoder-rotary-norm-first", "An encoder layer with rotary positions, "
        "norms first, on a causal sequence", "causal", position="rotary",
        norm_first=True, activation="gelu", is_causal=True)
attention("attention-alibi-6-heads", "ALiBi's slopes of 6 heads: those of 4 "
          "and every second one of 8", "complete", width=18, num_heads=6,
          position="alibi")
attention("attention-alibi-one-head", "ALiBi's slope of one head", "complete",
          num_heads=1, position="alibi", bias=False)
attention("attention-alibi-is-causal", "ALiBi that hides later nodes",
          "complete", position="alibi", is_causal=True)
attention("attention-rotary-interleaved", "Rotary positions of neighbouring "
          "features", "complete", num_heads=2, position="rotary",
          rotary_interleaved=True)
attention("attention-rotary-partial", "Rotary positions of half of the "
          "features, another base", "complete", num_heads=2,
          position="rotary", partial_rotary_factor=0.5, rotary_base=500.0)
attention("attention-rotary-partial-interleaved", "Rotary positions of the "
          "first 4 of 6 features, neighbours", "block_diagonal", width=18,
          num_heads=3, position="rotary", partial_rotary_factor=0.7,
          rotary_interleaved=True)
attention("attention-relative-keys", "Relative positions (Shaw et al.) of "
          "keys alone, told apart up to 1", "complete", position="relative",
          max_relative_position=1, relative_values=False)
attention("attention-relative-far", "Relative positions farther apart than "
          "there are nodes", "complete", position="relative",
          max_relative_position=80, num_heads=2)


# Padding masks. A 1 or any other number but 0 hides a node.
MASK = {"name": "mask", "channels": []}
MASK_SRC = {"name": "mask", "channels": [], "per": "source"}


def padded(name, nodes, hidden):
    """A graph in which each node has an edge from one that is not hidden."""
    kept = [i for i in range(nodes) if i not in hidden]
    arrays = graph(name, [nodes],
                   lambda r, n: [(int(r.choice(kept)), i) for i in range(n)] +
                   [p for p in draw(r, 3 * n, np.arange(n), np.arange(n))
                    if p[0] != p[1]])
    mask = np.zeros(nodes, np.float32)
    mask[list(hidden)] = [1 + (i % 3) for i in hidden]
    return {**arrays, "mask": mask}


PADDED = {
    "padded": padded("padded", 11, [7, 8, 9, 10]),
    "padded-holes": padded("padded-holes", 9, [0, 4, 5]),
    "padded-none": padded("padded-none", 6, []),
    "padded-one": padded("padded-one", 1, []),
    "padded-long": padded("padded-long", 70, list(range(9, 70))),
}
PADDED_BIPARTITE = {}
for low, arrays in BIPARTITE.items():
    mask = np.zeros(int(arrays["num_sources"]), np.float32)
    mask[-2:] = 1
    PADDED_BIPARTITE[f"padded-{low}"] = {**arrays, "mask": mask}


def masked(name, shows, kind, graph=None, graphs=PADDED, **args):
    names = (("embed_dim", "num_heads") if kind == "MultiheadAttention" else
             ("d_model", "nhead"))
    variant(name, shows, linear("proj", 6, 16),
            {"name": "y", "type": kind, names[0]: 16, names[1]: 4,
             "key_padding_mask": "mask", **args},
            inputs=(X, MASK), graph=graph, graphs=graphs)


M, E = "MultiheadAttention", "TransformerEncoderLayer"
masked("attention-padding", "Attention of all nodes but the padded", M,
       "complete")
masked("attention-padding-csr", "Attention along edges, but those from padded "
       "nodes", M)
masked("attention-padding-alibi", "ALiBi of all nodes but the padded", M,
       "complete", position="alibi")
masked("encoder-padding", "An encoder layer that hides padded nodes", E,
       "complete", dim_feedforward=32)
masked("encoder-padding-norm-first", "An encoder layer that hides padded and "
       "later nodes", E, "causal", dim_feedforward=32, norm_first=True,
       graphs={k: v for k, v in PADDED.items() if k != "padded-holes"})
variant("attention-padding-cross", "Cross-attention to all sources but the "
        "padded",
        {"name": "y", "type": M, "embed_dim": 4, "num_heads": 2, "kdim": 6,
         "vdim": 6, "inputs": ["x_src", "x_dst"], "key_padding_mask": "mask"},
        inputs=(X_SRC, MASK_SRC, X_DST), graph="complete",
        graphs=PADDED_BIPARTITE)


# Hierarchical sparse attention on the graphs of examples/binary-partition.
def load(path):
    spec = importlib.util.spec_from_file_location("make_graph", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


partition = load(HERE.parent.parent / "examples" / "binary-partition" /
                 "make-graph.py")
PARTITIONS = {}
for tokens, neighbours in ((1, 1), (2, 1), (13, 1), (64, 2), (9, 20)):
    name = f"partition-{tokens}-{neighbours}"
    PARTITIONS[name] = partition.make_graph(
        features(rng("graph " + name), tokens, 6), neighbours)
variant("encoder-binary-partition", "Encoder layers on tokens and the spans of "
        "a binary partition (BP-Transformer)",
        linear("proj", 6, 16),
        *({"name": name, "type": "TransformerEncoderLayer", "d_model": 16,
           "nhead": 4, "dim_feedforward": 32, "activation": "gelu"}
          for name in ("first", "y")), graphs=PARTITIONS)
