"""Attention: in its parts, fused, and of the largest scores only."""

from .messages import MessageSteps
from .values import LIMIT, Tensor


class AttentionSteps(MessageSteps):
    """gnn.edge_softmax, gnn.attention and gnn.edge_top_k."""

    def attend(self):
        """Attention in its parts: scores, softmax, weighted values, sum."""
        graph = self.choose(self.graphs)
        scores = None
        if self.random.random() < 0.3:
            scores = self.choose([v for v in self.edges(graph) if
                                  v.element in ("f32", "f64") and v.bound <= LIMIT])
        mask = self.random.random() < 0.3
        if not scores or mask:
            scores = self.message(graph, element=self.main, mask=mask)
            if mask:
                self.values.remove(scores)
        weights = Tensor(None, graph, scores.shape, scores.element, 1, False)
        weights.name = self.op(f"gnn.edge_softmax {graph.name}, {scores.name} : "
                               f"{graph.type}, {scores.type}")
        if self.random.random() < 0.3:
            self.keep(weights)
        sources = [v for v in self.roles(graph)[self.random.choice(
            ["src", "src", "src", "edge"])] if v.element == weights.element]
        value = self.choose([v for v in sources if
                             v.shape[:len(scores.shape)] == scores.shape])
        if not value:
            self.keep(weights)
            if not sources:
                return self.aggregate(weights, ["sum"])
            value = self.choose(sources)
            dims = [*scores.shape, *value.shape]
            inner = tuple(range(len(scores.shape), len(dims)))
        else:
            dims = list(value.shape)
            inner = tuple(range(len(dims)))
        if len(dims) > 3 or self.count_elements(dims) > 4096:
            return weights
        heads = tuple(range(len(scores.shape)))
        role = "edge" if value.is_edges else "src"
        chosen = [(role, value, inner), ("edge", weights, heads)]
        a, b, c = self.new_name(), self.new_name(), self.new_name()
        e = weights.element
        pair = [a, b] if self.random.random() < 0.5 else [b, a]
        lines = [f"^bb0({a}: {e}, {b}: {e}):",
                 f"{c} = arith.mulf {', '.join(pair)} : {e}", f"gnn.yield {c} : {e}"]
        message = Tensor(None, graph, dims, e, value.bound, False)
        everything = tuple(range(len(dims)))
        message.name = self.op(
            f"gnn.message {graph.name}{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, dims, everything)}], "
            f"iterator_types = [{self.write_iterators(dims, None)}]}} : "
            f"{graph.type} -> {message.type}", region=lines)
        result = self.aggregate(message, ["sum"])
        result.bound = value.bound
        return result

    def attention(self):
        """The fused op."""
        graph = self.choose(self.graphs)
        roles = self.roles(graph)
        chosen, dims, reduced = self.operands(roles)
        inner = self.shuffle(dims, reduced)
        lines, score = self.write_region(chosen, dims, reduced, self.main, graph,
                                         mask=self.random.random() < 0.2)
        heads = [dims[d] for d in inner]
        if score.element != self.main:
            return self.convolve()
        leading = self.choose([v for v in roles["src"] if
                               v.shape[:len(heads)] == tuple(heads)])
        leading = leading or self.choose(roles["src"])
        values, loops, total = self.operands(roles, leading, False)
        places = self.shuffle(loops, total)
        element = self.main
        body, result = self.write_region(values, loops, total, element, graph)
        shape = [loops[d] for d in places]
        fitting = self.fit(heads, shape)
        if fitting is None or result.element != element:
            return self.convolve()
        weight_map = ("affine_map<(" + ", ".join(f"d{d}" for d in range(len(shape))) +
                      ") -> (" + ", ".join(f"d{d}" for d in fitting) + ")>")
        value = Tensor(None, graph.destinations, shape, element, result.bound, False)
        value.name = self.new_name()
        text = [f"{value.name} = gnn.attention {graph.name}",
                f"  score{self.write_operands(chosen)} {{",
                *(f"    {line}" for line in lines), "  }",
                f"  value{self.write_operands(values)} {{",
                *(f"    {line}" for line in body), "  }",
                f"  {{score_maps = [{self.write_maps(chosen, dims, inner)}], "
                f"score_iterators = [{self.write_iterators(dims, reduced)}], "
                f"value_maps = [{self.write_maps(values, loops, places)}], "
                f"value_iterators = [{self.write_iterators(loops, total)}], "
                f"weight_map = {weight_map}}} : {graph.type} -> {value.type}"]
        self.ops.append(([value.name], text))
        return self.keep(value)

    def top_k(self):
        value = self.choose([v for v in self.edges() if v.is_exact and
                             v.element in ("f32", "f64")])
        if not value:
            return self.attend()
        graph = value.place
        kept = self.op(f"gnn.edge_top_k {graph.name}, {value.name} "
                       f"{{k = {self.random.choice([1, 2, 3, 8])}}} : {graph.type}, "
                       f"{value.type}")
        weights = Tensor(None, graph, value.shape, value.element, 1, False)
        weights.name = self.op(f"gnn.edge_softmax {graph.name}, {kept} : "
                               f"{graph.type}, {weights.type}")
        return self.keep(weights)
