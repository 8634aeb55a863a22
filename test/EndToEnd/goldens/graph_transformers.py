"""Variants of graph transformers."""

from .common import *  # noqa: F403

ALL = {**GRAPHS, **NO_BATCH}


# GPSConv
def gps(name, shows, conv, inputs=(X,), graph=None, graphs=ALL, batch=None,
        **args):
    y = {"name": "y", "type": "GPSConv", "channels": 6, "conv": conv, **args}
    for key in ("edge_weight", "edge_attr"):
        if any(i["name"] == key for i in inputs):
            y[key] = key
    variant(name, shows, y, inputs=inputs, graph=graph, graphs=graphs,
            batch=batch)


GCN = {"type": "GCNConv", "in_channels": 6, "out_channels": 6}
GIN = {"type": "GINConv",
       "nn": [linear("l", 6, 6), RELU, linear("l", 6, 6)]}
for inner in GIN["nn"]:
    inner.pop("name", None)
gps("gpsconv", "GPSConv with its defaults around GCNConv: batch norm", GCN)
gps("gpsconv-gin-heads", "GPSConv around GINConv, 3 heads", GIN, heads=3)
gps("gpsconv-edge", "GPSConv around GINEConv, which reads edge features",
    {**GIN, "type": "GINEConv", "edge_dim": 3}, inputs=(X, ATTR), heads=2)
gps("gpsconv-weight", "GPSConv around GraphConv with edge weights",
    {**GCN, "type": "GraphConv"}, inputs=(X, WEIGHT), heads=2)
gps("gpsconv-no-conv", "GPSConv without a local layer", None, heads=2)
gps("gpsconv-layer-norm", "GPSConv, layer norm of each graph", GCN, heads=2,
    norm="layer_norm")
gps("gpsconv-layer-norm-node", "GPSConv, layer norm of each node", GCN,
    heads=2, norm="layer_norm", norm_kwargs={"mode": "node", "eps": 0.01})
gps("gpsconv-layer-norm-no-affine", "GPSConv, layer norm of each graph "
    "without weights", GCN, norm="layer_norm", norm_kwargs={"affine": False})
gps("gpsconv-instance-norm", "GPSConv, instance norm", GCN, heads=2,
    norm="instance_norm")
gps("gpsconv-instance-norm-affine", "GPSConv, instance norm with weights", GCN,
    norm="instance_norm", norm_kwargs={"affine": True, "eps": 0.01})
gps("gpsconv-graph-norm", "GPSConv, graph norm", GCN, heads=2,
    norm="graph_norm")
# PyTorch refuses to take the variance of one row.
gps("gpsconv-no-batch-instance-norm", "GPSConv where all nodes are one graph, "
    "instance norm", GCN, norm="instance_norm", batch=False,
    graphs={k: v for k, v in ALL.items() if len(v["x"]) != 1})
gps("gpsconv-no-batch-graph-norm", "GPSConv where all nodes are one graph, "
    "graph norm", GCN, norm="graph_norm", norm_kwargs={"eps": 0.01},
    batch=False)
gps("gpsconv-no-norm", "GPSConv without norms, another activation and its "
    "argument", GCN, norm=None, act="leaky_relu",
    act_kwargs={"negative_slope": 0.2})
gps("gpsconv-no-attention-bias", "GPSConv, attention without biases", GCN,
    attn_kwargs={"bias": False}, norm_kwargs={"eps": 0.01, "affine": False})
gps("gpsconv-no-batch", "GPSConv where all nodes are one graph", GCN, heads=2,
    batch=False)
gps("gpsconv-no-batch-layer-norm", "GPSConv where all nodes are one graph, "
    "layer norm", GCN, norm="layer_norm", batch=False)
gps("gpsconv-complete", "GPSConv whose local layer reads all pairs of nodes",
    {**GCN, "type": "GATConv"}, graph="complete", heads=2)
gps("gpsconv-block-diagonal", "GPSConv whose local layer reads all pairs of "
    "nodes of one graph", {**GCN, "type": "GATConv"}, graph="block_diagonal",
    heads=2, graphs=GRAPHS)
