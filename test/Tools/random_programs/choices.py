"""Linear layers whose matrix each edge chooses, and layers that are added up."""

from .linear import LinearSteps
from .values import LIMIT, Tensor

# Matrices with so many columns altogether are no few.
NUM_MATRICES = [1, 2, 3, 7, 20]


class ChoiceSteps(LinearSteps):
    """Messages of relations, and several linear layers of the same rows."""

    def write_number(self, kind, name):
        """Lines of a region for the number of an edge's matrix."""
        side, count = kind
        i, c = self.new_name(), self.new_name()
        return [f"{i} = gnn.index {side}",
                f"{c} = arith.constant {count} : index",
                f"{name} = arith.remui {i}, {c} : index"]

    def count_numbers(self, graph, kind, count, element):
        """One over how many edges of each destination have each number."""
        ones = self.constant_tensor((count,), element)
        number, loop, same, one, zero, value = (self.new_name() for _ in range(6))
        argument = self.new_name()
        counts = Tensor(None, graph.destinations, (count,), element, 64, True)
        counts.name = self.op(
            f"gnn.message_aggregate [sum] {graph.name} uniform({ones.name} : "
            f"{ones.type}) {{indexing_maps = [affine_map<(r) -> (r)>, "
            f"affine_map<(r) -> (r)>], iterator_types = [\"parallel\"]}} : "
            f"{graph.type} -> {counts.type}",
            region=[f"^bb0({argument}: {element}):", *self.write_number(kind, number),
                    f"{loop} = gnn.feature_index 0",
                    f"{same} = arith.cmpi eq, {number}, {loop} : index",
                    f"{one} = arith.constant 1.0 : {element}",
                    f"{zero} = arith.constant 0.0 : {element}",
                    f"{value} = arith.select {same}, {one}, {zero} : {element}",
                    f"gnn.yield {value} : {element}"])
        a, b, c, d = (self.new_name() for _ in range(4))
        shares = Tensor(None, graph.destinations, (count,), element, 1, False)
        shares.name = self.op(
            f"gnn.update node({counts.name} : {counts.type}) {{indexing_maps = "
            f"[affine_map<(r) -> (r)>, affine_map<(r) -> (r)>], iterator_types = "
            f"[\"parallel\"]}} : {shares.type}",
            region=[f"^bb0({a}: {element}):", f"{b} = arith.constant 1.0 : {element}",
                    f"{c} = arith.maximumf {a}, {b} : {element}",
                    f"{d} = arith.divf {b}, {c} : {element}",
                    f"gnn.yield {d} : {element}"])
        return shares

    def choose_matrix(self):
        """A message that is its source's row times a matrix, and mostly their sum."""
        graph = self.choose(self.graphs)
        rows = self.choose([v for v in self.roles(graph)["src"] if
                            len(v.shape) in (1, 2) and 0 not in v.shape and
                            v.element in ("f32", "f64") and v.bound <= LIMIT and
                            not v.is_edges and self.count_elements(v.shape) <= 64])
        if not rows:
            return self.message()
        e, blocks, height = rows.element, rows.shape[:-1], rows.shape[-1]
        count = self.random.choice(NUM_MATRICES)
        width = self.random.choice([w for w in self.widths if 0 < w <= 33])
        kind = (self.random.choice(["src", "src", "dst"]), count)
        matrices = self.constant_tensor((count, *blocks, height, width), e,
                                        (2 / height)**0.5)
        dims = [*blocks, width, height]
        row, column = len(dims) - 1, len(dims) - 2
        outer = tuple(range(len(blocks)))
        ones = self.constant_tensor((*blocks, width), e)
        chosen = [("src", rows, (*outer, row)), ("uniform", ones, (*outer, column))]
        a, b, total = self.new_name(), self.new_name(), self.new_name()
        arguments = [(a, e), (b, e), (total, e)]
        lines, factor = [], a
        number = self.new_name()
        lines += self.write_number(kind, number)

        def scale(by):
            nonlocal factor
            pair = [factor, by] if self.random.random() < 0.5 else [by, factor]
            factor = self.new_name()
            lines.append(f"{factor} = arith.mulf {', '.join(pair)} : {e}")

        scales = self.random.random()
        weights = [v for v in self.edges(graph) if (v.shape, v.element) == ((), e)]
        if scales < 0.3 and weights:
            weight = self.choose(weights)
            argument = self.new_name()
            chosen.insert(1, ("edge", weight, ()))
            arguments.insert(1, (argument, e))
            scale(argument)
        elif scales < 0.8:
            known = [v for v in self.nodes(graph.destinations) if len(v.shape) == 1 and
                     v.shape[0] >= count and v.element == e and v.bound <= LIMIT]
            shares = self.choose(known) if known and scales < 0.5 else (
                self.count_numbers(graph, kind, count, e))
            i, share = self.new_name(), self.new_name()
            lines += [f"{i} = gnn.index dst",
                      f"{share} = tensor.extract {shares.name}[{i}, {number}] : "
                      f"{shares.type}"]
            scale(share)
        indices = [number]
        for loop in (*outer, row, column):
            name = self.new_name()
            lines.append(f"{name} = gnn.feature_index {loop}")
            indices.append(name)
        w, p, s = (self.new_name() for _ in range(3))
        pair = [factor, w] if self.random.random() < 0.5 else [w, factor]
        both = [total, p] if self.random.random() < 0.5 else [p, total]
        lines += [f"{w} = tensor.extract {matrices.name}[{', '.join(indices)}] : "
                  f"{matrices.type}",
                  f"{p} = arith.mulf {', '.join(pair)} : {e}",
                  f"{s} = arith.addf {', '.join(both)} : {e}", f"gnn.yield {s} : {e}"]
        lines.insert(0, "^bb0(" + ", ".join(f"{n}: {t}" for n, t in arguments) + "):")
        inner = (*outer, column)
        message = Tensor(None, graph, [dims[d] for d in inner], e, 12 * rows.bound,
                         False)
        message.name = self.op(
            f"gnn.message {graph.name}{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, dims, inner)}], "
            f"iterator_types = [{self.write_iterators(dims, row)}]}} : "
            f"{graph.type} -> {message.type}", region=lines)
        if self.random.random() < 0.1:
            return self.keep(message)
        kind = "sum" if self.random.random() < 0.8 else (
            self.random.choice(["mean", "max"]))
        return self.aggregate(message, [kind])

    def add_layers(self):
        """X A + X B, and what else is added."""
        rows = self.choose([v for v in self.nodes() if len(v.shape) == 1 and
                            v.element in ("f32", "f64") and v.bound <= LIMIT])
        if not rows:
            return self.update()
        width = self.any_width(rows.shape[0])
        terms = [self.multiply(rows, width) for _ in range(self.random.choice([2, 2, 3]))]
        others = [v for v in self.nodes(rows.place) if v.element == rows.element]
        other = self.choose([v for v in others if len(v.shape) == 1])
        terms.append(self.multiply(other, width))
        self.random.shuffle(terms)
        total = terms.pop()
        while terms:
            added = [terms.pop() for _ in range(min(len(terms),
                                                    self.random.choice([1, 1, 2])))]
            total = self.sum_up([total, *added])
            if self.random.random() < 0.1:
                self.keep(total)
        return self.keep(total)

    def sum_up(self, values):
        first = values[0]
        chosen = [("node", value, (0,)) for value in values]
        if self.random.random() < 0.3:
            bias = self.constant_tensor(first.shape, first.element)
            chosen.append(("uniform", bias, (0,)))
        e = first.element
        names = [self.new_name() for _ in chosen]
        lines = [f"^bb0({', '.join(f'{name}: {e}' for name in names)}):"]
        total = names[0]
        for name in names[1:]:
            pair = f"{total}, {name}"
            total = self.new_name()
            lines.append(f"{total} = arith.addf {pair} : {e}")
        lines.append(f"gnn.yield {total} : {e}")
        dims = list(first.shape)
        result = Tensor(None, first.place, dims, e,
                        1 + sum(value.bound for value in values), False)
        result.name = self.op(
            f"gnn.update{self.write_operands(chosen)} "
            f"{{indexing_maps = [{self.write_maps(chosen, dims, (0,))}], "
            f"iterator_types = [\"parallel\"]}} : {result.type}", region=lines)
        return result
