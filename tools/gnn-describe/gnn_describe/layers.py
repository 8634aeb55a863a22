"""The entry of model.yaml for a module: its type and its arguments."""

import torch
import torch_geometric.nn as pyg

from . import functions
from .arguments import arguments, name_activation, names_of
from .errors import DescribeError

# Of which gnn-compile computes what they compute in eval mode: nothing.
IDENTITIES = (torch.nn.Dropout, torch.nn.Identity, torch.nn.AlphaDropout)

# Arguments that are networks, which model.yaml lists layer by layer.
NETWORKS = {"nn", "local_nn", "global_nn", "gate_nn", "pos_nn", "attn_nn", "mlp_h",
            "mlp_f", "mlp_g"}

# Layers among the models of PyTorch Geometric, of which all others are followed.
PARTS = {"CFConv", "GATEConv", "GaussianSmearing", "InteractionBlock",
         "JumpingKnowledge", "ShiftedSoftplus"}


def is_leaf(module):
    """Whether a module is a layer, rather than one with a `forward` to follow."""
    place = type(module).__module__
    if not isinstance(module, torch.nn.Module):
        return False
    if place.startswith("torch_geometric.nn.models."):
        return type(module).__name__ in PARTS
    return (place.startswith(("torch.nn.", "torch_geometric.")) and
            place != "torch_geometric.nn.sequential" and
            not isinstance(module, (torch.nn.Sequential, torch.nn.ModuleList,
                                    torch.nn.ModuleDict)))


def plain(value):
    """A value as YAML has it."""
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value


def network(module):
    """The layers of a network that is an argument: a Sequential, an MLP, or a layer."""
    if isinstance(module, pyg.MLP):
        return mlp(module)
    if isinstance(module, torch.nn.Sequential):
        return [layer_of(part) for part in module]
    if is_leaf(module):
        return [layer_of(module)]
    raise DescribeError(f"a network in the arguments of a layer is a "
                        f"{type(module).__name__}; it has to be a Sequential or an MLP")


def renamed_weights(path, module):
    """How what the names of weights begin with changes for a network that is a single
    layer, which a model.yaml lists as the first of a Sequential."""
    return {f"{path}.{key}.": f"{path}.{key}.0." for key in NETWORKS
            if is_leaf(getattr(module, key, None))}


def mlp(module):
    """The layers of an MLP, with their names in it."""
    layers = []
    for index, linear in enumerate(module.lins):
        layers.append({"name": f"lins.{index}", **layer_of(linear)})
        if index + 1 == len(module.lins) and module.plain_last:
            break
        norm = module.norms[index]
        steps = ([] if isinstance(norm, torch.nn.Identity) else
                 [{"name": f"norms.{index}", **layer_of(norm)}])
        if module.act is not None:
            steps.insert(0 if module.act_first else len(steps),
                         activation_layer(module.act))
        layers += steps
    return layers


def activation_layer(act):
    """The layer of an activation that is an object or a function."""
    if isinstance(act, torch.nn.Module):
        return layer_of(act)
    name = getattr(act, "__name__", str(act))
    if name not in functions.ACTIVATIONS:
        raise DescribeError(f"an activation is the function {name}; use a module of "
                            "torch.nn, such as ReLU()")
    return {"type": functions.ACTIVATIONS[name][0]}


def layer_of(module):
    """The entry of a module without its name and what it reads."""
    kind = type(module).__name__
    layer = {"type": kind}
    if isinstance(module, (torch.nn.Softmax, torch.nn.LogSoftmax)):
        return layer  # whose `dim` has to be that of channels
    if isinstance(module, IDENTITIES):
        return layer
    if isinstance(module, torch.nn.GRU):
        # Of one step, it is the cell of that name with the same weights.
        layer["type"] = "GRUCell"
        if module.num_layers > 1 or module.bidirectional:
            raise DescribeError("a GRU has several layers or two directions")
    for key, value in arguments(module).items():
        if key in ("aggr", "aggrs"):
            value = names_of(value)
        elif key in NETWORKS and value is not None:
            value = network(value)
        elif key in ("conv", "phi") and value is not None:
            value = layer_of(value)
        elif key == "act" and value is not None:
            act = name_activation(value)
            if "arguments" in act:
                raise DescribeError(f"the activation of a {kind} has arguments, "
                                    f"{act['arguments']}, for which it has no place")
            value = act["type"]
        elif key == "normalized_shape" and len(value) == 1:
            value = value[0]
        if isinstance(value, torch.Tensor):
            continue  # it is in the state_dict
        if isinstance(value, torch.nn.Module) or callable(value):
            raise DescribeError(f"the argument '{key}' of a {kind} is "
                                f"{type(value).__name__}, which a model.yaml has no "
                                "name for")
        layer[key] = plain(value)
    return layer
