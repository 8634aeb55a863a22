"""Writes the folder of a model of PyTorch Geometric, as gnn-compile takes it.

    from gnn_describe import describe
    describe(model, data, "folder")      # data: a Data, or a dict of tensors

The model's `forward` is followed on the example `data`: the layers it calls, with
the arguments they were made with, become `model.yaml`. The folder also gets the
weights (`model.safetensors`), the example (`graph.npz`) and what the model computes
of it (`expected.npz`), so that

    gnn-run folder --graph folder/graph.npz --check folder/expected.npz

compares the compiled model with this one. What cannot be described raises
DescribeError, and nothing is written.
"""

import pathlib

import numpy as np
import safetensors.torch
import torch
import yaml
from torch_geometric.data import HeteroData

from .description import Description
from .errors import DescribeError
from .forward import Interpreter, trace
from .values import Rows

__all__ = ["DescribeError", "describe"]

# Arrays that a graph file may have besides the inputs of a model.
OF_GRAPHS = ("edge_index", "batch", "num_nodes")
OF_NODES = ("y", "train_mask", "val_mask", "test_mask")


def describe(model, data, folder, name=None):
    """Writes the folder of a model, and returns the description as a dict.

    `data` holds the arguments of `forward` by their names; where `forward` takes a
    Data itself, this is it. Neither it nor the model changes: while the model is
    followed it is in eval mode. `name` is what the symbols of the library begin with,
    by default the name of the class.
    """
    if isinstance(data, HeteroData):
        raise DescribeError("the example has several types of nodes, of which models "
                            "are described by hand")
    data = copy_of(data)
    tensors = data if isinstance(data, dict) else data.to_dict()
    nodes, edges = sizes(tensors)
    modules = dict(model.named_modules())
    modes = {module: module.training for module in modules.values()}
    model.eval()
    try:
        traced, absent = trace(model, tensors)
        described = Description({*tensors, *modules}, nodes, edges)
        names = [call.meta["name"]
                 for call in traced.graph.find_nodes(op="placeholder")]
        with torch.no_grad():
            result, value = Interpreter(traced, described).run_all(
                tensors[name] if name in tensors else absent.get(name, data)
                for name in names)
    finally:
        for module, training in modes.items():
            module.training = training
    outputs, results = name_outputs(described, value, result)
    weights = name_weights(model, described.renamed)
    description = finish(described, outputs, weights,
                         name or type(model).__name__.lower())
    owners = [layer["name"] for layer in description["layers"] if "name" in layer]
    weights = {key: tensor for key, tensor in weights.items()
               if any(key.startswith(owner + ".") for owner in owners)}
    inputs = [each["name"] for each in description["inputs"]]
    arrays = {key: as_array(tensors[key]) for key in (*OF_GRAPHS, *inputs)
              if tensors.get(key) is not None and
              (key != "batch" or described.with_batch)}
    # Of which gnn-run tells the accuracy.
    arrays.update((key, as_array(tensors[key])) for key in OF_NODES
                  if key in tensors and len(tensors[key]) == nodes)
    write(pathlib.Path(folder), description, weights, arrays,
          dict(zip(output_names(description), results)))
    return description


def copy_of(data):
    """An example that a forward may change."""
    if not isinstance(data, dict):
        return data.clone()
    return {key: value.clone() if isinstance(value, torch.Tensor) else value
            for key, value in data.items()}


def as_array(value):
    return value.numpy(force=True) if isinstance(value, torch.Tensor) else (
        np.asarray(value))


def name_weights(model, renamed):
    """The weights, which are copies where one has two names."""
    weights = {}
    for key, tensor in model.state_dict().items():
        for old, new in renamed.items():
            if key.startswith(old):
                key = new + key[len(old):]
        weights[key] = tensor.detach().cpu().clone().contiguous()
    return weights


def sizes(tensors):
    """How many nodes and edges the example has."""
    edges = tensors.get("edge_index")
    if edges is not None and not (
            isinstance(edges, torch.Tensor) and edges.layout == torch.strided and
            edges.dim() == 2 and edges.size(0) == 2):
        raise DescribeError("'edge_index' of the example is no tensor of two rows, "
                            "sources and destinations; a sparse matrix has to be made "
                            "one first")
    nodes = tensors.get("num_nodes")
    if nodes is None:
        rows = next((tensors[key] for key in ("x", "z", "pos", "batch", *tensors)
                     if isinstance(tensors.get(key), torch.Tensor) and
                     tensors[key].dim() and not key.startswith("edge")), None)
        if rows is None:
            raise DescribeError("the example has no tensor with a row per node")
        nodes = rows.size(0)
    if nodes < 2:
        raise DescribeError("the example has less than two nodes, which do not show "
                            "what is done for each of them")
    return int(nodes), None if edges is None else edges.size(1)


