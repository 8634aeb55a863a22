"""Variants of inputs that are sparse matrices, `sparse: true`."""

from .common import *  # noqa: F403
from .common import (BIPARTITE, GRAPHS, RELU, conv, features, rng, variant)
from .heterogeneous import (CITES, IN, NODE_TYPES, TYPED_GRAPHS, WIDTHS, WRITES,
                            WRITTEN_BY, hetero, joined, sage, typed)

COLUMNS = 50


def csr(name, rows, counts, columns=COLUMNS, prefix="x"):
    """Arrays of a matrix with counts[i] elements in row i; columns are drawn
    with replacement and not sorted."""
    r = rng("matrix " + name)
    counts = np.resize(counts, rows)
    total = int(counts.sum())
    return {
        f"{prefix}.indptr": np.concatenate([[0], np.cumsum(counts)]),
        f"{prefix}.indices": r.integers(0, columns, total),
        f"{prefix}.data": features(r, total),
        f"{prefix}.shape": np.array([rows, columns]),
    }


def densify(arrays):
    """Replaces sparse matrices by dense ones, where duplicates are added up."""
    result = {k: v for k, v in arrays.items() if "." not in k}
    for name in [k[:-7] for k in arrays if k.endswith(".indptr")]:
        pointers = arrays[f"{name}.indptr"]
        dense = np.zeros(arrays[f"{name}.shape"], np.float32)
        rows = np.repeat(np.arange(len(dense)), np.diff(pointers))
        np.add.at(dense, (rows, arrays[f"{name}.indices"]),
                  arrays[f"{name}.data"])
        result[name] = dense
    return result


def with_matrix(name, graph, counts):
    arrays = {k: v for k, v in GRAPHS[graph].items() if k != "x"}
    return {**arrays,
            **csr(name, len(GRAPHS[graph]["batch"]), counts)}


def dense(name, graph):
    """The same matrix, most of it zeros, as a dense array."""
    return densify(with_matrix(name, graph, [3, 0, 7, 1]))


SPARSE_GRAPHS = {
    "sparse-random": with_matrix("sparse-random", "random", [4, 1, 9, 2]),
    # Rows without elements, and some with more than there are columns.
    "sparse-rows": with_matrix("sparse-rows", "isolated", [0, 70, 3, 0, 17]),
    "sparse-zero": with_matrix("sparse-zero", "loops", [0]),
    "sparse-one-node": with_matrix("sparse-one-node", "one-node", [5]),
    "sparse-empty": with_matrix("sparse-empty", "empty", [3]),
    "sparse-hub": with_matrix("sparse-hub", "hub", [8, 2, 33, 0, 1, 16]),
    "sparse-dense": dense("sparse-dense", "duplicates"),
}
SPARSE_BIPARTITE = {
    "sparse-bipartite": {
        **{k: v for k, v in BIPARTITE["bipartite"].items() if k != "x_src"},
        **csr("sparse-bipartite", 11, [5, 0, 2], prefix="x_src")},
}
SPARSE_TYPED = {
    "sparse-typed": {
        **{k: v for k, v in TYPED_GRAPHS["typed"].items() if k != "x/paper"},
        **csr("sparse-typed", 9, [6, 1, 0, 3], prefix="x/paper")},
}

S = ({"name": "x", "channels": COLUMNS, "sparse": True},)


def sparse(name, shows, kind, out=5, **args):
    conv("sparse-" + name, shows + " of a sparse input", kind, out=out,
         inputs=S, graphs=SPARSE_GRAPHS, **{"in_channels": COLUMNS, **args})


def linear(columns, rows, **wiring):
    return {"type": "Linear", **wiring, "in_channels": columns,
            "out_channels": rows}


sparse("linear", "Linear", "Linear")
sparse("gcnconv", "GCNConv", "GCNConv", out=16)
sparse("gatconv", "GATConv", "GATConv", out=4, heads=3)
sparse("gatv2conv", "GATv2Conv", "GATv2Conv", out=4, heads=2)
sparse("transformerconv", "TransformerConv", "TransformerConv", out=4, heads=2)
sparse("sageconv", "SAGEConv", "SAGEConv", out=16)
sparse("sageconv-max", "SAGEConv, the maximum", "SAGEConv", aggr="max")
sparse("sageconv-wide", "SAGEConv, wider than the input,", "SAGEConv", out=80)
sparse("graphconv", "GraphConv", "GraphConv", out=70)
sparse("sgconv", "SGConv, wider than the input,", "SGConv", out=80, K=2)
for suffix, hidden in (("", 8), ("-wide", 64)):
    variant(f"sparse-ginconv{suffix}",
            f"GINConv with {hidden} hidden channels of a sparse input",
            {"name": "y", "type": "GINConv", "eps": 0.3,
             "nn": [linear(COLUMNS, hidden), RELU, linear(hidden, 5)]},
            inputs=S, graphs=SPARSE_GRAPHS)
variant("sparse-twice", "A sparse input that several layers read",
        linear(COLUMNS, 6, name="a", input="x"),
        {"name": "b", "type": "GCNConv", "input": "x", "in_channels": COLUMNS,
         "out_channels": 6},
        {"name": "c", "type": "Add", "inputs": ["a", "b"]},
        {"name": "d", "type": "Concat", "inputs": ["c", "x"]},
        linear(COLUMNS + 6, 4, name="y"), inputs=S, graphs=SPARSE_GRAPHS)
variant("sparse-bipartite", "SAGEConv of sparse sources",
        {"name": "y", "type": "SAGEConv", "inputs": ["x_src", "x_dst"],
         "in_channels": [COLUMNS, 4], "out_channels": 4},
        inputs=({"name": "x_src", "channels": COLUMNS, "per": "source",
                 "sparse": True},
                {"name": "x_dst", "channels": 4, "per": "destination"}),
        graphs=SPARSE_BIPARTITE)
typed("sparse-typed", "HeteroConv where papers have sparse rows",
      hetero({joined(WRITES): {**sage("author", "paper"),
                               "in_channels": [4, COLUMNS]},
              joined(WRITTEN_BY): {**sage("paper", "author"),
                                   "in_channels": [COLUMNS, 4]},
              joined(CITES): {**sage("paper", "paper"),
                              "in_channels": [COLUMNS, COLUMNS]},
              joined(IN): {**sage("paper", "venue"),
                           "in_channels": [COLUMNS, 3]}}),
      inputs=[{"name": "x", "per": t,
               **({"channels": COLUMNS, "sparse": True} if t == "paper" else
                  {"channels": WIDTHS[t]})} for t in NODE_TYPES],
      graphs=SPARSE_TYPED)
