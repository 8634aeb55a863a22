#!/bin/sh
# Makes the virtual environment the reference scripts (test/EndToEnd,
# examples) and the benchmarks run in: PyTorch, PyTorch Geometric, numpy, and
# RDKit for examples/molecules.
#
#   bench/setup-venv.sh [--transformers] [PATH]        (default: .venv)
#
# With --transformers also what test/EndToEnd/Checkpoint/generate.py needs.
#
# PyPI's torch wheel for x86-64 Linux links the CUDA libraries and does not
# import without them, so about 7 GB are installed although only the CPU is
# used. Where torch 2.10.0 is already installed for $PYTHON (a CPU-only build
# for instance), VENV_ARGS=--system-site-packages reuses it.
set -eu

extra=
if [ "${1:-}" = --transformers ]; then
  extra="transformers==5.23.0 tokenizers==0.23.3"
  shift
fi
venv=${1:-.venv}
python=${PYTHON:-python3}

"$python" -m venv ${VENV_ARGS:-} "$venv"
# shellcheck disable=SC2086 # words
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  torch==2.10.0 \
  torch-geometric==2.8.1 \
  numpy==2.4.6 \
  safetensors==0.8.0 \
  pyyaml==6.0.3 \
  rdkit==2026.9.1 \
  $extra
"$venv/bin/python" -c 'import torch, torch_geometric as pyg
print("torch", torch.__version__, "torch-geometric", pyg.__version__)'
