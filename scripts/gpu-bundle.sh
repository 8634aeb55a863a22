#!/bin/sh
# Puts compiled layers, graphs, references and a program that runs them into a
# folder, which needs neither LLVM nor Python where it is carried to; and what
# bench/gpu/rows.txt lists, compiled, with programs that time it.
#
#   scripts/gpu-bundle.sh BUILD FOLDER [LAYER...]
#
# LAYER is a folder of test/EndToEnd/Layers (default: all of them). TARGET (cuda)
# and CHIP (sm_90) say what to compile for, ROWS which benchmarks (those of
# bench/gpu/rows.txt). FOLDER/check.sh runs everything. FOLDER.tar.gz is all of it, to
# be carried.
set -eu

build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
source=$(cd "$(dirname "$0")/.." && pwd)
layers=$source/test/EndToEnd/Layers
rows=${ROWS:-$source/bench/gpu/rows.txt}
target=--target=${TARGET:-cuda}
[ "$target" != --target=cuda ] || target="$target --chip=${CHIP:-sm_90}"
[ $# -gt 0 ] || set -- $(ls "$layers")

mkdir -p "$out/models" "$out/graphs" "$out/expected" "$out/lib"
: >"$out/runs"
for layer; do
  # PTX, which any later chip's driver takes, too.
  # shellcheck disable=SC2086 # several words
  CUDA_HOME=none "$build/bin/gnn-compile" "$layers/$layer" $target \
    -o "$out/models/$layer.so" 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
  cp "$layers/$layer/expected.npz" "$out/expected/$layer.npz"
  python3 - "$layer" "$out/expected/$layer.npz" >>"$out/runs" <<'END'
import sys, zipfile
names = zipfile.ZipFile(sys.argv[2]).namelist()
for graph in dict.fromkeys(name.split("/")[0] for name in names):
    print(sys.argv[1], graph)
END
done
rm -f "$out/log" "$out"/models/*.h
# Launches of a GPU can be replayed.
[ "${TARGET:-cuda}" != cuda ] || echo "--replay --repeat 3" >"$out/replay"
cut -d" " -f2 "$out/runs" | sort -u | while read -r graph; do
  cp "$source/test/EndToEnd/Inputs/graphs/$graph.npz" "$out/graphs"
done

cp "$build/bin/gnn-run-library" "$out"
# All but the C library, which belongs to the system.
ldd "$build/bin/gnn-run-library" "$build/bin/gnn-bench-gpu" \
  "$build/lib/libgnn_bench_gpu.so" "$out"/models/*.so |
  awk '$2 == "=>" && $3 ~ "^/" {print $3}' | sort -u |
  grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
  while read -r library; do cp -L "$library" "$out/lib"; done
cp "$source/scripts/gpu-bundle-check.sh" "$out/check.sh"

# The benchmarks.
"$source/scripts/compile-gpu-rows.sh" "$build" "$out/rows" "$rows"
mkdir -p "$out/bench/gpu"
cp -R "$source/bench/gpu.py" "$source/bench/comparison" "$out/bench"
rm -rf "$out/bench/comparison/__pycache__"
cp "$rows" "$out/bench/gpu/rows.txt"
cp "$rows" "$out/rows/rows.txt"
cp "$build/bin/gnn-bench-gpu" "$out"
cp "$build/lib/libgnn_bench_gpu.so" "$out/lib"
git -C "$source" rev-parse --short HEAD >"$out/commit" 2>/dev/null || true
# Packed, all of it is half as large.
tar -C "$(dirname "$out")" -czf "$out.tar.gz" "$(basename "$out")"
echo "$out: $(wc -l <"$out/runs") runs, $(du -sm "$out" | cut -f1) MB;" \
  "$(du -sm "$out.tar.gz" | cut -f1) MB in $out.tar.gz"
