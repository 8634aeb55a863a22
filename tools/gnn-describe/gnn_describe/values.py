"""What a value of a `forward` is in a model.yaml."""


class Rows:
    """A tensor with a row per node, edge or graph: `factor` times the one of that
    name. Only sums have a place for the factor."""

    def __init__(self, name, factor=1):
        self.name = name
        self.factor = factor


class Graph:
    """The `edge_index` of the model, or one that the layer `name` makes."""

    def __init__(self, name=None):
        self.name = name


class Ends:
    """Row 0 (sources) or 1 (destinations) of an edge_index."""

    def __init__(self, graph, side):
        self.graph = graph
        self.side = side


class Batch:
    """The number of each node's graph."""


class Arguments:
    """The Data that `forward` takes its tensors from."""


class Count:
    """A number or the like that follows from the example, and not from the model."""


class NodeNumbers:
    """0, 1, ... for as many as there are nodes."""


VALUES = (Rows, Graph, Ends, Batch, Arguments, Count, NodeNumbers)
