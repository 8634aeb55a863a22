#!/bin/sh
# Puts compiled layers, graphs, references and a program that runs them into a
# folder, which needs neither LLVM nor Python where it is carried to; and what
# bench/gpu/rows.txt lists, compiled, with programs that time it.
#
#   scripts/gpu-bundle.sh BUILD FOLDER [LAYER...]
#
# LAYER is a folder of test/EndToEnd/Layers (default: all of them). TARGET (cuda)
# and CHIP (sm_90) say what to compile for, ROWS which benchmarks (those of
# bench/gpu/rows.txt), TOOLKIT where the CUDA toolkit is, if models are to hold
# machine code beside PTX. FOLDER/check.sh runs everything. FOLDER.tar.gz is all of
# it, to be carried.
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
# Without a toolkit there is PTX alone, which any later chip's driver takes, too.
# shellcheck disable=SC2086 # $target: several words
printf '%s\n' "$@" | CUDA_HOME=${TOOLKIT:-none} xargs -P "$(nproc)" -I{} sh -c '
  layer=$1 && shift
  "$@" "$layer" -o "$0/$(basename "$layer").so" 2>"$0/$(basename "$layer").txt" ||
    { cat "$0/$(basename "$layer").txt" >&2; exit 255; }
' "$out/models" "$layers/{}" "$build/bin/gnn-compile" $target
for layer; do
  cp "$layers/$layer/expected.npz" "$out/expected/$layer.npz"
  python3 - "$layer" "$out/expected/$layer.npz" <<'END'
import sys, zipfile
names = zipfile.ZipFile(sys.argv[2]).namelist()
for graph in dict.fromkeys(name.split("/")[0] for name in names):
    print(sys.argv[1], graph)
END
done >"$out/runs"
rm -f "$out"/models/*.txt "$out"/models/*.h
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
