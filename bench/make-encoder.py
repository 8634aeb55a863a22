"""Writes a model folder: a sentence encoder, of MiniLM's shape if no other is given,
of any number of layers, with random weights. What compile time is measured with.

    python3 bench/make-encoder.py FOLDER [--layers N] [--shape WIDTH HEADS INNER]

Needs torch and safetensors.
"""

import argparse
import json
import pathlib

import torch
from comparison import encoder
from safetensors.torch import save_file

parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--layers", type=int, default=encoder.LAYERS)
parser.add_argument("--shape", type=int, nargs=3, metavar=("WIDTH", "HEADS", "INNER"),
                    default=(encoder.WIDTH, encoder.HEADS, encoder.INNER))
options = parser.parse_args()

encoder.WIDTH, encoder.HEADS, encoder.INNER = options.shape
torch.manual_seed(0)
names = [f"layer{i}" for i in range(options.layers)]
options.folder.mkdir(exist_ok=True)
text = encoder.description(options.folder.name, "complete", names)
(options.folder / "model.yaml").write_text(json.dumps(text))
save_file(encoder.Encoder(names).state_dict(), options.folder / "model.safetensors")
