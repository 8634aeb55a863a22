"""Follows a `forward`, and writes down the layers it is made of.

The module is traced with torch.fx, layers of PyTorch and PyTorch Geometric as a
whole, and what was recorded is run on example data. Beside each value that comes
out stands what model.yaml calls it.
"""

import contextlib
import functools
import inspect
import pathlib
import re
import sys
import traceback

import torch
import torch.fx
from torch_geometric.nn.aggr import Aggregation

from . import functions, layers
from .errors import DescribeError
from .values import Arguments, VALUES

HERE = pathlib.Path(__file__).parent


def parts(value):
    """All that a nested argument consists of."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [each for one in value for each in parts(one)]
    return [value]


@contextlib.contextmanager
def keep_whole(kept):
    """Has calls of some functions recorded, under whatever name a module knows them,
    instead of followed."""

    def recorded(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            for value in parts([args, kwargs]):
                if isinstance(value, torch.fx.Proxy):
                    return value.tracer.create_proxy("call_function", function,
                                                     args, kwargs)
            return function(*args, **kwargs)
        return call

    changed = []
    for function in kept:
        wrapper = recorded(function)
        for module in list(sys.modules.values()):
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if value is function and module is not functions:
                    changed.append((module, name, function))
                    setattr(module, name, wrapper)
    # It looks at dimensions before it calls the module, which is then recorded.
    checked_call = Aggregation.__call__
    Aggregation.__call__ = lambda self, *args, **kwargs: (
        torch.nn.Module.__call__(self, *args, **kwargs))
    try:
        yield
    finally:
        Aggregation.__call__ = checked_call
        for module, name, function in changed:
            setattr(module, name, function)


class Tracer(torch.fx.Tracer):
    def __init__(self):
        super().__init__()
        self.record_stack_traces = True

    def is_leaf_module(self, module, name):
        return layers.is_leaf(module)

    def _filter_traceback_frames(self, frames):
        # Otherwise only those from one called `forward` on.
        return frames


def trace(module, data):
    """The graph of calls of a forward, whose absent arguments have their defaults,
    and the names of its arguments with those defaults."""
    absent = {}
    names = inspect.signature(module.forward).parameters
    for parameter in names.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise DescribeError(f"forward takes *{parameter.name}; give it an "
                                "argument for each tensor")
        if parameter.name not in data and parameter.default is not parameter.empty:
            absent[parameter.name] = parameter.default
        elif parameter.name not in data and len(names) > 1:
            raise DescribeError(f"forward takes '{parameter.name}', which the example "
                                "does not have")
    tracer = Tracer()
    with keep_whole(functions.WHOLE):
        try:
            graph = tracer.trace(module, concrete_args=absent)
        except Exception as error:  # whatever a forward raises
            line = place([(frame.filename, frame.lineno) for frame in
                          traceback.extract_tb(error.__traceback__)])
            if isinstance(error, torch.fx.proxy.TraceError):
                raise DescribeError(
                    "forward decides by the values or shapes of its tensors what it "
                    f"computes, which a model.yaml cannot say{line}") from error
            raise DescribeError("forward cannot be followed: "
                                f"{str(error).splitlines()[0]}{line}") from error
    # The tracer gives arguments with defaults other names.
    for name, call in zip(names, graph.find_nodes(op="placeholder")):
        call.meta["name"] = name
    return torch.fx.GraphModule(module, graph), absent


class Interpreter(torch.fx.Interpreter):
    """Runs what was traced, and has it described call by call."""

    def __init__(self, traced, described):
        super().__init__(traced, garbage_collect_values=False)
        self.description = described
        self.meaning = {}  # of each node

    def mean(self, value):
        """What an argument of a call is called."""
        return torch.fx.node.map_aggregate(
            value, lambda each: self.meaning[each]
            if isinstance(each, torch.fx.Node) else each)

    def run_all(self, arguments):
        """What the last call yields, and what that is in the description."""
        arguments = iter(arguments)
        for node in self.module.graph.nodes:
            self.env[node] = (next(arguments) if node.op == "placeholder" else
                              self.run_node(node))
            try:
                self.meaning[node] = self.describe(node, self.env[node])
            except DescribeError as error:
                raise DescribeError(f"{error}{where(node)}") from error
            if self.is_in_place(node):
                self.meaning[node.args[0]] = self.meaning[node]
        return self.env[node], self.meaning[node]

    def is_in_place(self, node):
        """Whether a call changes its first argument, which later calls see."""
        if not node.args or not isinstance(node.args[0], torch.fx.Node):
            return False
        if node.op == "call_module":
            return getattr(self.fetch_attr(node.target), "inplace", False)
        if node.op not in ("call_function", "call_method"):
            return False
        name = functions.name_of(node.target)
        return (node.kwargs.get("inplace") or name in functions.IN_PLACE or
                (name.endswith("_") and not name.endswith("__")))

    def shape(self, node):
        value = self.env[node]
        return getattr(value, "shape", None)

    def describe(self, node, result):
        out = self.description
        args, kwargs = self.mean(tuple(node.args)), self.mean(dict(node.kwargs))
        if node.op == "placeholder":
            # What nothing reads is no input.
            return out.argument(node.meta["name"], result) if node.users else None
        if node.op == "output":
            return args[0]
        if node.op == "get_attr":
            return result
        if node.op == "call_module":
            return out.call_module(node.target, self.fetch_attr(node.target), node,
                                   args, kwargs, result)
        if node.target is getattr and isinstance(args[0], Arguments):
            return out.argument(args[1], result)
        if not any(isinstance(each, VALUES) for each in parts([args, kwargs])):
            return result
        shapes = [self.shape(each) if isinstance(each, torch.fx.Node) else None
                  for each in node.args]
        return out.call_function(node, args, kwargs, shapes, result)


def where(node):
    """The line of a call, if the tracer knows it."""
    trace = node.stack_trace if node.op.startswith("call") else None
    return place(re.findall(r'File "([^"]*)", line (\d+)', trace or ""))


def place(lines):
    """The innermost of some lines that is the user's, as the end of a sentence."""
    lines = [(pathlib.PurePath(file), number) for file, number in lines
             if "/torch/" not in file and pathlib.Path(file).parent != HERE]
    return f" ({lines[-1][0].name}, line {lines[-1][1]})" if lines else ""
