"""Variants of models with node and edge types."""

from .common import *  # noqa: F403
from .common import VARIANTS, draw, edges, features, rng

NODE_TYPES = ["paper", "author", "venue"]
WIDTHS = {"paper": 6, "author": 4, "venue": 3}
WRITES = ["author", "writes", "paper"]
WRITTEN_BY = ["paper", "written_by", "author"]
CITES = ["paper", "cites", "paper"]
IN = ["paper", "published_in", "venue"]
EDGE_TYPES = [WRITES, WRITTEN_BY, CITES, IN]


def joined(edge_type):
    return "__".join(edge_type)


def typed_graph(name, papers, authors, venues, counts):
    """A graph with `counts` random edges of each type; some are duplicates."""
    r = rng("graph " + name)
    sizes = dict(zip(NODE_TYPES, (papers, authors, venues)))
    arrays = {f"x/{t}": features(r, sizes[t], WIDTHS[t]) for t in NODE_TYPES}
    for edge_type, count in zip(EDGE_TYPES, counts):
        pairs = []
        if count:
            pairs = draw(r, count, np.arange(sizes[edge_type[0]]),
                         np.arange(sizes[edge_type[2]]))
            pairs += pairs[:2]
        key = joined(edge_type)
        arrays[f"edge_index/{key}"] = edges(pairs)
        arrays[f"edge_attr/{key}"] = features(r, len(pairs), 2)
        arrays[f"edge_weight/{key}"] = r.uniform(
            0.2, 1.5, len(pairs)).astype(np.float32)
    return arrays


TYPED_GRAPHS = {
    "typed": typed_graph("typed", 9, 6, 3, (12, 14, 10, 8)),
    # Most nodes receive nothing.
    "typed-sparse": typed_graph("typed-sparse", 12, 10, 8, (2, 1, 3, 1)),
    # A relation without edges; authors receive nothing.
    "typed-no-relation": typed_graph("typed-no-relation", 7, 5, 2,
                                     (9, 0, 4, 3)),
    "typed-one-node": typed_graph("typed-one-node", 1, 1, 1, (1, 1, 1, 1)),
    "typed-no-edges": typed_graph("typed-no-edges", 4, 2, 3, (0, 0, 0, 0)),
    # A type without nodes.
    "typed-no-authors": typed_graph("typed-no-authors", 5, 0, 2,
                                    (0, 0, 6, 4)),
}


def per_type(name, channels=None, types=NODE_TYPES):
    return [{"name": name, "per": t, "channels": (channels or WIDTHS)[t]}
            for t in types]


def typed(name, shows, *layers, inputs=None, edge_types=EDGE_TYPES,
          graphs=TYPED_GRAPHS, **keys):
    description = {"name": name, "node_types": NODE_TYPES,
                   "edge_types": [t if isinstance(t, dict) else list(t)
                                  for t in edge_types],
                   **keys, "inputs": inputs or per_type("x"),
                   "layers": list(layers)}
    VARIANTS[name] = (shows, description, graphs, {})


def sage(source, destination, out=5, **args):
    return {"type": "SAGEConv", "in_channels":
            [WIDTHS[source], WIDTHS[destination]], "out_channels": out, **args}


def relations(**args):
    return {joined(t): sage(t[0], t[2], **args) for t in EDGE_TYPES}


def hetero(convs, **args):
    return {"name": "y", "type": "HeteroConv", "convs": convs, **args}


# HeteroConv
typed("heteroconv", "HeteroConv of SAGEConv, sums", hetero(relations()))
for aggr in ("mean", "min", "max", "cat"):
    typed(f"heteroconv-{aggr}", f"HeteroConv, {aggr}",
          hetero(relations(), aggr=aggr))
typed("heteroconv-stack", "HeteroConv that keeps relations apart",
      hetero(relations(), aggr=None))
typed("heteroconv-cat-widths", "HeteroConv of different widths side by side",
      hetero({joined(WRITES): sage("author", "paper", out=3),
              joined(CITES): sage("paper", "paper", out=4, aggr="max")},
             aggr="cat"))
typed("heteroconv-kinds", "HeteroConv of different convolutions",
      hetero({joined(CITES): {"type": "GCNConv", "in_channels": 6,
                              "out_channels": 5},
              joined(WRITES): {"type": "GATConv", "in_channels": [4, 6],
                               "out_channels": 5, "heads": 2,
                               "concat": False, "add_self_loops": False},
              joined(WRITTEN_BY): {"type": "GraphConv",
                                   "in_channels": [6, 4], "out_channels": 5,
                                   "aggr": "max"},
              joined(IN): {"type": "TransformerConv", "in_channels": [6, 3],
                           "out_channels": 5}}))
