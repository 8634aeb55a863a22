"""Graphs: degrees, reversal, self loops, pairs of nodes."""

from .messages import MessageSteps
from .values import Graph, Tensor, is_float


class GraphSteps(MessageSteps):
    """What is computed of graphs, and graphs made of others."""

    def degree(self):
        graph = self.choose(self.graphs)
        side = self.random.choice(["dst", "src"])
        place = graph.destinations if side == "dst" else graph.sources
        element = self.random.choice(["f32", "f32", "i32", "i64", "f64"])
        name = f"degree {side}"
        if graph.destinations == graph.sources and self.random.random() < 0.2:
            name, element = "position", self.random.choice(["i32", "i64"])
        value = Tensor(None, place, (), element, 64, True)
        value.name = self.op(f"gnn.{name} {graph.name} : {graph.type} -> {value.type}")
        if is_float(element):
            # Divided by, it is at least one.
            a, b, c, d = (self.new_name() for _ in range(4))
            lines = [f"^bb0({a}: {element}):", f"{b} = arith.constant 1.0 : {element}",
                     f"{c} = arith.maximumf {a}, {b} : {element}",
                     f"{d} = arith.divf {b}, {c} : {element}",
                     f"gnn.yield {d} : {element}"]
            if self.random.random() < 0.4:
                lines[-2] = f"{d} = math.rsqrt {c} : {element}"
            value.name = self.op(
                f"gnn.update node({value.name} : {value.type}) {{indexing_maps = "
                f"[affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}} "
                f": {value.type}", region=lines)
            value.bound, value.is_exact = 1, False
        return self.keep(value)

    def some_edges(self, graph):
        values = self.edges(graph)
        return self.random.sample(values, min(len(values), self.random.randrange(3)))

    def turn(self):
        graph = self.choose([g for g in self.graphs if g.kind != "causal"])
        if not graph:
            return self.message()
        result = Graph(None, graph.topology, graph.sources, graph.destinations)
        self.values += self.rearrange("reverse", graph, result, self.some_edges(graph))
        self.graphs.append(result)
        return None

    def loops(self):
        graph = self.choose([g for g in self.graphs if g.kind == "csr"])
        if not graph:
            return self.message()
        edges = self.some_edges(graph)
        result = Graph(None, graph.topology, graph.destinations, graph.sources)
        if self.random.random() < 0.3:
            self.values += self.rearrange("remove_self_loops", graph, result, edges)
            self.graphs.append(result)
            return None
        fills = []
        for value in edges:
            fitting = [v for v in self.nodes(graph.destinations) if
                       (v.shape, v.element) == (value.shape, value.element)]
            fills.append(self.choose(fitting))
        edges = [v for v, f in zip(edges, fills) if f]
        fills = [f for f in fills if f]
        fill = (f" fill({', '.join(f.name for f in fills)} : "
                f"{', '.join(f.type for f in fills)})")
        mode = self.random.choice(["keep", "replace", "reuse"])
        moved = self.rearrange(f"add_self_loops {mode}", graph, result, edges, fill)
        for value, f in zip(moved, fills):
            value.bound = max(value.bound, f.bound)
            value.is_exact = value.is_exact and f.is_exact
        self.values += moved
        self.graphs.append(result)
        return None

    def spread(self):
        value = self.choose([v for v in self.edges() if v.element in ("f32", "f64") and
                             v.place.topology == "csr" and
                             self.count_elements(v.shape) <= 16])
        if not value:
            return self.message()
        graph = value.place
        n = self.op(f"gnn.num_nodes dst {graph.name} : {graph.type}")
        target = Graph(None, self.random.choice(["complete", "causal", "window<2>"]),
                       graph.destinations, graph.sources)
        target.name = self.op(f"gnn.make_graph {n}, {n} : (index, index) -> "
                              f"{target.type}")
        result = Tensor(None, target, value.shape, value.element, 2 * value.bound,
                        False)
        result.name = self.op(
            f"gnn.spread_edges {value.name} from {graph.name} to {target.name} : "
            f"{value.type}, {graph.type} to {target.type}")
        self.keep(result)
        self.graphs.append(target)
        return self.message(target, result)

    def keep_best(self):
        """A graph of the edges with the largest scores, which no rounding decides."""
        value = self.choose([v for v in self.edges() if v.is_exact and not v.shape and
                             v.element in ("f32", "f64")])
        if value:
            graph, element = value.place, value.element
            operands, a = f"edge({value.name} : {value.type})", self.new_name()
            arguments, maps, lines, score = [f"{a}: {element}"], 2, [], a
        else:
            graph = self.choose([g for g in self.graphs if g.kind != "coo"])
            rows = [self.choose([v for v in self.nodes(place) if v.is_exact and
                                 not v.shape and v.element == self.main])
                    for place in (graph.destinations, graph.sources)]
            if not all(rows):
                return self.convolve()
            element = self.main
            operands = " ".join(f"{role}({v.name} : {v.type})"
                                for role, v in zip(["dst", "src"], rows))
            a, b, score = (self.new_name() for _ in range(3))
            arguments, maps = [f"{a}: {element}", f"{b}: {element}"], 3
            kind = self.random.choice(["maximumf", "minimumf"])
            lines = [f"{score} = arith.{kind} {a}, {b} : {element}"]
        if self.random.random() < 0.5:
            i, j, same, none, other = (self.new_name() for _ in range(5))
            infinity = "0xFF800000" if element == "f32" else "0xFFF0000000000000"
            lines += [f"{i} = gnn.index dst", f"{j} = gnn.index src",
                      f"{same} = arith.cmpi eq, {i}, {j} : index",
                      f"{none} = arith.constant {infinity} : {element}",
                      f"{other} = arith.select {same}, {none}, {score} : {element}"]
            score = other
        result = Graph(None, graph.topology.replace(graph.topology.split(",")[0],
                                                    "csr", 1),
                       graph.destinations, graph.sources)
        result.name = self.op(
            f"gnn.top_k_graph {graph.name} {operands} {{indexing_maps = "
            f"[{', '.join(['affine_map<() -> ()>'] * maps)}], iterator_types = [], "
            f"k = {self.random.choice([1, 2, 3, 8, 40])}}} : {graph.type} -> "
            f"{result.type}",
            region=[f"^bb0({', '.join(arguments)}):", *lines,
                    f"gnn.yield {score} : {element}"])
        self.graphs.append(result)
        return self.convolve()

    def all_pairs(self):
        """Edges between all nodes of a graph, or those that are near."""
        graph = self.choose([g for g in self.graphs if g.destinations == g.sources])
        if not graph:
            return self.message()
        n = self.op(f"gnn.num_nodes dst {graph.name} : {graph.type}")
        kind = self.random.choice(["complete", "causal", "window<3>", "window<17>"])
        pairs = Graph(None, kind, graph.destinations, graph.sources)
        pairs.name = self.op(f"gnn.make_graph {n}, {n} : (index, index) -> "
                             f"{pairs.type}")
        self.graphs.append(pairs)
        return self.convolve()
