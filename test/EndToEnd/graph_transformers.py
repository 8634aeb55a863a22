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


class LaplacianEncoder(torch.nn.Module):
    """The learned positional encoding of nodes of Kreuzer et al. (2021), with the
    names of their published code: a transformer on the pairs that each node
    has, whose results are added up. Where the published code masks missing pairs
    (NaN), nothing but the others is computed here, node by node."""

    def __init__(self, dim, num_heads, num_layers, dim_feedforward=2048):
        super().__init__()
        self.linear_A = torch.nn.Linear(2, dim)
        layer = torch.nn.TransformerEncoderLayer(dim, num_heads,
                                                 dim_feedforward,
                                                 batch_first=True)
        self.PE_Transformer = torch.nn.TransformerEncoder(
            layer, num_layers, enable_nested_tensor=False)

    def forward(self, x, pairs):
        encodings = torch.zeros(len(x), self.linear_A.out_features)
        for node, own in enumerate(pairs):
            own = own[~own.isnan().any(1)]
            if len(own):
                encodings[node] = self.PE_Transformer(
                    self.linear_A(own)[None])[0].sum(0)
        return torch.cat([x, encodings], 1)


class GraphormerEncoding(torch.nn.Module):
    """Ying et al. (2021), equation 5."""

    def __init__(self, embedding_dim, num_in_degree, num_out_degree):
        super().__init__()
        self.in_degree_encoder = torch.nn.Embedding(num_in_degree,
                                                    embedding_dim)
        self.out_degree_encoder = torch.nn.Embedding(num_out_degree,
                                                     embedding_dim)

    def forward(self, x, in_degree, out_degree):
        for degree, table in ((in_degree, self.in_degree_encoder),
                              (out_degree, self.out_degree_encoder)):
            x = x + table(degree.clamp(max=table.num_embeddings - 1))
        return x


class GraphormerToken(torch.nn.Module):
    """Ying et al. (2021), section 3.1.3: a node before those of each graph, with
    features of its own."""

    def __init__(self, embedding_dim):
        super().__init__()
        self.graph_token = torch.nn.Embedding(1, embedding_dim)

    def forward(self, x, batch):
        if batch is None:
            batch = torch.zeros(len(x), dtype=torch.int64)
        rows = [torch.cat([self.graph_token.weight, x[batch == graph][1:]])
                for graph in batch.unique()]
        return torch.cat([x[:0], *rows])


class GraphormerLayer(torch.nn.Module):
    """Ying et al. (2021), equations 6 to 9. `edge_shape` is that of the path
    features of a pair: positions and width."""

    def __init__(self, embedding_dim, num_heads, ffn_embedding_dim,
                 num_spatial, edge_shape=None, layer_norm_eps=1e-5):
        super().__init__()
        self.heads = num_heads
        linear, norm = torch.nn.Linear, torch.nn.LayerNorm
        self.self_attn = torch.nn.Module()
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            self.self_attn.add_module(name,
                                      linear(embedding_dim, embedding_dim))
        self.self_attn_layer_norm = norm(embedding_dim, layer_norm_eps)
        self.final_layer_norm = norm(embedding_dim, layer_norm_eps)
        self.fc1 = linear(embedding_dim, ffn_embedding_dim)
        self.fc2 = linear(ffn_embedding_dim, embedding_dim)
        self.spatial_pos_encoder = torch.nn.Embedding(num_spatial, num_heads)
        self.edge_encoder = None
        if edge_shape:
            self.edge_encoder = torch.nn.Module()
            self.edge_encoder.weight = torch.nn.Parameter(
                torch.zeros(*edge_shape, num_heads))

    def bias(self, distance, features, length):
        """Of a pair: b and c of equation 7, per head."""
        bias = self.spatial_pos_encoder.weight[distance]
        if self.edge_encoder is None or length == 0:
            return bias
        terms = [features[n] @ self.edge_encoder.weight[n]
                 for n in range(length)]
        return bias + sum(terms) / length

    def attend(self, x, edge_index, distances, features, lengths):
        a = self.self_attn
        q, k, v = (m(x).view(len(x), self.heads, x.shape[1] // self.heads)
                   for m in (a.q_proj, a.k_proj, a.v_proj))
        score = torch.einsum("ihf,jhf->ijh", q, k) / q.shape[-1] ** 0.5
        bias = torch.full_like(score, -torch.inf)
        for e, (source, destination) in enumerate(edge_index.t().tolist()):
            bias[destination, source] = self.bias(
                distances[e],
                None if features is None else features[e],
                None if lengths is None else int(lengths[e]))
        h = torch.einsum("ijh,jhf->ihf", (score + bias).softmax(1), v)
        return a.out_proj(h.flatten(1))

    def forward(self, x, edge_index, distances, features=None, lengths=None):
        x = x + self.attend(self.self_attn_layer_norm(x), edge_index,
                            distances, features, lengths)
        hidden = torch.nn.functional.gelu(self.fc1(self.final_layer_norm(x)))
        return x + self.fc2(hidden)


LAYERS = {"SANLayer": SANLayer}
READERS = {"LaplacianEncoder": LaplacianEncoder,
           "GraphormerEncoding": GraphormerEncoding,
           "GraphormerToken": GraphormerToken,
           "GraphormerLayer": GraphormerLayer}
# What these read besides rows and edges, in order.
INPUTS = {"LaplacianEncoder": ["pairs"],
          "GraphormerEncoding": ["in_degree", "out_degree"],
          "GraphormerToken": [],
          "GraphormerLayer": ["shortest_path", "path_features",
                              "path_lengths"]}