typed("heteroconv-edge", "HeteroConv with edge weights and attributes",
      hetero({joined(WRITES): {"type": "GATv2Conv", "in_channels": [4, 6],
                               "out_channels": 5, "edge_dim": 2,
                               "add_self_loops": False,
                               "edge_attr": "edge_attr"},
              joined(CITES): {"type": "GCNConv", "in_channels": 6,
                              "out_channels": 5,
                              "edge_weight": "edge_weight"},
              joined(WRITTEN_BY): sage("paper", "author")}),
      inputs=per_type("x") + [
          {"name": "edge_attr", "per": WRITES, "channels": 2},
          {"name": "edge_weight", "per": CITES, "channels": []}])
typed("heteroconv-complete", "HeteroConv with a relation of all pairs",
      hetero({joined(WRITES): {"type": "TransformerConv",
                               "in_channels": [4, 6], "out_channels": 5},
              joined(CITES): sage("paper", "paper")}),
      edge_types=[{"type": WRITES, "graph": "complete"}, CITES])
typed("heteroconv-deep", "two HeteroConvs, layers per type, one type's output",
      {**hetero(relations(out=8)), "name": "conv1"},
      {"name": "act", **RELU}, linear("lin", 8, 6),
      {"name": "drop", "type": "Dropout", "p": 0.5},
      {"name": "sum", "type": "Add", "inputs": ["drop", "lin"]},
      {"name": "conv2", "type": "HeteroConv", "convs": {
          joined(WRITES): {"type": "SAGEConv", "in_channels": 6,
                           "out_channels": 5},
          joined(CITES): {"type": "GATConv", "in_channels": 6,
                          "out_channels": 5}}},
      {"name": "y", "type": "Concat", "inputs": ["conv2.paper", "sum.paper"]},
      output=["y.paper", "conv1"])
typed("heteroconv-norm", "a norm of all nodes of each type",
      {**hetero(relations()), "name": "conv"},
      {"name": "y", "type": "PairNorm"})

# Linear layers of node types
typed("heterodictlinear", "HeteroDictLinear, a width for each type",
      {"name": "y", "type": "HeteroDictLinear", "in_channels": WIDTHS,
       "out_channels": 5})
typed("heterodictlinear-types", "HeteroDictLinear of some types, no bias",
      {"name": "y", "type": "HeteroDictLinear", "in_channels": 6,
       "out_channels": 5, "types": ["paper", "venue"], "bias": False},
      inputs=[{"name": "x", "per": "paper", "channels": 6}])
ENCODE = {"name": "encode", "type": "HeteroDictLinear", "in_channels": WIDTHS,
          "out_channels": 6}
typed("heterolinear", "HeteroLinear, a slice of one weight for each type",
      ENCODE, {"name": "y", "type": "HeteroLinear", "in_channels": 6,
               "out_channels": 5})
typed("heterolinear-no-bias", "HeteroLinear without bias",
      ENCODE, {"name": "y", "type": "HeteroLinear", "in_channels": 6,
               "out_channels": 5, "bias": False})
typed("lowrankheterolinear", "a shared projection and one of rank 2 per type",
      ENCODE, {"name": "y", "type": "LowRankHeteroLinear", "in_channels": 6,
               "out_channels": 5, "rank": 2})
typed("lowrankheterolinear-no-bias", "the same without bias",
      ENCODE, {"name": "y", "type": "LowRankHeteroLinear", "in_channels": 6,
               "out_channels": 7, "rank": 1, "bias": False})
typed("shared-linear", "one Linear for all types",
      ENCODE, linear("y", 6, 5))

# HGTConv
typed("hgtconv", "HGTConv, one head, widths per type",
      {"name": "y", "type": "HGTConv", "in_channels": WIDTHS,
       "out_channels": 4})
typed("hgtconv-heads", "HGTConv, four heads",
      {"name": "y", "type": "HGTConv", "in_channels": WIDTHS,
       "out_channels": 8, "heads": 4})
typed("hgtconv-skip", "HGTConv whose result is as wide as some inputs",
      {"name": "y", "type": "HGTConv", "in_channels": WIDTHS,
       "out_channels": 6, "heads": 2})
typed("hgtconv-deep", "two HGTConvs, the second with gated residuals",
      ENCODE, {"type": "ReLU"},
      {"name": "conv1", "type": "HGTConv", "in_channels": 6,
       "out_channels": 6, "heads": 2},
      {"name": "y", "type": "HGTConv", "in_channels": 6, "out_channels": 6,
       "heads": 3})
