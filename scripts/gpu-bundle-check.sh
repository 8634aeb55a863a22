#!/bin/sh
# Runs what scripts/gpu-bundle.sh has put into this folder, compares results with
# the references, and then measures speed, into the folder results.
#
#   ./check.sh
#
# JOBS (8) runs at a time. WRAP is a program to run each under, such as
# WRAP=compute-sanitizer. BENCH=no leaves out the measuring.
set -u
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# one LAYER GRAPH: kernel by kernel and, if there is a file replay, replayed
cat >one.sh <<'END'
#!/bin/sh
run() {
  log=$(${WRAP:-} ./gnn-run-library "models/$1.so" --graph "graphs/$2.npz" \
    --check "expected/$1.npz" "--check-prefix=$2/" --rtol 1e-5 --atol 1e-6 \
    $3 2>&1) || { echo "FAILED $1 on $2 $3"; echo "$log"; }
}
result=$(run "$1" "$2" "")
[ -n "$result" ] || [ ! -f replay ] || result=$(run "$1" "$2" "$(cat replay)")
[ -z "$result" ] || echo "$result"
END
chmod +x one.sh
xargs -P "${JOBS:-8}" -n 2 ./one.sh <runs >log
grep -A3 "^FAILED" log
total=$(wc -l <runs)
failed=$(grep -c "^FAILED" log)
echo "$((total - failed)) of $total runs agree with their references"
[ "${BENCH:-yes}" = no ] && exit "$((failed > 0))"

# With Python's libraries beside ours where there are some.
mkdir -p results
if python3 -c 'import numpy, sys, torch
sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  # PyTorch comes with libraries of its own.
  env -u LD_LIBRARY_PATH python3 bench/gpu.py --build . --compiled rows \
    --output results || failed=1
else
  echo "peers: skipped, because Python has no PyTorch that can use a GPU here"
  ./gnn-bench-gpu rows --json results/gpu.json >results/gpu.md || failed=1
  cat results/gpu.md
fi
[ "$failed" -eq 0 ]
