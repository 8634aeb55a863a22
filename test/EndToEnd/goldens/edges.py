"""Variants with rows of edges: read, made of nodes, made rows of nodes."""

from .common import (ATTR, BIPARTITE, BLOCKS, RELU, SOURCES, X, gcn, linear,
                     variant)
from .embeddings import embedding
from .heterogeneous import (CITES, NUMBERED, WIDTHS, WRITES, joined, per_type,
                            typed)

KIND = {"name": "edge_type", "channels": [], "per": "edge", "dtype": "int64"}
KINDS = {g: NUMBERED[g] for g in NUMBERED if g.startswith("relations-") and
         "x" in NUMBERED[g]}
SIGMOID = {"type": "Sigmoid"}


def gather(side, rows="x", **args):
    return {"name": side, "type": f"Gather{side.capitalize()}", "input": rows,
            **args}


def concat(name, *inputs):
    return {"name": name, "type": "Concat", "inputs": list(inputs)}


def mlp(name, *widths):
    """Linear layers with ReLU between them, the last one called `name`."""
    layers = []
    for i, (columns, rows) in enumerate(zip(widths, widths[1:])):
        layers += [RELU] if i else []
        last = i == len(widths) - 2
        layers.append(linear(name if last else f"{name}{i}", columns, rows))
    return layers


def aggregate(name, rows=None, **args):
    wiring = {"input": rows} if rows else {}
    return {"name": name, "type": "AggregateEdges", **wiring, **args}


# ------------------------------------------------------- values of edges read

variant("edges-embedding", "Rows of a table as attributes of edges",
        embedding("bond", 4, 6, input="edge_type"),
        {"name": "y", "type": "GINEConv", "input": "x", "edge_attr": "bond",
         "nn": [{"type": "Linear", "in_features": 6, "out_features": 5}]},
        inputs=(X, KIND), graphs=KINDS)
variant("edges-embedding-linear", "A table, and linear layers after it, twice",
        embedding("bond", 4, 8, input="edge_type"),
        {"name": "a", "type": "PNAConv", "input": "x", "in_channels": 6,
         "out_channels": 8, "aggregators": ["mean", "max"],
         "scalers": ["identity"], "deg": [0, 2, 1], "edge_dim": 8,
         "edge_attr": "bond"},
        RELU,
        {"name": "y", "type": "TransformerConv", "in_channels": 8,
         "out_channels": 3, "heads": 2, "edge_dim": 8, "edge_attr": "bond"},
        inputs=(X, KIND), graphs=KINDS)
variant("edges-embedding-int32", "The same of int32, with an activation",
        embedding("bond", 5, 3, input="edge_type"), RELU,
        linear("wide", 3, 4),
        {"name": "y", "type": "GATv2Conv", "input": "x", "in_channels": 6,
         "out_channels": 3, "edge_dim": 4, "edge_attr": "wide"},
        inputs=(X, {**KIND, "dtype": "int32"}), graphs=KINDS)
variant("edges-weight", "A network of attributes as weights of edges",
        linear("hidden", 3, 4, input="edge_attr"), RELU,
        linear("score", 4, 1),
        {**SIGMOID, "name": "gate"},
        gcn("y", 6, 4, input="x", edge_weight="gate"), inputs=(X, ATTR))
variant("edges-norms", "Norms and activations of rows of edges",
        {"name": "a", "type": "LayerNorm", "normalized_shape": 3,
         "input": "edge_attr"},
        {"name": "b", "type": "BatchNorm1d", "num_features": 3},
        {"name": "c", "type": "Softmax"},
        {"name": "y", "type": "Mul", "inputs": ["c", "a"]}, inputs=(X, ATTR))
variant("edges-block-diagonal", "Rows of the edges of a block-diagonal graph",
        gather("sources"), concat("both", "sources", "edge_attr"),
        *mlp("message", 9, 8, 5), aggregate("y", "message", aggr="mean"),
        inputs=(X, ATTR), graph="block_diagonal", graphs=BLOCKS)

# -------------------------------------------------------- made of nodes' rows

variant("edges-gather", "The rows of both ends of each edge",
        gather("sources"), gather("destinations"),
        concat("y", "sources", "destinations"))
variant("edges-gather-bipartite", "The same on a bipartite graph",
        gather("sources", "x_src"), gather("destinations", "x_dst"),
        concat("y", "destinations", "sources"), inputs=SOURCES,
        graphs=BIPARTITE)
