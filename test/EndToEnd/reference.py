"""Builds a model folder's model.yaml out of PyTorch and PyTorch Geometric.

    from reference import Model, read
    model = read("examples/karate/gcn")          # weights loaded, eval mode
    y = model({"x": x}, edge_index)              # of the model's last layer

Nothing here computes a layer itself: every layer is the class of that name,
made with the layer's arguments. Those of the project's own are in locality.py and
own_layers.py, formulas of papers without a class in graph_transformers.py and, for
attention with `position`, positions.py. `graph: complete` and the like become the
edge_index listing the node pairs (for convolutions) or an attention mask (for
torch.nn.TransformerEncoderLayer and torch.nn.MultiheadAttention).
"""

import pathlib

import safetensors.torch
import torch
import torch_geometric.nn as pyg
import yaml
from torch_geometric.nn import attention
from torch_geometric.nn.models import attentive_fp, schnet
from torch_geometric.nn.resolver import activation_resolver
from torch_geometric.utils import add_remaining_self_loops

import graph_transformers
import locality
import neighbours
import positions
from own_layers import ENCODERS, OWN, OWN_POOLS, LightGCN, own_pool

# Always compute the encoder layer by its definition, not by the fused kernel.
torch.backends.mha.set_fastpath_enabled(False)

neighbours.define_operator(neighbours.knn)

# What a layer says besides its class and the arguments of its constructor.
WIRING = {"name", "type", "input", "inputs", "edge_weight", "edge_attr",
          "edge_type", "is_causal", "lambda_max", "key_padding_mask",
          "batch", "graph", "weights", "hyperedge_weight", "hyperedge_attr"}

# These take an activation as an object, model.yaml names it.
CALLABLE_ACT = {"ARMAConv", "FiLMConv", "ResGatedGraphConv"}

# These are called with the graphs of the batch, as is what says `batch: true`.
NORMS = {"GraphNorm", "InstanceNorm", "PairNorm", "MeanSubtractionNorm",
         "GraphSizeNorm"}

POOLS = {"global_add_pool", "global_mean_pool", "global_max_pool"}

# Pooling that has weights.
READOUTS = {"AttentionalAggregation", "Set2Set"}

# What makes a graph of rows.
MAKERS = {"KNNGraph", "RadiusGraph"}

def constructor(layer):
    """The class that `layer` (a mapping of model.yaml) names."""
    kind = layer["type"]
    if kind == "Linear":
        return torch.nn.Linear if "in_features" in layer else pyg.Linear
    if kind == "LayerNorm":
        return (torch.nn.LayerNorm if "normalized_shape" in layer else
                pyg.LayerNorm)
    if "position" in layer:
        return getattr(positions, kind)
    return (OWN.get(kind) or ENCODERS.get(kind) or
            graph_transformers.LAYERS.get(kind) or
            graph_transformers.READERS.get(kind) or
            getattr(locality, kind, None) or getattr(torch.nn, kind, None) or
            getattr(attention, kind, None) or getattr(schnet, kind, None) or
            getattr(attentive_fp, kind, None) or getattr(pyg, kind))


def build_network(layers):
    """The `nn` of a layer: a Sequential, or PyTorch Geometric's MLP where the
    layers have the names of its parts."""
    if "name" not in layers[0]:
        return torch.nn.Sequential(*map(build, layers))
    linears = [layer for layer in layers if layer["type"] == "Linear"]
    return pyg.MLP([linears[0]["in_channels"],
                    *(linear["out_channels"] for linear in linears)])