def name_outputs(described, value, result):
    """The layers whose results `forward` returns, and what these are."""
    if isinstance(value, dict):
        value, result = list(value.values()), list(result.values())
    if isinstance(value, (tuple, list)):
        # Of several results some may be None.
        pairs = [(each, tensor) for each, tensor in zip(value, result)
                 if each is not None]
    else:
        pairs = [(value, result)]
    if not all(isinstance(each, Rows) for each, _ in pairs):
        raise DescribeError("forward returns something else than rows of nodes, "
                            "edges or graphs")
    names = [described.name(each) for each, _ in pairs]
    if any(name in described.inputs for name in names):
        raise DescribeError("forward returns one of its inputs")
    return names, [as_rows(tensor, name, described)
                   for name, (_, tensor) in zip(names, pairs)]


def as_rows(tensor, name, described):
    """A result as the compiled model has it: in rows, and no batch of one."""
    if tensor.dim() == 3 and tensor.size(0) == 1:
        tensor = tensor[0]
    if described.is_flat(name):
        return as_array(tensor.flatten())
    if tensor.dim() == 1:
        tensor = tensor[None] if name in described.single else tensor[:, None]
    return as_array(tensor)


def finish(described, outputs, weights, name):
    """The whole description, without what its reader finds by itself."""
    description = {"name": "".join(c if c.isalnum() else "-" for c in name)}
    if described.attends and not described.along_edges:
        description["graph"] = "complete"
    if described.with_batch and (described.without_batch or described.pools_all):
        raise DescribeError("some layers are given the graphs of a batch and others "
                            "are not; give 'batch' to all of them")
    # Without a batch in the file, all nodes are one graph to readouts.
    if described.without_batch and not described.pools_all:
        description["batch"] = False
    needed = find_needed(described.layers, outputs)
    if not needed:
        raise DescribeError("forward calls no layer")
    read = [each for layer in needed for each in named_in(layer)]
    description["inputs"] = [value for key, value in described.inputs.items()
                             if key in read]
    layers = []
    before = description["inputs"][0]["name"] if description["inputs"] else None
    for index, layer in enumerate(needed):
        layer = dict(layer)
        own = layer.pop("name")
        inputs = layer.pop("inputs")
        has_weights = any(key.startswith(own + ".") for key in weights)
        is_last = index + 1 == len(needed)
        by_name = read.count(own) - (
            not is_last and needed[index + 1]["inputs"] == [own])
        entry = {}
        if (has_weights or by_name or "weights" in layer or
                (own in outputs and not (is_last and outputs == [own]))):
            entry["name"] = own
        entry["type"] = layer.pop("type")
        if inputs != [before]:
            entry["input" if len(inputs) == 1 else "inputs"] = (
                inputs[0] if len(inputs) == 1 else inputs)
        layers.append({**entry, **layer})
        before = own
    description["layers"] = layers
    last = needed[-1]["name"]
    if outputs != [last]:
        description["output"] = outputs[0] if len(outputs) == 1 else outputs
    return description


def find_needed(layers, outputs):
    """The layers that outputs follow from."""
    wanted, needed = set(outputs), []
    for layer in reversed(layers):
        if layer["name"] in wanted:
            needed.insert(0, layer)
            wanted.update(named_in(layer))
    return needed


def named_in(layer):
    """The results that a layer reads, by name."""
    return [*layer["inputs"], *(layer[key] for key in
                                ("edge_weight", "edge_attr", "edge_type", "initial",
                                 "pos", "graph", "weights") if key in layer)]


def output_names(description):
    output = description.get("output")
    if output is None:
        return [description["layers"][-1].get("name", "output")]
    return [output] if isinstance(output, str) else output


class Dumper(yaml.SafeDumper):
    """Writes each list of scalars in one line, and repeats what is there twice."""

    def ignore_aliases(self, data):
        return True


def write(folder, description, weights, arrays, expected):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.yaml").write_text(yaml.dump(
        description, Dumper=Dumper, sort_keys=False, default_flow_style=None,
        width=88))
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    np.savez_compressed(folder / "graph.npz", **arrays)
    np.savez_compressed(folder / "expected.npz", **expected)
