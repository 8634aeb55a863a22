"""The layers that calls of functions and methods become."""

import numbers

import torch

from . import functions
from .errors import DescribeError
from .values import Arguments, Batch, Count, Ends, Graph, NodeNumbers, Rows

# Of a call that is described in another way, if at all.
UNKNOWN = object()


class FunctionCalls:
    """The part of Description that describes calls of functions, each in a method that
    functions.HANDLERS names."""

    def call_function(self, call, args, kwargs, shapes, result):
        """A call of a function or a method, whose tensors have `shapes`."""
        target = call.target
        name = functions.out_of_place(functions.name_of(target))
        if name == "arange" and isinstance(args[0], Count) and len(args) == 1:
            if result.numel() == self.nodes:
                return NodeNumbers()
        if isinstance(result, torch.Size) or not isinstance(
                result, (torch.Tensor, tuple, list, type(None))):
            return Count()
        if name in functions.ACTIVATIONS and functions.is_torch(target):
            return self.call_activation(name, args, kwargs)
        if name in functions.OF_CHANNELS and functions.is_torch(target):
            return self.call_of_channels(name, args, kwargs, shapes[0])
        if target in functions.POOLS:
            # How many graphs there are the caller of the library says.
            rows, batch, _ = self.take(args, kwargs, "x", "batch", size=None)
            return self.call_pool(functions.POOLS[target], rows, batch)
        if name in functions.HANDLERS:
            handler = getattr(self, functions.HANDLERS[name])
            answer = handler(args, kwargs, shapes, result)
            if answer is not UNKNOWN:
                return answer
        if name in functions.SAME or (name in functions.RESHAPES and
                                      self.is_same(args, shapes, result)):
            return args[0]
        raise DescribeError(f"forward calls '{name}', for which a model.yaml has no "
                            "layer in this place")

    def take(self, args, kwargs, *names, **optional):
        """Arguments by position or name, and no others."""
        given = {**dict(zip((*names, *optional), args)), **kwargs}
        values = [given.pop(name, optional.get(name))
                  for name in (*names, *optional)]
        given = {key: value for key, value in given.items()
                 if key not in ("size", "inplace", "dtype", "_stacklevel", "out",
                                "dim_size", "batch_size", "num_workers")
                 and value is not None}
        if given or len(args) > len(names) + len(optional):
            raise DescribeError("a function is called with " + (
                ", ".join(f"'{key}'" for key in given) or "more arguments") +
                                ", which no layer of a model.yaml has")
        return values

    @staticmethod
    def is_same(args, shapes, result):
        """Whether a result has the rows of the first argument, at most with
        dimensions of one element more or less."""

        def stripped(shape):
            return [size for size in shape if size != 1]

        return (bool(args) and isinstance(args[0], Rows) and
                isinstance(result, torch.Tensor) and
                stripped(shapes[0]) == stripped(result.shape))

    def call_activation(self, name, args, kwargs):
        kind, defaults = functions.ACTIVATIONS[name]
        rows, *values = self.take(args, kwargs, "input", **defaults)
        changed = {key: value for (key, default), value in
                   zip(defaults.items(), values) if value != default}
        return self.add(kind, [self.name(rows)], changed)

    def call_of_channels(self, name, args, kwargs, shape):
        if name == "normalize":
            rows, p, dim, eps = self.take(args, kwargs, "input", p=2.0, dim=1,
                                          eps=1e-12)
            if p != 2 or eps != 1e-12:
                raise DescribeError("'normalize' is of another norm than the "
                                    "Euclidean one, or has another eps")
        else:
            rows, dim = self.take(args, kwargs, "input", dim=None)
        if dim not in (-1, len(shape) - 1):
            raise DescribeError(f"'{name}' is not along channels, the last "
                                "dimension")
        return self.add(functions.OF_CHANNELS[name], [self.name(rows)])

    def call_pool(self, kind, rows, batch):
        self.read_graphs(batch)
        return self.add(kind, [self.name(rows)])

    def call_scatter(self, args, kwargs, shapes, result):
        rows, index, dim, _, reduce = self.take(args, kwargs, "src", "index", dim=0,
                                                dim_size=None, reduce="sum")
        if dim not in (0, -len(shapes[0])):
            raise DescribeError(f"'scatter' is along dimension {dim}, not along rows")
        return self.aggregate(rows, index, reduce)

    def aggregate(self, rows, index, reduce):
        """Rows of edges added up for destinations, or rows of nodes for graphs."""
        kind = functions.REDUCES.get(reduce)
        if kind is None or (kind == "min" and not isinstance(index, Ends)):
            raise DescribeError(f"rows are reduced by '{reduce}'; that has to be sum, "
                                "mean, max, or min for destinations of edges")
        if index is None or isinstance(index, Batch):
            return self.call_pool(f"global_{kind}_pool", rows, index)
        if not isinstance(index, Ends) or index.side != 1:
            raise DescribeError("rows are added up for something else than "
                                "edge_index[1] or batch")
        return self.add("AggregateEdges", [self.name(rows)],
                        {**({} if kind == "add" else {"aggr": kind}),
                         **self.edges_of(index.graph)})

    def call_index(self, args, kwargs, shapes, result):
        value, index = args[0], args[-1]
        if isinstance(value, Arguments):
            return self.argument(index, result)
        if isinstance(value, Graph) and index in (0, 1):
            return Ends(value, index)
        if isinstance(value, (tuple, list, dict)):
            return value[index]
        if isinstance(value, Rows) and isinstance(index, Ends):
            kind = "GatherDestinations" if index.side else "GatherSources"
            return self.add(kind, [self.name(value)], self.edges_of(index.graph))
        if isinstance(value, Rows) and isinstance(index, Batch):
            self.read_batch(index)
            return self.add("GatherGraphs", [self.name(value)])
        # A dimension of one element more or less; others choose among rows.
        parts = index if isinstance(index, tuple) else (index,)
        if isinstance(value, Rows) and all(
                part is None or part is Ellipsis or part == slice(None) or
                (isinstance(part, int) and part in (0, -1)) for part in parts) and (
                    self.is_same(args, shapes, result)):
            return value
        return UNKNOWN

    def call_dropout(self, args, kwargs, shapes, result):
        rows, p, training = self.take(args, kwargs, "input", p=0.5, training=True)
        if training and p:
            raise DescribeError("'dropout' is active in eval mode as well; give it "
                                "training=self.training")
        return rows

    def call_concatenate(self, args, kwargs, shapes, result):
        values, dim = self.take(args, kwargs, "tensors", dim=0)
        if dim not in (-1, result.dim() - 1) or result.dim() < 2:
            raise DescribeError("'cat' is not along channels, the last dimension")
        return self.add("Concat", [self.name(each) for each in values])

    def call_add(self, args, kwargs, shapes, result):
        return self.combine(args, kwargs, shapes, result, 1)

    def call_subtract(self, args, kwargs, shapes, result):
        return self.combine(args, kwargs, shapes, result, -1)

    def combine(self, args, kwargs, shapes, result, sign):
        left, right, alpha = self.take(args, kwargs, "input", "other", alpha=1)
        sign *= alpha
        if self.is_zero(left) and isinstance(right, Rows):  # of Python's sum
            return Rows(right.name, right.factor * sign)
        if self.is_zero(right) and isinstance(left, Rows):
            return left
        if not (isinstance(left, Rows) and isinstance(right, Rows)):
            raise DescribeError("rows are added to what is no rows")
        self.check_equal_shapes(shapes, result)
        factors = [left.factor, right.factor * sign]
        return self.add("Add", [left.name, right.name],
                        {} if factors == [1, 1] else {"factors": factors})

    @staticmethod
    def is_zero(value):
        return isinstance(value, numbers.Number) and value == 0

    def call_multiply(self, args, kwargs, shapes, result):
        left, right = self.take(args, kwargs, "input", "other")
        if isinstance(left, numbers.Number):
            left, right = right, left
        if isinstance(left, Rows) and isinstance(right, numbers.Number):
            return Rows(left.name, left.factor * right)
        if not (isinstance(left, Rows) and isinstance(right, Rows)):
            raise DescribeError("rows are multiplied by what is neither rows nor a "
                                "number")
        self.check_equal_shapes(shapes, result)
        product = self.add("Mul", [left.name, right.name])
        return Rows(product.name, left.factor * right.factor)

    def call_stack(self, args, kwargs, shapes, result):
        """The edges from nodes to the graphs of a batch."""
        values, dim = self.take(args, kwargs, "tensors", dim=0)
        if (dim == 0 and len(values) == 2 and isinstance(values[0], NodeNumbers) and
                isinstance(values[1], Batch)):
            return Graph("batch")
        return UNKNOWN

    def made_by(self, value, kind):
        """The layer that made rows, if it is of that type."""
        return next((layer for layer in self.layers if isinstance(value, Rows) and
                     layer["name"] == value.name and layer["type"] == kind), None)

    def ends_of(self, names):
        """What GatherSources and GatherDestinations, in either order, read: the
        inputs and arguments of a layer that reads the ends of edges itself."""
        sources, destinations = (
            next((layer for name in names
                  if (layer := self.made_by(Rows(name), kind))), None)
            for kind in ("GatherSources", "GatherDestinations"))
        if (sources is None or destinations is None or
                sources.get("graph") != destinations.get("graph")):
            return None
        inputs = sources["inputs"] + destinations["inputs"]
        graph = {"graph": sources["graph"]} if "graph" in sources else {}
        return inputs[:1] if inputs[0] == inputs[1] else inputs, graph

    def call_norm(self, args, kwargs, shapes, result):
        """The length of the difference of both ends of an edge."""
        rows, p, dim, _ = self.take(args, kwargs, "input", p=2, dim=None,
                                    keepdim=False)
        difference = self.made_by(rows, "Add")
        if (p not in (2, "fro") or dim not in (-1, 1) or rows.factor != 1 or
                difference is None or
                sorted(difference.get("factors", ())) != [-1, 1]):
            return UNKNOWN
        ends = self.ends_of(difference["inputs"])
        return UNKNOWN if ends is None else self.add("EdgeLength", *ends)

    def call_mean(self, args, kwargs, shapes, result):
        return self.call_reduction("mean", args, kwargs, shapes)

    def call_reduction(self, reduce, args, kwargs, shapes):
        """A sum or mean of all rows of nodes, which are one graph."""
        rows, dim, _ = self.take(args, kwargs, "input", dim=None, keepdim=False)
        if dim != 0 or len(shapes[0]) != 2 or shapes[0][0] != self.nodes:
            return UNKNOWN
        pooled = self.aggregate(rows, None, reduce)
        self.single.add(pooled.name)
        return pooled

    def call_sum(self, args, kwargs, shapes, result):
        """The dot product of both ends of an edge, or a sum of all rows."""
        rows, dim, _ = self.take(args, kwargs, "input", dim=None, keepdim=False)
        if dim == 0:
            return self.call_reduction("sum", args, kwargs, shapes)
        product = self.made_by(rows, "Mul")
        if product is None or dim not in (-1, 1) or rows.factor != 1:
            return UNKNOWN
        ends = self.ends_of(product["inputs"])
        if ends is None:
            return UNKNOWN
        return self.add("InnerProductDecoder", ends[0], {**ends[1],
                                                         "sigmoid": False})

    def call_divide(self, args, kwargs, shapes, result):
        left, right = self.take(args, kwargs, "input", "other")
        if isinstance(left, Rows) and isinstance(right, numbers.Number):
            return Rows(left.name, left.factor / right)
        raise DescribeError("rows are divided by what is no number")

    def call_negate(self, args, kwargs, shapes, result):
        if not isinstance(args[0], Rows):
            return UNKNOWN
        return Rows(args[0].name, -args[0].factor)

    @staticmethod
    def check_equal_shapes(shapes, result):
        """Layers combine rows of one shape."""
        if any(shape != result.shape for shape in shapes[:2]):
            raise DescribeError("rows of " + " and ".join(
                str(list(shape)) for shape in shapes[:2]) +
                                " are combined; layers combine rows of one shape")

    def call_knn_graph(self, args, kwargs, shapes, result):
        rows, k, batch, loop, flow, cosine = self.take(
            args, kwargs, "x", "k", batch=None, loop=False,
            flow="source_to_target", cosine=False)
        return self.make_graph("KNNGraph", rows, batch, flow,
                               {"k": k, "loop": loop, "cosine": cosine})

    def call_radius_graph(self, args, kwargs, shapes, result):
        rows, r, batch, loop, most, flow = self.take(
            args, kwargs, "x", "r", batch=None, loop=False, max_num_neighbors=32,
            flow="source_to_target")
        return self.make_graph("RadiusGraph", rows, batch, flow,
                               {"r": r, "loop": loop, "max_num_neighbors": most})

    def make_graph(self, kind, rows, batch, flow, arguments):
        if flow != "source_to_target":
            raise DescribeError(f"a {kind} has its edges in the other direction")
        self.read_batch(batch)
        arguments = {key: value for key, value in arguments.items()
                     if value not in (False,) and
                     (key, value) != ("max_num_neighbors", 32)}
        return Graph(self.add(kind, [self.name(rows)], arguments).name)
