"""Trains a GCN and a GAT on Cora with PyTorch Geometric.

    bench/setup-venv.sh .venv
    .venv/bin/python examples/cora/train.py PATH/cora.npz

The file has x, edge_index, y and the public split as train_mask, val_mask and
test_mask. Writes the model folders gcn/ and gat/ beside this script: the
weights of the epoch with the best validation accuracy (of equals, the one of
the lowest validation loss). The features go in as the file has them, 0 or 1.
"""

import copy
import json
import pathlib
import sys

import numpy as np
import safetensors.torch
import torch
import torch.nn.functional as F
import torch_geometric
from torch_geometric.nn import GATConv, GCNConv

HERE = pathlib.Path(__file__).resolve().parent


class GCN(torch.nn.Module):
    yaml = """\
name: cora-gcn
inputs:
  - {name: x, channels: 1433}
layers:
  - {type: Dropout, p: 0.5}
  - {name: conv1, type: GCNConv, in_channels: 1433, out_channels: 16}
  - {type: ReLU}
  - {type: Dropout, p: 0.5}
  - {name: conv2, type: GCNConv, in_channels: 16, out_channels: 7}
"""
    lr, epochs = 0.01, 200

    def __init__(self):
        super().__init__()
        self.conv1 = GCNConv(1433, 16)
        self.conv2 = GCNConv(16, 7)

    def forward(self, x, edge_index):
        x = F.dropout(x, 0.5, self.training)
        x = self.conv1(x, edge_index).relu()
        x = F.dropout(x, 0.5, self.training)
        return self.conv2(x, edge_index)


class GAT(torch.nn.Module):
    yaml = """\
name: cora-gat
inputs:
  - {name: x, channels: 1433}
layers:
  - {type: Dropout, p: 0.6}
  - {name: conv1, type: GATConv, in_channels: 1433, out_channels: 8, heads: 8}
  - {type: ELU}
  - {type: Dropout, p: 0.6}
  - {name: conv2, type: GATConv, in_channels: 64, out_channels: 7}
"""
    lr, epochs = 0.005, 300

    def __init__(self):
        super().__init__()
        self.conv1 = GATConv(1433, 8, heads=8, dropout=0.6)
        self.conv2 = GATConv(64, 7, dropout=0.6)

    def forward(self, x, edge_index):
        x = F.dropout(x, 0.6, self.training)
        x = F.elu(self.conv1(x, edge_index))
        x = F.dropout(x, 0.6, self.training)
        return self.conv2(x, edge_index)


def evaluate(model, data):
    """Accuracy on each mask, and the validation loss."""
    model.eval()
    with torch.no_grad():
        logits = model(data["x"], data["edge_index"])
    correct = logits.argmax(1) == data["y"]
    val = data["val_mask"]
    loss = F.cross_entropy(logits[val], data["y"][val]).item()
    return {mask: round(correct[data[mask]].float().mean().item(), 4)
            for mask in ("train_mask", "val_mask", "test_mask")}, loss


def train(folder, make, data):
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), lr=make.lr,
                                 weight_decay=5e-4)
    best = (0.0, 0.0)
    for _ in range(make.epochs):
        model.train()
        optimizer.zero_grad()
        logits = model(data["x"], data["edge_index"])
        mask = data["train_mask"]
        F.cross_entropy(logits[mask], data["y"][mask]).backward()
        optimizer.step()
        accuracy, loss = evaluate(model, data)
        if (accuracy["val_mask"], -loss) > best:
            best = (accuracy["val_mask"], -loss)
            state = copy.deepcopy(model.state_dict())

    model.load_state_dict(state)
    folder.mkdir(exist_ok=True)
    (folder / "model.yaml").write_text(make.yaml)
    safetensors.torch.save_file(state, folder / "model.safetensors")
    result = {
        "accuracy": evaluate(model, data)[0],
        "versions": {"torch": torch.__version__,
                     "torch_geometric": torch_geometric.__version__},
    }
    (folder / "pyg.json").write_text(json.dumps(result, indent=2) + "\n")
    print(folder.name, result["accuracy"])


def main():
    torch.set_num_threads(1)
    data = {k: torch.from_numpy(v) for k, v in np.load(sys.argv[1]).items()}
    train(HERE / "gcn", GCN, data)
    train(HERE / "gat", GAT, data)


if __name__ == "__main__":
    main()
