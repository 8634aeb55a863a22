"""Linear layers: of nodes, of edges, with weights and sums that are computed."""

from .rows import RowSteps
from .values import LIMIT, Tensor


class LinearSteps(RowSteps):
    """linalg.matmul on rows, and what goes with it."""

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
        result = self.keep(self.multiply(value, self.any_width(value.shape[0])))
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
            rows = self.multiply(rows, self.any_width(rows.shape[0]))
        result = Tensor(None, graph, rows.shape, rows.element, rows.bound,
                        rows.is_exact)
        result.name = self.op(f"gnn.edges_from_tensor {graph.name}, {rows.name} : "
                              f"{graph.type}, {rows.type} -> {result.type}")
        self.keep(result)
        if self.random.random() < 0.6:
            self.aggregate(result)
        return result

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
