"""Writes the graphs, models and expected outputs of the end-to-end tests.

    bench/setup-venv.sh .venv
    .venv/bin/python test/EndToEnd/generate.py [--cora CORA.npz] [VARIANT...]

Everything comes from PyTorch Geometric on the CPU in float32, in eval mode.
Weights and graphs are drawn from numpy generators seeded by their own names,
so a rerun (same package versions) writes the same bytes, and adding a variant
changes no other. With variant names as arguments only those are written.

  Inputs/graphs/NAME.npz        the graphs
  Layers/VARIANT/model.yaml     one model for each variant ...
  Layers/VARIANT/expected.npz   ... and its output `GRAPH/y` on the graphs
  Batches/Inputs/graphs/I.npz   small graphs
  Batches/Inputs/batch.npz      the `Batch` PyTorch Geometric makes of them
  Batches/MODEL/...             models of it, and their outputs
  Karate/MODEL/expected.npz     logits of examples/karate/MODEL on its graph
  Heterogeneous/MODEL/expected.npz  those of examples/heterogeneous/MODEL
  Cora/MODEL/expected.npz       those of examples/cora/MODEL (with --cora)
  SkipLinks/Inputs/expected.npz logits of examples/graph-transformer
  Encodings/Inputs/NAME.npz     graphs with the encodings gnn-encode is to find
"""

import argparse
import pathlib

import numpy as np
import safetensors.torch
import torch
import yaml
from torch_geometric.data import Batch, Data
from torch_geometric.transforms import AddRandomWalkPE

import reference
from goldens import (BATCHES, BIPARTITE, BLOCKS, CLUSTERED, GRAPHS, MOLECULES,
                     NO_BATCH, NUMBERED, PATHS, SLOPES, SMALL, SPARSE_BIPARTITE,
                     SPARSE_GRAPHS, SPARSE_TYPED, SPECTRA, TOKENS, TOKEN_PATHS,
                     TYPED_GRAPHS, VARIANTS, densify, encodings, rng)
from goldens.transformers import PADDED, PADDED_BIPARTITE, PARTITIONS
from heterogeneous import HeterogeneousModel

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def save(path, arrays):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


def randomise(model, name):
    """Draws every parameter and buffer, so that none can be forgotten."""
    r = rng("weights " + name)
    tensors = [*model.named_parameters(), *model.named_buffers()]
    for key, tensor in tensors:
        if key.endswith("num_batches_tracked"):
            tensor.fill_(int(r.integers(1, 100)))
            continue
        if key.endswith(("running_var", "scaler", "avg_deg_lin",
                         "avg_deg_log")):
            value = np.asarray(r.uniform(0.5, 1.5, tensor.shape))
        elif tensor.dim() > 1:
            value = r.standard_normal(tensor.shape) / tensor.shape[-1]**0.5
        elif key.endswith("weight"):  # of a norm
            value = 1 + 0.3 * r.standard_normal(tensor.shape)
        else:
            value = 0.5 * r.standard_normal(tensor.shape)
        # GINConv's eps stays what model.yaml says, unless it is learned.
        if not key.endswith("eps") or isinstance(tensor, torch.nn.Parameter):
            tensor.copy_(torch.from_numpy(value))


def run(model, arrays):
    arrays = densify(arrays)
    if isinstance(model, HeterogeneousModel):
        return {k: v.numpy() for k, v in model(arrays).items()}
    tensors = {k: torch.from_numpy(np.asarray(v)) for k, v in arrays.items()}
    edge_index = tensors.pop("edge_index")
    batch = tensors.pop("batch", None)
    return {"y": model(tensors, edge_index, batch).numpy()}


def write_variant(name):
    shows, description, graphs, shared = VARIANTS[name]
    kind = (HeterogeneousModel if "node_types" in description else
            reference.Model)
    model = kind(description).eval()
    randomise(model, name)
    expected = {}
    for graph_name, arrays in graphs.items():
        try:
            outputs = run(model, arrays)
        except Exception as error:
            rows = densify(arrays).get("x", arrays.get("x_src"))
            if rows is None or rows.size:
                raise
            # PyTorch does not run this one without nodes: written by hand.
            print(f"{name}: {graph_name} by hand ({str(error).splitlines()[0]})")
            outputs = {"y": np.zeros(
                (0, next(iter(expected.values())).shape[1]), np.float32)}
        for key, y in outputs.items():
            assert y.dtype == np.float32 and np.isfinite(y).all(), graph_name
            expected[f"{graph_name}/{key}"] = y
    folder = HERE / "Layers" / name
    state = {k: v for k, v in model.state_dict().items() if k not in shared}
    reference.write(folder, description, state,
                    f"{shows}. Made by generate.py.", metadata=shared)
    save(folder / "expected.npz", expected)
    (folder / "run.test").write_text(
        f"// RUN: %check-model %S\n// {shows}.\n")


