"""Compares compiled random programs with the interpreter.

    random-programs.py --tools BIN --graphs GRAPHS --scratch PREFIX [--first SEED]
                       [--seeds N] [--targets TARGET,...] [--settings N]
                       [--filter REGEX] [--print]

Each seed makes a function of the gnn dialect out of steps that models are made of:
messages, aggregations, attention, linear layers, what is done to rows, loops and
reversals of graphs. It is compiled by default and with N random settings of
gnn-compile, in which about half of its switches are off, for each target, and compared
with what gnn-interpret makes of it as the tests in test/Differential are, on one thread
and on two, on some of their graphs. Programs whose text REGEX is not found in are
left out, and with --print they are only printed.

Of a program that fails, the fewest results and switches that suffice are sought, and
what is left is written to PREFIX.SEED.small.mlir.

Values stay moderate and are not compared with each other unless they are exact, so
that rounding makes no difference that counts.
"""

import argparse
import itertools
import pathlib
import platform
import random
import re
import shlex
import sys

from commands import run
from switches import find_flags, minimise

COMPARE = (pathlib.Path(__file__).parents[1] / "Differential" / "Inputs" /
           "compare.py")

SQUARE = ["duplicates", "loops", "isolated", "hub", "no-edges", "one-node",
          "one-node-loop", "empty", "random", "large"]
NODES = ["isolated", "one-node", "empty", "karate", "large"]
BIPARTITE = ["bipartite", "bipartite-isolated", "bipartite-no-edges",
             "bipartite-no-sources", "bipartite-no-destinations"]
WIDTHS = [0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 32, 33, 64, 100]
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


