"""Trains a graph transformer to tell circular skip links apart.

    bench/setup-venv.sh .venv
    .venv/bin/python examples/graph-transformer/train.py

Writes graphs.npz and the model folder gps/ beside this script. A graph is a cycle
of 41 nodes with a second cycle through every r-th node; its class is which of ten
r it has (Murphy et al. 2019). All nodes have degree 4, so that no message passing
network tells the classes apart by itself: the random walks that gnn-encode adds
do. They are not in the file.
"""

import json
import pathlib

import numpy as np
import safetensors.torch
import torch
import torch.nn.functional as F
import torch_geometric
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINConv, GPSConv, global_mean_pool
from torch_geometric.transforms import AddRandomWalkPE

HERE = pathlib.Path(__file__).resolve().parent
NODES = 41
SKIPS = [2, 3, 4, 5, 6, 9, 11, 12, 13, 16]
PER_CLASS = {"train": 6, "test": 4}
STEPS = 16
WIDTH = 16


class GPS(torch.nn.Module):
    yaml = f"""\
name: skip-links
inputs:
  - {{name: random_walk_pe, channels: {STEPS}}}
layers:
  - {{name: lin, type: Linear, in_features: {STEPS}, out_features: {WIDTH}}}
""" + "".join(f"""\
  - name: gps{i}
    type: GPSConv
    channels: {WIDTH}
    heads: 4
    conv:
      type: GINConv
      nn:
        - {{type: Linear, in_features: {WIDTH}, out_features: {WIDTH}}}
        - {{type: ReLU}}
        - {{type: Linear, in_features: {WIDTH}, out_features: {WIDTH}}}
""" for i in (1, 2)) + f"""\
  - {{type: global_mean_pool}}
  - {{name: out, type: Linear, in_features: {WIDTH}, out_features: {len(SKIPS)}}}
"""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(STEPS, WIDTH)
        self.gps1, self.gps2 = (
            GPSConv(WIDTH, GINConv(torch.nn.Sequential(
                torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(),
                torch.nn.Linear(WIDTH, WIDTH))), heads=4) for _ in range(2))
        self.out = torch.nn.Linear(WIDTH, len(SKIPS))

    def forward(self, data):
        x = self.lin(data.random_walk_pe)
        for conv in (self.gps1, self.gps2):
            x = conv(x, data.edge_index, data.batch)
        return self.out(global_mean_pool(x, data.batch))


def make_graphs():
    """Shuffled nodes, so that a class has many drawings."""
    r = np.random.default_rng(0)
    graphs = []
    for part, count in PER_CLASS.items():
        for label, skip in enumerate(SKIPS):
            for _ in range(count):
                order = r.permutation(NODES)
                pairs = np.array([(i, (i + step) % NODES) for step in (1, skip)
                                  for i in range(NODES)])
                pairs = order[np.concatenate([pairs, pairs[:, ::-1]])]
                graphs.append(Data(edge_index=torch.from_numpy(pairs.T.copy()),
                                   num_nodes=NODES, y=label,
                                   train_mask=part == "train",
                                   test_mask=part == "test"))
    return graphs


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.backends.mha.set_fastpath_enabled(False)
    graphs = make_graphs()
    every = Batch.from_data_list(graphs)
    np.savez_compressed(
        HERE / "graphs.npz", edge_index=every.edge_index.numpy(),
        batch=every.batch.numpy(), y=every.y.numpy(),
        train_mask=every.train_mask.numpy(), test_mask=every.test_mask.numpy())

    every = Batch.from_data_list([AddRandomWalkPE(STEPS)(g) for g in graphs])
    model = GPS()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(120):
        model.train()
        optimizer.zero_grad()
        mask = every.train_mask
        F.cross_entropy(model(every)[mask], every.y[mask]).backward()
        optimizer.step()

    model.eval()
    with torch.no_grad():
        correct = model(every).argmax(1) == every.y
    accuracy = {mask: round(correct[every[mask]].float().mean().item(), 4)
                for mask in ("train_mask", "test_mask")}
    folder = HERE / "gps"
    folder.mkdir(exist_ok=True)
    (folder / "model.yaml").write_text(model.yaml)
    safetensors.torch.save_file(model.state_dict(),
                                folder / "model.safetensors")
    result = {"accuracy": accuracy,
              "versions": {"torch": torch.__version__,
                           "torch_geometric": torch_geometric.__version__}}
    (folder / "pyg.json").write_text(json.dumps(result, indent=2) + "\n")
    print(accuracy)


if __name__ == "__main__":
    main()
