"""Rows of tables by the numbers of nodes and edges."""

from .linear import LinearSteps
from .values import Tensor

NUM_ROWS = [1, 2, 5, 40]


class LookupSteps(LinearSteps):
    """gnn.lookup of constants, and of what is computed."""

    def remainder(self, argument, element, count):
        """Lines of a region for `argument` as the number of a row, and its name."""
        divisor, result = self.new_name(), self.new_name()
        return result, [f"{divisor} = arith.constant {count} : {element}",
                        f"{result} = arith.remui {argument}, {divisor} : {element}"]

    def number_nodes(self, graph, count):
        element = self.random.choice(["i32", "i64"])
        numbers = Tensor(None, graph.destinations, (), element, count, True)
        degree = self.op(f"gnn.degree dst {graph.name} : {graph.type} -> "
                         f"{numbers.type}")
        a = self.new_name()
        last, lines = self.remainder(a, element, count)
        numbers.name = self.op(
            f"gnn.update node({degree} : {numbers.type}) {{indexing_maps = "
            "[affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} "
            f": {numbers.type}",
            region=[f"^bb0({a}: {element}):", *lines, f"gnn.yield {last} : {element}"])
        return numbers

    def number_edges(self, graph, count):
        element = self.random.choice(["i32", "i64"])
        edges = Tensor(None, graph, (), element, count, True)
        i, j = self.new_name(), self.new_name()
        last, lines = self.remainder(i, "index", count)
        edges.name = self.op(
            f"gnn.message {graph.name} {{indexing_maps = [affine_map<() -> ()>], "
            f"iterator_types = []}} : {graph.type} -> {edges.type}",
            region=[f"{i} = gnn.index {self.random.choice(['src', 'dst'])}", *lines,
                    f"{j} = arith.index_cast {last} : index to {element}",
                    f"gnn.yield {j} : {element}"])
        numbers = Tensor(None, "edges", (), element, count, True)
        numbers.name = self.op(
            f"gnn.edges_to_tensor {graph.name}, {edges.name} : {graph.type}, "
            f"{edges.type} -> {numbers.type}")
        return numbers

    def rows_of_table(self, graph, of_edges, width, element):
        count = self.random.choice(NUM_ROWS)
        numbers = (self.number_edges if of_edges else self.number_nodes)(graph, count)
        table = self.constant_tensor((count, width), element)
        rows = Tensor(None, numbers.place, (width,), element, 1, False)
        rows.name = self.op(f"gnn.lookup {table.name}[{numbers.name}] : {table.type}, "
                            f"{numbers.type} -> {rows.type}")
        return rows

    def add_rows(self, left, right):
        a, b, total = self.new_name(), self.new_name(), self.new_name()
        rows = Tensor(None, left.place, left.shape, left.element,
                      left.bound + right.bound, False)
        maps = ", ".join(["affine_map<(f) -> (f)>"] * 3)
        rows.name = self.op(
            f"gnn.update node({left.name}, {right.name} : {left.type}, {right.type}) "
            f"{{indexing_maps = [{maps}], iterator_types = [\"parallel\"]}} "
            f": {rows.type}",
            region=[f"^bb0({a}: {rows.element}, {b}: {rows.element}):",
                    f"{total} = arith.addf {a}, {b} : {rows.element}",
                    f"gnn.yield {total} : {rows.element}"])
        return rows

    def look_up(self):
        """Often followed by what can be computed of the tables."""
        graph = self.choose([g for g in self.graphs if g.kind != "coo"])
        if not graph:
            return self.update()
        of_edges = not graph.is_dense and self.random.random() < 0.6
        width = self.any_width(8) or 1
        element = self.random.choice(["f32", "f32", "f64"])
        rows = self.rows_of_table(graph, of_edges, width, element)
        for _ in range(self.random.choice([0, 0, 1, 2])):
            rows = self.add_rows(
                rows, self.rows_of_table(graph, of_edges, width, element))
        if self.random.random() < 0.5:
            rows = self.multiply(rows, self.any_width(width) or 1)
        if not of_edges:
            return self.keep(rows)
        result = Tensor(None, graph, rows.shape, element, rows.bound, False)
        result.name = self.op(f"gnn.edges_from_tensor {graph.name}, {rows.name} : "
                              f"{graph.type}, {rows.type} -> {result.type}")
        self.keep(result)
        if self.random.random() < 0.5:
            self.message()
        if self.random.random() < 0.6:
            self.aggregate(result)
        return result
