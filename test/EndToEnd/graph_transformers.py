"""Graph transformers that no library has, by their published formulas.

Everything is computed for all pairs of nodes at once, with masks: slow, and
unlike the compiled code.
"""

import torch


class SANLayer(torch.nn.Module):
    """Kreuzer et al. (2021), equations 2 to 6, with the names of entries of their
    published code: attention to neighbours and to all other nodes of the graph,
    each with weights and a softmax of its own, mixed as 1 : gamma."""

    def __init__(self, in_dim, out_dim, num_heads, edge_dim, gamma,
                 layer_norm=False, batch_norm=True, residual=True,
                 use_bias=False):
        super().__init__()
        self.heads, self.gamma, self.residual = num_heads, gamma, residual
        linear = torch.nn.Linear
        self.attention = torch.nn.Module()
        for name in ("Q", "K", "V", "Q_2", "K_2"):
            self.attention.add_module(name, linear(in_dim, out_dim, use_bias))
        for name in ("E", "E_2"):
            self.attention.add_module(name,
                                      linear(edge_dim, out_dim, use_bias))
        # What the published code looks up in its table of bonds.
        self.attention.fake_edge = torch.nn.Parameter(torch.zeros(edge_dim))
        self.O_h = linear(out_dim, out_dim)
        self.FFN_h_layer1 = linear(out_dim, 2 * out_dim)
        self.FFN_h_layer2 = linear(2 * out_dim, out_dim)
        self.norms = []
        for number in (1, 2):
            norms = []
            if layer_norm:
                norms.append(f"layer_norm{number}_h")
                self.add_module(norms[-1], torch.nn.LayerNorm(out_dim))
            if batch_norm:
                norms.append(f"batch_norm{number}_h")
                self.add_module(norms[-1], torch.nn.BatchNorm1d(out_dim))
            self.norms.append(norms)

    def split(self, rows):
        return rows.view(*rows.shape[:-1], self.heads,
                         rows.shape[-1] // self.heads)

    def normalise(self, rows, number):
        for name in self.norms[number]:
            rows = getattr(self, name)(rows)
        return rows

    def forward(self, x, edge_index, edge_attr, batch):
        a = self.attention
        q, k, v, q2, k2 = (self.split(m(x))
                           for m in (a.Q, a.K, a.V, a.Q_2, a.K_2))
        scale = q.shape[-1] ** 0.5
        source, destination = edge_index
        score = (q[destination] * k[source] * self.split(a.E(edge_attr)))
        score = score.sum(-1) / scale
        n = len(x)
        total = torch.zeros(n, self.heads)
        real = torch.zeros_like(v)
        largest = torch.full((n, self.heads), -torch.inf)
        for e, i in enumerate(destination.tolist()):
            largest[i] = torch.maximum(largest[i], score[e])
        for e, i in enumerate(destination.tolist()):
            weight = (score[e] - largest[i]).exp()
            total[i] += weight
            real[i] += weight[:, None] * v[source[e]]
        real = real / total.clamp(min=1e-30)[..., None]

        fake = batch[:, None] == batch[None]
        fake.fill_diagonal_(False)
        fake[destination, source] = False
        e2 = self.split(a.E_2(a.fake_edge))
        score = torch.einsum("ihf,jhf,hf->ijh", q2, k2, e2) / scale
        score = score.masked_fill(~fake[..., None], -torch.inf)
        other = torch.einsum("ijh,jhf->ihf",
                             score.softmax(1).nan_to_num(0), v)
        h = (real + self.gamma * other) / (1 + self.gamma)
        h = self.O_h(h.flatten(1))
        if self.residual:
            h = x + h
        h = self.normalise(h, 0)
        out = self.FFN_h_layer2(self.FFN_h_layer1(h).relu())
        if self.residual:
            out = h + out
        return self.normalise(out, 1)


LAYERS = {"SANLayer": SANLayer}