class Region:
    """Writes scalar ops."""

    def __init__(self, program, scalars, has_edges=False):
        self.program = program
        self.random = program.random
        self.scalars = list(scalars)
        self.has_edges = has_edges
        self.lines = []

    def op(self, text, element, bound, is_exact):
        name = self.program.new_name()
        self.lines.append(f"{name} = {text}")
        return Scalar(name, element, bound, is_exact)

    def index(self, text):
        return self.op(text, "index", 1, True)

    def constant(self, value, element):
        if is_float(element):
            value = float(value)
        elif element == "i1":
            value = "true" if value else "false"
            return self.op(f"arith.constant {value}", element, 1, True)
        return self.op(f"arith.constant {value} : {element}", element,
                       abs(float(value)), True)

    def cast(self, a, element):
        """`a` as another type; integers are made small before they become floats."""
        if a.element == element:
            return a
        old = a.element
        if is_float(old) and is_float(element):
            widths = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
            if widths[old] == widths[element]:
                return self.cast(self.cast(a, "f32"), element)
            name = "extf" if widths[old] < widths[element] else "truncf"
            if element in HALVES:
                self.program.use_halves()
            return self.op(f"arith.{name} {a.name} : {old} to {element}", element,
                           a.bound, a.is_exact)
        if is_float(old):
            if element == "i1":
                zero = self.constant(0.3, old)
                return self.op(f"arith.cmpf ogt, {a.name}, {zero.name} : {old}", "i1",
                               1, True)
            return self.op(f"arith.fptosi {a.name} : {old} to {element}", element,
                           a.bound, True)
        if is_float(element):
            if old == "i1":
                return self.op(f"arith.uitofp {a.name} : i1 to {element}", element, 1,
                               True)
            if old == "index":
                return self.cast(self.cast(a, "i32"), element)
            mask = self.constant(3, old)
            b = self.op(f"arith.andi {a.name}, {mask.name} : {old}", old, 3, True)
            return self.op(f"arith.sitofp {b.name} : {old} to {element}", element, 3,
                           True)
        widths = {"i1": 1, "i8": 8, "i32": 32, "i64": 64}
        if "index" in (old, element):
            if "i1" in (old, element):
                return self.cast(self.cast(a, "i32"), element)
            return self.op(f"arith.index_cast {a.name} : {old} to {element}", element,
                           a.bound, True)
        if widths[old] < widths[element]:
            name = "extui" if old == "i1" else self.random.choice(["extsi", "extui"])
        else:
            name = "trunci"
        return self.op(f"arith.{name} {a.name} : {old} to {element}", element,
                       a.bound if old != "i1" else 1, True)

    def can_cast(self, a, element):
        return is_float(a.element) <= (is_float(element) or a.is_exact)

    def pick(self, element):
        """Some scalar as this type."""
        fitting = [a for a in self.scalars if self.can_cast(a, element)]
        same = [a for a in fitting if a.element == element]
        if same and self.random.random() < 0.8:
            return self.random.choice(same)
        if fitting and self.random.random() < 0.9:
            return self.cast(self.random.choice(fitting), element)
        return self.constant(self.random.choice([0.5, 1, 0.25, 2])
                             if is_float(element) else self.random.randrange(3),
                             element)

    def condition(self):
        """A comparison of what is exact."""
        exact = [a for a in self.scalars if a.is_exact and a.element != "i1"]
        bools = [a for a in self.scalars if a.element == "i1"]
        if bools and (not exact or self.random.random() < 0.4):
            return self.random.choice(bools)
        if not exact:
            return self.constant(self.random.randrange(2), "i1")
        a = self.random.choice(exact)
        same = [b for b in exact if b.element == a.element]
        if self.random.random() < 0.5:
            b = self.random.choice(same)
        else:
            b = self.constant(self.random.choice([0, 0.25, 1])
                              if is_float(a.element) else self.random.randrange(4),
                              a.element)
        if is_float(a.element):
            kind = self.random.choice(["ogt", "olt", "oge", "ole", "ogt", "une", "oeq"])
            return self.op(f"arith.cmpf {kind}, {a.name}, {b.name} : {a.element}", "i1",
                           1, True)
        kind = self.random.choice(["sgt", "slt", "sge", "sle", "eq", "ne", "ult"])
        return self.op(f"arith.cmpi {kind}, {a.name}, {b.name} : {a.element}", "i1", 1,
                       True)

    def settle(self, a):
        """`a`, or less where it is large."""
        if not is_float(a.element) or a.bound <= LIMIT:
            return a
        if self.random.random() < 0.5:
            return self.op(f"math.tanh {a.name} : {a.element}", a.element, 1, False)
        scale = 1.0
        while a.bound * scale > LIMIT:
            scale /= 2
        b = self.constant(scale, a.element)
        return self.op(f"arith.mulf {a.name}, {b.name} : {a.element}", a.element,
                       a.bound * scale, a.is_exact and a.element not in HALVES)

    def float_step(self, element):
        e = element
        a = self.pick(e)

        def op(text, bound, is_exact=False):
            return self.op(f"{text} : {e}", e, bound, is_exact)

        def number(value):
            return self.constant(value, e).name

        kind = self.random.choice([
            "add", "add", "sub", "mul", "mul", "max", "min", "relu", "leaky", "select",
            "tanh", "sigmoid", "exp", "abs", "neg", "sqrt", "log", "sin", "erf",
            "rsqrt", "div", "fma", "scale", "expm1", "gelu", "cast", "clamp", "square"])
        if kind in ("add", "sub", "mul", "max", "min"):
            b = self.pick(e)
            name = {"max": self.random.choice(["maximumf", "maxnumf"]),
                    "min": self.random.choice(["minimumf", "minnumf"])}.get(
                        kind, kind + "f")
            bound = {"mul": a.bound * b.bound, "max": max(a.bound, b.bound),
                     "min": max(a.bound, b.bound)}.get(kind, a.bound + b.bound)
            return op(f"arith.{name} {a.name}, {b.name}", bound,
                      kind in ("max", "min") and a.is_exact and b.is_exact)
        if kind == "relu":
            return op(f"arith.maximumf {a.name}, {number(0)}", a.bound, a.is_exact)
        if kind == "leaky":
            zero = number(0)
            slope = number(self.random.choice([0.25, 0.2, 0.01]))
            low = op(f"arith.mulf {a.name}, {slope}", a.bound)
            condition = self.op(f"arith.cmpf ogt, {a.name}, {zero} : {e}", "i1", 1,
                                False)
            return op(f"arith.select {condition.name}, {a.name}, {low.name}", a.bound)
        if kind == "select":
            condition = self.condition()
            b = self.pick(e)
            return op(f"arith.select {condition.name}, {a.name}, {b.name}",
                      max(a.bound, b.bound), a.is_exact and b.is_exact)
        if kind in ("tanh", "sin", "erf"):
            return op(f"math.{kind} {a.name}", 1)
        if kind == "sigmoid":
            negative = op(f"arith.negf {a.name}", a.bound)
            power = op(f"math.exp {negative.name}", 1)
            one = number(1)
            total = op(f"arith.addf {one}, {power.name}", 1)
            return op(f"arith.divf {one}, {total.name}", 1)
        if kind in ("exp", "expm1"):
            least = op(f"arith.minimumf {a.name}, {number(1)}", a.bound)
            return op(f"math.{kind} {least.name}", 2.72)
        if kind == "abs":
            return op(f"math.absf {a.name}", a.bound, a.is_exact)
        if kind == "neg":
            return op(f"arith.negf {a.name}", a.bound, a.is_exact)
        if kind in ("sqrt", "log", "rsqrt", "div", "square"):
            square = op(f"arith.mulf {a.name}, {a.name}", a.bound**2)
            if kind == "square":
                return square
            more = op(f"arith.addf {square.name}, {number(1)}", a.bound**2 + 1)
            if kind == "div":
                return op(f"arith.divf {self.pick(e).name}, {more.name}", LIMIT)
            return op(f"math.{kind} {more.name}", a.bound + 1)
        if kind == "fma":
            b, c = self.pick(e), self.pick(e)
            return op(f"math.fma {a.name}, {b.name}, {c.name}",
                      a.bound * b.bound + c.bound)
        if kind == "scale":
            return op(f"arith.mulf {a.name}, "
                      f"{number(self.random.choice([0.5, -2, 0.1, 1, 0]))}",
                      2 * a.bound)
        if kind == "gelu":
            part = op(f"arith.mulf {a.name}, {number(0.7071)}", a.bound)
            error = op(f"math.erf {part.name}", 1)
            more = op(f"arith.addf {error.name}, {number(1)}", 2)
            half = op(f"arith.mulf {a.name}, {number(0.5)}", a.bound)
            return op(f"arith.mulf {half.name}, {more.name}", a.bound)
        if kind == "cast":
            other = self.random.choice(FLOATS if self.program.has_halves
                                       else ["f32", "f64"])
            return self.cast(self.cast(a, other), e)
        low = op(f"arith.maximumf {a.name}, {number(-1)}", a.bound, a.is_exact)
        return op(f"arith.minimumf {low.name}, {number(1)}", 1, a.is_exact)

    def int_step(self, element):
        e = element
        a = self.pick(e)
        if e == "i1":
            if self.random.random() < 0.5:
                return self.condition()
            name = self.random.choice(["andi", "ori", "xori"])
            return self.op(f"arith.{name} {a.name}, {self.pick(e).name} : i1", e, 1,
                           True)
        kind = self.random.choice(["addi", "subi", "muli", "maxsi", "minsi", "andi",
                                   "ori", "xori", "shift", "rem", "select", "maxui"])
        if kind == "shift":
            name = self.random.choice(["shli", "shrsi", "shrui"])
            b = self.constant(self.random.randrange(5), e)
        elif kind == "rem":
            name = self.random.choice(["remsi", "divsi", "remui"])
            b = self.constant(self.random.choice([1, 2, 3, 7]), e)
        elif kind == "select":
            condition = self.condition()
            return self.op(f"arith.select {condition.name}, {a.name}, "
                           f"{self.pick(e).name} : {e}", e, 1, True)
        else:
            name, b = kind, self.pick(e)
        return self.op(f"arith.{name} {a.name}, {b.name} : {e}", e, 1, True)

    def compute(self, element, steps):
        """A scalar of this type out of some steps, each added to what there is."""
        last = None
        for _ in range(steps):
            e = element if self.random.random() < 0.85 else self.program.any_element()
            last = self.settle(self.float_step(e) if is_float(e) else self.int_step(e))
            self.scalars.append(last)
        if last is None or not self.can_cast(last, element):
            last = self.pick(element)
        return self.settle(self.cast(last, element))