variant("inner-product", "InnerProductDecoder after a convolution",
        gcn("h", 6, 5), {"name": "y", "type": "InnerProductDecoder"})
variant("inner-product-plain", "InnerProductDecoder without its sigmoid",
        {"name": "y", "type": "InnerProductDecoder", "sigmoid": False})
variant("inner-product-bipartite", "InnerProductDecoder of two kinds of nodes",
        linear("a", 6, 5, input="x_src"), linear("b", 4, 5, input="x_dst"),
        {"name": "y", "type": "InnerProductDecoder", "inputs": ["a", "b"]},
        inputs=SOURCES, graphs=BIPARTITE)

# ------------------------------------------------------------ and back again

variant("edges-aggregate", "Attributes of edges as rows of nodes",
        aggregate("y", "edge_attr"), inputs=(X, ATTR))
variant("edges-aggregate-several", "Several aggregators of these",
        aggregate("y", "edge_attr", aggr=["min", "std", "max", "mean"]),
        inputs=(X, ATTR))
variant("edges-aggregate-bipartite", "Rows of destinations",
        linear("h", 3, 5, input="edge_attr"), aggregate("sum", "h"),
        concat("y", "x_dst", "sum"),
        inputs=(*SOURCES, ATTR), graphs=BIPARTITE)


def interaction(number, nodes, relations, width):
    """A step of an interaction network (Battaglia et al. 2016): rows of edges
    from both ends and themselves, rows of nodes from these."""
    def name(part):
        return f"{part}{number}"
    return [
        {**gather("sources", nodes), "name": name("s")},
        {**gather("destinations", nodes), "name": name("d")},
        concat(name("ends"), name("s"), name("d"), relations),
        *mlp(name("relation"), *width["edge"]),
        aggregate(name("effect"), name("relation")),
        concat(name("all"), nodes, name("effect")),
        *mlp(name("node"), *width["node"]),
    ]


variant("interaction-network", "Two steps of an interaction network, then a "
        "number for each edge",
        *interaction(1, "x", "edge_attr", {"edge": (15, 8, 4),
                                           "node": (10, 8, 3)}),
        *interaction(2, "node1", "relation1", {"edge": (10, 7, 5),
                                               "node": (8, 3)}),
        {**gather("sources", "node2"), "name": "s3"},
        {**gather("destinations", "node2"), "name": "d3"},
        concat("ends3", "s3", "d3", "relation2"), *mlp("score", 11, 6, 1),
        {**SIGMOID, "name": "y"}, inputs=(X, ATTR))

# ------------------------------------------------------------- of edge types

ATTRIBUTES = {"name": "edge_attr", "channels": 2}
typed("edges-typed", "Rows of edges of one type, of nodes and back",
      {"name": "lin", "type": "HeteroDictLinear",
       "in_channels": {t: WIDTHS[t] for t in ("paper", "author")},
       "out_channels": 5},
      gather("sources", "lin", edge_type=WRITES),
      gather("destinations", "lin", edge_type=WRITES),
      concat("ends", "sources", "destinations", "edge_attr." + joined(WRITES)),
      linear("relation", 12, 4), RELU, aggregate("y", aggr="max"),
      inputs=[*per_type("x", types=["paper", "author"]),
              {**ATTRIBUTES, "per": WRITES}], edge_types=[WRITES, CITES])
typed("edges-typed-layers", "Layers of the values of all edge types",
      {"name": "wide", "type": "Linear", "in_channels": 2, "out_channels": 3,
       "input": "edge_attr"}, {"name": "attr", "type": "ReLU"},
      {"name": "y", "type": "HeteroConv", "input": "x", "convs": {
          joined(t): {"type": "GATConv", "in_channels": [WIDTHS[t[0]],
                                                         WIDTHS[t[2]]],
                      "out_channels": 4, "edge_dim": 3, "edge_attr": "attr",
                      "add_self_loops": False} for t in (WRITES, CITES)}},
      inputs=[*per_type("x", types=["paper", "author"]),
              {**ATTRIBUTES, "per": WRITES}, {**ATTRIBUTES, "per": CITES}],
      edge_types=[WRITES, CITES])
typed("inner-product-typed", "InnerProductDecoder on the edges of a type",
      {"name": "lin", "type": "HeteroDictLinear",
       "in_channels": {t: WIDTHS[t] for t in ("paper", "author")},
       "out_channels": 5},
      {"name": "y", "type": "InnerProductDecoder", "edge_type": WRITES},
      inputs=per_type("x", types=["paper", "author"]),
      edge_types=[WRITES, CITES])
