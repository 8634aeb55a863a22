"""Attention that knows positions, written in plain PyTorch from the papers.

The classes stand for torch.nn's of the same names where a layer says
`position`: same arguments and entries, plus those of docs/model-format.md. All
pairs of rows are matrices here: nothing is looked up per edge, and nothing is
fused.

* ALiBi: Press et al. 2022, "Train Short, Test Long". Slopes as in the authors'
  code, also where the number of heads is no power of two.
* rotary: Su et al. 2021, "RoFormer": features as complex numbers, times
  exp(i position theta).
* relative: Shaw et al. 2018, "Self-Attention with Relative Position
  Representations", equations 3 and 4.
* relative_bias: a learnt number per head and clipped distance, as Swin and T5.
"""

import math

import torch


def slopes(heads):
    """ALiBi's, one per head."""
    def geometric(n):
        return [2.0 ** (-8.0 * (i + 1) / n) for i in range(n)]
    power = 2 ** math.floor(math.log2(heads))
    if power == heads:
        return geometric(heads)
    return geometric(power) + geometric(2 * power)[0::2][:heads - power]


class MultiheadAttention(torch.nn.Module):
    def __init__(self, embed_dim, num_heads, bias=True, position=None,
                 max_relative_position=None, relative_values=True,
                 rotary_base=10000.0, rotary_interleaved=False,
                 partial_rotary_factor=1.0, **ignored):
        super().__init__()
        self.heads, self.width = num_heads, embed_dim // num_heads
        self.position, self.distance = position, max_relative_position
        self.base, self.interleaved = rotary_base, rotary_interleaved
        self.rotated = int(self.width * partial_rotary_factor)
        empty = torch.nn.Parameter
        self.in_proj_weight = empty(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = empty(torch.empty(3 * embed_dim)) if bias else None
        self.out_proj = torch.nn.Linear(embed_dim, embed_dim, bias=bias)
        if position == "relative":
            rows = 2 * max_relative_position + 1
            self.relative_keys = empty(torch.empty(rows, self.width))
            if relative_values:
                self.relative_values = empty(torch.empty(rows, self.width))
        if position == "relative_bias":
            self.relative_bias = empty(
                torch.empty(2 * max_relative_position + 1, num_heads))

    def rotate(self, rows, places):
        """[heads, n, width] with pairs of features turned by an angle."""
        turned, rest = rows.split([self.rotated, self.width - self.rotated],
                                  -1)
        if self.interleaved:
            pairs = turned.unflatten(-1, (-1, 2))
        else:
            pairs = turned.unflatten(-1, (2, -1)).transpose(-1, -2)
        half = self.rotated // 2
        theta = self.base ** (-torch.arange(half).double() / half)
        angle = places[:, None].double() * theta
        turn = torch.polar(torch.ones_like(angle), angle)
        numbers = torch.view_as_complex(pairs.double().contiguous()) * turn
        pairs = torch.view_as_real(numbers).float()
        if not self.interleaved:
            pairs = pairs.transpose(-1, -2)
        return torch.cat([pairs.flatten(-2), rest], -1)

    def forward(self, sources, destinations, count, places):
        """`count` [D, S]: how often each destination reads each source."""
        weights = self.in_proj_weight.chunk(3)
        biases = (self.in_proj_bias.chunk(3) if self.in_proj_bias is not None
                  else [None] * 3)
        q, k, v = (
            torch.nn.functional.linear(rows, weight, bias)
            .unflatten(-1, (self.heads, self.width)).transpose(0, 1)
            for rows, weight, bias in zip(
                (destinations, sources, sources), weights, biases))
        if self.position == "rotary":
            q, k = self.rotate(q, places), self.rotate(k, places)
        scores = q @ k.transpose(1, 2)
        distance = places[None, :] - places[:, None]  # of the key
        if self.distance is not None:
            row = distance.clamp(-self.distance, self.distance) + self.distance
        if self.position == "relative":
            scores = scores + torch.einsum("hid,ijd->hij", q,
                                           self.relative_keys[row])
        scores = scores / math.sqrt(self.width)
        if self.position == "relative_bias":
            scores = scores + self.relative_bias[row].permute(2, 0, 1)
        if self.position == "alibi":
            slope = torch.tensor(slopes(self.heads))[:, None, None]
            scores = scores - slope * distance.abs()
        # An edge that is there n times counts n times: exp(score + log n).
        alpha = (scores + count.log()).softmax(-1)
        # What reads nothing receives nothing.
        alpha = alpha.masked_fill(count.sum(1)[:, None] == 0, 0)
        received = alpha @ v
        if hasattr(self, "relative_values"):
            received = received + torch.einsum("hij,ijd->hid", alpha,
                                               self.relative_values[row])
        return self.out_proj(received.transpose(0, 1).flatten(1))


class TransformerEncoderLayer(torch.nn.TransformerEncoderLayer):
    def __init__(self, d_model, nhead, dim_feedforward=2048, activation="relu",
                 layer_norm_eps=1e-5, norm_first=False, bias=True, **position):
        super().__init__(d_model, nhead, dim_feedforward, 0.0, activation,
                         layer_norm_eps, batch_first=True,
                         norm_first=norm_first, bias=bias)
        self.self_attn = MultiheadAttention(d_model, nhead, bias, **position)

    def forward(self, rows, count, places):
        if self.norm_first:
            normed = self.norm1(rows)
            rows = rows + self.self_attn(normed, normed, count, places)
            return rows + self._ff_block(self.norm2(rows))
        rows = self.norm1(rows + self.self_attn(rows, rows, count, places))
        return self.norm2(rows + self._ff_block(rows))
