"""Has gnn_describe write the folders of the networks in networks.py.

    bench/setup-venv.sh .venv
    .venv/bin/python test/EndToEnd/Described/generate.py [--output FOLDER] [NAME...]

Each gets model.yaml, model.safetensors, the example graph.npz, what PyTorch
Geometric computes of it (expected.npz) and run.test, which compares. Weights and
graphs have fixed seeds.
"""

import argparse
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[2] / "tools" /
                                                 "gnn-describe")]

import networks  # noqa: E402
from gnn_describe import describe  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--output", type=pathlib.Path, default=HERE)
    arguments = parser.parse_args()
    for name, (make, shows) in networks.NETWORKS.items():
        if arguments.names and name not in arguments.names:
            continue
        torch.manual_seed(1)
        model, data = make()
        # Biases, and means and variances of norms, begin as zeros and ones.
        with torch.no_grad():
            for key, tensor in (*model.named_parameters(), *model.named_buffers()):
                if tensor.dim() == 1 and ("running" in key or isinstance(
                        tensor, torch.nn.Parameter)):
                    tensor.uniform_(0.2, 1)
        folder = arguments.output / name
        describe(model, data, folder, name=name)
        (folder / "run.test").write_text(
            "RUN: %check-model %S --graph %S/graph.npz --expected "
            f"%S/expected.npz\n{shows}.\n")


if __name__ == "__main__":
    main()
