"""The layers that calls of modules become."""

import inspect
import numbers

import torch
import torch_geometric.nn as pyg
from torch_geometric.nn import aggr
from torch_geometric.nn.models.schnet import InteractionBlock

from . import layers
from .arguments import AGGREGATIONS
from .errors import DescribeError

# Arguments of a layer's `forward` that name rows, and what model.yaml calls them.
ROW_ARGUMENTS = {"edge_weight": "edge_weight", "edge_attr": "edge_attr",
                 "edge_type": "edge_type", "x_0": "initial", "pos": "pos"}

# Modules whose `forward` has an edge_index.
ALONG_EDGES = (pyg.MessagePassing, pyg.GPSConv, pyg.DirGNNConv,
               pyg.AntiSymmetricConv, InteractionBlock, pyg.InnerProductDecoder)

# Modules that keep apart the graphs of a batch, if they are told of it.
OF_BATCHES = (pyg.GPSConv, pyg.DynamicEdgeConv, pyg.GravNetConv, pyg.GraphNorm,
              pyg.InstanceNorm, pyg.PairNorm, pyg.MeanSubtractionNorm,
              pyg.GraphSizeNorm)

# Modules in which all rows of a sequence attend to each other.
ATTENTION = (torch.nn.MultiheadAttention, torch.nn.TransformerEncoderLayer)

# Modules that make rows of graphs.
READOUTS = (aggr.AttentionalAggregation, aggr.Set2Set)


class ModuleCalls:
    """The part of Description that describes calls of modules."""

    def call_module(self, path, module, call, args, kwargs, result):
        """A call of the module at `path`, the node `call` of the trace."""
        if isinstance(module, layers.IDENTITIES):
            return args[0]
        if isinstance(module, torch.nn.TransformerEncoder):
            return self.call_encoder(path, module, call, args, kwargs, result)
        bound = inspect.signature(module.forward).bind(*args, **kwargs)
        for name, parameter in bound.signature.parameters.items():
            if parameter.kind == parameter.VAR_KEYWORD:
                bound.arguments.update(bound.arguments.pop(name, {}))
        told = {key: value for key, value in bound.arguments.items()
                if value is not None}
        if isinstance(module, (torch.nn.Softmax, torch.nn.LogSoftmax)) and (
                module.dim not in (-1, result.dim() - 1)):
            raise DescribeError(f"a {type(module).__name__} is not along channels, the "
                                "last dimension")
        if isinstance(module, torch.nn.GRU) and result[0].size(
                1 if module.batch_first else 0) != 1:
            raise DescribeError("a GRU is called for more than one step")
        if isinstance(module, ATTENTION):
            self.check_sequence(module, result)
        if type(module) in AGGREGATIONS:
            if told.get("dim", 0) not in (0, -2):
                raise DescribeError("an aggregation is not along rows")
            return self.aggregate(told["x"], told.get("index"),
                                  AGGREGATIONS[type(module)])
        is_first = module not in self.made
        if is_first:
            self.made[module] = (path, layers.layer_of(module))
            self.renamed.update(layers.renamed_weights(path, module))
            if path in self.inputs:
                raise DescribeError(f"the module '{path}' has the name of an input; "
                                    "give one of them another")
        owner, layer = self.made[module]
        arguments = {key: value for key, value in layer.items() if key != "type"}
        inputs, wiring = self.wire(module, told)
        result = self.add(
            layer["type"], inputs, {**arguments, **wiring},
            path if is_first else call.name, own=is_first,
            weights=None if is_first or not module.state_dict() else owner)
        if isinstance(module, torch.nn.MultiheadAttention):
            return (result, None)
        if isinstance(module, torch.nn.GRU):
            return (result, result)
        return result

    @staticmethod
    def check_sequence(module, result):
        """All nodes have to be one sequence, rather than a batch of them."""
        attention = getattr(module, "self_attn", module)
        rows = result[0] if isinstance(result, tuple) else result
        if rows.dim() > 2 and rows.size(0 if attention.batch_first else 1) != 1:
            raise DescribeError(f"a {type(module).__name__} is called with more than "
                                "one sequence; the nodes have to be one")

    def call_encoder(self, path, module, call, args, kwargs, result):
        """A TransformerEncoder: its layers, one after the other."""
        if len(args) + len(kwargs) > 1:
            raise DescribeError("a TransformerEncoder is called with a mask, which no "
                                "layer of a model.yaml has")
        rows, = (*args, *kwargs.values())
        parts = [(f"{path}.layers.{index}", part)
                 for index, part in enumerate(module.layers)]
        if module.norm is not None:
            parts.append((f"{path}.norm", module.norm))
        for name, part in parts:
            rows = self.call_module(name, part, call, (rows,), {}, result)
        return rows

    def wire(self, module, told):
        """What the layer of a module reads, and the arguments that say so."""
        kind = type(module).__name__
        first = next(iter(told))
        told = dict(told)
        arguments = {}
        self.attends |= isinstance(module, ATTENTION)
        if isinstance(module, torch.nn.MultiheadAttention):
            return self.wire_attention(told)
        value = told.pop(first)
        if isinstance(value, (tuple, list)):
            inputs = [self.name(each) for each in value]
            if (isinstance(module, pyg.MessagePassing) and len(inputs) == 2 and
                    inputs[0] == inputs[1]):
                inputs = inputs[:1]
        else:
            inputs = [self.name(value)]
        if isinstance(module, (torch.nn.GRUCell, torch.nn.GRU)):
            if "hx" not in told:
                raise DescribeError(f"a {kind} is called without its hidden state")
            inputs.append(self.name(told.pop("hx")))
        if isinstance(module, pyg.MessageNorm):
            inputs.append(self.name(told.pop("msg")))
        if isinstance(module, ALONG_EDGES) and "edge_index" in told:
            arguments.update(self.edges_of(told.pop("edge_index")))
        for key, ours in ROW_ARGUMENTS.items():
            if key in told:
                arguments[ours] = self.name(told.pop(key))
        if isinstance(module, READOUTS):
            self.read_graphs(told.pop("index", None))
        elif isinstance(module, OF_BATCHES):
            self.read_batch(told.pop("batch", None))
        elif isinstance(module, pyg.LayerNorm):
            batch = told.pop("batch", None)
            if batch is not None and module.mode == "graph":
                self.read_batch(batch)
                arguments["batch"] = True
        # How many graphs there are the caller says in another way.
        told.pop("batch_size", None)
        told.pop("dim_size", None)
        if told.get("dim") in (0, -2):
            del told["dim"]
        for key in ("lambda_max", "is_causal", "sigmoid"):
            if isinstance(told.get(key), numbers.Number):
                arguments[key] = told.pop(key)
        for key, value in told.items():
            raise DescribeError(f"a {kind} is called with '{key}', which no layer of "
                                "a model.yaml has")
        return inputs, arguments

    def wire_attention(self, told):
        query, key, value = (self.name(told.pop(each))
                             for each in ("query", "key", "value"))
        told.pop("need_weights", None)
        if told or key != value:
            raise DescribeError(
                "a MultiheadAttention is called with " +
                (", ".join(f"'{each}'" for each in told) if told else
                 "values of other rows than its keys") +
                ", which no layer of a model.yaml has")
        return [key] if key == query else [key, query], {}
