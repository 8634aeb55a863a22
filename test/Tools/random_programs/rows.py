"""What is done to rows of nodes: slices, shapes, elementwise ops, norms, sums."""

from .messages import MessageSteps
from .values import LIMIT, Tensor


class RowSteps(MessageSteps):
    """Ops of tensor, linalg, arith and math on rows, and norms."""

    def rows(self, value):
        """Their number."""
        zero = self.index(0)
        return self.op(f"tensor.dim {value.name}, {zero} : {value.type}")

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
        heads = self.random.choice([h for h in (1, 1, 2, 3, 4, 5, 8, 13, 16, 17, size)
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
            size = self.random.choice(self.widths[:7])
            shape = [*a.shape[:dim - 1], size, *a.shape[dim - 1:]]
            result = Tensor(None, a.place, shape, e, a.bound, a.is_exact)
            empty = self.op(f"tensor.empty({n}) : {result.type}")
            result.name = self.op(
                f"linalg.broadcast ins({a.name} : {a.type}) outs({empty} : "
                f"{result.type}) dimensions = [{dim}]")
        if result.bound > LIMIT:
            result = self.scaled(result)
        return self.keep(result)

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
        inner = tuple(range(len(a.shape)))
        return self.write_update(a.place, chosen, list(a.shape), inner, None, e)
