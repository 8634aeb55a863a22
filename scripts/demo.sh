#!/bin/sh
# Compiles the example models ahead of time, runs them on their graphs and ends
# with a table of what came out.
#
#   scripts/demo.sh BIN          (the folder with gnn-compile and gnn-run)
#
# GNN_DATA_DIR (default: ../shared/data) is where cora.npz is looked for; without
# it the Cora models are compiled and not run.
set -eu

bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
data=${GNN_DATA_DIR:-../shared/data}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# demo MODEL GRAPH-NAME GRAPH-FILE
demo() {
  echo
  echo "== examples/$1"
  name=$(echo "$1" | tr / -)
  start=$(date +%s%N)
  "$bin/gnn-compile" "examples/$1" -o "$out/$name.so"
  stop=$(date +%s%N)
  if [ -f "$3" ]; then
    "$bin/gnn-run" "$out/$name.so" --graph "$3" --repeat 20 \
      --json "$out/$name.json"
  fi
  {
    echo "model=examples/$1"
    echo "graph=$2"
    echo "compile_ms=$(((stop - start) / 1000000))"
    echo "library_bytes=$(wc -c <"$out/$name.so")"
    echo "report=$out/$name.json"
    echo "reference=examples/$1/pyg.json"
  } >"$out/$name.row"
  rows="$rows $out/$name.row"
}

rows=
demo karate/gcn "karate club" examples/karate/karate.npz
demo karate/gat "karate club" examples/karate/karate.npz
demo karate/transformer "complete" examples/karate/karate-adjacency.npz
demo cora/gcn Cora "$data/cora.npz"
demo cora/gat Cora "$data/cora.npz"

echo
# shellcheck disable=SC2086 # paths of mktemp's
python3 scripts/demo-table.py $rows
if [ ! -f "$data/cora.npz" ]; then
  echo
  echo "Cora was not run, because there is no $data/cora.npz; set GNN_DATA_DIR" \
    "to a folder that has it (see examples/README.md)."
fi