variant("gpsconv-pool", "two GPSConv, a pool and a Linear",
        linear("lin", 6, 8),
        {"name": "gps1", "type": "GPSConv", "channels": 8, "heads": 4,
         "conv": {"type": "GCNConv", "in_channels": 8, "out_channels": 8}},
        {"name": "gps2", "type": "GPSConv", "channels": 8, "heads": 2,
         "conv": {"type": "SAGEConv", "in_channels": 8, "out_channels": 8},
         "norm": "layer_norm"},
        {"type": "global_add_pool"}, linear("y", 8, 3), graphs=ALL)


# SANLayer
def san(name, shows, graphs=ALL, batch=None, graph=None, **args):
    y = {"name": "y", "type": "SANLayer", "in_dim": 6, "out_dim": 6,
         "num_heads": 2, "edge_dim": 3, "gamma": 0.5, "edge_attr": "edge_attr",
         **args}
    variant(name, shows, y, inputs=(X, ATTR), graph=graph, graphs=graphs,
            batch=batch)


san("sanlayer", "SANLayer with its defaults: batch norm, no biases")
san("sanlayer-one-head", "SANLayer of one head, layer norm", num_heads=1,
    layer_norm=True, batch_norm=False)
san("sanlayer-bias", "SANLayer with biases, both norms", use_bias=True,
    layer_norm=True)
san("sanlayer-no-residual", "SANLayer to another width without residual",
    out_dim=8, num_heads=4, residual=False)
san("sanlayer-edges-only", "SANLayer, gamma 0: attention to neighbours only",
    gamma=0)
san("sanlayer-block-diagonal", "SANLayer where all pairs of nodes of one graph "
    "are edges", graph="block_diagonal", graphs=BLOCKS)
san("sanlayer-no-batch", "SANLayer where all nodes are one graph", gamma=2,
    batch=False)


# Graphormer
PATH_LENGTH = 2
FARTHEST = 3  # distances are clipped; the next number is that of no path


def walk(links, source, destination):
    """The edges of a shortest path, from the destination on, or None."""
    paths = {destination: []}
    layer = [destination]
    while layer and source not in paths:
        following = []
        for node in layer:
            for edge, (a, b) in enumerate(links):
                if b == node and a not in paths:
                    paths[a] = paths[node] + [edge]
                    following.append(a)
        layer = following
    return paths.get(source)


def with_paths(name, sizes, make_pairs):
    """A graph with what Graphormer reads: degrees, and per pair of nodes of one
    graph of the batch the distance and the edge features along the path."""
    return add_paths(graph(name, sizes, make_pairs), sizes)


def add_paths(arrays, sizes):
    arrays = {**arrays, "num_graphs": np.int64(len(sizes))}
    links = arrays["edge_index"].T.tolist()
    nodes = len(arrays["x"])
    for side, key in enumerate(("out_degree", "in_degree")):
        arrays[key] = np.bincount(arrays["edge_index"][side],
                                  minlength=nodes).astype(np.int64)
    pairs = block_pairs(sizes)(None, nodes)
    distance = np.full(len(pairs), FARTHEST + 1, np.int64)
    lengths = np.zeros(len(pairs), np.int64)
    along = np.zeros((len(pairs), PATH_LENGTH, 3), np.float32)
    for row, (source, destination) in enumerate(pairs):
        path = walk(links, source, destination)
        if path is None:
            continue
        distance[row] = min(len(path), FARTHEST)
        path = path[:PATH_LENGTH]
        lengths[row] = len(path)
        along[row, :len(path)] = arrays["edge_attr"][path]
    return {**arrays, "shortest_path": distance, "path_features": along,
            "path_lengths": lengths}


def chain(r, n):
    """One way, from the last node of each of the two larger graphs on."""
    return [(i + 1, i) for i in range(n - 1) if i not in (4, 5)]


# One node, a graph without nodes, no edges, pairs without a path, and paths that
# are longer than what is kept.
PATHS = {
    "paths": with_paths("paths", [5, 1, 6], chain),
    "paths-hole": with_paths("paths-hole", [2, 0, 4],
                             lambda r, n: [(0, 1), (3, 2), (3, 2), (4, 4)]),
    "paths-no-edges": with_paths("paths-no-edges", [3, 2], none),
    "paths-karate": with_paths("paths-karate", [34], karate_pairs),
    "paths-one": with_paths("paths-one", [1], none),
    "paths-none": with_paths("paths-none", [], none),
}