def build(layer, inputs=()):
    """The module of `layer`, or None where it is a plain function."""
    kind = layer["type"]
    if kind in POOLS or kind in OWN_POOLS or kind in MAKERS or kind in (
            "Add", "Mul", "Concat", "ClusterPool", "ClusterUnpool",
            "GatherGraphs", "GatherSources", "GatherDestinations",
            "EdgeLength"):
        return None
    if kind == "AggregateEdges":
        aggr = layer.get("aggr", "add")
        return pyg.MultiAggregation([aggr] if isinstance(aggr, str) else aggr)
    if kind == "InnerProductDecoder":
        return pyg.InnerProductDecoder()
    args = {k: v for k, v in layer.items() if k not in WIRING}
    args.pop("type", None)
    for key in ("initial", "pos"):  # of forward
        args.pop(key, None)
    for key in graph_transformers.INPUTS.get(kind, ()):
        read = args.pop(key, None)
        if key == "path_features" and read:
            args["edge_shape"] = next(i["channels"] for i in inputs
                                      if i["name"] == read)
    for key in ("nn", "local_nn", "global_nn", "gate_nn", "pos_nn", "attn_nn",
                "mlp_h", "mlp_f", "mlp_g"):
        if args.get(key):
            args[key] = build_network(args[key])
    for key in ("conv", "phi"):
        if args.get(key):
            args[key] = build(args[key])
    if kind in CALLABLE_ACT and args.get("act"):
        args["act"] = activation_resolver(args["act"])
    if kind in ("Softmax", "LogSoftmax"):
        args["dim"] = -1
    if (kind in ("TransformerEncoderLayer", "MultiheadAttention") and
            "position" not in args):
        args["batch_first"] = True
    if "deg" in args:
        args["deg"] = torch.tensor(args["deg"])
    for key in ("in_channels", "channels"):
        if isinstance(args.get(key), list):
            args[key] = tuple(args[key])
    module = constructor(layer)(**args)
    if kind == "GMMConv" and not layer.get("root_weight", True):
        module.root = None  # which forward asks for, and the class forgets
    return module


def pairs(graph, destinations, sources, batch=None):
    """The bool matrix of `graph`: destination i may read source j."""
    i = torch.arange(destinations)[:, None]
    j = torch.arange(sources)[None, :]
    if graph == "complete":
        return torch.ones(destinations, sources, dtype=torch.bool)
    if graph == "causal":
        return j <= i
    if graph == "block_diagonal":
        return batch[:, None] == batch[None, :]
    return (i - j).abs() <= graph["window"]


def encode(module, rows, mask, is_causal, padding):
    """A TransformerEncoderLayer on one sequence; `mask` is true for pairs that
    are no edges, `padding` for rows that nobody reads."""
    later = torch.ones(len(rows), len(rows), dtype=torch.bool).triu(1)
    if is_causal and mask is None:
        mask = later
    elif is_causal and not torch.equal(mask, later):
        # PyTorch takes `is_causal` as a promise about the mask.
        mask, is_causal = mask | later, False
    return module(rows[None], src_mask=mask, is_causal=is_causal,
                  src_key_padding_mask=padding)[0]


def count_edges(edge_index, destinations, sources, is_causal):
    """How often each destination reads each source."""
    count = torch.zeros(destinations, sources)
    count.index_put_((edge_index[1], edge_index[0]),
                     torch.ones(edge_index.size(1)), accumulate=True)
    return count.tril() if is_causal else count


def attend(module, sources, destinations, count, padding):
    """A MultiheadAttention whose queries are the rows of destinations."""
    if padding is not None:  # of the type of the other mask
        padding = torch.zeros(padding.shape).masked_fill(padding, -torch.inf)
    # An edge that is there n times counts n times: exp(score + log n).
    return module(destinations[None], sources[None], sources[None],
                  attn_mask=count.log(), key_padding_mask=padding)[0][0]


def attend_by_position(layer, module, values, count, batch, padding):
    """A class of positions.py."""
    places = torch.arange(len(values[0]))
    if batch is not None:
        places = places - torch.searchsorted(batch, batch)
    if padding is not None:
        count = count.masked_fill(padding, 0)
    if layer["type"] == "MultiheadAttention":
        return module(values[0], values[-1], count, places)
    return module(values[0], count, places)


def across_edges(layer, module, values, edge_index, destinations):
    """A layer that reads nodes for edges, or edges for nodes; there are so many
    `destinations`."""
    kind = layer["type"]
    if kind == "GatherSources":
        return values[0][edge_index[0]]
    if kind == "GatherDestinations":
        return values[-1][edge_index[1]]
    if kind == "AggregateEdges":
        return module(values[0], edge_index[1], dim_size=destinations)
    if kind == "EdgeLength":
        return (values[0][edge_index[0]] - values[-1][edge_index[1]]).norm(dim=-1)
    if len(values) > 1:  # of a bipartite graph: its nodes one after the other
        edge_index = edge_index + torch.tensor([[0], [len(values[0])]])
    return module(torch.cat(values), edge_index,
                  sigmoid=layer.get("sigmoid", True))


