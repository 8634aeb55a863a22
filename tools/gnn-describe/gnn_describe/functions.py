"""Layers for functions of PyTorch and PyTorch Geometric that `forward` calls."""

import torch
import torch.nn.functional as F
import torch_geometric.nn as pyg
import torch_geometric.utils as utils

# Functions and methods of one tensor: the layer, and its arguments in their order
# in the function, with their defaults there.
ACTIVATIONS = {
    "relu": ("ReLU", {}), "relu6": ("ReLU6", {}),
    "sigmoid": ("Sigmoid", {}), "tanh": ("Tanh", {}), "silu": ("SiLU", {}),
    "mish": ("Mish", {}), "selu": ("SELU", {}), "logsigmoid": ("LogSigmoid", {}),
    "hardsigmoid": ("Hardsigmoid", {}), "hardswish": ("Hardswish", {}),
    "tanhshrink": ("Tanhshrink", {}), "softsign": ("Softsign", {}),
    "elu": ("ELU", {"alpha": 1.0}), "celu": ("CELU", {"alpha": 1.0}),
    "leaky_relu": ("LeakyReLU", {"negative_slope": 0.01}),
    "gelu": ("GELU", {"approximate": "none"}),
    "hardtanh": ("Hardtanh", {"min_val": -1.0, "max_val": 1.0}),
    "softplus": ("Softplus", {"beta": 1.0, "threshold": 20.0}),
}

# What a layer does along its channels only.
OF_CHANNELS = {"softmax": "Softmax", "log_softmax": "LogSoftmax",
               "normalize": "Normalize"}

POOLS = {pyg.global_add_pool: "global_add_pool",
         pyg.global_mean_pool: "global_mean_pool",
         pyg.global_max_pool: "global_max_pool"}

REDUCES = {"sum": "add", "add": "add", "mean": "mean", "max": "max", "min": "min"}

# Functions that are kept whole: what they do inside is not followed.
WHOLE = (*POOLS, utils.scatter, pyg.knn_graph, pyg.radius_graph)

# What has the same elements as the tensor it is given.
SAME = {"contiguous", "clone", "detach"}

# What has them in other dimensions, of which those of one element do not count.
RESHAPES = {"squeeze", "unsqueeze", "view", "reshape", "flatten"}

# What else there is, by name, and the method of Description that describes it.
HANDLERS = {
    "scatter": "call_scatter", "getitem": "call_index",
    "__getitem__": "call_index", "index_select": "call_index",
    "cat": "call_concatenate", "concat": "call_concatenate",
    "concatenate": "call_concatenate",
    "add": "call_add", "iadd": "call_add",
    "sub": "call_subtract", "isub": "call_subtract",
    "mul": "call_multiply", "imul": "call_multiply",
    "truediv": "call_divide", "itruediv": "call_divide", "div": "call_divide",
    "neg": "call_negate", "stack": "call_stack", "norm": "call_norm",
    "sum": "call_sum", "mean": "call_mean", "knn_graph": "call_knn_graph",
    "radius_graph": "call_radius_graph", "dropout": "call_dropout",
    "alpha_dropout": "call_dropout", "feature_dropout": "call_dropout",
}

# Python's operators that change what is on their left.
IN_PLACE = {"iadd", "isub", "imul", "itruediv"}


def name_of(target):
    """What the documentation calls a function or method."""
    return target if isinstance(target, str) else getattr(target, "__name__",
                                                          str(target))


def out_of_place(name):
    """relu for relu_, which computes the same."""
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def is_torch(target):
    """Whether a function of that name is PyTorch's, or a method of a tensor."""
    if isinstance(target, str):
        return True
    name = name_of(target)
    return any(getattr(place, name, None) is target
               for place in (F, torch, torch.special, torch._C._nn))
