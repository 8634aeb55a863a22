"""Nearest neighbours by their definition, as PyTorch Geometric asks for them.

PyTorch Geometric leaves these to an operator of its own library, `pyg::knn`, which
PyPI does not have. It is here: all distances in float64, then a sort.
"""

import torch
import torch_geometric.typing


def rank(x, y, k, cosine):
    """For each row of `y` the numbers of the `k` nearest rows of `x`, the nearest
    first."""
    x, y = x.double(), y.double()
    if cosine:
        x, y = (torch.nn.functional.normalize(rows) for rows in (x, y))
        distances = 1 - y @ x.t()
    else:
        distances = (y[:, None] - x[None]).square().sum(-1)
    return distances.argsort(dim=1, stable=True)[:, :k]


def knn(x, y, ptr_x, ptr_y, k, cosine, num_workers):
    """Pairs (row of y, row of x) within the parts that `ptr_x` and `ptr_y` say."""
    ptr_x = [0, len(x)] if ptr_x is None else ptr_x.tolist()
    ptr_y = [0, len(y)] if ptr_y is None else ptr_y.tolist()
    found = [torch.empty(2, 0, dtype=torch.int64)]
    for i in range(len(ptr_x) - 1):
        best = rank(x[ptr_x[i]:ptr_x[i + 1]], y[ptr_y[i]:ptr_y[i + 1]], k,
                    cosine)
        rows = torch.arange(ptr_y[i], ptr_y[i + 1])[:, None].expand_as(best)
        found.append(torch.stack([rows.flatten(),
                                  best.flatten() + ptr_x[i]]))
    return torch.cat(found, 1)


def radius_graph(x, r, batch, loop=False, max_num_neighbors=32):
    """Edges from the nearest nodes of those at most `r` away."""
    distances = (x[:, None].double() - x[None].double()).square().sum(-1)
    distances[batch[:, None] != batch[None]] = torch.inf
    if not loop:
        distances.fill_diagonal_(torch.inf)
    order = distances.argsort(dim=1, stable=True)[:, :max_num_neighbors]
    near = distances.gather(1, order) <= r**2
    destination = torch.arange(len(x))[:, None].expand_as(order)[near]
    return torch.stack([order[near], destination])


def define_operator(function):
    """Has PyTorch Geometric call `function`, `knn` or one like it, where its library
    or an earlier call has not defined the operator."""
    if torch_geometric.typing.WITH_KNN:
        return
    library = torch.library.Library("pyg", "FRAGMENT")
    library.define("knn(Tensor x, Tensor y, Tensor? ptr_x, Tensor? ptr_y, int k, "
                   "bool cosine, int num_workers) -> Tensor")
    library.impl("knn", function, "CPU")
    torch_geometric.typing.WITH_KNN = True
    # What a library defines goes with it.
    define_operator.library = library
