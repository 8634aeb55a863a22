"""Graphs of nearest neighbours, each node among its own: of the particles of jets, in
their coordinates and in what a layer makes of these, and of points in space."""

import numpy as np
import torch

from .measure import OURS, Candidate, absent, aligned, attempt
from .peers import import_dgl

# How many graphs, of how many nodes, with how many channels; neighbours.
CLOUDS = {
    "100 jets of 100, 2 channels": (100, 100, 2, 16),
    "100 jets of 100, 64 channels": (100, 100, 64, 16),
    "32 clouds of 1,024, 3 channels": (32, 1024, 3, 16),
    "4,096 hits, 4 channels": (1, 4096, 4, 40),
    "16,384 points, 3 channels": (1, 16384, 3, 16),
    "131,072 points, 3 channels": (1, 131072, 3, 16),
    "1,000,000 points, 3 channels": (1, 1000000, 3, 16),
}


def nearest_of_equal(x, y, count, k):
    """For each row of `y` the `k` nearest rows of `x`, in `count` graphs of as many
    nodes each."""
    distances = torch.cdist(y.view(count, -1, y.shape[1]),
                            x.view(count, -1, x.shape[1]))
    return distances.topk(min(k, distances.shape[2]), largest=False).indices


def knn(x, y, ptr_x, ptr_y, k, cosine, num_workers):
    """PyTorch Geometric's operator, as fast as PyTorch can."""
    assert not cosine
    starts = torch.tensor([0]) if ptr_x is None else ptr_x[:-1]
    count = len(starts)
    if count > 1 and not torch.equal(ptr_x.diff(), ptr_x[1:2].expand(count)):
        raise ValueError("graphs of different sizes")
    best = nearest_of_equal(x, y, count, k)
    rows = torch.arange(len(y))[:, None].expand(-1, best.shape[2])
    columns = best + starts[:, None, None]
    return torch.stack([rows.flatten(), columns.flatten()])


def radius_graph(x, r, batch, loop, max_num_neighbors):
    """The edges from nodes at most `r` away, as fast as PyTorch can; in graphs of as
    many nodes each."""
    points = x.view(int(batch[-1]) + 1, -1, x.shape[1])
    near = torch.cdist(points, points) <= r
    if not loop:
        near.diagonal(dim1=1, dim2=2).fill_(False)
    if int(near.sum(2).max()) > max_num_neighbors:
        raise ValueError("more neighbours than are taken")
    graph, destination, source = near.nonzero(as_tuple=True)
    first = graph * points.shape[1]
    return torch.stack([first + source, first + destination])


def candidates(measurement, shape):
    count, size, channels, k = shape
    library = measurement.library
    generator = np.random.default_rng(0)
    rows = aligned(generator.standard_normal((count * size, channels),
                                             np.float32))
    numbers = aligned(np.arange(count * size, dtype=np.float32)[:, None])
    description = {
        "name": "neighbours", "graph": "complete",
        "inputs": [{"name": "x", "channels": channels},
                   {"name": "number", "channels": 1}],
        "layers": [{"name": "near", "type": "KNNGraph", "k": k, "loop": True},
                   {"name": "y", "type": "GatherSources", "input": "number",
                    "graph": "near"}]}
    graphs = [library.regular(count * size),
              library.blocks(np.full(count, size), np.ones(count, np.int64))]

    x = torch.from_numpy(rows)

    def measure(sources):
        """How far the neighbours are of each node. Of two that are as far, rounding
        decides which is one."""
        near = x[sources.view(-1, k)].double() - x[:, None].double()
        return near.square().sum(2).sort(1).values

    def ours(name, options=()):
        model = library.model({**description, "name": name}, {}, options)
        run, compute = model.bind(graphs, [rows, numbers])
        return Candidate(run, lambda: measure(torch.from_numpy(compute()[0]).long()))

    batch = torch.arange(count).repeat_interleave(size)
    starts = torch.arange(count)[:, None, None] * size

    def cluster():
        import torch_cluster
        # With workers it takes no batch.
        batches = (batch, batch) if count > 1 else (None, None)

        def run():
            return torch_cluster.knn(x, x, k, *batches,
                                     num_workers=measurement.threads)
        run()
        return Candidate(run, lambda: measure(run()[1]))

    def pairs():
        def run():
            return nearest_of_equal(x, x, count, k)
        return Candidate(run, lambda: measure((run() + starts).flatten()))

    def dgl(algorithm):
        nearest = import_dgl().knn_graph
        points = x.view(count, size, channels)

        def run():
            return nearest(points, k, algorithm=algorithm)
        def sources():
            source, destination = run().edges()
            return source[destination.argsort(stable=True)]
        sources()
        return Candidate(run, lambda: measure(sources()))

    def all_pairs(make):
        many = size > 1 << 15
        return absent("stores a number for each pair") if many else attempt(make)

    # Which take as long as there are pairs, for minutes.
    variants = {"unsorted": ("order-points", 1 << 17),
                "one by one": ("top-k-tiles", 1 << 14)}
    others = {f"{OURS}, {name}":
              absent("all pairs take too long") if size > most else
              ours(name.replace(" ", "-"), [f"--{switch}=false"])
              for name, (switch, most) in variants.items()}
    return {OURS: ours("neighbours"), **others,
            "torch.cdist, topk": all_pairs(pairs),
            "torch_cluster": attempt(cluster),
            "DGL kd-tree": attempt(lambda: dgl("kd-tree")),
            "DGL bruteforce-blas": all_pairs(lambda: dgl("bruteforce-blas"))}


@torch.inference_mode()
def rows(measurement, quick):
    for name in list(CLOUDS)[:1] if quick else CLOUDS:
        yield measurement.row("neighbours", name,
                              lambda: candidates(measurement, CLOUDS[name]))
