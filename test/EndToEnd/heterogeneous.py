"""The reference for models with node types.

    model = HeterogeneousModel(yaml.safe_load(...))
    y = model({"x/paper": ..., "edge_index/author__writes__paper": ...})

As in reference.py every layer is PyTorch Geometric's class of that name. The
arrays become a HeteroData, as examples/heterogeneous/hetero_npz.py reads it.
"""

import numpy as np
import torch
import torch_geometric.nn as pyg
from torch_geometric.data import HeteroData
from torch_geometric.transforms import AddMetaPaths
from torch_geometric.utils import coalesce

import reference

ON_GRAPHS = {"HGTConv", "HANConv"}


def edge_types(description):
    """[(source, relation, destination)] and the topologies of those that say
    one."""
    types, topologies = [], {}
    for entry in description["edge_types"]:
        if isinstance(entry, dict):
            topologies[tuple(entry["type"])] = entry["graph"]
            entry = entry["type"]
        types.append(tuple(entry))
    return types, topologies


def load(description, arrays):
    """The HeteroData of arrays named ATTRIBUTE/TYPE, with meta-paths."""
    data = HeteroData()
    types, topologies = edge_types(description)
    for name, array in arrays.items():
        attribute, kind = name.split("/")
        key = tuple(kind.split("__")) if "__" in kind else kind
        if key not in types and isinstance(key, tuple):
            continue
        data[key][attribute] = torch.from_numpy(np.asarray(array))
    for node_type in description["node_types"]:
        data[node_type].num_nodes = data[node_type].x.size(0)
    for key, topology in topologies.items():
        allowed = reference.pairs(topology, data[key[2]].num_nodes,
                                  data[key[0]].num_nodes)
        destination, source = allowed.nonzero().t()
        data[key].edge_index = torch.stack([source, destination])
    if "metapaths" in description:
        paths = [[tuple(step) for step in path]
                 for path in description["metapaths"]]
        # The sparse product keeps some of the edges that are there twice, and
        # which ones is up to the library that multiplies.
        simple = data.clone()
        for key in types:
            simple[key].edge_index = coalesce(data[key].edge_index)
        simple = AddMetaPaths(paths)(simple)
        for key in simple.metapath_dict:
            data[key].edge_index = simple[key].edge_index
    return data


class LowRankHeteroLinear(torch.nn.Module):
    """W_t = W + U_t V_t for each node type t."""

    def __init__(self, in_channels, out_channels, rank, types, bias=True):
        super().__init__()
        self.weight = torch.nn.Parameter(
            torch.empty(out_channels, in_channels))
        self.u = torch.nn.ParameterDict(
            {t: torch.empty(out_channels, rank) for t in types})
        self.v = torch.nn.ParameterDict(
            {t: torch.empty(rank, in_channels) for t in types})
        self.bias = (torch.nn.Parameter(torch.empty(out_channels))
                     if bias else None)

    def forward(self, rows):
        result = {}
        for t, x in rows.items():
            y = x @ (self.weight + self.u[t] @ self.v[t]).T
            result[t] = y if self.bias is None else y + self.bias
        return result


