"""Trains a network to tell the polar surface of molecules, with PyTorch Geometric.

    bench/setup-venv.sh .venv
    .venv/bin/python examples/molecules/train.py

The molecules are the first 5,000 of the National Cancer Institute's that come
with RDKit, with their topological polar surface area; every fifth is of the
test set. Writes tpsa/, few.npz (ten molecules of the test set) and what the
network makes of these, test/EndToEnd/Molecules/expected.npz.
"""

import json
import pathlib

import numpy as np
import rdkit
import safetensors.torch
import torch
import torch_geometric
from rdkit import RDConfig, RDLogger
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINEConv, global_add_pool

import smiles

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

CONV = """\
  - name: CONV
    type: GINEConv
    edge_dim: 5
    edge_attr: edge_attr
    nn:
      - {type: Linear, in_features: 32, out_features: 32}
      - {type: ReLU}
      - {type: Linear, in_features: 32, out_features: 32}
  - {type: ReLU}
"""

YAML = """\
name: tpsa
inputs:
  - {name: x, channels: 22}
  - {name: edge_attr, channels: 5, per: edge}
layers:
  - {name: embed, type: Linear, in_features: 22, out_features: 32}
""" + CONV.replace("CONV", "conv1") + CONV.replace("CONV", "conv2") + """\
  - {name: atoms, type: Linear, in_features: 32, out_features: 1}
  - {name: tpsa, type: global_add_pool}
"""


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(),
                               torch.nn.Linear(32, 32))


class Network(torch.nn.Module):

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Linear(22, 32)
        self.conv1 = GINEConv(mlp(), edge_dim=5)
        self.conv2 = GINEConv(mlp(), edge_dim=5)
        self.atoms = torch.nn.Linear(32, 1)

    def forward(self, data):
        x = self.embed(data.x)
        x = self.conv1(x, data.edge_index, data.edge_attr).relu()
        x = self.conv2(x, data.edge_index, data.edge_attr).relu()
        return global_add_pool(self.atoms(x), data.batch, data.num_graphs)


def read_molecules():
    """The molecules of the file, one by one."""
    RDLogger.DisableLog("rdApp.*")
    path = pathlib.Path(RDConfig.RDDataDir) / "NCI" / "first_5k.tpsa.csv"
    arrays = smiles.read(path.read_text().splitlines())
    nodes = arrays["ptr"]
    # Where the edges of each molecule begin.
    edges = np.searchsorted(
        np.searchsorted(nodes, arrays["edge_index"][0], "right"),
        np.arange(1, len(nodes) + 1))
    tensors = {name: torch.from_numpy(a) for name, a in arrays.items()}
    for i in range(len(nodes) - 1):
        node, edge = slice(*nodes[i:i + 2]), slice(*edges[i:i + 2])
        yield Data(x=tensors["x"][node], y=tensors["y"][i:i + 1],
                   edge_index=tensors["edge_index"][:, edge] - nodes[i],
                   edge_attr=tensors["edge_attr"][edge])


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    molecules = list(read_molecules())
    test = Batch.from_data_list(molecules[::5])
    train = [m for i, m in enumerate(molecules) if i % 5]
    model = Network()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 25)
    for _ in range(25):
        model.train()
        order = torch.randperm(len(train)).tolist()
        for begin in range(0, len(order), 64):
            batch = Batch.from_data_list(
                [train[i] for i in order[begin:begin + 64]])
            optimizer.zero_grad()
            loss = torch.nn.functional.smooth_l1_loss(model(batch), batch.y)
            loss.backward()
            optimizer.step()
        schedule.step()

    model.eval()
    folder = HERE / "tpsa"
    folder.mkdir(exist_ok=True)
    (folder / "model.yaml").write_text(YAML)
    safetensors.torch.save_file(model.state_dict(),
                                folder / "model.safetensors")
    few = Batch.from_data_list(molecules[:50:5])
    np.savez_compressed(HERE / "few.npz", **{
        name: getattr(few, name).numpy()
        for name in ("x", "edge_index", "edge_attr", "ptr", "y")})
    with torch.no_grad():
        error = (model(test) - test.y).abs().mean().item()
        expected = ROOT / "test" / "EndToEnd" / "Molecules"
        expected.mkdir(exist_ok=True)
        np.savez_compressed(expected / "expected.npz", tpsa=model(few).numpy())
    result = {
        "mean_absolute_error": round(error, 3),
        "versions": {"torch": torch.__version__,
                     "torch_geometric": torch_geometric.__version__,
                     "rdkit": rdkit.__version__},
    }
    (folder / "pyg.json").write_text(json.dumps(result, indent=2) + "\n")
    print(f"{len(train)} molecules, {error:.2f} square Angstrom off on "
          f"{len(molecules) - len(train)} others")


if __name__ == "__main__":
    main()
