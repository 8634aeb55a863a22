"""Message passing: messages, their aggregation, updates of nodes, layers in a loop."""

from .structured import StructuredOps
from .values import HALVES, Tensor, is_float


class MessageSteps(StructuredOps):
    """gnn.update, gnn.message, gnn.aggregate and gnn.message_aggregate."""

    def update(self, leading=None):
        leading = leading or self.choose(self.nodes())
        chosen, dims, reduced = self.operands({"node": self.nodes(leading.place)},
                                              leading)
        inner = self.shuffle(dims, reduced)
        element = self.result_element([c[1] for c in chosen])
        return self.write_update(leading.place, chosen, dims, inner, reduced, element)

    def roles(self, graph):
        return {"dst": self.nodes(graph.destinations), "src": self.nodes(graph.sources),
                "edge": self.edges(graph)}

    def message(self, graph=None, leading=None, element=None, steps=None, mask=False,
                aggregators=()):
        """A message, or what aggregators make of it."""
        graph = graph or self.choose(self.graphs)
        roles = self.roles(graph)
        chosen, dims, reduced = self.operands(roles, leading)
        inner = self.shuffle(dims, reduced)
        element = element or self.result_element([c[1] for c in chosen])
        lines, result = self.write_region(chosen, dims, reduced, element, graph, steps,
                                          mask)
        shape = [dims[d] for d in inner]
        value = Tensor(None, graph, shape, result.element, result.bound,
                       result.is_exact)
        attributes = (f"{{indexing_maps = [{self.write_maps(chosen, dims, inner)}], "
                      f"iterator_types = [{self.write_iterators(dims, reduced)}]}}")
        if aggregators:
            kinds = self.choose_aggregators(value)
            results = [self.aggregated(value, kind) for kind in kinds]
            names = self.op(
                f"gnn.message_aggregate [{', '.join(kinds)}] {graph.name}"
                f"{self.write_operands(chosen)} {attributes} : {graph.type} -> "
                f"{', '.join(v.type for v in results)}", len(kinds), region=lines)
            self.keep_aggregated(results, kinds, names if len(kinds) > 1 else [names])
            return None
        value.name = self.op(
            f"gnn.message {graph.name}{self.write_operands(chosen)} {attributes} : "
            f"{graph.type} -> {value.type}", region=lines)
        return self.keep(value)

    def choose_aggregators(self, value):
        kinds = ["max", "min"]
        if value.element == "i1":
            pass
        elif not is_float(value.element):
            kinds += ["sum", "mul"]
        elif value.element in HALVES:
            kinds += ["mean"]
        else:
            kinds += ["sum"] * 4 + ["mean"] * 3
            kinds += ["mul"] * (value.bound <= 1.01)
            kinds += ["var", "std"] * (value.bound <= 3)
            kinds += ["softmax"]
        return [self.random.choice(kinds) for _ in range(self.random.choice(
            [1, 1, 1, 1, 2, 3, 4]))]

    @staticmethod
    def aggregated(value, kind):
        bound = {"sum": 8 * value.bound, "var": value.bound**2}.get(kind, value.bound)
        if kind == "mul":
            bound = 1
        return Tensor(None, value.place.destinations, value.shape, value.element, bound,
                      value.is_exact and (kind in ("max", "min") or
                                          not is_float(value.element)))

    def aggregate(self, value=None, kinds=None):
        value = value or self.choose(self.edges())
        if not value:
            return self.convolve()
        graph = value.place
        kinds = kinds or self.choose_aggregators(value)
        results = [self.aggregated(value, kind) for kind in kinds]
        names = self.op(
            f"gnn.aggregate [{', '.join(kinds)}] {graph.name}, {value.name} : "
            f"{graph.type}, {value.type} -> {', '.join(v.type for v in results)}",
            len(kinds))
        self.keep_aggregated(results, kinds, names if len(kinds) > 1 else [names])
        return results[-1]

    def keep_aggregated(self, results, kinds, names):
        """A deviation of less than the root of 1e-5 is 0, so that rounding would decide
        between both: what is below 0.05 becomes 0.05."""
        for value, kind, name in zip(results, kinds, names):
            value.name = name
            if kind == "std":
                t = value.element
                inner = tuple(range(len(value.shape)))
                chosen = [("node", value, inner)]
                a, b, c = (self.new_name() for _ in range(3))
                value.name = self.op(
                    f"gnn.update{self.write_operands(chosen)} {{indexing_maps = "
                    f"[{self.write_maps(chosen, value.shape, inner)}], "
                    f"iterator_types = [{self.write_iterators(value.shape, None)}]}} : "
                    f"{value.type}", region=[
                        f"^bb0({a}: {t}):", f"{b} = arith.constant 0.05 : {t}",
                        f"{c} = arith.maximumf {a}, {b} : {t}", f"gnn.yield {c} : {t}"])
            self.keep(value)

    def convolve(self):
        if self.random.random() < 0.4:
            return self.message(aggregators=True)
        value = self.message()
        return self.aggregate(value)

    def repeat(self):
        """A step in a loop that carries rows, as often as nodes or a constant say."""
        a = self.choose([v for v in self.nodes() if v.element in ("f32", "f64") and
                         v.place == self.graphs[-1].destinations ==
                         self.graphs[-1].sources])
        if not a:
            return self.message()
        graph = self.graphs[-1]
        e = a.element
        dims = a.shape
        inner = tuple(range(len(dims)))
        zero, one = self.index(0), self.index(1)
        count = self.index(self.random.choice([0, 1, 2, 3]))
        i, row, x, y, z, h = (self.new_name() for _ in range(6))
        carried = Tensor(row, a.place, dims, e, a.bound, False)
        chosen = [("src", carried, inner)]
        kind = self.random.choice(["mean", "max", "min"])
        received, updated = self.new_name(), self.new_name()
        pair = [("node", Tensor(received, a.place, dims, e, 1, False), inner),
                ("node", carried, inner)]
        if self.random.random() < 0.5:
            pair[1] = ("node", a, inner)
        result = Tensor(None, a.place, dims, e, a.bound, False)
        result.name = self.op(
            f"scf.for {i} = {zero} to {count} step {one} iter_args({row} = {a.name}) "
            f"-> ({a.type})", region=[
                f"{received} = gnn.message_aggregate [{kind}] {graph.name}"
                f"{self.write_operands(chosen)} "
                f"{{indexing_maps = [{self.write_maps(chosen, dims, inner)}], "
                f"iterator_types = [{self.write_iterators(dims, None)}]}} : "
                f"{graph.type} -> {a.type} {{", f"  ^bb0({x}: {e}):",
                f"  gnn.yield {x} : {e}", "}",
                f"{updated} = gnn.update{self.write_operands(pair)} "
                f"{{indexing_maps = [{self.write_maps(pair, dims, inner)}], "
                f"iterator_types = [{self.write_iterators(dims, None)}]}} : "
                f"{a.type} {{",
                f"  ^bb0({y}: {e}, {z}: {e}):", f"  {h} = arith.constant 0.5 : {e}",
                f"  {h}s = arith.addf {y}, {z} : {e}",
                f"  {h}p = arith.mulf {h}s, {h} : {e}", f"  gnn.yield {h}p : {e}", "}",
                f"scf.yield {updated} : {a.type}"])
        return self.keep(result)
