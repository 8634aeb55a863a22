#!/bin/sh
# Runs the end-to-end tests of layers on the GPU of this machine.
#
#   scripts/check-gpu.sh BUILD
#
# Where there is no GPU, it says so and succeeds. GNN_CUDA_DRIVER is the driver, if
# it is not NVIDIA's.
set -eu
build=$1

if ! python3 -c '
import ctypes, os, sys
try:
    driver = ctypes.CDLL(os.environ.get("GNN_CUDA_DRIVER") or "libcuda.so.1")
except OSError:
    sys.exit(1)
count = ctypes.c_int(0)
sys.exit(driver.cuInit(0) != 0
         or driver.cuDeviceGetCount(ctypes.byref(count)) != 0
         or count.value == 0)
'; then
  echo "check-gpu: skipped, because there is no NVIDIA GPU with its driver" \
    "here (libcuda.so.1)"
  exit 0
fi

lit=$(command -v lit-22 || command -v llvm-lit || echo lit)
"$lit" -sv --param targets=cuda "$build/test/EndToEnd/Layers" \
  "$build/test/EndToEnd/Checkpoint" "$build/test/EndToEnd/Examples"