def make_graph(layer, rows, batch):
    """The edge_index of a layer that makes a graph."""
    if layer["type"] == "KNNGraph":
        return pyg.knn_graph(rows, layer["k"], batch, layer.get("loop", False),
                             cosine=layer.get("cosine", False))
    return neighbours.radius_graph(rows, layer["r"], batch,
                                   layer.get("loop", False),
                                   layer.get("max_num_neighbors", 32))


ACROSS_EDGES = {"GatherSources", "GatherDestinations", "AggregateEdges",
                "InnerProductDecoder", "EdgeLength"}


class Model(torch.nn.Module):
    """The model a model.yaml, read as a mapping, describes."""

    def __init__(self, description):
        super().__init__()
        self.description = description
        self.steps = []  # (layer, its module), a list torch does not look into
        for index, layer in enumerate(description["layers"]):
            owner = layer.get("weights")
            module = (build(layer, description["inputs"]) if owner is None else
                      next(module for named, module in self.steps
                           if named.get("name") == owner))
            self.steps.append((layer, module))
            if module is not None and owner is None:
                self.place(layer.get("name", f"unnamed{index}"), module)

    def place(self, name, module):
        """Adds a module whose name may have several parts."""
        outer = self
        *path, name = name.split(".")
        for part in path:
            if not hasattr(outer, part):
                outer.add_module(part, torch.nn.Module())
            outer = getattr(outer, part)
        outer.add_module(name, module)

    def batch(self, rows, batch, zeros=False):
        """What a layer that reads the graphs of the batch is called with, and
        without one: nothing, or `zeros`."""
        if not self.description.get("batch", True):
            batch = None
            if not zeros:
                return None
        return (rows.new_zeros(len(rows), dtype=torch.long) if batch is None
                else batch)

    def forward(self, inputs, edge_index=None, batch=None):
        graph = self.description.get("graph", "csr")
        inputs = dict(inputs)
        destinations = [inputs[i["name"]] for i in self.description["inputs"]
                        if i.get("per") != "edge"][-1]
        count = inputs.get("num_graphs")
        count = None if count is None else int(count)
        last = inputs[self.description["inputs"][0]["name"]]
        mask = None
        if graph != "csr":
            # Sources and destinations come in this order, or are the same.
            rows = [inputs[i["name"]].size(0)
                    for i in self.description["inputs"]
                    if i.get("per") != "edge"]
            allowed = pairs(graph, rows[-1], rows[0], batch)
            destination, source = allowed.nonzero().t()
            edge_index = torch.stack([source, destination])
            mask = None if graph == "complete" else ~allowed

        nodes = (edge_index, mask)
        made = {}  # the graphs of layers that make one, by their names
        of_edges = []  # (rows of edges, which of these they are of)
        of_clusters = []  # the values with a row per cluster
        for layer, module in self.steps:
            kind = layer["type"]
            names = layer.get("inputs", layer.get("input"))
            names = [names] if isinstance(names, str) else names
            values = [inputs[n] for n in names] if names else [last]
            on_clusters = any(values[0] is v for v in of_clusters)
            edge_index, mask = nodes
            if on_clusters:
                edge_index, mask = locality.all_pairs(len(values[0])), None
            own_graph = next((graph for rows, graph in of_edges
                              if rows is values[0]), None)
            graph_name = layer.get("graph", own_graph)
            if graph_name == "batch":
                index = self.batch(values[0], batch, zeros=True)
                edge_index = torch.stack([torch.arange(len(index)), index])
            elif graph_name is not None:
                edge_index = made[graph_name]

            if kind in MAKERS:
                made[layer["name"]] = make_graph(
                    layer, values[0], self.batch(values[0], batch, zeros=True))
                continue
            if kind == "Add":
                factors = layer.get("factors", [1] * len(values))
                scaled = [f * v if f != 1 else v for f, v in zip(factors, values)]
                last = sum(scaled[1:], scaled[0])
            elif kind == "Mul":
                last = torch.stack(values).prod(0)
            elif kind == "Concat":
                last = torch.cat(values, -1)
            elif kind == "JumpingKnowledge":
                last = module(values)
            elif kind in ACROSS_EDGES:
                last = across_edges(layer, module, values, edge_index,
                                    len(destinations))
            elif kind in POOLS:
                last = getattr(pyg, kind)(values[0], batch, size=count)
            elif kind == "SGFormerAttention":
                index = self.batch(values[0], batch, zeros=True)
                last = torch.zeros_like(module.v(values[0])).view(
                    len(index), module.heads, -1)[:, 0].clone()
                for number in index.unique():
                    # Padding has a part in its results: one graph at a time.
                    rows = values[0][index == number]
                    last[index == number] = module(rows[None])[0]
            elif kind in READOUTS:
                index = self.batch(values[0], batch, zeros=True)
                graphs = count if count is not None else (
                    1 if batch is None else len(index) and int(index[-1]) + 1)
                last = module(values[0], index, dim_size=graphs)
            elif kind in NORMS or layer.get("batch"):
                last = module(values[0], self.batch(values[0], batch))
            elif kind == "ClusterPool":
                last = locality.pool(values[0], inputs["cluster"],
                                     inputs.get("num_clusters"),
                                     layer.get("aggr", "mean"))
            elif kind == "ClusterUnpool":
                last = values[0][inputs["cluster"]]
            elif kind == "GraphEmbedding":
                graphs = count if count is not None else (
                    1 if batch is None else int(batch[-1]) + 1)
                last = module(torch.zeros(graphs, dtype=torch.int64))
            elif kind == "GatherGraphs":
                last = values[0][torch.zeros(len(destinations),
                                             dtype=torch.int64)
                                 if batch is None else batch]
            elif kind in OWN_POOLS:
                last = own_pool(kind, values[0], batch, count)
            elif kind == "PositionEmbedding":
                last = module(values[0],
                              batch if graph == "block_diagonal" else None)
            elif kind in ("TransformerEncoderLayer", "MultiheadAttention"):
                is_causal = layer.get("is_causal", False)
                weights = count_edges(edge_index, len(values[-1]),
                                      len(values[0]), is_causal)
                padding = inputs.get(layer.get("key_padding_mask"))
                if padding is not None:
                    padding = (padding != 0)[None]
                if "position" in layer:
                    last = attend_by_position(
                        layer, module, values, weights,
                        batch if graph == "block_diagonal" else None, padding)
                elif kind == "MultiheadAttention":
                    last = attend(module, values[0], values[-1], weights,
                                  padding)
                else:
                    # Listed edges, none of them twice.
                    is_listed = graph == "csr" and not on_clusters
                    hidden = weights == 0 if is_listed else mask
                    last = encode(module, values[0], hidden, is_causal, padding)
            elif kind in graph_transformers.LAYERS:
                last = module(values[0], edge_index, inputs[layer["edge_attr"]],
                              self.batch(values[0], batch, zeros=True))
            elif kind in graph_transformers.READERS:
                read = [inputs[layer[key]]
                        for key in graph_transformers.INPUTS[kind]
                        if key in layer]
                if kind == "GraphormerLayer":
                    read.insert(0, edge_index)
                elif kind == "GraphormerToken":
                    read = [batch if graph == "block_diagonal" else None]
                last = module(values[0], *read)
            elif isinstance(module, (pyg.MessagePassing, pyg.GPSConv,
                                    pyg.DirGNNConv, pyg.AntiSymmetricConv,
                                    schnet.InteractionBlock, LightGCN,
                                    *locality.CONVOLUTIONS)):
                rows = values[0] if len(values) == 1 else tuple(values)
                edge = {k: inputs[layer[k]]
                        for k in ("edge_weight", "edge_attr", "edge_type")
                        if k in layer}
                if "edge_attr" in edge and edge["edge_attr"].dim() == 1:
                    edge["edge_attr"] = edge["edge_attr"][:, None]
                if "lambda_max" in layer:
                    edge["lambda_max"] = layer["lambda_max"]
                if isinstance(module, (pyg.GPSConv, pyg.DynamicEdgeConv,
                                       pyg.GravNetConv)):
                    edge["batch"] = self.batch(rows, batch)
                if isinstance(module, (pyg.GCN2Conv, pyg.FAConv)):
                    edge["x_0"] = inputs[layer["initial"]]
                if isinstance(module, pyg.PointNetConv):
                    edge["pos"] = inputs[layer["pos"]] if "pos" in layer else rows
                    rows = rows if "pos" in layer else None
                if isinstance(module, pyg.HypergraphConv):
                    edge = {key: inputs[layer[key]]
                            for key in ("hyperedge_weight", "hyperedge_attr")
                            if key in layer}
                    if "hyperedge_weight" in edge:
                        edge["hyperedge_weight"] = edge["hyperedge_weight"].view(-1)
                    # Without, it is one more than the largest.
                    edge["num_edges"] = (len(inputs["x_dst"]) if "x_dst" in inputs
                                         else None)
                    edge["hyperedge_index"] = edge_index
                if isinstance(module, (pyg.PointTransformerConv, pyg.PointGNNConv)):
                    edge["pos"] = inputs[layer["pos"]]
                edges = edge_index
                if isinstance(module, pyg.EGConv) and module.add_self_loops:
                    # It would leave out nodes behind the last with an edge, as
                    # it does not where edges are a sparse tensor.
                    edges, _ = add_remaining_self_loops(edges,
                                                        num_nodes=len(rows))
                if not isinstance(module, (pyg.DynamicEdgeConv, pyg.GravNetConv,
                                           pyg.HypergraphConv)):
                    edge["edge_index"] = edges
                last = module(rows, **edge)
            else:
                last = module(*values)

            if on_clusters != (kind in ("ClusterPool", "ClusterUnpool")):
                of_clusters.append(last)
            if "name" in layer:
                inputs[layer["name"]] = last
            if (own_graph is not None or kind in ACROSS_EDGES) and (
                    kind != "AggregateEdges"):
                of_edges.append((last, graph_name))
        return last


