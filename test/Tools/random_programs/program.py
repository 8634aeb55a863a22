"""Whole programs: steps of all kinds, results, and the graphs that fit."""

from .attention import AttentionSteps
from .choices import ChoiceSteps
from .graphs import GraphSteps
from .layers import LayerSteps
from .lookups import LookupSteps

SQUARE = ["duplicates", "loops", "isolated", "hub", "degrees", "no-edges", "one-node",
          "one-node-loop", "empty", "random", "large"]
NODES = ["isolated", "one-node", "empty", "karate", "large", "degrees"]
BIPARTITE = ["bipartite", "bipartite-isolated", "bipartite-no-edges",
             "bipartite-no-sources", "bipartite-no-destinations"]


class Program(AttentionSteps, LayerSteps, GraphSteps, ChoiceSteps,
              LookupSteps):
    """The function `forward` made by a seed."""

    def __init__(self, seed):
        super().__init__(seed)
        for _ in range(self.random.randint(3, 10)):
            self.step()
        while not self.list_results():
            self.step()
        self.choose_results()

    def step(self):
        kind = self.random.choice(
            [self.linear] * 3 + [self.update] * 3 + [self.message] * 3 +
            [self.aggregate] * 3 + [self.convolve] * 4 + [self.attend] * 4 +
            [self.attention] * 2 + [self.attend_heads] * 3 + [self.summarise] * 2 +
            [self.degree, self.reshape, self.reshape, self.concat, self.slice,
             self.turn, self.loops, self.elementwise, self.elementwise,
             self.edge_rows, self.spread, self.readout, self.top_k, self.keep_best,
             self.keep_best, self.norm,
             self.repeat, self.generic, self.gram, self.accumulate,
             self.accumulate, self.insert, self.all_pairs, self.choose_matrix,
             self.choose_matrix, self.add_layers, self.look_up, self.look_up])
        kind()

    def list_results(self):
        """Values that may be results."""
        values = [v for v in self.values if v.name not in
                  {name for name, _ in self.arguments} and not
                  (v.is_edges and (v.place.kind in ("causal", "window")))]
        return [v for v in values if self.count_elements(v.shape) <= 4096]

    def choose_results(self):
        """The last value and some others."""
        values = self.list_results()
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
