#!/bin/sh
# Makes the virtual environment the reference scripts (test/EndToEnd,
# examples) and the benchmarks run in: PyTorch, PyTorch Geometric, numpy, the Open
# Graph Benchmark's encoders, and RDKit for examples/molecules.
#
#   bench/setup-venv.sh [--transformers] [--bench] [--torch-cluster] [PATH]
#
# (default: .venv). With --transformers also what
# test/EndToEnd/Checkpoint/generate.py needs, with --bench the other libraries of
# bench/compare.py, but for torch_cluster, which finds neighbours:
# --torch-cluster builds it from its sources, which takes some minutes.
#
# PyPI's torch wheel for x86-64 Linux links the CUDA libraries and does not
# import without them, so about 7 GB are installed although only the CPU is
# used. Where torch 2.10.0 is already installed for $PYTHON (a CPU-only build
# for instance), VENV_ARGS=--system-site-packages reuses it.
set -eu

extra=
dgl=
cluster=
while :; do
  case ${1:-} in
  --transformers)
    extra="$extra transformers==5.23.0 tokenizers==0.23.3" ;;
  --bench)
    # What DGL imports of its dependencies.
    extra="$extra onnxruntime==1.31.1 onnx==1.23.2 openvino==2026.4.1 \
      matplotlib==3.11.2 scipy networkx pandas psutil pydantic requests tqdm"
    dgl=dgl==2.1.0 ;;
  --torch-cluster)
    cluster=torch_cluster==1.6.3 ;;
  *) break ;;
  esac
  shift
done
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
  ogb==1.3.6 \
  $extra
# DGL's package for loading data needs libraries of older versions of PyTorch;
# the benchmarks do without it.
[ -z "$dgl" ] || "$venv/bin/python" -m pip install --quiet \
  --disable-pip-version-check --no-deps "$dgl"
if [ -n "$cluster" ]; then
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    setuptools wheel
  # It finds PyTorch where it is installed.
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --no-build-isolation "$cluster"
fi
"$venv/bin/python" -c 'import torch, torch_geometric as pyg
print("torch", torch.__version__, "torch-geometric", pyg.__version__)'