typed("hgtconv-metadata", "HGTConv on some of the relations",
      {"name": "y", "type": "HGTConv", "in_channels": WIDTHS,
       "out_channels": 4, "heads": 2,
       "metadata": [NODE_TYPES, [WRITES, CITES]]})
typed("hgtconv-complete", "HGTConv with a relation of all pairs",
      {"name": "y", "type": "HGTConv", "in_channels": WIDTHS,
       "out_channels": 4, "heads": 2},
      edge_types=[{"type": WRITES, "graph": "complete"}, CITES, IN])

# HANConv
PATHS = [[WRITES, WRITTEN_BY], [WRITTEN_BY, WRITES],
         [WRITTEN_BY, WRITES, CITES], [WRITES, IN]]
METAPATHS = [["author", "metapath_0", "author"],
             ["paper", "metapath_1", "paper"],
             ["paper", "metapath_2", "paper"],
             ["author", "metapath_3", "venue"]]
typed("hanconv", "HANConv on all relations",
      {"name": "y", "type": "HANConv", "in_channels": WIDTHS,
       "out_channels": 5})
typed("hanconv-metapaths", "HANConv on meta-paths, two heads",
      {"name": "y", "type": "HANConv", "in_channels": WIDTHS,
       "out_channels": 6, "heads": 2, "negative_slope": 0.1,
       "metadata": [NODE_TYPES, METAPATHS]}, metapaths=PATHS)
typed("hanconv-both", "HANConv on relations and meta-paths together",
      {"name": "y", "type": "HANConv", "in_channels": WIDTHS,
       "out_channels": 4, "heads": 2}, metapaths=PATHS)
typed("hanconv-one-relation", "HANConv without semantic attention",
      {"name": "y", "type": "HANConv", "in_channels": WIDTHS,
       "out_channels": 4, "metadata": [NODE_TYPES, [WRITES]]})
typed("heteroconv-metapath", "HeteroConv on a meta-path",
      hetero({"author__metapath_0__author":
              {"type": "GCNConv", "in_channels": 4, "out_channels": 5},
              joined(WRITES): sage("author", "paper")}),
      metapaths=PATHS[:1])

# RGCNConv: the relations are the edge types, as to_homogeneous() numbers them.
RGCN = {"name": "y", "type": "RGCNConv", "in_channels": 6, "out_channels": 4,
        "num_relations": len(EDGE_TYPES)}
typed("rgcnconv", "RGCNConv, a matrix per relation", ENCODE, RGCN)
for aggr in ("add", "max", "min"):
    typed(f"rgcnconv-{aggr}", f"RGCNConv, {aggr} within a relation", ENCODE,
          {**RGCN, "aggr": aggr})
typed("rgcnconv-bases", "RGCNConv, two bases", ENCODE,
      {**RGCN, "num_bases": 2})
typed("rgcnconv-blocks", "RGCNConv, two blocks", ENCODE,
      {**RGCN, "num_blocks": 2})
typed("rgcnconv-blocks-add", "RGCNConv, one block, sums, no bias", ENCODE,
      {**RGCN, "num_blocks": 1, "aggr": "add", "bias": False})
typed("rgcnconv-no-root", "RGCNConv without root weight and bias", ENCODE,
      {**RGCN, "root_weight": False, "bias": False})
typed("rgcnconv-one-type", "RGCNConv on one node type, two relations",
      {"name": "y", "type": "RGCNConv", "in_channels": 6, "out_channels": 4,
       "num_relations": 2, "num_bases": 3},
      inputs=[{"name": "x", "per": "paper", "channels": 6}],
      edge_types=[CITES, {"type": ["paper", "all", "paper"],
                          "graph": "complete"}])
typed("rgcnconv-sources-only", "RGCNConv whose authors and venues get nothing "
      "but zeros", ENCODE, {**RGCN, "num_relations": 2, "root_weight": False,
                            "bias": False}, edge_types=[WRITES, CITES])


# The same on one graph, whose edges have the numbers of their relations.
RELATIONS = 4


def numbered_edges(prefix, graphs, numbers):
    return {f"{prefix}-{name}": {
        **arrays, "edge_type": rng(f"{prefix} {name}").choice(
            numbers, arrays["edge_index"].shape[1]).astype(np.int64)}
            for name, arrays in graphs.items()}


# Relation 2 has no edge at all; of many, most nodes have no edge.
MANY_RELATIONS = 40
MANY = list(range(0, MANY_RELATIONS, 3))
NUMBERED = {**numbered_edges("relations", {**GRAPHS, **BIPARTITE}, [0, 1, 3]),
            **numbered_edges("many-relations", {**GRAPHS, **BIPARTITE}, MANY)}
