"""The graphs of the end-to-end tests, and short ways to say variants."""

import pathlib
import zlib

import networkx as nx
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent.parent


def rng(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


# ---------------------------------------------------------------- the graphs


def edges(pairs):
    """[2, E] of a list of (source, destination)."""
    return np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T.copy()


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


def karate_pairs(r, n):
    """Zachary's karate club (1977), both directions of each friendship."""
    return nx.karate_club_graph().to_directed().edges()


def southern_women_pairs(r):
    """From the 14 events of Davis, Gardner and Gardner (1941) to the 18 women
    who took part."""
    club = nx.davis_southern_women_graph()
    women, events = club.graph["top"], club.graph["bottom"]
    return [(events.index(event), women.index(woman)) for woman in women
            for event in club[woman]]


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
    # A real one, with features that are not.
    "karate": graph("karate", [34], karate_pairs),
}
# Without a batch vector all nodes are one graph: for the pooling layers.
NO_BATCH = {"no-batch": {k: v for k, v in GRAPHS["random"].items()
                         if k != "batch"}}


def rows(*values):
    """Rows of given elements, without edges."""
    return {"edge_index": edges([]),
            "x": np.array(values, np.float32).reshape(-1, 6)}


# Where activations bend, overflow, or have nothing left of a sum.
SLOPES = {
    "slopes": rows(0, 1e-4, 0.5, 1, 2.5, 3, 3.5, 6, 7, 12, 19.9, 20.1, 0,
                   -1e-4, -0.5, -1, -2.5, -3, -3.5, -6, -7, -12, -19.9, -20.1),
    "slopes-far": rows(40, 87, 90, 104, 1e4, 1e30, -40, -87, -90, -104, -1e4,
                       -1e30),
}


def block_pairs(sizes):
    """All pairs within each graph of the batch, by destination: the order in
    which a block-diagonal graph has its edges."""
    def pairs(r, n):
        batch = np.repeat(np.arange(len(sizes)), sizes)
        return [(j, i) for i in range(n) for j in range(n)
                if batch[i] == batch[j]]
    return pairs


# With values per edge for `graph: block_diagonal`.
BLOCKS = {name: graph(name, sizes, block_pairs(sizes)) for name, sizes in [
    ("blocks", [3, 1, 4]), ("blocks-hole", [2, 0, 5]), ("blocks-one", [1]),
    ("blocks-none", [])]}


def clustered(name, clusters, **more):
    """A graph of GRAPHS whose nodes lie in clusters."""
    return {**GRAPHS[name], "cluster": np.array(clusters, np.int64), **more}


# Clusters in any order: one without nodes, one with a single node, one with all.
CLUSTERED = {
    "clusters": clustered("random", rng("clusters").choice(
        [0, 1, 2, 4, 5], 19).tolist() + [6]),
    "clusters-single": clustered("isolated", range(11, -1, -1)),
    "clusters-together": clustered("hub", [0] * 60),
    "clusters-empty": clustered("duplicates", [2, 0, 1, 0, 2, 2, 1, 0],
                                num_clusters=np.int64(5)),
    "clusters-one": clustered("one-node", [0]),
    "clusters-none": clustered("empty", []),
}
BIPARTITE = {
    "bipartite": bipartite(
        "bipartite", 11, 7,
        lambda r: draw(r, 24, np.arange(11), np.arange(7)) + [(2, 2), (2, 2)]),
    # More destinations than sources; sources 0 and 4 have no out-edge,
    # destinations 0, 5 and the last one no in-edge.
    "bipartite-isolated": bipartite(
        "bipartite-isolated", 5, 8,
        lambda r: draw(r, 12, [1, 2, 3], [1, 2, 3, 4, 6])),
    "southern-women": bipartite("southern-women", 14, 18,
                                southern_women_pairs),
}


# Whole numbers per node, see embeddings.py.
TOKENS = {}


# -------------------------------------------------------------- the variants

X = {"name": "x", "channels": 6}
WEIGHT = {"name": "edge_weight", "channels": [], "per": "edge"}
ATTR = {"name": "edge_attr", "channels": 3, "per": "edge"}
X_SRC = {"name": "x_src", "channels": 6, "per": "source"}
X_DST = {"name": "x_dst", "channels": 4, "per": "destination"}

VARIANTS = {}


def variant(name, shows, *layers, inputs=(X,), graph=None, graphs=GRAPHS,
            shared=None, batch=None):
    """Adds a variant. The file leaves out the entries `shared` maps to others,
    and says so in its metadata, as safetensors.torch.save_model does."""
    description = {"name": name}
    if graph is not None:
        description["graph"] = graph
    if batch is not None:
        description["batch"] = batch
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


def layer(name, shows, kind, inputs=(X,), graph=None, graphs=None, **args):
    """A variant of one layer that does not name the width of what it reads."""
    description = {"name": "y", "type": kind, **args}
    for key in ("edge_weight", "edge_attr"):
        if any(i["name"] == key for i in inputs):
            description[key] = key
    variant(name, shows, description, inputs=inputs, graph=graph,
            graphs=graphs or GRAPHS)
