"""A program that is being made: its ops, arguments and values, and its text."""

import random
import re

from .values import HALVES, WIDE_WIDTHS, WIDTHS, Graph, Tensor, is_float


class Builder:
    """The function `forward` made by a seed: so far, only its arguments. An op is what
    it defines and its text."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.ops = []
        self.values = []
        self.graphs = []
        self.has_halves = self.random.random() < 0.2
        self.uses_halves = False
        self.widths = WIDE_WIDTHS if self.random.random() < 0.5 else WIDTHS
        self.main = "f64" if self.random.random() < 0.15 else "f32"
        self.make_arguments()

    # ------------------------------------------------------------------ text

    def new_name(self):
        self.count += 1
        return f"%v{self.count}"

    def use_halves(self):
        self.uses_halves = True

    def op(self, text, results=1, region=None, after=""):
        names = [self.new_name() for _ in range(results)]
        lines = [f"{', '.join(names)} = {text}"]
        if region is not None:
            lines[0] += " {"
            lines += [f"  {line}" for line in region]
            lines.append("}" + after)
        self.ops.append((names, lines))
        return names if results != 1 else names[0]

    def index(self, value):
        return self.op(f"arith.constant {value} : index")

    def constant_tensor(self, shape, element, scale=1.0):
        def numbers(shape):
            if not shape:
                if element == "i1":
                    return self.random.choice(["true", "false"])
                if not is_float(element):
                    return str(self.random.randrange(-3, 4))
                if element in HALVES:
                    return str(self.random.randrange(-4, 5) / 4)
                return f"{self.random.uniform(-scale, scale):.3f}"
            return "[" + ", ".join(numbers(shape[1:]) for _ in range(shape[0])) + "]"
        value = Tensor(None, None, shape, element, scale if is_float(element) else 3,
                       element not in ("f32", "f64"))
        content = "" if 0 in shape else numbers(shape)
        if self.random.random() < 0.05 and is_float(element):
            content = "0.5"
        value.name = self.op(f"arith.constant dense<{content}> : {value.type}")
        return value

    def text(self, results):
        """With these results and what they need."""
        needed = {value.name for value in results}
        needed.update(value.place.name for value in results if value.is_edges)
        body = []
        for names, lines in reversed(self.ops):
            if needed.isdisjoint(names):
                continue
            needed.update(re.findall(r"%\w+", "\n".join(lines)))
            body[:0] = [f"  {line}" for line in lines]
        arguments = ",\n    ".join(text for name, text in self.arguments
                                   if name in needed or name == "%g" or name == "%x")
        types, returned = [], []
        for value in results:
            name, kind = value.name, value.type
            if value.is_edges:
                graph = value.place
                kind = ("tensor<?x" + ("?x" if graph.is_dense else "") +
                        "".join(f"{size}x" for size in value.shape) +
                        f"{value.element}>")
                body.append(f"  {name}_t = gnn.edges_to_tensor {graph.name}, {name} : "
                            f"{graph.type}, {value.type} -> {kind}")
                name += "_t"
            if value.element in HALVES:
                wide = kind.replace(f"x{value.element}>", "xf32>")
                body.append(f"  {name}_f = arith.extf {name} : {kind} to {wide}")
                name, kind = f"{name}_f", wide
            types.append(kind + (' {gnn.axis = "any"}' if value.place else ""))
            returned.append((name, kind))
        body.append("  return " + ", ".join(name for name, _ in returned) + " : " +
                    ", ".join(kind for _, kind in returned))
        return (f"func.func @forward({arguments})\n    -> ({', '.join(types)}) {{\n" +
                "\n".join(body) + "\n}\n")

    # ------------------------------------------------------------- arguments

    def make_arguments(self):
        topology = self.random.choice(
            ["csr"] * 8 + ["coo"] + ["csr, bipartite"] * 3 +
            ["complete", "causal", "window<1>", "window<20>", "block_diagonal",
             "complete, bipartite"])
        is_bipartite = "bipartite" in topology
        sides = ("d", "s") if is_bipartite else ("n", "n")
        graph = Graph("%g", topology, *sides)
        self.topology = graph.kind
        self.arguments = [("%g", f"%g: {graph.type}")]

        def argument(name, place, shape):
            value = Tensor(f"%{name}", place, shape, "f32", 1.5, True)
            extra = ""
            if not is_bipartite and name == "x":
                extra = ', gnn.axis = "destination", gnn.graph = 0 : i64'
            self.arguments.append(
                (f"%{name}", f'%{name}: tensor<?x{"".join(f"{n}x" for n in shape)}f32> '
                 f'{{gnn.name = "{name}"{extra}}}'))
            return value

        if is_bipartite:
            self.values += [argument("x_src", "s", (6,)), argument("x_dst", "d", (4,))]
        else:
            self.values.append(argument("x", "n", (6,)))
        if graph.kind in ("csr", "coo"):
            edges = []
            for name, shape in (("edge_weight", ()), ("edge_attr", (3,))):
                if self.random.random() < 0.3:
                    continue
                a = argument(name, "edges", shape)
                value = Tensor(None, graph, shape, "f32", 1.5, True)
                value.name = self.op(
                    f"gnn.edges_from_tensor {graph.name}, {a.name} : {graph.type}, "
                    f"{a.type} -> {value.type}")
                edges.append(value)
            if graph.kind == "coo":
                sorted_graph = Graph(None, "csr", *sides)
                moved = self.rearrange("to_csr", graph, sorted_graph, edges)
                graph, edges = sorted_graph, moved
            self.values += edges
        self.graphs.append(graph)

    def rearrange(self, name, graph, result, edges, fill=""):
        """Makes `result` of `graph`, and returns edge values that follow."""
        moved = [Tensor(None, result, v.shape, v.element, v.bound, v.is_exact)
                 for v in edges]
        carried = ""
        if edges:
            carried = (f" edges({', '.join(v.name for v in edges)} : "
                       f"{', '.join(v.type for v in edges)}){fill}")
        types = ", ".join([result.type, *(v.type for v in moved)])
        names = self.op(f"gnn.{name} {graph.name}{carried} : {graph.type} -> {types}",
                        1 + len(edges))
        names = names if edges else [names]
        result.name = names[0]
        for value, name in zip(moved, names[1:]):
            value.name = name
        return moved

    # ---------------------------------------------------------------- values

    def any_element(self):
        if self.has_halves and self.random.random() < 0.3:
            return self.random.choice(HALVES)
        return self.random.choice(["f32", "f32", "f64", "i32", "i64", "i1"])

    def result_element(self, values):
        """Mostly what the operands have."""
        if self.random.random() < 0.12:
            return self.any_element()
        floats = [v.element for v in values if is_float(v.element)]
        return self.random.choice(floats) if floats else self.main

    def choose(self, values):
        """Recent ones more often."""
        if not values:
            return None
        if self.random.random() < 0.5:
            return self.random.choice(values[-3:])
        return self.random.choice(values)

    def any_width(self, rows=1):
        """The width of a matrix that has `rows` rows."""
        return self.random.choice([w for w in self.widths if w * rows <= 16640])

    def nodes(self, place=None):
        return [v for v in self.values if not v.is_edges and v.place is not None and
                (place is None or v.place == place)]

    def edges(self, graph=None):
        return [v for v in self.values if v.is_edges and
                (graph is None or v.place is graph)]

    def keep(self, value):
        if value not in self.values:
            self.values.append(value)
        return value

    @staticmethod
    def count_elements(dims):
        total = 1
        for size in dims:
            total *= max(size, 1)
        return total
