"""Trains three small networks on Zachary's karate club with PyTorch Geometric.

    bench/setup-venv.sh .venv
    .venv/bin/python examples/karate/train.py

Writes karate.npz (features: the identity), karate-adjacency.npz (features: the
rows of the adjacency matrix) and the model folders gcn/, gat/ and transformer/
beside this script. As in PyG's KarateClub, one member of each of the four
communities is labelled; the others are the test set.
"""

import json
import pathlib

import numpy as np
import safetensors.torch
import torch
import torch.nn.functional as F
import torch_geometric
from torch_geometric.nn import GATConv, GCNConv

HERE = pathlib.Path(__file__).resolve().parent

# The 78 friendships: each member's friends of a higher number.
FRIENDS = {
    0: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31],
    1: [2, 3, 7, 13, 17, 19, 21, 30],
    2: [3, 7, 8, 9, 13, 27, 28, 32],
    3: [7, 12, 13],
    4: [6, 10],
    5: [6, 10, 16],
    6: [16],
    8: [30, 32, 33],
    9: [33],
    13: [33],
    14: [32, 33],
    15: [32, 33],
    18: [32, 33],
    19: [33],
    20: [32, 33],
    22: [32, 33],
    23: [25, 27, 29, 32, 33],
    24: [25, 27, 31],
    25: [31],
    26: [29, 33],
    27: [33],
    28: [31, 33],
    29: [32, 33],
    30: [32, 33],
    31: [32, 33],
    32: [33],
}

# The members' communities (found by modularity), as in PyG's KarateClub.
COMMUNITIES = [1, 1, 1, 1, 3, 3, 3, 1, 0, 1, 3, 1, 1, 1, 0, 0, 3, 1, 0, 1, 0, 1,
               0, 0, 2, 2, 0, 0, 2, 0, 0, 2, 0, 0]


class GCN(torch.nn.Module):
    yaml = """\
name: karate-gcn
inputs:
  - {name: x, channels: 34}
layers:
  - {name: conv1, type: GCNConv, in_channels: 34, out_channels: 16}
  - {type: ReLU}
  - {type: Dropout, p: 0.5}
  - {name: conv2, type: GCNConv, in_channels: 16, out_channels: 16}
  - {type: ReLU}
  - {name: lin, type: Linear, in_features: 16, out_features: 4}
"""

    def __init__(self):
        super().__init__()
        self.conv1 = GCNConv(34, 16)
        self.conv2 = GCNConv(16, 16)
        self.lin = torch.nn.Linear(16, 4)

    def forward(self, x, edge_index):
        x = self.conv1(x, edge_index).relu()
        x = F.dropout(x, 0.5, self.training)
        x = self.conv2(x, edge_index).relu()
        return self.lin(x)


class GAT(torch.nn.Module):
    yaml = """\
name: karate-gat
inputs:
  - {name: x, channels: 34}
layers:
  - {name: conv1, type: GATConv, in_channels: 34, out_channels: 8, heads: 4}
  - {type: ELU}
  - {type: Dropout, p: 0.5}
  - {name: conv2, type: GATConv, in_channels: 32, out_channels: 4}
"""

    def __init__(self):
        super().__init__()
        self.conv1 = GATConv(34, 8, heads=4)
        self.conv2 = GATConv(32, 4)

    def forward(self, x, edge_index):
        x = F.elu(self.conv1(x, edge_index))
        x = F.dropout(x, 0.5, self.training)
        return self.conv2(x, edge_index)


class Transformer(torch.nn.Module):
    """Each member attends to all others; the edges are in the features."""

    yaml = """\
name: karate-transformer
graph: complete
inputs:
  - {name: x, channels: 34}
layers:
  - {name: proj, type: Linear, in_features: 34, out_features: 32}
  - name: encoder1
    type: TransformerEncoderLayer
    d_model: 32
    nhead: 4
    dim_feedforward: 64
  - name: encoder2
    type: TransformerEncoderLayer
    d_model: 32
    nhead: 4
    dim_feedforward: 64
  - {name: lin, type: Linear, in_features: 32, out_features: 4}
"""

    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(34, 32)
        self.encoder1, self.encoder2 = (
            torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.3,
                                             batch_first=True)
            for _ in range(2))
        self.lin = torch.nn.Linear(32, 4)

    def forward(self, x, edge_index):
        x = self.proj(x)[None]
        return self.lin(self.encoder2(self.encoder1(x))[0])


def accuracies(model, data):
    with torch.no_grad():
        correct = model(data["x"], data["edge_index"]).argmax(1) == data["y"]
    return {mask: round(correct[data[mask]].float().mean().item(), 4)
            for mask in ("train_mask", "test_mask")}


def train(folder, make, arrays):
    torch.manual_seed(0)
    data = {k: torch.from_numpy(v) for k, v in arrays.items()}
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005,
                                 weight_decay=5e-4)
    for _ in range(300):
        model.train()
        optimizer.zero_grad()
        y = model(data["x"], data["edge_index"])
        mask = data["train_mask"]
        F.cross_entropy(y[mask], data["y"][mask]).backward()
        optimizer.step()

    model.eval()
    folder.mkdir(exist_ok=True)
    (folder / "model.yaml").write_text(model.yaml)
    safetensors.torch.save_file(model.state_dict(),
                                folder / "model.safetensors")
    result = {
        "accuracy": accuracies(model, data),
        "versions": {"torch": torch.__version__,
                     "torch_geometric": torch_geometric.__version__},
    }
    (folder / "pyg.json").write_text(json.dumps(result, indent=2) + "\n")
    print(folder.name, result["accuracy"])


def main():
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)
    pairs = [(a, b) for a in FRIENDS for b in FRIENDS[a]]
    pairs += [(b, a) for a, b in pairs]
    y = np.array(COMMUNITIES)
    train_mask = np.zeros(34, bool)
    train_mask[[int(np.argmax(y == community)) for community in range(4)]] = True
    arrays = {
        "edge_index": np.array(pairs).T.copy(),
        "x": np.eye(34, dtype=np.float32),
        "y": y,
        "train_mask": train_mask,
        "test_mask": ~train_mask,
    }
    np.savez_compressed(HERE / "karate.npz", **arrays)
    source, destination = arrays["edge_index"]
    adjacency = np.zeros((34, 34), np.float32)
    adjacency[destination, source] = 1
    with_rows = {**arrays, "x": adjacency}
    np.savez_compressed(HERE / "karate-adjacency.npz", **with_rows)

    train(HERE / "gcn", GCN, arrays)
    train(HERE / "gat", GAT, arrays)
    train(HERE / "transformer", Transformer, with_rows)


if __name__ == "__main__":
    main()