# Nodes that have numbers in the place of rows.
ENTITIES = 12
for name, arrays in NUMBERED.items():
    if name.startswith("many-"):
        arrays.update({
            key.replace("x", "entity"): rng(f"{key} of {name}").integers(
                0, ENTITIES, len(arrays[key])).astype(np.int64)
            for key in ("x", "x_src", "x_dst") if key in arrays})


def numbered(name, shows, inputs=(X,), dtype="int64", relations=RELATIONS,
             kind="RGCNConv", **args):
    known = GRAPHS
    wiring = {"in_channels": 6}
    if len(inputs) > 1:
        known = BIPARTITE
        wiring = {"inputs": [i["name"] for i in inputs], "in_channels": [6, 4]}
    relation = {"name": "edge_type", "channels": [], "per": "edge",
                "dtype": dtype}
    prefix = "relations" if relations == RELATIONS else "many-relations"
    variant(f"{kind.lower()}-numbered{name}", shows,
            {"name": "y", "type": kind, **wiring, "out_channels": 4,
             "num_relations": relations, "edge_type": "edge_type", **args},
            inputs=(*inputs, relation),
            graphs={f"{prefix}-{g}": NUMBERED[f"{prefix}-{g}"] for g in known})


numbered("", "RGCNConv with edge_type")
numbered("-int32", "RGCNConv with edge_type as int32", dtype="int32")
numbered("-bipartite", "RGCNConv with edge_type on a bipartite graph",
         inputs=SOURCES)
DECOMPOSED = {"": {}, "-bases": {"num_bases": 3}, "-blocks": {"num_blocks": 2}}
for aggr in ("add", "max"):
    for kind, args in DECOMPOSED.items():
        numbered(f"-{aggr}{kind}", f"RGCNConv with edge_type, {aggr}",
                 aggr=aggr, **args)
for kind, args in {"": {}, "-blocks": {"num_blocks": 2},
                   "-bases": {"num_bases": 7}, "-add": {"aggr": "add"}}.items():
    numbered(f"-many{kind}", "RGCNConv with edge_type and many relations",
             relations=MANY_RELATIONS, **args)
ENTITY = {"name": "entity", "channels": [], "dtype": "int64"}
for kind, args in {"": {}, "-bases": {"num_bases": 3},
                   "-add": {"aggr": "add"}}.items():
    numbered(f"-entities{kind}", "RGCNConv of nodes that have numbers",
             inputs=(ENTITY,), relations=MANY_RELATIONS, in_channels=ENTITIES,
             **args)
numbered("-entities-bipartite", "RGCNConv of nodes that have numbers, on a bipartite "
         "graph", inputs=({**ENTITY, "name": "entity_src", "per": "source"},
                          {**ENTITY, "name": "entity_dst", "per": "destination"}),
         relations=MANY_RELATIONS, in_channels=[ENTITIES, ENTITIES + 1])
numbered("-fast", "FastRGCNConv", type="FastRGCNConv", num_bases=2)
numbered("-many-bipartite", "RGCNConv with edge_type and many relations on a "
         "bipartite graph", inputs=SOURCES, relations=MANY_RELATIONS)
numbered("-min", "RGCNConv with edge_type, min, no bias", aggr="min",
         bias=False)
numbered("-bases", "RGCNConv with edge_type and bases", num_bases=2)
variant("rgcnconv-numbered-few-bases", "RGCNConv whose bases are few beside its "
        "channels",
        {"name": "wide", "type": "Linear", "in_features": 6, "out_features": 17},
        {"name": "y", "type": "RGCNConv", "in_channels": 17, "out_channels": 4,
         "num_relations": RELATIONS, "edge_type": "edge_type", "num_bases": 2},
        inputs=(X, {"name": "edge_type", "channels": [], "per": "edge",
                    "dtype": "int64"}),
        graphs={f"relations-{g}": NUMBERED[f"relations-{g}"] for g in GRAPHS})
numbered("-blocks", "RGCNConv with edge_type and blocks", num_blocks=2)
numbered("-blocks-bipartite", "RGCNConv with edge_type and blocks, without "
         "root weight and bias, on a bipartite graph", inputs=SOURCES,
         num_blocks=2, root_weight=False, bias=False)
numbered("-max-bipartite", "RGCNConv with edge_type, max, on a bipartite graph",
         inputs=SOURCES, aggr="max")
numbered("", "FiLMConv with edge_type, means", kind="FiLMConv")
numbered("-add-bipartite", "FiLMConv with edge_type, sums on a bipartite graph",
         kind="FiLMConv", inputs=SOURCES, aggr="add", act="leaky_relu")