class HeterogeneousModel(torch.nn.Module):
    def __init__(self, description):
        super().__init__()
        self.description = description
        self.steps = []
        for index, layer in enumerate(description["layers"]):
            module = self.build(layer)
            self.steps.append((layer, module))
            if module is not None:
                self.add_module(layer.get("name", f"unnamed{index}"), module)

    def build(self, layer):
        kind = layer["type"]
        args = {k: v for k, v in layer.items()
                if k not in reference.WIRING}
        if kind == "HeteroConv":
            convs = {tuple(key.split("__")): reference.build(conv)
                     for key, conv in layer["convs"].items()}
            return pyg.HeteroConv(convs, aggr=layer.get("aggr", "sum"))
        if kind in ON_GRAPHS:
            args["metadata"] = self.metadata(layer)
            return getattr(pyg, kind)(**args)
        if kind == "HeteroDictLinear":
            if "types" not in args and not isinstance(args["in_channels"],
                                                      dict):
                args["types"] = self.description["node_types"]
            return pyg.HeteroDictLinear(**args)
        if kind == "HeteroLinear":
            return pyg.HeteroLinear(
                num_types=len(self.description["node_types"]), **args)
        if kind == "LowRankHeteroLinear":
            return LowRankHeteroLinear(
                types=self.description["node_types"], **args)
        return reference.build(layer)

    def metadata(self, layer):
        types, _ = edge_types(self.description)
        for i, path in enumerate(self.description.get("metapaths", [])):
            types.append((path[0][0], f"metapath_{i}", path[-1][-1]))
        if layer.get("metadata"):
            nodes, chosen = layer["metadata"]
            return nodes, [tuple(t) for t in chosen]
        return self.description["node_types"], types

    def apply_layer(self, layer, module, values, data, find):
        kind, first = layer["type"], values[0]
        if kind == "HeteroConv":
            attributes = {}
            for key, conv in layer["convs"].items():
                key = tuple(key.split("__"))
                for name in ("edge_attr", "edge_weight"):
                    if name in conv:
                        attributes.setdefault(f"{name}_dict", {})[key] = find(
                            conv[name])[key]
            return module(first, data.edge_index_dict, **attributes)
        if kind in ON_GRAPHS:
            chosen = self.metadata(layer)[1]
            result = module(first, {t: data[t].edge_index for t in chosen})
            return {t: y for t, y in result.items() if y is not None}
        if kind == "RGCNConv":
            return self.apply_relations(module, first, data)
        if kind in reference.ACROSS_EDGES:
            return self.apply_across_edges(layer, module, values, data)
        if kind in ("HeteroDictLinear", "LowRankHeteroLinear"):
            return module(first)
        if kind == "HeteroLinear":
            index = {t: i for i, t in
                     enumerate(self.description["node_types"])}
            return {t: module(x, torch.full((len(x),), index[t]))
                    for t, x in first.items()}
        result = {}
        for t in first:
            rows = [value[t] for value in values]
            if kind == "Add":
                result[t] = sum(rows[1:], rows[0])
            elif kind == "Concat":
                result[t] = torch.cat(rows, -1)
            else:
                result[t] = module(rows[0])
        return result

    def apply_across_edges(self, layer, module, values, data):
        """From nodes to edges of one type, or back."""
        if kind := layer.get("edge_type"):
            kind = result = tuple(kind)
            rows = [values[0][kind[0]], values[-1][kind[2]]]
        else:
            (kind, attributes), = values[0].items()
            result, rows = kind[2], [attributes]
        return {result: reference.across_edges(
            layer, module, rows, data[kind].edge_index,
            data[kind[2]].num_nodes)}

    def apply_relations(self, module, rows, data):
        """A layer on the homogeneous graph: nodes of all types one after the
        other, edges numbered by their type."""
        graph = HeteroData()
        for kind, x in rows.items():
            graph[kind].x = x
        for key in edge_types(self.description)[0]:
            graph[key].edge_index = data[key].edge_index
        whole = graph.to_homogeneous()
        y = module(whole.x, whole.edge_index, whole.edge_type)
        return dict(zip(rows, y.split([len(x) for x in rows.values()])))

    def forward(self, arrays):
        data = load(self.description, arrays)
        values = {}
        for entry in self.description["inputs"]:
            name, t = entry["name"], entry["per"]
            t = t if isinstance(t, str) else tuple(t)
            values.setdefault(name, {})[t] = data[t][name]
        last = next(iter(values.values()))
        types = (self.description["node_types"] +
                 edge_types(self.description)[0])

        def find(name):
            if name in values:
                return values[name]
            whole, t = name.rsplit(".", 1)
            t = tuple(t.split("__")) if "__" in t else t
            return {t: values[whole][t]}

        for layer, module in self.steps:
            names = layer.get("inputs", layer.get("input"))
            names = [names] if isinstance(names, str) else names
            read = [find(n) for n in names] if names else [last]
            last = self.apply_layer(layer, module, read, data, find)
            # In the order of the types, and only those with a value.
            last = {t: last[t] for t in types if t in last}
            if "name" in layer:
                values[layer["name"]] = last
        name = self.description["layers"][-1].get("name", "output")
        output = self.description.get("output", name)
        outputs = [output] if isinstance(output, str) else output
        result = {}
        for name in outputs:
            found = last if name == "output" else find(name)
            whole = name if name in values or name == "output" else (
                name.rsplit(".", 1)[0])
            result.update({
                f"{whole}/{t if isinstance(t, str) else '__'.join(t)}": y
                for t, y in found.items()})
        return result
