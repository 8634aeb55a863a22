"""Layers of this project's own, written out by their formulas in PyTorch.

They work on a matrix with a row per destination and a column per edge, in which
the entries of other destinations' edges are masked: nothing here is shared with
the compiler, and nothing is fast.
"""

import torch


def linear(columns, rows, bias):
    return torch.nn.Linear(columns, rows, bias=bias)


class DotProductAttention(torch.nn.Module):
    """Softmax over N(i) of q_i . k_j; see docs/model-format.md."""

    def __init__(self, in_channels, out_channels, heads=1, concat=True,
                 scale=False, residual=True, bias=False, share_query_key=False,
                 edge_dim=None, max_distance=None, gate=None, top_k=None,
                 symmetrize=False):
        super().__init__()
        source, destination = (in_channels if isinstance(in_channels, tuple)
                               else (in_channels, in_channels))
        self.heads, self.width, self.concat = heads, out_channels, concat
        self.factor = out_channels**-0.5 if scale else 1
        self.residual, self.gating = residual, gate
        self.top_k, self.symmetrize = top_k, symmetrize
        self.max_distance = max_distance
        self.lin_query = linear(destination, heads * out_channels, bias)
        self.lin_key = None if share_query_key else linear(
            source, heads * out_channels, bias)
        self.lin_value = linear(source, heads * out_channels, bias)
        self.lin_edge = edge_dim and linear(edge_dim, heads, False)
        if max_distance is not None:
            self.distance_bias = torch.nn.Parameter(
                torch.empty(max_distance + 1, heads))
        if gate is not None:
            self.gate = linear(destination + source + (edge_dim or 0), heads,
                               True)

    def split(self, rows):
        return rows.view(-1, self.heads, self.width)

    def forward(self, rows, edge_index, edge_attr=None):
        x_src, x_dst = rows if isinstance(rows, tuple) else (rows, rows)
        source, destination = edge_index
        query = self.split(self.lin_query(x_dst))[destination]
        key = self.split((self.lin_key or self.lin_query)(x_src))[source]
        value = self.split(self.lin_value(x_src))
        score = (query * key).sum(-1) * self.factor
        if self.lin_edge is not None:
            score = score + self.lin_edge(edge_attr)
        if self.max_distance is not None:
            apart = (destination - source).abs().clamp(max=self.max_distance)
            score = score + self.distance_bias[apart]
        ends = [x_dst[destination], x_src[source]]
        if edge_attr is not None:
            ends.append(edge_attr)
        gate = (torch.sigmoid(self.gate(torch.cat(ends, -1)))
                if self.gating else 1)
        if self.gating == "before_softmax":
            score = score * gate

        # [destinations, edges, heads]
        member = (torch.arange(len(x_dst))[:, None] ==
                  destination[None, :])[:, :, None]
        matrix = torch.where(member, score[None], -torch.inf)
        if self.top_k is not None:
            # Stable, so that the first of equal scores is kept.
            order = torch.sort(matrix, dim=1, descending=True,
                               stable=True).indices
            rank = torch.argsort(order, 1)
            matrix = matrix.masked_fill(rank >= self.top_k, -torch.inf)
        weight = torch.softmax(matrix, 1).nan_to_num(0)
        if self.gating == "after_softmax":
            weight = weight * gate
        received = torch.einsum("neh,ehf->nhf", weight, value[source])
        if self.symmetrize:
            # What edge j -> i weighs is also what j gets of i.
            own = weight.sum(0)
            back = torch.zeros_like(received).index_add(
                0, source, own[:, :, None] * value[destination])
            received = (received + back) / 2
        out = received.flatten(1) if self.concat else received.mean(1)
        return out + x_dst if self.residual else out


def all_pairs(count):
    """The edge_index of a complete graph."""
    return torch.cartesian_prod(torch.arange(count),
                                torch.arange(count)).view(-1, 2).t()


def pool(rows, cluster, count, aggregator):
    """A row per cluster; 0 for those without nodes."""
    if count is None:
        count = cluster.max() + 1 if len(cluster) else 0
    result = []
    for number in range(int(count)):
        members = rows[cluster == number]
        if not len(members):
            result.append(torch.zeros(rows.size(1)))
        elif aggregator == "mean":
            result.append(members.mean(0))
        elif aggregator == "max":
            result.append(members.max(0).values)
        else:
            assert aggregator in ("add", "sum")
            result.append(members.sum(0))
    return (torch.stack(result) if result else torch.zeros(0, rows.size(1)))


# Takes rows, an edge_index and perhaps edge_attr, as PyG's convolutions do.
CONVOLUTIONS = (DotProductAttention,)
