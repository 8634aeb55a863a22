"""Layers of several steps, as models have them."""

from .linear import LinearSteps
from .values import LIMIT, Tensor


class LayerSteps(LinearSteps):
    """Attention of several heads, and several aggregations next to each other."""

    def split(self, value, heads):
        """Its columns as those of heads."""
        width = value.shape[0] // heads
        result = Tensor(None, value.place, (heads, width), value.element, value.bound,
                        value.is_exact)
        n = self.rows(value)
        result.name = self.op(
            f"tensor.expand_shape {value.name} [[0], [1, 2]] output_shape [{n}, "
            f"{heads}, {width}] : {value.type} into {result.type}")
        return result

    def write_scores(self, graph, a, b, scale):
        """Products of the rows of heads, some of them masked."""
        heads, width = a.shape
        e = a.element
        x, y, t, p, s, r, c, q = (self.new_name() for _ in range(8))
        mask = []
        if self.random.random() < 0.3 and graph.destinations == graph.sources:
            i, j, m, low = (self.new_name() for _ in range(4))
            mask = [f"{i} = gnn.index dst", f"{j} = gnn.index src",
                    f"{m} = arith.cmpi {self.random.choice(['sge', 'ne', 'eq'])}, "
                    f"{i}, {j} : index",
                    f"{low} = arith.constant 0x{self.infinity(e)} : {e}",
                    f"{q}m = arith.select {m}, {q}, {low} : {e}"]
        result = Tensor(None, graph, (heads,), e, LIMIT, False)
        dims, inner = [heads, width], (0, 1)
        chosen = [("dst", a, inner), ("src", b, inner)]
        result.name = self.op(
            f"gnn.message {graph.name}{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, dims, (0,))}], "
            f"iterator_types = [{self.write_iterators(dims, 1)}]}} : "
            f"{graph.type} -> {result.type}",
            region=[f"^bb0({x}: {e}, {y}: {e}, {t}: {e}):",
                    f"{p} = arith.mulf {x}, {y} : {e}",
                    f"{s} = arith.addf {t}, {p} : {e}",
                    f"{r} = gnn.reduced {s} : {e}",
                    f"{c} = arith.constant {scale:.4f} : {e}",
                    f"{q} = arith.mulf {r}, {c} : {e}", *mask,
                    f"gnn.yield {q}{'m' if mask else ''} : {e}"])
        return result

    def attend_heads(self):
        """Queries, keys and values of linear layers; what the heads find is added."""
        graph = self.choose(self.graphs)
        places = [graph.destinations, graph.sources]

        def rows(place, element=None):
            return self.choose([v for v in self.nodes(place) if len(v.shape) == 1 and
                                v.shape[0] and v.element in ("f32", "f64") and
                                v.bound <= LIMIT and element in (None, v.element)])
        a = rows(places[0])
        b = a and rows(places[1], a.element)
        if not b:
            return self.message()
        heads = self.random.randint(1, 17)
        width = self.random.choice([w for w in self.widths if 0 < w * heads <= 272])
        size = heads * width
        queries = self.split(self.multiply(a, size), heads)
        keys = self.split(self.multiply(b, size), heads)
        dims = [heads, width]
        # Of each head, or the same for all.
        values = (self.split(self.multiply(b, size), heads)
                  if self.random.random() < 0.5 else self.multiply(b, width))
        scores = self.write_scores(graph, queries, keys, 0.5 / max(1, width))
        weights = Tensor(None, graph, (heads,), a.element, 1, False)
        weights.name = self.op(f"gnn.edge_softmax {graph.name}, {scores.name} : "
                               f"{graph.type}, {scores.type}")
        inner = tuple(range(2 - len(values.shape), 2))
        chosen = [("src", values, inner), ("edge", weights, (0,))]
        x, y, z = (self.new_name() for _ in range(3))
        e = a.element
        text = (f"{self.write_operands(chosen)} "
                f"{{indexing_maps = [{self.write_maps(chosen, dims, (0, 1))}], "
                f"iterator_types = [{self.write_iterators(dims, None)}]}} : "
                f"{graph.type} -> ")
        message = Tensor(None, graph, dims, e, values.bound, False)
        message.name = self.op(
            f"gnn.message {graph.name}{text}{message.type}",
            region=[f"^bb0({x}: {e}, {y}: {e}):", f"{z} = arith.mulf {x}, {y} : {e}",
                    f"gnn.yield {z} : {e}"])
        found = Tensor(None, graph.destinations, dims, e, values.bound, False)
        found.name = self.op(f"gnn.aggregate [sum] {graph.name}, {message.name} : "
                             f"{graph.type}, {message.type} -> {found.type}")
        self.keep(found)
        flat = Tensor(None, found.place, (size,), e, found.bound, False)
        flat.name = self.op(f"tensor.collapse_shape {found.name} [[0], [1, 2]] : "
                            f"{found.type} into {flat.type}")
        into = a if self.random.random() < 0.5 else None
        result = self.multiply(flat, a.shape[0], into=into)
        return self.keep(self.scaled(result) if result.bound > LIMIT else result)

    def summarise(self):
        """Several aggregations of the same messages, side by side."""
        graph = self.choose(self.graphs)
        value = self.choose([v for v in self.roles(graph)["src"] if v.bound <= LIMIT and
                             len(v.shape) == 1 and v.shape[0] and
                             v.element in ("f32", "f64")])
        if not value:
            return self.message()
        kinds = ["sum", "mean", "max", "min"]
        self.random.shuffle(kinds)
        kinds = kinds[:self.random.randint(2, 4)]
        e, dims = value.element, list(value.shape)
        chosen = [("src", value, (0,))]
        weights = self.choose([v for v in self.edges(graph) if v.element == e and
                               v.shape in ((), value.shape)])
        x, y, z = (self.new_name() for _ in range(3))
        lines = [f"^bb0({x}: {e}):", f"gnn.yield {x} : {e}"]
        if weights:
            chosen.append(("edge", weights, tuple(range(len(weights.shape)))))
            lines = [f"^bb0({x}: {e}, {y}: {e}):", f"{z} = arith.addf {x}, {y} : {e}",
                     f"gnn.yield {z} : {e}"]
        bound = value.bound + (weights.bound if weights else 0)
        message = Tensor(None, graph, dims, e, bound, False)
        results = [self.aggregated(message, kind) for kind in kinds]
        names = self.op(
            f"gnn.message_aggregate [{', '.join(kinds)}] {graph.name}"
            f"{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, dims, (0,))}], "
            f"iterator_types = [{self.write_iterators(dims, None)}]}} : {graph.type} "
            f"-> {', '.join(v.type for v in results)}", len(kinds), region=lines)
        joined = None
        for v, name in zip(results, names):
            v.name = name
            self.keep(v)
            joined = self.join(joined, v) if joined else v
        if joined.bound > LIMIT:
            joined = self.scaled(joined)
        width = self.any_width(joined.shape[0])
        result = self.multiply(joined, width)
        return self.keep(self.scaled(result) if result.bound > LIMIT else result)