class Program:
    """The function `forward` made by a seed. An op is what it defines and its text."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.ops = []
        self.values = []
        self.graphs = []
        self.has_halves = self.random.random() < 0.2
        self.uses_halves = False
        self.main = "f64" if self.random.random() < 0.15 else "f32"
        self.make_arguments()
        for _ in range(self.random.randint(3, 10)):
            self.step()
        self.choose_results()

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
            ["complete", "causal", "window<1>", "block_diagonal",
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

    # ----------------------------------------------------------------- steps

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

    def nodes(self, place=None):
        return [v for v in self.values if not v.is_edges and v.place is not None and
                (place is None or v.place == place)]

    def edges(self, graph=None):
        return [v for v in self.values if v.is_edges and
                (graph is None or v.place is graph)]

    def step(self):
        kind = self.random.choice(
            [self.linear] * 3 + [self.update] * 3 + [self.message] * 3 +
            [self.aggregate] * 3 + [self.convolve] * 4 + [self.attend] * 4 +
            [self.attention] * 2 + [self.degree, self.reshape, self.reshape,
             self.concat, self.slice, self.turn, self.loops, self.elementwise,
             self.elementwise, self.edge_rows, self.spread, self.readout,
             self.top_k, self.norm, self.repeat, self.generic, self.gram,
             self.accumulate, self.accumulate, self.insert, self.all_pairs])
        kind()

    def keep(self, value):
        if value not in self.values:
            self.values.append(value)
        return value

    # Loops over features and what reads them.

    def fit(self, shape, dims):
        """Which of the loops, whose extents are `dims`, the dimensions of `shape` may
        be; None if there are none such."""
        choices = [p for p in itertools.permutations(range(len(dims)), len(shape))
                   if all(dims[d] == size for d, size in zip(p, shape))]
        if not choices:
            return None
        return choices[0] if self.random.random() < 0.8 else self.random.choice(choices)

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

    def operands(self, groups, leading=None, extra_loops=True):
        """Operands of an op with a region: roles and values, their maps, extents of
        loops and the one that is reduced, or None. `groups` has the values of each
        role; uniform ones are constants."""
        everything = [v for values in groups.values() for v in values]
        if not leading:
            leading = self.choose(everything)
        dims = list(leading.shape) if leading else []
        chosen = []
        if leading:
            role = next(r for r, values in groups.items() if leading in values)
            chosen.append((role, leading, tuple(range(len(dims)))))
        for _ in range(self.random.randrange(3)):
            role = self.random.choice(list(groups))
            value = self.choose([v for v in groups[role] if
                                 self.fit(v.shape, dims) is not None])
            if value:
                chosen.append((role, value, self.fit(value.shape, dims)))
        reduced = None
        if dims and self.random.random() < 0.35:
            reduced = self.random.randrange(len(dims))
        if extra_loops and len(dims) < 3 and self.random.random() < 0.2:
            size = self.random.choice(WIDTHS[1:7])
            dims.append(size)
            inner = [d for d in range(len(dims))
                     if d in (len(dims) - 1, reduced) or self.random.random() < 0.3]
            self.random.shuffle(inner)
            value = self.constant_tensor([dims[d] for d in inner], self.main)
            chosen.append(("uniform", value, tuple(inner)))
        elif self.random.random() < 0.3:
            inner = [d for d in range(len(dims)) if self.random.random() < 0.7]
            value = self.constant_tensor([dims[d] for d in inner], self.main)
            if inner:
                chosen.append(("uniform", value, tuple(inner)))
        order = ["node", "dst", "src", "edge", "uniform"]
        chosen.sort(key=lambda choice: order.index(choice[0]))
        return chosen, dims, reduced

    def write_operands(self, chosen):
        parts = []
        for role, group in itertools.groupby(chosen, key=lambda choice: choice[0]):
            values = [value for _, value, _ in group]
            parts.append(f" {role}({', '.join(v.name for v in values)} : "
                         f"{', '.join(v.type for v in values)})")
        return "".join(parts)

    def write_maps(self, chosen, dims, result):
        loops = ", ".join(f"d{d}" for d in range(len(dims)))
        return ", ".join(f"affine_map<({loops}) -> "
                         f"({', '.join(f'd{d}' for d in inner)})>"
                         for inner in [*(c[2] for c in chosen), result])

    def write_iterators(self, dims, reduced):
        return ", ".join('"reduction"' if d == reduced else '"parallel"'
                         for d in range(len(dims)))

    def add_lookup(self, region, dims, reduced, element, graph):
        """An element of a table, whose row is chosen by an edge or by a feature."""
        kind = self.random.random()
        rows = self.random.choice([1, 3, 5])
        columns = [d for d in range(len(dims)) if dims[d] and d != reduced][:1]
        table = self.constant_tensor([rows, *(dims[d] for d in columns)], element)
        if graph and kind < 0.6:
            i, j = region.index("gnn.index dst"), region.index("gnn.index src")
            place = region.index(f"arith.subi {j.name}, {i.name} : index")
        else:
            exact = [a for a in region.scalars if a.is_exact and not
                     (a.element in HALVES)]
            if not exact:
                return
            place = region.cast(region.cast(self.random.choice(exact), "i32"), "index")
        zero = region.constant(0, "index")
        last = region.constant(rows - 1, "index")
        low = region.index(f"arith.maxsi {place.name}, {zero.name} : index")
        row = region.index(f"arith.minsi {low.name}, {last.name} : index")
        names = [row.name]
        for d in columns:
            names.append(region.index(f"gnn.feature_index {d}").name)
        region.scalars.append(region.op(
            f"tensor.extract {table.name}[{', '.join(names)}] : {table.type}", element,
            1, table.is_exact))

    def write_region(self, chosen, dims, reduced, element, graph=None, steps=None,
                     mask=False):
        """Its lines and the scalar that it yields."""
        arguments = [Scalar(self.new_name(), value.element, value.bound, value.is_exact)
                     for _, value, _ in chosen]
        region = Region(self, arguments)
        if self.random.random() < 0.12:
            self.add_lookup(region, dims, reduced, self.main, graph)
        if graph and self.random.random() < 0.1:
            side = self.random.choice(["dst", "src"])
            region.scalars.append(region.index(f"gnn.index {side}"))
        outer = [a for a, (_, _, inner) in zip(arguments, chosen)
                 if reduced not in inner]
        if steps is None:
            steps = self.random.choice([0, 1, 1, 2, 2, 3, 4])
        if not arguments:
            steps += 1
        names = list(arguments)
        if reduced is None:
            result = region.compute(element, steps)
        else:
            if element == "i1":
                element = "i32"
            total = Scalar(self.new_name(), element, 0, False)
            names.append(total)
            floats = [a for a in region.scalars if region.can_cast(a, element)]
            if is_float(element) and len(floats) > 1 and self.random.random() < 0.6:
                a, b = [region.cast(a, element) for a in
                        self.random.sample(floats, 2)]
                term = region.op(f"arith.mulf {a.name}, {b.name} : {element}", element,
                                 a.bound * b.bound, False)
            else:
                term = region.compute(element, steps)
            pair = f"{total.name}, {term.name} : {element}"
            if not is_float(element):
                name = self.random.choice(["addi", "maxsi", "minsi"])
                result = region.op(f"arith.{name} {pair}", element, 1, True)
            else:
                kind = self.random.random()
                if element in HALVES:
                    kind = 0.8
                if kind < 0.7:
                    size = max(dims[reduced], 1)
                    result = region.op(f"arith.addf {pair}", element,
                                       term.bound * (1 + size / 3), False)
                elif kind < 0.85:
                    result = region.op(f"arith.maximumf {pair}", element, term.bound,
                                       term.is_exact)
                else:
                    half = region.constant(0.5, element)
                    less = region.op(
                        f"arith.mulf {total.name}, {half.name} : {element}", element,
                        term.bound, False)
                    result = region.op(
                        f"arith.addf {less.name}, {term.name} : {element}", element,
                        2 * term.bound, False)
            if self.random.random() < 0.4:
                result = region.op(f"gnn.reduced {result.name} : {element}", element,
                                   result.bound, result.is_exact)
                region.scalars = [*outer, result]
                result = region.compute(element, 1 + steps // 2)
        if mask:
            condition = region.condition()
            low = region.op(f"arith.constant 0x{self.infinity(element)} : {element}",
                            element, 0, True)
            result = region.op(f"arith.select {condition.name}, {low.name}, "
                               f"{result.name} : {element}", element, result.bound,
                               result.is_exact)
        lines = list(region.lines)
        if names:
            lines.insert(0, "^bb0(" + ", ".join(f"{a.name}: {a.element}"
                                                for a in names) + "):")
        lines.append(f"gnn.yield {result.name} : {element}")
        return lines, result

    @staticmethod
    def infinity(element):
        return {"f32": "FF800000", "f64": "FFF0000000000000", "f16": "FC00",
                "bf16": "FF80"}[element]

    def shuffle(self, dims, reduced):
        """Loops of the result."""
        inner = [d for d in range(len(dims)) if d != reduced]
        if self.random.random() < 0.1:
            self.random.shuffle(inner)
        return tuple(inner)

    def update(self, leading=None):
        leading = leading or self.choose(self.nodes())
        chosen, dims, reduced = self.operands({"node": self.nodes(leading.place)},
                                              leading)
        inner = self.shuffle(dims, reduced)
        element = self.result_element([c[1] for c in chosen])
        lines, result = self.write_region(chosen, dims, reduced, element)
        value = Tensor(None, leading.place, [dims[d] for d in inner], result.element,
                       result.bound, result.is_exact)
        value.name = self.op(
            f"gnn.update{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, dims, inner)}], "
            f"iterator_types = [{self.write_iterators(dims, reduced)}]}} : "
            f"{value.type}", region=lines)
        return self.keep(value)

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
            for v, name in zip(results, names if len(kinds) > 1 else [names]):
                v.name = name
                self.keep(v)
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
        for v, name in zip(results, names if len(kinds) > 1 else [names]):
            v.name = name
            self.keep(v)
        return results[-1]

    def convolve(self):
        if self.random.random() < 0.4:
            return self.message(aggregators=True)
        value = self.message()
        return self.aggregate(value)

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

    @staticmethod
    def count_elements(dims):
        total = 1
        for size in dims:
            total *= max(size, 1)
        return total

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

    # Rows.

    def rows(self, value):
        """Their number."""
        zero = self.index(0)
        return self.op(f"tensor.dim {value.name}, {zero} : {value.type}")

    def multiply(self, value, width, weights=None, into=None):
        """A linear layer on rows of one dimension; `value` may hold edges, read as a
        tensor."""
        e = value.element
        size = value.shape[0]
        weights = weights or self.constant_tensor((size, width), e,
                                                  (2 / max(size, 1))**0.5)
        result = Tensor(None, value.place, (width,), e, 2 * value.bound, False)
        kind = f"tensor<?x{width}x{e}>"
        n = self.rows(value)
        zero = self.op(f"arith.constant 0.0 : {e}")
        empty = self.op(f"tensor.empty({n}) : {kind}")
        init = self.op(f"linalg.fill ins({zero} : {e}) outs({empty} : {kind}) -> "
                       f"{kind}")
        if into:
            init = into.name
            result.bound += into.bound
        elif self.random.random() < 0.2:
            row = self.constant_tensor((width,), e)
            init = self.op(f"linalg.broadcast ins({row.name} : {row.type}) "
                           f"outs({empty} : {kind}) dimensions = [0]")
        result.name = self.op(
            f"linalg.matmul ins({value.name}, {weights.name} : {value.type}, "
            f"{weights.type}) outs({init} : {kind}) -> {kind}")
        return result

    def linear(self):
        value = self.choose([v for v in self.nodes() if len(v.shape) == 1 and
                             v.element in ("f32", "f64")])
        if not value:
            return self.update()
        result = self.keep(self.multiply(value, self.random.choice(WIDTHS)))
        if self.random.random() < 0.6:
            bias = self.constant_tensor(result.shape, result.element)
            chosen = [("node", result, (0,)), ("uniform", bias, (0,))]
            dims = list(result.shape)
            a, b, c, d, e = (self.new_name() for _ in range(5))
            t = result.element
            lines = [f"^bb0({a}: {t}, {b}: {t}):", f"{c} = arith.addf {a}, {b} : {t}",
                     f"{d} = arith.constant 0.0 : {t}",
                     f"{e} = arith.maximumf {c}, {d} : {t}", f"gnn.yield {e} : {t}"]
            if self.random.random() < 0.4:
                lines[2:] = [f"gnn.yield {c} : {t}"]
            value = Tensor(None, result.place, dims, t, result.bound + 1, False)
            value.name = self.op(
                f"gnn.update{self.write_operands(chosen)} "
                f"{{indexing_maps = [{self.write_maps(chosen, dims, (0,))}], "
                f"iterator_types = [\"parallel\"]}} : {value.type}", region=lines)
            self.keep(value)
        last = self.values[-1]
        if last.bound > LIMIT:
            self.values.append(self.scaled(last))
        return last

    def scaled(self, value):
        """An eighth of it."""
        result = Tensor(None, value.place, value.shape, value.element, value.bound / 8,
                        value.is_exact)
        a, b, c = (self.new_name() for _ in range(3))
        t = value.element
        inner = tuple(range(len(value.shape)))
        chosen = [("node", value, inner)]
        lines = [f"^bb0({a}: {t}):", f"{b} = arith.constant 0.125 : {t}",
                 f"{c} = arith.mulf {a}, {b} : {t}", f"gnn.yield {c} : {t}"]
        result.name = self.op(
            f"gnn.update{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, value.shape, inner)}], "
            f"iterator_types = [{self.write_iterators(value.shape, None)}]}} : "
            f"{result.type}", region=lines)
        return result

    def edge_rows(self):
        """A linear layer on what edges have, next to each other."""
        values = [v for v in self.edges() if len(v.shape) == 1 and
                  v.element in ("f32", "f64") and not v.place.is_dense]
        value = self.choose(values)
        if not value:
            return self.message()
        graph = value.place
        same = [v for v in values if v.place is graph and v.element == value.element]

        def read(v):
            t = Tensor(None, "edges", v.shape, v.element, v.bound, v.is_exact)
            t.name = self.op(f"gnn.edges_to_tensor {graph.name}, {v.name} : "
                             f"{graph.type}, {v.type} -> {t.type}")
            return t
        rows = read(value)
        if self.random.random() < 0.5:
            rows = self.join(rows, read(self.choose(same)))
        if self.random.random() < 0.7:
            rows = self.multiply(rows, self.random.choice(WIDTHS))
        result = Tensor(None, graph, rows.shape, rows.element, rows.bound,
                        rows.is_exact)
        result.name = self.op(f"gnn.edges_from_tensor {graph.name}, {rows.name} : "
                              f"{graph.type}, {rows.type} -> {result.type}")
        self.keep(result)
        if self.random.random() < 0.6:
            self.aggregate(result)
        return result

    def join(self, a, b):
        dim = self.random.randint(1, len(a.shape))
        shape = list(a.shape)
        shape[dim - 1] += b.shape[dim - 1]
        if any(x != y for d, (x, y) in enumerate(zip(a.shape, b.shape), 1)
               if d != dim):
            return a
        result = Tensor(None, a.place, shape, a.element, max(a.bound, b.bound),
                        a.is_exact and b.is_exact)
        result.name = self.op(
            f"tensor.concat dim({dim}) {a.name}, {b.name} : ({a.type}, {b.type}) -> "
            f"{result.type}")
        return result

    def concat(self):
        a = self.choose([v for v in self.nodes() if v.shape])
        if not a:
            return self.update()
        b = self.choose([v for v in self.nodes(a.place) if v.element == a.element and
                         len(v.shape) == len(a.shape)])
        result = self.join(a, b)
        if result is not a and self.count_elements(result.shape) < 2048:
            self.keep(result)

    def slice(self):
        a = self.choose([v for v in self.nodes() if v.shape and min(v.shape) > 0])
        if not a:
            return self.update()
        n = self.rows(a)
        offsets, sizes, shape = [0], [n], []
        for size in a.shape:
            new = self.random.randint(1, size)
            offsets.append(self.random.randint(0, size - new))
            sizes.append(new)
            shape.append(new)
        result = Tensor(None, a.place, shape, a.element, a.bound, a.is_exact)
        if shape[-1] == 1 and self.random.random() < 0.5:
            result.shape = tuple(shape[:-1])
        result.name = self.op(
            f"tensor.extract_slice {a.name}[{', '.join(map(str, offsets))}] "
            f"[{', '.join(map(str, sizes))}] [{', '.join('1' for _ in sizes)}] : "
            f"{a.type} to {result.type}")
        return self.keep(result)

    def reshape(self):
        a = self.choose([v for v in self.nodes() if v.shape])
        if not a:
            return self.update()
        if len(a.shape) > 1:
            size = 1
            for extent in a.shape:
                size *= extent
            result = Tensor(None, a.place, (size,), a.element, a.bound, a.is_exact)
            inner = ", ".join(str(d + 1) for d in range(len(a.shape)))
            result.name = self.op(f"tensor.collapse_shape {a.name} [[0], [{inner}]] : "
                                  f"{a.type} into {result.type}")
            return self.keep(result)
        size = a.shape[0]
        heads = self.random.choice([h for h in (1, 1, 2, 3, 4, 8, 13, size)
                                    if h and size % h == 0])
        result = Tensor(None, a.place, (heads, size // heads), a.element, a.bound,
                        a.is_exact)
        n = self.rows(a)
        result.name = self.op(
            f"tensor.expand_shape {a.name} [[0], [1, 2]] output_shape [{n}, {heads}, "
            f"{size // heads}] : {a.type} into {result.type}")
        return self.keep(result)

    def elementwise(self):
        """Ops on tensors."""
        a = self.choose([v for v in self.nodes() if v.element in ("f32", "f64")])
        if not a:
            return self.update()
        same = [v for v in self.nodes(a.place) if v.type == a.type]
        b = self.choose(same)
        kind = self.random.choice(["addf", "subf", "mulf", "maximumf", "tanh", "exp",
                                   "absf", "cast"])
        if kind == "cast":
            element = "f64" if a.element == "f32" else "f32"
            result = Tensor(None, a.place, a.shape, element, a.bound, a.is_exact)
            name = "extf" if element == "f64" else "truncf"
            result.name = self.op(f"arith.{name} {a.name} : {a.type} to {result.type}")
            return self.keep(result)
        if kind in ("tanh", "absf"):
            result = Tensor(None, a.place, a.shape, a.element,
                            1 if kind == "tanh" else a.bound,
                            a.is_exact and kind == "absf")
            result.name = self.op(f"math.{kind} {a.name} : {a.type}")
        elif kind == "exp":
            if a.bound > 3:
                return self.update(a)
            result = Tensor(None, a.place, a.shape, a.element, 20 if a.bound > 1 else 3,
                            False)
            result.name = self.op(f"math.exp {a.name} : {a.type}")
        else:
            bound = {"mulf": a.bound * b.bound, "maximumf": max(a.bound, b.bound)}.get(
                kind, a.bound + b.bound)
            result = Tensor(None, a.place, a.shape, a.element, bound,
                            kind == "maximumf" and a.is_exact and b.is_exact)
            result.name = self.op(f"arith.{kind} {a.name}, {b.name} : {a.type}")
        return self.keep(self.scaled(result) if result.bound > LIMIT else result)

    def norm(self):
        """Rows less their mean, by the root of what is left of their squares."""
        a = self.choose([v for v in self.nodes() if v.element in ("f32", "f64") and
                         v.shape and min(v.shape) > 0])
        if not a:
            return self.update()
        e = a.element
        dims = list(a.shape)
        last = len(dims) - 1
        inner = tuple(range(len(dims)))
        outer = inner[:-1]
        count = float(dims[last])

        def reduce(value, square):
            x, t, b, c, d, r, q = (self.new_name() for _ in range(7))
            lines = [f"^bb0({x}: {e}, {t}: {e}):"]
            term = x
            if square:
                lines.append(f"{b} = arith.mulf {x}, {x} : {e}")
                term = b
            lines += [f"{c} = arith.addf {t}, {term} : {e}",
                      f"{r} = gnn.reduced {c} : {e}",
                      f"{d} = arith.constant {count} : {e}",
                      f"{q} = arith.divf {r}, {d} : {e}", f"gnn.yield {q} : {e}"]
            result = Tensor(None, a.place, a.shape[:-1], e, value.bound, False)
            chosen = [("node", value, inner)]
            result.name = self.op(
                f"gnn.update{self.write_operands(chosen)} "
                f"{{indexing_maps = [{self.write_maps(chosen, dims, outer)}], "
                f"iterator_types = [{self.write_iterators(dims, last)}]}} : "
                f"{result.type}", region=lines)
            return result

        def combine(value, other, lines, bound):
            x, y, z = self.new_name(), self.new_name(), self.new_name()
            names = {"x": x, "y": y, "z": z, "e": e, "a": self.new_name(),
                     "b": self.new_name(), "c": self.new_name()}
            chosen = [("node", value, inner), ("node", other, outer)]
            result = Tensor(None, a.place, a.shape, e, bound, False)
            result.name = self.op(
                f"gnn.update{self.write_operands(chosen)} "
                f"{{indexing_maps = [{self.write_maps(chosen, dims, inner)}], "
                f"iterator_types = [{self.write_iterators(dims, None)}]}} : "
                f"{result.type}",
                region=[f"^bb0({x}: {e}, {y}: {e}):",
                        *(line.format(**names) for line in lines),
                        f"gnn.yield {z} : {e}"])
            return result

        mean = reduce(a, False)
        centred = combine(a, mean, ["{z} = arith.subf {x}, {y} : {e}"], 2 * a.bound)
        squares = reduce(centred, True)
        result = combine(centred, squares, [
            "{a} = arith.constant 0.5 : {e}", "{b} = arith.addf {y}, {a} : {e}",
            "{c} = math.rsqrt {b} : {e}", "{z} = arith.mulf {x}, {c} : {e}"],
                         min(2 * a.bound, 3))
        return self.keep(result)

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

    def generic(self):
        """linalg on rows: sums of a dimension, transposed and broadcast rows."""
        a = self.choose([v for v in self.nodes() if v.element in ("f32", "f64") and
                         v.shape])
        if not a:
            return self.update()
        e = a.element
        n = self.rows(a)
        kind = self.random.choice(["sum", "transpose", "broadcast", "max"])
        if kind in ("sum", "max"):
            dim = self.random.randint(1, len(a.shape))
            shape = a.shape[:dim - 1] + a.shape[dim:]
            size = max(a.shape[dim - 1], 1)
            result = Tensor(None, a.place, shape, e, a.bound * (1 + size / 3)
                            if kind == "sum" else a.bound, False)
            start = self.op(f"arith.constant {0.0 if kind == 'sum' else -1.0} : {e}")
            empty = self.op(f"tensor.empty({n}) : {result.type}")
            init = self.op(f"linalg.fill ins({start} : {e}) outs({empty} : "
                           f"{result.type}) -> {result.type}")
            name = "addf" if kind == "sum" else "maximumf"
            result.name = self.op(
                f"linalg.reduce {{ arith.{name} }} ins({a.name} : {a.type}) "
                f"outs({init} : {result.type}) dimensions = [{dim}]")
        elif kind == "transpose":
            order = list(range(1, len(a.shape) + 1))
            self.random.shuffle(order)
            shape = [a.shape[d - 1] for d in order]
            result = Tensor(None, a.place, shape, e, a.bound, a.is_exact)
            empty = self.op(f"tensor.empty({n}) : {result.type}")
            result.name = self.op(
                f"linalg.transpose ins({a.name} : {a.type}) outs({empty} : "
                f"{result.type}) permutation = [0, {', '.join(map(str, order))}]")
        else:
            if len(a.shape) > 2 or self.count_elements(a.shape) > 256:
                return None
            dim = self.random.randint(1, len(a.shape) + 1)
            size = self.random.choice(WIDTHS[:7])
            shape = [*a.shape[:dim - 1], size, *a.shape[dim - 1:]]
            result = Tensor(None, a.place, shape, e, a.bound, a.is_exact)
            empty = self.op(f"tensor.empty({n}) : {result.type}")
            result.name = self.op(
                f"linalg.broadcast ins({a.name} : {a.type}) outs({empty} : "
                f"{result.type}) dimensions = [{dim}]")
        if result.bound > LIMIT:
            result = self.scaled(result)
        return self.keep(result)

    def gram(self):
        """Products of columns, summed over all nodes, as weights."""
        a = self.choose([v for v in self.nodes() if v.element in ("f32", "f64") and
                         len(v.shape) == 1 and v.shape[0] <= 33])
        if not a:
            return self.update()
        b = self.choose([v for v in self.nodes(a.place) if v.element == a.element and
                         len(v.shape) == 1])
        e, k, m = a.element, a.shape[0], b.shape[0]
        n = self.rows(a)
        turned = f"tensor<{k}x?x{e}>"
        empty = self.op(f"tensor.empty({n}) : {turned}")
        rows = self.op(f"linalg.transpose ins({a.name} : {a.type}) outs({empty} : "
                       f"{turned}) permutation = [1, 0]")
        weights = Tensor(None, None, (k, m), e, 1, False)
        zero = self.op(f"arith.constant 0.0 : {e}")
        empty = self.op(f"tensor.empty() : {weights.type}")
        init = self.op(f"linalg.fill ins({zero} : {e}) outs({empty} : {weights.type}) "
                       f"-> {weights.type}")
        total = self.op(f"linalg.matmul ins({rows}, {b.name} : {turned}, {b.type}) "
                        f"outs({init} : {weights.type}) -> {weights.type}")
        weights.name = self.op(f"math.tanh {total} : {weights.type}")
        return self.keep(self.multiply(a, m, weights=weights))

    def accumulate(self):
        """A sum that begins with rows that others may read, too."""
        a = self.choose([v for v in self.nodes() if v.element in ("f32", "f64") and
                         len(v.shape) == 1])
        if not a:
            return self.update()
        into = self.choose([v for v in self.nodes(a.place) if v.element == a.element and
                            len(v.shape) == 1])
        return self.keep(self.multiply(a, into.shape[0], into=into))

    def insert(self):
        """Columns of other rows in the place of some."""
        a = self.choose([v for v in self.nodes() if len(v.shape) == 1 and v.shape[0]])
        if not a:
            return self.update()
        b = self.choose([v for v in self.nodes(a.place) if len(v.shape) == 1 and
                         v.element == a.element and 0 < v.shape[0] <= a.shape[0]])
        n = self.rows(a)
        offset = self.random.randint(0, a.shape[0] - b.shape[0])
        result = Tensor(None, a.place, a.shape, a.element, max(a.bound, b.bound),
                        a.is_exact and b.is_exact)
        result.name = self.op(
            f"tensor.insert_slice {b.name} into {a.name}[0, {offset}] "
            f"[{n}, {b.shape[0]}] [1, 1] : {b.type} into {a.type}")
        return self.keep(result)

    def all_pairs(self):
        """Edges between all nodes of a graph, or those that are near."""
        graph = self.choose([g for g in self.graphs if g.destinations == g.sources])
        if not graph:
            return self.message()
        n = self.op(f"gnn.num_nodes dst {graph.name} : {graph.type}")
        pairs = Graph(None, self.random.choice(["complete", "causal", "window<3>"]),
                      graph.destinations, graph.sources)
        pairs.name = self.op(f"gnn.make_graph {n}, {n} : (index, index) -> "
                             f"{pairs.type}")
        self.graphs.append(pairs)
        return self.convolve()

    def readout(self):
        """What all nodes have, added to every row."""
        a = self.choose([v for v in self.nodes() if v.element in ("f32", "f64")])
        if not a:
            return self.update()
        e = a.element
        total = Tensor(None, None, a.shape, e, a.bound * 16, False)
        zero = self.op(f"arith.constant 0.0 : {e}")
        empty = self.op(f"tensor.empty() : {total.type}")
        init = self.op(f"linalg.fill ins({zero} : {e}) outs({empty} : {total.type}) -> "
                       f"{total.type}")
        name = self.random.choice(["addf", "addf", "maximumf"])
        total.name = self.op(
            f"linalg.reduce {{ arith.{name} }} ins({a.name} : {a.type}) outs({init} : "
            f"{total.type}) dimensions = [0]")
        chosen = [("node", a, tuple(range(len(a.shape)))),
                  ("uniform", total, tuple(range(len(a.shape))))]
        if not a.shape:
            return self.keep(total)
        lines, result = self.write_region(chosen, list(a.shape), None, e)
        value = Tensor(None, a.place, a.shape, result.element, result.bound,
                       result.is_exact)
        inner = tuple(range(len(a.shape)))
        value.name = self.op(
            f"gnn.update{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, a.shape, inner)}], "
            f"iterator_types = [{self.write_iterators(a.shape, None)}]}} : "
            f"{value.type}", region=lines)
        return self.keep(value)

    # Graphs.

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

    # --------------------------------------------------------------- results

    def choose_results(self):
        """The last value and some others."""
        values = [v for v in self.values if v.name not in
                  {name for name, _ in self.arguments} and not
                  (v.is_edges and (v.place.kind in ("causal", "window")))]
        values = [v for v in values if self.count_elements(v.shape) <= 4096]
        last = values[-self.random.randint(1, 4):]
        others = [v for v in values if v not in last]
        self.results = last + self.random.sample(
            others, min(len(others), self.random.randrange(4)))

    @property
    def graph_names(self):
        if "bipartite" in self.arguments[0][1]:
            return BIPARTITE
        return SQUARE if self.topology in ("csr", "coo") else NODES

    @property
    def tolerance(self):
        return "0.06" if self.uses_halves else "3e-4"


def settings(seed, target, switches, number):
    """Options of gnn-compile: none, and those of each setting."""
    yield []
    for turn in range(number):
        chance = random.Random(f"{seed} {target} {turn}")
        options = [f"--{switch}=false" for switch in switches
                   if random.Random(f"{seed} {target} {turn} {switch}").random() < 0.5]
        if target == "cpu":
            options.append(chance.choice(["-O0", "-O1", "-O1", "-O3"]))
            others = ["x86-64", "x86-64-v2"] if platform.machine() == "x86_64" else []
            options.append("--target-cpu=" + chance.choice(["native"] * 3 + others))
        if chance.random() < 0.3:
            options.append("--topology=" + chance.choice(["sparse", "dense"]))
        if chance.random() < 0.3:
            options.append(f"--long-row-edges={chance.choice([1, 3, 16])}")
        yield options


def check(arguments, path, program, graphs, target, options, is_quiet=False):
    """Whether the program in `path` computes the same compiled with these options."""
    words = " ".join([f"--target={target}", *options])
    return run([sys.executable, str(COMPARE), "--tools", str(arguments.tools),
                "--graphs", str(arguments.graphs), "--scratch", f"{path}.t",
                "--rtol", program.tolerance, "--atol", program.tolerance,
                *(["--threads", "1,2"] if target == "cpu" else []),
                f"--options={words}", str(path), *graphs], is_quiet)


def reduce(arguments, seed, program, graphs, target, options):
    """Prints the fewest results, graphs and options that suffice."""
    small = pathlib.Path(f"{arguments.scratch}.{seed}.small.mlir")

    def fails(results, graphs, options):
        small.write_text(program.text(results))
        return not check(arguments, small, program, graphs, target, options, True)

    results = minimise(program.results, lambda fewer: fewer and
                       fails(fewer, graphs, options))
    options = minimise(options, lambda fewer: fails(results, graphs, fewer))
    graphs = minimise(graphs, lambda fewer: fails(results, fewer, options)
                      if fewer else False)
    small.write_text(program.text(results))
    print(f"What suffices: {small} {' '.join(graphs)} --target={target} "
          f"{shlex.join(options)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument("--targets", default="cpu,gpu-emu", metavar="TARGET,...")
    parser.add_argument("--settings", type=int, default=1, metavar="N")
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--print", action="store_true")
    arguments = parser.parse_args()

    pathlib.Path(arguments.scratch).parent.mkdir(parents=True, exist_ok=True)
    flags, on_cpus = find_flags(arguments.tools / "gnn-compile")
    failures = 0
    programs = 0
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        program = Program(seed)
        text = program.text(program.results)
        if not re.search(arguments.filter, text):
            continue
        if arguments.print:
            print(f"// {seed}\n{text}")
            continue
        programs += 1
        path = pathlib.Path(f"{arguments.scratch}.{seed}.mlir")
        path.write_text(text)
        names = program.graph_names
        graphs = random.Random(seed).sample(names, min(len(names), 4))
        for target in arguments.targets.split(","):
            switches = sorted(on_cpus if target == "cpu" else flags)
            for options in settings(seed, target, switches, arguments.settings):
                if check(arguments, path, program, graphs, target, options):
                    continue
                failures += 1
                print(f"seed {seed} fails", flush=True)
                reduce(arguments, seed, program, graphs, target, options)
                break
        sys.stdout.flush()
    print(f"{programs} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
