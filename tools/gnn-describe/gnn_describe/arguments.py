"""The arguments of the constructor of a module, found in the module.

PyTorch and PyTorch Geometric keep most of them as attributes of the same name.
Where they do not, RECOVERED says how to get them back. Nothing is taken on trust:
a module is built from what was found, and has to be equal to the one at hand.
"""

import copy
import inspect
import math
import warnings

import torch
import torch_geometric.nn as pyg
from torch_geometric.nn import aggr
from torch_geometric.nn.resolver import activation_resolver

from .errors import DescribeError

# What changes neither results nor weights.
IRRELEVANT = {"device", "dtype", "cached", "dropout", "num_workers", "train_norm",
              "momentum", "inplace", "weight_initializer", "bias_initializer",
              "_weight", "_freeze", "sparse", "batch_first"}

# Attributes that say nothing of the arguments, or only what the state_dict has as well.
UNCOMPARED = {"training", "decomposed_layers", "explain", "init_avg_deg_lin",
              "init_avg_deg_log"}

# Numbers, names and flags are compared, and what is made of them.
SIMPLE = (bool, int, float, str, type(None))


def has_bias(module):
    return any("bias" in key.rsplit(".", 1)[-1] for key in module.state_dict())


def linears(network):
    """The linear layers of a network, of PyTorch or PyTorch Geometric."""
    return [part for part in network
            if isinstance(part, (torch.nn.Linear, pyg.Linear))]


def width(linear):
    """The channels that a linear layer reads, and those it makes."""
    return linear.weight.size(1), linear.weight.size(0)


def name_norm(norm, names):
    """The name that a layer's argument `norm` has for a module."""
    for name, kind in names.items():
        if isinstance(norm, kind):
            return name
    return None


def norm_of_batch(module):
    norm = module.norm if isinstance(module, pyg.DiffGroupNorm) else module.module
    return {"in_channels": norm.num_features // getattr(module, "groups", 1),
            "eps": norm.eps, "affine": norm.affine, "momentum": norm.momentum,
            "track_running_stats": norm.track_running_stats}


def of_gen(module):
    norms = {"batch": torch.nn.BatchNorm1d, "layer": torch.nn.LayerNorm,
             "instance": torch.nn.InstanceNorm1d}
    steps = linears(module.mlp)
    inside, outside = width(steps[0])
    found = {
        "bias": steps[0].bias is not None, "num_layers": len(steps),
        "msg_norm": hasattr(module, "msg_norm"),
        "edge_dim": (width(module.lin_edge)[0]
                     if hasattr(module, "lin_edge") else None),
    }
    if len(steps) > 1:
        found["expansion"] = outside // inside
        found["norm"] = next(filter(None, (name_norm(part, norms)
                                           for part in module.mlp)), None)
    for key in ("t", "p"):
        value = getattr(module.aggr_module, key, None)
        if value is not None:
            found[key] = value.item() if isinstance(value, torch.Tensor) else value
            found[f"learn_{key}"] = module.aggr_module.learn
    return found


def of_gps(module):
    norms = {"batch_norm": pyg.BatchNorm, "layer_norm": pyg.LayerNorm,
             "instance_norm": pyg.InstanceNorm, "graph_norm": pyg.GraphNorm,
             "pair_norm": pyg.PairNorm}
    norm = module.norm1
    found = {"norm": name_norm(norm, norms), **of_act(module.mlp[1])}
    if norm is not None:
        kwargs = arguments(norm)
        kwargs.pop("in_channels")
        found["norm_kwargs"] = kwargs or None
    if isinstance(module.attn, torch.nn.MultiheadAttention):
        without = module.attn.in_proj_bias is None
        found["attn_kwargs"] = {"bias": False} if without else None
    return found


def of_pna(module):
    scaled = module.aggr_module
    networks = [module.pre_nns[0], module.post_nns[0]]
    first, last = map(linears, networks)
    acts = [part for network in networks for part in network
            if not isinstance(part, (torch.nn.Linear, pyg.Linear))]
    return {"aggregators": names_of(scaled.aggr), "scalers": list(scaled.scaler),
            # What is made of it is in the state_dict.
            "deg": torch.ones(2, dtype=torch.long),
            "pre_layers": len(first), "post_layers": len(last),
            **(of_act(acts[0]) if acts else {})}


def as_given(conv):
    """A layer as it was before DirGNNConv copied it, which takes these from it."""
    conv = copy.deepcopy(conv)
    for key in ("add_self_loops", "root_weight"):
        if hasattr(conv, key):
            setattr(conv, key, True)
    return conv


def of_encoder_layer(module):
    activation = module.activation
    return {"d_model": module.self_attn.embed_dim,
            "nhead": module.self_attn.num_heads,
            "dim_feedforward": module.linear1.out_features,
            "layer_norm_eps": module.norm1.eps,
            "activation": {torch.nn.functional.relu: "relu",
                           torch.nn.functional.gelu: "gelu"}.get(
                               activation, activation),
            "dropout": module.dropout1.p,
            "bias": module.linear1.bias is not None,
            "batch_first": module.self_attn.batch_first}


