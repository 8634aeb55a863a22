"""Trains two networks on a made-up academic graph with PyTorch Geometric.

    bench/setup-venv.sh .venv
    .venv/bin/python examples/heterogeneous/train.py

Writes academic.npz and the model folders hgt/ and han/ beside this script. 400
papers, 250 authors and 12 venues have one of four topics each; only the topics
of papers are labels. What a paper says of its topic is mostly noise: who wrote
it, what it cites and where it appeared tell more. Everything is drawn from
seeded generators.
"""

import json
import pathlib

import numpy as np
import safetensors.torch
import torch
import torch.nn.functional as F
import torch_geometric
from torch_geometric.data import HeteroData
from torch_geometric.nn import HANConv, HGTConv, HeteroDictLinear
from torch_geometric.transforms import AddMetaPaths

import hetero_npz

HERE = pathlib.Path(__file__).resolve().parent
TOPICS = 4
PAPERS, AUTHORS, VENUES = 400, 250, 12
WIDTHS = {"paper": 16, "author": 8, "venue": 4}

WRITES = ("author", "writes", "paper")
WRITTEN_BY = ("paper", "written_by", "author")
CITES = ("paper", "cites", "paper")
APPEARS = ("paper", "appears_at", "venue")
PUBLISHES = ("venue", "publishes", "paper")


def draw_edges(r, sources, destinations, count, agreement):
    """`count` edges into each destination, from a source of the same topic
    with probability `agreement`; [2, E] of (destination's side, source)."""
    pairs = []
    for node, topic in enumerate(destinations):
        alike = np.flatnonzero(sources == topic)
        for _ in range(r.integers(1, count + 1)):
            same = len(alike) and r.random() < agreement
            other = r.choice(alike if same else len(sources))
            pairs.append((node, int(other)))
    return torch.tensor(pairs).t().contiguous()


def make_graph():
    r = np.random.default_rng(7)
    topics = {"paper": r.integers(0, TOPICS, PAPERS),
              "author": r.integers(0, TOPICS, AUTHORS),
              "venue": np.arange(VENUES) % TOPICS}
    data = HeteroData()
    for kind, width in WIDTHS.items():
        centres = r.standard_normal((TOPICS, width))
        noise = r.standard_normal((len(topics[kind]), width))
        x = 0.35 * centres[topics[kind]] + noise
        data[kind].x = torch.from_numpy(x.astype(np.float32))
    written_by = draw_edges(r, topics["author"], topics["paper"], 4, 0.6)
    cites = draw_edges(r, topics["paper"], topics["paper"], 5, 0.5)
    appears = draw_edges(r, topics["venue"], topics["paper"], 1, 0.55)
    data[WRITTEN_BY].edge_index = written_by
    data[WRITES].edge_index = written_by.flip(0).contiguous()
    data[CITES].edge_index = cites
    data[APPEARS].edge_index = appears
    data[PUBLISHES].edge_index = appears.flip(0).contiguous()
    data["paper"].y = torch.from_numpy(topics["paper"])
    order = r.permutation(PAPERS)
    for name, part in (("train_mask", order[:120]), ("val_mask", order[120:180]),
                       ("test_mask", order[180:])):
        mask = torch.zeros(PAPERS, dtype=torch.bool)
        mask[part] = True
        data["paper"][name] = mask
    return data


HEAD = """\
node_types: [paper, author, venue]
edge_types:
  - [paper, written_by, author]
  - [author, writes, paper]
  - [paper, cites, paper]
  - [paper, appears_at, venue]
  - [venue, publishes, paper]
"""
INPUTS = """\
inputs:
  - {name: x, per: paper, channels: 16}
  - {name: x, per: author, channels: 8}
  - {name: x, per: venue, channels: 4}
"""