def with_tokens(name):
    """A graph of PATHS with a virtual node before those of each graph of the
    batch. It is at a distance of its own from all, itself too."""
    old = PATHS[name]
    sizes = np.bincount(old["batch"], minlength=old["num_graphs"]) + 1
    batch = np.repeat(np.arange(len(sizes)), sizes)
    is_token = np.diff(batch, prepend=-1) > 0
    places = np.flatnonzero(~is_token)
    x = np.zeros((len(batch), 6), np.float32)
    x[places] = old["x"]
    arrays = add_paths({"edge_index": places[old["edge_index"]], "x": x,
                        "edge_attr": old["edge_attr"], "batch": batch}, sizes)
    source, destination = np.reshape(
        block_pairs(sizes)(None, len(batch)), (-1, 2)).astype(int).T
    touches = is_token[source] | is_token[destination]
    arrays["shortest_path"][touches] = FARTHEST + 2
    return arrays


TOKEN_PATHS = {name.replace("paths", "token-paths"): with_tokens(name)
               for name in PATHS}


def numbers(name, **more):
    return {"name": name, "channels": [], "dtype": "int64", **more}


DEGREES = (numbers("in_degree"), numbers("out_degree"))
DISTANCE = numbers("shortest_path", per="edge")
ALONG = ({"name": "path_features", "channels": [PATH_LENGTH, 3],
          "per": "edge"}, numbers("path_lengths", per="edge"))


def graphormer(name, width=6, heads=2, edges=False, **args):
    along = {i["name"]: i["name"] for i in ALONG} if edges else {}
    return {"name": name, "type": "GraphormerLayer", "embedding_dim": width,
            "num_heads": heads, "ffn_embedding_dim": 8,
            "num_spatial": FARTHEST + 2, "shortest_path": "shortest_path",
            **along, **args}


CENTRALITY = {"type": "GraphormerEncoding", "embedding_dim": 6,
              "num_in_degree": 2, "num_out_degree": 3,
              "in_degree": "in_degree", "out_degree": "out_degree"}
variant("graphormerencoding", "GraphormerEncoding, degrees clipped",
        {"name": "y", **CENTRALITY}, inputs=(X, *DEGREES), graphs=PATHS)
variant("graphormerlayer", "GraphormerLayer with biases of distances",
        graphormer("y"), inputs=(X, DISTANCE), graph="block_diagonal",
        graphs=PATHS)
variant("graphormerlayer-edges", "GraphormerLayer with the edges of paths",
        graphormer("y", heads=3, edges=True), inputs=(X, DISTANCE, *ALONG),
        graph="block_diagonal", graphs=PATHS)
variant("graphormerlayer-one-head", "GraphormerLayer with one head",
        graphormer("y", heads=1, edges=True, layer_norm_eps=0.01),
        inputs=(X, DISTANCE, *ALONG), graph="block_diagonal", graphs=PATHS)
variant("graphormer", "centrality, two layers of Graphormer and a pool",
        {"name": "centrality", **CENTRALITY}, graphormer("l1", edges=True),
        graphormer("l2", edges=True), {"type": "global_mean_pool"},
        linear("y", 6, 2), inputs=(X, *DEGREES, DISTANCE, *ALONG),
        graph="block_diagonal", graphs=PATHS)
TOKEN = {"type": "GraphormerToken", "embedding_dim": 6}
variant("graphormertoken", "GraphormerToken: the first node of each graph",
        {"name": "y", **TOKEN}, graph="block_diagonal", graphs=TOKEN_PATHS)
variant("graphormertoken-csr", "GraphormerToken: the first node of all",
        {"name": "y", **TOKEN})
variant("graphormer-token", "centrality, the virtual node of each graph, two "
        "layers of Graphormer, and what the virtual node has received",
        {"name": "centrality", **CENTRALITY}, {"name": "token", **TOKEN},
        graphormer("l1", edges=True, num_spatial=FARTHEST + 3),
        graphormer("l2", edges=True, num_spatial=FARTHEST + 3),
        {"type": "global_first_pool"}, linear("y", 6, 2),
        inputs=(X, *DEGREES, DISTANCE, *ALONG), graph="block_diagonal",
        graphs=TOKEN_PATHS)


