"""What programs compute with: scalars, tensors and graphs."""

import re

WIDTHS = [0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 32, 33, 64, 100]

# Around multiples of what vectors hold.
WIDE_WIDTHS = [1, 6, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 130,
               255, 256, 258]
FLOATS = ["f32", "f64", "f16", "bf16"]
HALVES = ["f16", "bf16"]

# Magnitudes that values are kept below.
LIMIT = 6.0


def is_float(element):
    return element in FLOATS


class Scalar:
    """A value in a region. `is_exact` says that it is not rounded anywhere."""

    def __init__(self, name, element, bound, is_exact):
        self.name = name
        self.element = element
        self.bound = bound
        self.is_exact = is_exact


class Tensor(Scalar):
    """A tensor with a row for each node of `place`, one for each edge of it where it
    is a Graph, or with no rows where it is None."""

    def __init__(self, name, place, shape, element, bound, is_exact):
        super().__init__(name, element, bound, is_exact)
        self.place = place
        self.shape = tuple(shape)

    @property
    def is_edges(self):
        return isinstance(self.place, Graph)

    @property
    def type(self):
        sizes = "".join(f"{size}x" for size in self.shape)
        if self.is_edges:
            return f"!gnn.edges<{sizes}{self.element}>"
        return f"tensor<{'' if self.place is None else '?x'}{sizes}{self.element}>"


class Graph:
    def __init__(self, name, topology, destinations, sources):
        self.name = name
        self.topology = topology
        self.destinations = destinations
        self.sources = sources

    @property
    def type(self):
        return f"!gnn.graph<{self.topology}>"

    @property
    def kind(self):
        return re.match(r"\w+", self.topology)[0]

    @property
    def is_dense(self):
        return self.kind in ("complete", "causal", "window")
