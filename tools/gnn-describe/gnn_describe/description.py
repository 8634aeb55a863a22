"""Inputs and layers of a model.yaml, which grow with each call of a `forward`."""

import numbers

import torch

from .calls import FunctionCalls
from .errors import DescribeError
from .modules import ModuleCalls
from .values import Arguments, Batch, Graph, Rows

DTYPES = {torch.float32: "float32", torch.int32: "int32", torch.int64: "int64"}


class Description(ModuleCalls, FunctionCalls):
    """Grows by a layer for each call. The example has so many nodes and edges; `names`
    are those of its tensors and of the model's modules."""

    def __init__(self, names, nodes, edges):
        self.nodes = nodes
        self.edges = edges
        self.inputs = {}
        self.layers = []
        self.made = {}  # (layer's name, type and arguments) of each module
        self.single = set()  # results that are one row, of the whole graph
        self.renamed = {}  # what names of weights begin with, and are to
        self.used = set(names)
        self.along_edges = self.attends = False
        self.with_batch = self.without_batch = self.pools_all = False

    # ------------------------------------------------------------------- inputs

    def argument(self, name, value):
        """What an argument of the model's `forward` is."""
        if value is None or isinstance(value, (numbers.Number, str)):
            return value
        if not isinstance(value, torch.Tensor):
            return Arguments()
        if name == "edge_index":
            return Graph()
        if name == "batch":
            return Batch()
        if name not in self.inputs:
            self.inputs[name] = self.make_input(name, value)
        return Rows(name)

    def make_input(self, name, value):
        result = {"name": name}
        channels = list(value.shape[1:])
        result["channels"] = channels[0] if len(channels) == 1 else channels
        if value.dtype not in DTYPES:
            raise DescribeError(f"'{name}' of the example is of {value.dtype}; "
                                "inputs have to be of float32, int32 or int64")
        if value.dtype != torch.float32:
            result["dtype"] = DTYPES[value.dtype]
        count = value.size(0) if value.dim() else None
        if count == self.edges and (count != self.nodes or name.startswith("edge")):
            result["per"] = "edge"
        elif count != self.nodes:
            raise DescribeError(
                f"'{name}' of the example has the shape {list(value.shape)}, which "
                f"is neither a row for each of {self.nodes} nodes nor one for each "
                f"of {self.edges or 0} edges")
        return result

    # ------------------------------------------------------------------- layers

    def add(self, kind, inputs, arguments=None, name=None, weights=None, own=False):
        """A layer called `name`, or so that no other is; with `own` it has to be that,
        which its weights begin with. Its result."""
        wanted, number = name or kind.lower(), 1
        name = wanted
        while name in self.used and not own:
            name, number = f"{wanted}_{number}", number + 1
        self.used.add(name)
        shared = {} if weights is None else {"weights": weights}
        self.layers.append({"name": name, "type": kind, **shared,
                            "inputs": list(inputs), **(arguments or {})})
        if self.single.intersection(inputs):
            self.single.add(name)
        return Rows(name)

    def name(self, value):
        """The name of rows that a layer reads."""
        if not isinstance(value, Rows):
            raise DescribeError("a layer reads what is no rows of nodes, edges or "
                                "graphs")
        if value.factor == 1:
            return value.name
        return self.add("Add", [value.name], {"factors": [value.factor]},
                        "scaled").name

    def is_flat(self, name):
        """Whether a result is a number for each edge, rather than a row of one."""
        return any(layer["name"] == name and
                   layer["type"] in ("EdgeLength", "InnerProductDecoder")
                   for layer in self.layers)

    def edges_of(self, value):
        """The arguments by which a layer says along which edges it sends."""
        if not isinstance(value, Graph):
            raise DescribeError("a layer's edges are neither the edge_index of "
                                "forward nor what knn_graph or radius_graph makes; "
                                "change edges before they are given to the model")
        if value.name is not None:
            if value.name == "batch":
                self.with_batch = True
            return {"graph": value.name}
        self.along_edges = True
        return {}

    def read_graphs(self, value):
        """Notes of which graphs a readout makes rows."""
        if value is None:
            self.pools_all = True
        else:
            self.read_batch(value)

    def read_batch(self, value):
        """Notes whether a layer that keeps apart graphs is told of them."""
        if value is None:
            self.without_batch = True
        elif isinstance(value, Batch):
            self.with_batch = True
        else:
            raise DescribeError("the graphs of a batch are not the argument 'batch' "
                                "of forward")
