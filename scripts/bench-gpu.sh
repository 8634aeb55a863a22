#!/bin/sh
# Times kernels on the GPU of this machine, beside other libraries where Python
# has them, into docs/benchmarks.
#
#   scripts/bench-gpu.sh BUILD
#
# PYTHON is the interpreter that has PyTorch (python3). Where there is no GPU, it
# says so and succeeds.
set -eu
build=$1
source=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}

if "$python" -c 'import numpy, sys, torch
sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  exec "$python" "$source/bench/gpu.py" --build "$build"
fi
# Without a GPU, the program says so.
echo "peers: skipped, because $python has no PyTorch that can use a GPU here"
"$source/scripts/compile-gpu-rows.sh" "$build" "$build/gpu-rows"
cp "$source/bench/gpu/rows.txt" "$build/gpu-rows"
exec "$build/bin/gnn-bench-gpu" "$build/gpu-rows" \
  --json "$build/gpu-rows/results.json"