def write_batches():
    """Writes small graphs, their batch, and models of it."""
    folder = HERE / "Batches"
    for index, arrays in enumerate(SMALL):
        save(folder / "Inputs" / "graphs" / f"{index}.npz", arrays)
    batch = Batch.from_data_list(
        [Data.from_dict({k: torch.from_numpy(np.asarray(v))
                         for k, v in arrays.items()}) for arrays in SMALL])
    batch = {key: value.numpy() for key, value in batch.to_dict().items()}
    save(folder / "Inputs" / "batch.npz", batch)
    for name, description in BATCHES.items():
        model = reference.Model(description).eval()
        randomise(model, name)
        inputs = [i["name"] for i in description["inputs"]]
        expected = run(model, {k: batch[k]
                               for k in [*inputs, "edge_index", "batch"]})
        reference.write(folder / name, description, model.state_dict(),
                        "Made by generate.py.")
        save(folder / name / "expected.npz", expected)


def write_example(path, graph):
    """Writes what the model examples/`path` yields on a graph file."""
    model = reference.read(ROOT / "examples" / path)
    arrays = np.load(graph)
    y = run(model, {k: arrays[k] for k in ("x", "edge_index")})["y"]
    group, name = path.split("/")
    save(HERE / group.capitalize() / name / "expected.npz",
         {model.description["layers"][-1]["name"]: y})


def write_typed_example(name):
    """Writes what the model examples/heterogeneous/`name` yields."""
    folder = ROOT / "examples" / "heterogeneous"
    model = HeterogeneousModel(
        yaml.safe_load((folder / name / "model.yaml").read_text()))
    model.load_state_dict(
        safetensors.torch.load_file(folder / name / "model.safetensors"))
    save(HERE / "Heterogeneous" / name / "expected.npz",
         run(model.eval(), np.load(folder / "academic.npz")))


def write_skip_links():
    """What examples/graph-transformer yields with PyTorch Geometric's random
    walks."""
    folder = ROOT / "examples" / "graph-transformer"
    arrays = np.load(folder / "graphs.npz")
    data = Data(edge_index=torch.from_numpy(arrays["edge_index"]),
                num_nodes=len(arrays["batch"]))
    walks = AddRandomWalkPE(16)(data).random_walk_pe
    y = run(reference.read(folder / "gps"),
            {"random_walk_pe": walks.numpy(), "batch": arrays["batch"],
             "edge_index": arrays["edge_index"]})["y"]
    save(HERE / "SkipLinks" / "Inputs" / "expected.npz", {"out": y})


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variants", nargs="*", metavar="VARIANT")
    parser.add_argument("--cora", help="cora.npz; also writes Cora/")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name, arrays in {**GRAPHS, **NO_BATCH, **SLOPES, **BLOCKS, **CLUSTERED,
                         **BIPARTITE, **TYPED_GRAPHS, **TOKENS, **PATHS,
                         **SPECTRA, **TOKEN_PATHS, **NUMBERED, **MOLECULES, **PADDED,
                         **PADDED_BIPARTITE, **PARTITIONS, **SPARSE_GRAPHS,
                         **SPARSE_BIPARTITE, **SPARSE_TYPED}.items():
        save(HERE / "Inputs" / "graphs" / f"{name}.npz", arrays)
    for name, arrays in encodings.graphs():
        save(HERE / "Encodings" / "Inputs" / f"{name}.npz", arrays)
    write_batches()
    for name in arguments.variants or VARIANTS:
        write_variant(name)
    karate = ROOT / "examples" / "karate"
    write_example("karate/gcn", karate / "karate.npz")
    write_example("karate/gat", karate / "karate.npz")
    write_example("karate/transformer", karate / "karate-adjacency.npz")
    write_typed_example("hgt")
    write_typed_example("han")
    write_skip_links()
    if arguments.cora:
        write_example("cora/gcn", arguments.cora)
        write_example("cora/gat", arguments.cora)


if __name__ == "__main__":
    main()