def of_act(act):
    """The arguments `act` and `act_kwargs`."""
    if act is None:
        return {"act": None, "act_kwargs": None}
    named = name_activation(act)
    return {"act": named["type"], "act_kwargs": named.get("arguments")}


# Arguments that are not attributes of the same name, by class.
RECOVERED = {
    "AntiSymmetricConv": lambda m: of_act(m.act),
    "AttentionalAggregation": lambda m: {
        key: getattr(m, key) if getattr(m, mlp) is None else getattr(m, mlp)
        for key, mlp in (("gate_nn", "gate_mlp"), ("nn", "mlp"))},
    "BatchNorm": norm_of_batch,
    "CFConv": lambda m: {"in_channels": width(m.lin1)[0],
                         "num_filters": width(m.lin1)[1],
                         "out_channels": width(m.lin2)[1]},
    "ChebConv": lambda m: {"K": len(m.lins)},
    "DiffGroupNorm": norm_of_batch,
    "DirGNNConv": lambda m: {"conv": as_given(m.conv_in)},
    "FastRGCNConv": lambda m: {"root_weight": m.root is not None},
    "GATEConv": lambda m: {"in_channels": width(m.lin2)[0],
                           "out_channels": width(m.lin2)[1],
                           "edge_dim": width(m.lin1)[0] - width(m.lin2)[0]},
    "GCN2Conv": lambda m: {"shared_weights": m.weight2 is None,
                           **({"theta": math.expm1(m.beta), "layer": 1}
                              if m.beta != 1.0 else {})},
    "GENConv": of_gen,
    "GINConv": lambda m: {"eps": m.initial_eps,
                          "train_eps": isinstance(m.eps, torch.nn.Parameter)},
    "GINEConv": lambda m: {"eps": m.initial_eps,
                           "train_eps": isinstance(m.eps, torch.nn.Parameter),
                           "edge_dim": (None if m.lin is None
                                        else width(m.lin)[0])},
    "GMMConv": lambda m: {"root_weight": m.root is not None},
    "GPSConv": of_gps,
    "GaussianSmearing": lambda m: {"start": m.offset[0].item(),
                                   "stop": m.offset[-1].item(),
                                   "num_gaussians": m.offset.numel()},
    "GeneralConv": lambda m: {"l2_normalize": m.normalize_l2},
    "GravNetConv": lambda m: {"space_dimensions": width(m.lin_s)[1],
                              "propagate_dimensions": width(m.lin_h)[1]},
    "GRU": lambda m: {"input_size": m.input_size, "hidden_size": m.hidden_size,
                      "bias": m.bias},
    "InstanceNorm": lambda m: {"in_channels": m.num_features},
    "InteractionBlock": lambda m: {"hidden_channels": m.lin.in_features,
                                   "num_gaussians": m.mlp[0].in_features,
                                   "num_filters": m.mlp[0].out_features,
                                   "cutoff": m.conv.cutoff},
    "LayerNorm": lambda m: ({"bias": m.bias is not None}
                            if isinstance(m, torch.nn.LayerNorm) else {}),
    "MultiheadAttention": lambda m: {"bias": m.in_proj_bias is not None,
                                     "add_bias_kv": m.bias_k is not None},
    "PNAConv": of_pna,
    "RGCNConv": lambda m: {"root_weight": m.root is not None},
    "SGFormerAttention": lambda m: {"channels": m.q.in_features,
                                    "qkv_bias": m.q.bias is not None},
    "TransformerEncoderLayer": of_encoder_layer,
}

# Modules in the arguments that are not weights but what a message passing layer
# aggregates with.
AGGREGATIONS = {
    aggr.SumAggregation: "add", aggr.MeanAggregation: "mean",
    aggr.MaxAggregation: "max", aggr.MinAggregation: "min",
    aggr.MulAggregation: "mul", aggr.VarAggregation: "var",
    aggr.StdAggregation: "std",
}


def names_of(aggregation):
    """The name of an aggregation, or the names of several."""
    if isinstance(aggregation, (list, tuple)):
        return [names_of(one) for one in aggregation]
    if isinstance(aggregation, aggr.MultiAggregation):
        return [names_of(one) for one in aggregation.aggrs]
    return AGGREGATIONS.get(type(aggregation), aggregation)


def guess(module, parameter):
    """What an argument may have been, which `arguments` finds out."""
    missing = object()
    value = getattr(module, parameter.name, missing)
    if parameter.name == "bias":
        if value is missing:
            return has_bias(module)
        return value is not None and value is not False
    if parameter.name == "aggr" and value is None:
        return names_of(module.aggr_module)
    if value is not missing:
        return value
    if parameter.default is not parameter.empty:
        return parameter.default
    raise DescribeError(f"cannot tell the argument '{parameter.name}' of "
                        f"{type(module).__name__}, which keeps it nowhere")