def read(folder):
    """The model of a model folder with its weights, in eval mode."""
    folder = pathlib.Path(folder)
    model = Model(yaml.safe_load((folder / "model.yaml").read_text()))
    model.load_state_dict(
        safetensors.torch.load_file(folder / "model.safetensors"))
    return model.eval()


def flow(value):
    """`value` in YAML's flow style."""
    if isinstance(value, dict):
        items = (f"{k}: {flow(v)}" for k, v in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def write(folder, description, state, comment, metadata=None):
    """Writes a model folder: model.yaml and model.safetensors."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"# {comment}", f"name: {description['name']}"]
    if "graph" in description:
        lines.append(f"graph: {flow(description['graph'])}")
    for key in ("batch", "node_types", "edge_types", "metapaths", "output"):
        if key in description:
            lines.append(f"{key}: {flow(description[key])}")
    lines.append("inputs:")
    lines += [f"  - {flow(i)}" for i in description["inputs"]]
    lines.append("layers:")
    for layer in description["layers"]:
        if "nn" in layer:  # one line for each of the inner layers
            rest = [(k, v) for k, v in layer.items() if k != "nn"]
            lines += [("  - " if i == 0 else "    ") + f"{k}: {flow(v)}"
                      for i, (k, v) in enumerate(rest)]
            lines.append("    nn:")
            lines += [f"      - {flow(inner)}" for inner in layer["nn"]]
        elif "convs" in layer:  # and for each edge type
            rest = [(k, v) for k, v in layer.items() if k != "convs"]
            lines += [("  - " if i == 0 else "    ") + f"{k}: {flow(v)}"
                      for i, (k, v) in enumerate(rest)]
            lines.append("    convs:")
            lines += [f"      {k}: {flow(v)}"
                      for k, v in layer["convs"].items()]
        else:
            lines.append(f"  - {flow(layer)}")
    (folder / "model.yaml").write_text("\n".join(lines) + "\n")
    assert yaml.safe_load((folder / "model.yaml").read_text()) == description
    safetensors.torch.save_file(
        {k: v.detach().clone().contiguous() for k, v in state.items()},
        folder / "model.safetensors", metadata=metadata or None)