# The learned encoding of SAN: eigenvalues and the entries of eigenvectors, NaN
# where a graph has fewer than there is room for.
def with_pairs(name):
    arrays = GRAPHS[name]
    r = rng("pairs " + name)
    sizes = np.bincount(arrays["batch"])[arrays["batch"]]
    result = dict(arrays)
    for key, room in (("pairs", 5), ("pair", 1)):
        pairs = features(r, len(sizes), room, 2)
        pairs[np.arange(room) >= sizes[:, None] - 1] = np.nan
        result[key] = pairs
    return result


SPECTRA = {f"spectra-{name}": with_pairs(name)
           for name in ("random", "isolated", "one-node", "no-edges", "hub",
                        "empty", "karate")}


def laplacian(name, shows, pairs="pairs", room=5, **args):
    y = {"name": "y", "type": "LaplacianEncoder", "dim": 8, "num_heads": 2,
         "num_layers": 2, "dim_feedforward": 12, **args, "pairs": pairs}
    variant(name, shows, y,
            inputs=(X, {"name": pairs, "channels": [room, 2]}),
            graphs=SPECTRA)


laplacian("laplacianencoder", "LaplacianEncoder of two layers")
laplacian("laplacianencoder-one-head", "LaplacianEncoder of one layer with one "
          "head, as wide as it is by default", num_layers=1, num_heads=1, dim=3,
          dim_feedforward=2048)
laplacian("laplacianencoder-one-pair", "LaplacianEncoder of one pair per node",
          pairs="pair", room=1)


# SGFormer
def sgformer_attention(name, channels=6, **args):
    return {"name": name, "type": "SGFormerAttention", "channels": channels, **args}


variant("sgformerattention", "SGFormerAttention of each graph of the batch",
        sgformer_attention("y"))
variant("sgformerattention-heads", "SGFormerAttention of several heads, with biases",
        sgformer_attention("y", heads=3, head_channels=5, qkv_bias=True))
variant("sgformerattention-all", "SGFormerAttention without a batch",
        sgformer_attention("y", heads=2, head_channels=8), batch=False)
variant("add-factors", "Add of values times numbers", linear("a", 6, 6),
        {"name": "y", "type": "Add", "inputs": ["a", "x", "a"],
         "factors": [0.5, -2, 1.25]})


def sgformer():
    """The layers of PyTorch Geometric's SGFormer, each network of two layers."""
    def start(part, norm):
        return [{"name": f"{part}.fcs.0", "type": "Linear", "input": "x",
                 "in_features": 6, "out_features": 8},
                {"name": f"{part}.bns.0", **norm}, {"name": f"{part}0", **RELU}]
    layer_norm = {"type": "LayerNorm", "normalized_shape": 8}
    batch_norm = {"type": "BatchNorm1d", "num_features": 8}
    layers = start("trans_conv", layer_norm)
    for i in range(2):
        layers += [sgformer_attention(f"trans_conv.attns.{i}", 8, heads=2,
                                      head_channels=8),
                   {"type": "Add", "factors": [0.5, 0.5],
                    "inputs": [f"trans_conv.attns.{i}", f"trans_conv{i}"]},
                   {"name": f"trans_conv.bns.{i + 1}", **layer_norm},
                   {"name": f"trans_conv{i + 1}", **RELU}]
    layers += start("graph_conv", batch_norm)
    for i in range(2):
        layers += [{"name": f"graph_conv.convs.{i}", "type": "GCNConv",
                    "in_channels": 8, "out_channels": 8},
                   {"name": f"graph_conv.bns.{i + 1}", **batch_norm}, RELU,
                   {"name": f"graph_conv{i + 1}", "type": "Add"}]
        layers[-2] = {"name": f"active{i}", **RELU}
        layers[-1]["inputs"] = [f"active{i}", "graph_conv0"]
    return layers + [{"type": "Add", "inputs": ["graph_conv2", "trans_conv2"],
                      "factors": [0.3, 0.7]},
                     {"name": "fc", "type": "Linear", "in_features": 8,
                      "out_features": 3}, {"name": "y", "type": "LogSoftmax"}]


variant("sgformer", "SGFormer: attention and convolutions side by side",
        *sgformer(), batch=False)
