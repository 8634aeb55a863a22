"""Structured ops: operands, indexing maps, iterators and a region."""

import itertools

from .builder import Builder
from .regions import Region
from .values import HALVES, Scalar, Tensor, is_float


class StructuredOps(Builder):
    """Loops over features and what reads them."""

    def fit(self, shape, dims):
        """Which of the loops, whose extents are `dims`, the dimensions of `shape` may
        be; None if there are none such."""
        choices = [p for p in itertools.permutations(range(len(dims)), len(shape))
                   if all(dims[d] == size for d, size in zip(p, shape))]
        if not choices:
            return None
        return choices[0] if self.random.random() < 0.8 else self.random.choice(choices)

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
            size = self.random.choice(self.widths[1:7])
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

    def write_update(self, place, chosen, dims, inner, reduced, element):
        """A gnn.update of nodes of `place`, whose features are the loops `inner`."""
        lines, result = self.write_region(chosen, dims, reduced, element)
        value = Tensor(None, place, [dims[d] for d in inner], result.element,
                       result.bound, result.is_exact)
        value.name = self.op(
            f"gnn.update{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, dims, inner)}], "
            f"iterator_types = [{self.write_iterators(dims, reduced)}]}} : "
            f"{value.type}", region=lines)
        return self.keep(value)

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
