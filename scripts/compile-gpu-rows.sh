#!/bin/sh
# Compiles what bench/gpu/rows.txt lists.
#
#   scripts/compile-gpu-rows.sh BUILD FOLDER [ROWS]
#
# FOLDER/CHIP/NAME.so is made for each of CHIPS (sm_80 sm_90), or FOLDER/NAME.so
# with TARGET=gpu-emu; or NAME.txt with what the compiler said instead.
set -eu

build=$1
out=$2
source=$(cd "$(dirname "$0")/.." && pwd)
rows=${3:-$source/bench/gpu/rows.txt}

compile() { # FOLDER OPTION...
  folder=$1
  shift
  mkdir -p "$folder"
  grep -v '^#' "$rows" | while read -r _ name kernel precision shapes _; do
    [ -n "$name" ] || continue
    expressions=$(echo "$shapes" | tr ',' '\n' |
      sed 's/\(.*\)=\(.*\)/s|$(\1)|\2|g/')
    sed "$expressions" "$source/bench/kernels/$kernel.mlir" \
      >"$folder/$name.mlir"
    # PTX alone: it is smaller, and the driver compiles it.
    if CUDA_HOME=none "$build/bin/gnn-compile" "$folder/$name.mlir" \
      --topology=sparse "--precision=$precision" "$@" -o "$folder/$name.so" \
      2>"$folder/$name.txt"; then
      rm -f "$folder/$name.txt"
    else
      sed -i -n 's/.*error: //p' "$folder/$name.txt"
    fi
    rm -f "$folder/$name.mlir" "$folder/$name.h"
  done
}

if [ "${TARGET:-cuda}" = gpu-emu ]; then
  compile "$out" --target=gpu-emu
else
  for chip in ${CHIPS:-sm_80 sm_90}; do
    compile "$out/$chip" --target=cuda "--chip=$chip"
  done
fi
