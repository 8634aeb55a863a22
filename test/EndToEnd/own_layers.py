"""Layers that no library has under one name, by what they are made of."""

import functools

import torch
import torch_geometric.nn as pyg

# Ours: no library has them under one name.
OWN = {}


def own(kind):
    """Registers the class of a layer type that no library has."""
    OWN[kind.__name__] = kind
    return kind


class Table(torch.nn.Module):
    """What has the rows of an embedding."""

    def __init__(self, num_embeddings, embedding_dim):
        super().__init__()
        self.weight = torch.nn.Parameter(
            torch.empty(num_embeddings, embedding_dim))


@own
class PositionEmbedding(Table):
    def __init__(self, offset=0, **shape):
        super().__init__(**shape)
        self.offset = offset

    def forward(self, rows, batch):
        if batch is None:
            batch = torch.zeros(len(rows), dtype=torch.int64)
        position = [int((batch[:i] == batch[i]).sum())
                    for i in range(len(rows))]
        return rows + self.weight[torch.tensor(position, dtype=torch.int64) +
                                  self.offset]


@own
class AddEmbedding(Table):
    def __init__(self, index=0, **shape):
        super().__init__(**shape)
        self.index = index

    def forward(self, rows):
        return rows + self.weight[self.index]


@own
class GraphEmbedding(torch.nn.Embedding):
    """As the Open Graph Benchmark has it for virtual nodes."""

    def __init__(self, embedding_dim):
        super().__init__(1, embedding_dim)


@own
class LightGCN(torch.nn.Module):
    """PyTorch Geometric's, of rows that it is called with."""

    def __init__(self, num_layers, **args):
        super().__init__()
        self.args = {"num_layers": num_layers, **args}
        self.register_buffer("alpha", torch.empty(num_layers + 1))

    def forward(self, rows, edge_index, edge_weight=None):
        model = pyg.LightGCN(*rows.shape, alpha=self.alpha, **self.args)
        model.embedding.weight = torch.nn.Parameter(rows)
        return model.get_embedding(edge_index, edge_weight)


def make_encoder(kind, emb_dim, num_embeddings=None):
    """The Open Graph Benchmark's, or the same with tables of other sizes."""
    from ogb.graphproppred import mol_encoder
    encoder = getattr(mol_encoder, kind)(emb_dim)
    if num_embeddings:
        name = kind.replace("Encoder", "").lower() + "_embedding_list"
        setattr(encoder, name, torch.nn.ModuleList(
            torch.nn.Embedding(size, emb_dim) for size in num_embeddings))
    return encoder


# What has columns of whole numbers.
ENCODERS = {kind: functools.partial(make_encoder, kind)
            for kind in ["AtomEncoder", "BondEncoder"]}


@own
class Normalize(torch.nn.Module):
    def forward(self, rows):
        return torch.nn.functional.normalize(rows, dim=-1)


def weighted_mean(rows):
    weights = torch.arange(1, len(rows) + 1, dtype=rows.dtype)
    return (weights[:, None] * rows).sum(0) / weights.sum()


# Of the rows of one graph, which has some.
OWN_POOLS = {
    "global_first_pool": lambda rows: rows[0],
    "global_last_pool": lambda rows: rows[-1],
    "global_mean_sqrt_pool": lambda rows: rows.sum(0) / len(rows)**0.5,
    "global_weighted_mean_pool": weighted_mean,
}


def own_pool(kind, rows, batch, count):
    """One row for each graph, zeros for those without rows."""
    result = torch.zeros(count, rows.size(1))
    for graph in batch.unique():
        result[graph] = OWN_POOLS[kind](rows[batch == graph])
    return result