def traits(module):
    """What a module and its parts are and were told, but for weights."""
    result = {}
    for path, part in module.named_modules():
        result[path] = type(part).__name__
        for key, value in vars(part).items():
            if (key.startswith("_") or key in UNCOMPARED or key in IRRELEVANT or
                    inspect.ismethod(value)):
                continue
            if isinstance(value, (list, tuple)):
                value = list(value)
            if callable(value) and not isinstance(value, torch.nn.Module):
                value = getattr(value, "__name__", type(value).__name__)
            elements = value if isinstance(value, list) else [value]
            if all(isinstance(each, SIMPLE) for each in elements):
                result[f"{path}.{key}".lstrip(".")] = value
    shapes = {f"{key} (its shape)": (None if isinstance(
        value, torch.nn.parameter.UninitializedParameter) else list(value.shape))
              for key, value in module.state_dict().items()}
    return {**result, **shapes}


def equal(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return (isinstance(a, (int, float)) and isinstance(b, (int, float)) and
                math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12))
    return a == b


def rebuild(module, found):
    """A module made from the arguments that were found."""
    # A constructor draws new weights, of networks it is given as well.
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return type(module)(**{key: copy.deepcopy(value)
                               for key, value in found.items()})


def find(module):
    """All arguments of the constructor, and its parameters by name."""
    kind = type(module)
    parameters = dict(inspect.signature(kind.__init__).parameters)
    parameters.pop("self")
    takes_more = any(p.kind == p.VAR_KEYWORD for p in parameters.values())
    parameters = {key: p for key, p in parameters.items()
                  if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and
                  key not in ("device", "dtype", "_weight", "_freeze")}
    recovered = RECOVERED.get(kind.__name__, lambda m: {})(module)
    found = {key: recovered[key] if key in recovered else guess(module, p)
             for key, p in parameters.items()}
    if takes_more and not parameters:  # of no names, as in recurrent layers
        return recovered, parameters
    if takes_more and isinstance(module, pyg.MessagePassing) and "aggr" not in found:
        # Of the class that all of these are, which a layer may tell several.
        several = isinstance(module.aggr, list)
        names = module.aggr if several else [module.aggr]
        if all(name in AGGREGATIONS.values() for name in names) and (
                not several or difference(module, found)):
            found["aggr"] = module.aggr
    return found, parameters


def difference(module, found):
    """What distinguishes a module from one made with these arguments, if anything."""
    try:
        ours = traits(rebuild(module, found))
    except Exception as error:  # whatever a constructor raises
        return f"made with {printed(found)} it fails: {error}"
    theirs = traits(module)
    for key in (*theirs, *ours):
        if not equal(ours.get(key), theirs.get(key)):
            return (f"its '{key}' is {theirs.get(key)}, and {ours.get(key)} in one "
                    f"made with {printed(found)}")
    return None


def printed(found):
    return ", ".join(f"{key}={type(value).__name__}(...)" if isinstance(
        value, torch.nn.Module) else f"{key}={value}" for key, value in found.items())


def arguments(module):
    """The arguments of the constructor of `module` that it needs to be what it is.

    Raises DescribeError where they cannot be told.
    """
    found, parameters = find(module)
    wrong = difference(module, found)
    if wrong is not None:
        raise DescribeError("cannot tell the arguments of "
                            f"{type(module).__name__}: {wrong}")
    needed = dict(found)
    for key, value in found.items():
        is_optional = (parameters and key not in parameters) or (
            key in parameters and
            parameters[key].default is not inspect.Parameter.empty)
        less = {name: each for name, each in needed.items() if name != key}
        # Without a second look, what is the default; networks have weights.
        if is_optional and (
                key in IRRELEVANT or
                (key in parameters and same_as_default(value,
                                                       parameters[key].default)) or
                difference(module, less) is None):
            needed = less
    return needed


def same_as_default(value, default):
    if isinstance(value, (torch.nn.Module, torch.Tensor)) or callable(value):
        return False
    if isinstance(value, (list, tuple)) and isinstance(default, (list, tuple)):
        return list(value) == list(default)
    return value is default or (type(value) is type(default) and value == default)


def name_activation(act):
    """{"type": the name of an activation, "arguments": {...}}."""
    if isinstance(act, str):
        return {"type": act.lower()}
    if not isinstance(act, torch.nn.Module):
        name = getattr(act, "__name__", "<lambda>")
        try:
            activation_resolver(name)
        except ValueError:
            raise DescribeError(f"the activation '{name}' is none of torch.nn; use "
                                "one of its modules, such as ReLU()") from None
        return {"type": name}
    found = arguments(act)
    name = type(act).__name__
    name = {"LeakyReLU": "leaky_relu"}.get(name, name.lower())
    return {"type": name, **({"arguments": found} if found else {})}