class HGT(torch.nn.Module):
    yaml = "name: academic-hgt\n" + HEAD + INPUTS + """\
layers:
  - name: encode
    type: HeteroDictLinear
    in_channels: {paper: 16, author: 8, venue: 4}
    out_channels: 32
  - {type: ReLU}
  - {name: conv1, type: HGTConv, in_channels: 32, out_channels: 32, heads: 4}
  - {name: conv2, type: HGTConv, in_channels: 32, out_channels: 32, heads: 4}
  - {name: lin, type: Linear, input: conv2.paper, in_features: 32, out_features: 4}
"""

    def __init__(self, metadata):
        super().__init__()
        self.encode = HeteroDictLinear(WIDTHS, 32)
        self.conv1 = HGTConv(32, 32, metadata, heads=4)
        self.conv2 = HGTConv(32, 32, metadata, heads=4)
        self.lin = torch.nn.Linear(32, TOPICS)

    def forward(self, x, edge_index):
        x = {kind: rows.relu() for kind, rows in self.encode(x).items()}
        x = {kind: F.dropout(rows, 0.3, self.training)
             for kind, rows in x.items()}
        x = self.conv2(self.conv1(x, edge_index), edge_index)
        return self.lin(x["paper"])


class HAN(torch.nn.Module):
    # Papers by one author, in one venue, and cited by one paper.
    paths = [[WRITTEN_BY, WRITES], [APPEARS, PUBLISHES], [CITES, CITES]]
    yaml = "name: academic-han\n" + HEAD + """\
metapaths:
  - [[paper, written_by, author], [author, writes, paper]]
  - [[paper, appears_at, venue], [venue, publishes, paper]]
  - [[paper, cites, paper], [paper, cites, paper]]
""" + """\
inputs:
  - {name: x, per: paper, channels: 16}
layers:
  - name: conv
    type: HANConv
    in_channels: {paper: 16}
    out_channels: 32
    heads: 4
    metadata:
      - [paper]
      - - [paper, metapath_0, paper]
        - [paper, metapath_1, paper]
        - [paper, metapath_2, paper]
        - [paper, cites, paper]
  - {name: lin, type: Linear, in_features: 32, out_features: 4}
"""
    types = [("paper", f"metapath_{i}", "paper") for i in range(3)] + [CITES]

    def __init__(self, metadata):
        super().__init__()
        self.conv = HANConv({"paper": 16}, 32, (["paper"], self.types),
                            heads=4, dropout=0.3)
        self.lin = torch.nn.Linear(32, TOPICS)

    def forward(self, x, edge_index):
        x = self.conv({"paper": x["paper"]},
                      {kind: edge_index[kind] for kind in self.types})
        return self.lin(x["paper"])


def accuracies(model, data):
    paper = data["paper"]
    with torch.no_grad():
        y = model(data.x_dict, data.edge_index_dict).argmax(1)
    return {name: round((y == paper.y)[paper[name]].float().mean().item(), 4)
            for name in ("train_mask", "val_mask", "test_mask")}


def train(folder, make, data):
    torch.manual_seed(0)
    if hasattr(make, "paths"):
        data = AddMetaPaths(make.paths)(data.clone())
    model = make(data.metadata())
    paper = data["paper"]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005,
                                 weight_decay=5e-4)
    best, state = -1, None
    for _ in range(120):
        model.train()
        optimizer.zero_grad()
        y = model(data.x_dict, data.edge_index_dict)
        mask = paper.train_mask
        F.cross_entropy(y[mask], paper.y[mask]).backward()
        optimizer.step()
        model.eval()
        value = accuracies(model, data)["val_mask"]
        if value > best:
            best = value
            state = {k: v.clone() for k, v in model.state_dict().items()}
    model.load_state_dict(state)

    folder.mkdir(exist_ok=True)
    (folder / "model.yaml").write_text(model.yaml)
    safetensors.torch.save_file(state, folder / "model.safetensors")
    result = {
        "accuracy": accuracies(model, data),
        "versions": {"torch": torch.__version__,
                     "torch_geometric": torch_geometric.__version__},
    }
    (folder / "pyg.json").write_text(json.dumps(result, indent=2) + "\n")
    print(folder.name, result["accuracy"])
    return model, data


def main():
    torch.set_num_threads(1)
    data = make_graph()
    hetero_npz.save(data, HERE / "academic.npz")
    train(HERE / "hgt", HGT, data)
    train(HERE / "han", HAN, data)


if __name__ == "__main__":
    main()
