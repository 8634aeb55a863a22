#!/bin/sh
# Runs what scripts/gpu-bundle.sh has put into this folder, compares results with
# the references, and then measures speed, into the folder results.
#
#   ./check.sh
#
# JOBS (8) runs at a time. WRAP is a program to run each under, such as
# WRAP="compute-sanitizer --error-exitcode 9". BENCH=no leaves out the measuring.
set -u
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# one LAYER: on all its graphs, kernel by kernel and, if there is a file replay,
# replayed. After a failure another process goes on, because a GPU's lasts.
cat >one.sh <<'END'
#!/bin/sh
commands=commands.$1
grep "^$1 " runs | while read -r layer graph; do
  run="models/$layer.so --graph graphs/$graph.npz --check expected/$layer.npz \
    --check-prefix=$graph/ --rtol 1e-5 --atol 1e-6 --quiet"
  echo $run
  [ ! -f replay ] || echo $run $(cat replay) >>"$commands.replayed"
done >"$commands"
[ ! -f replay ] || { cat "$commands.replayed" >>"$commands"; rm "$commands.replayed"; }
while [ -s "$commands" ] &&
  ! log=$(${WRAP:-} ./gnn-run-library --commands "$commands" 2>&1); do
  # What ran last, or nothing if there was no such program.
  line=$(echo "$log" | sed -n "s/^$commands:\([0-9]*\):.*/\1/p" | tail -n 1)
  command=$(sed -n "${line:-1}p" "$commands")
  graph=$(echo "$command" | sed 's/.*check-prefix=\([^ ]*\)\/ .*/\1/')
  replay=$(echo "$command" | grep -o -e --replay)
  # At once, because others write, too.
  printf '%s\n%s\n' "FAILED $1 on $graph $replay" \
    "$(echo "$log" | grep -v "^$commands:")"
  sed "1,${line:-1}d" "$commands" >"$commands.rest"
  mv "$commands.rest" "$commands"
done
rm "$commands"
END
chmod +x one.sh
cut -d" " -f1 runs | sort -u | xargs -P "${JOBS:-8}" -n 1 ./one.sh >log
grep -A3 "^FAILED" log
total=$(wc -l <runs)
failed=$(grep "^FAILED" log | cut -d" " -f2-4 | sort -u | wc -l)
echo "$((total - failed)) of $total runs agree with their references"
[ "${BENCH:-yes}" = no ] && exit "$((failed > 0))"

# With Python's libraries beside ours where there are some.
mkdir -p results
# PyTorch comes with libraries of its own.
if env -u LD_LIBRARY_PATH python3 -c 'import numpy, sys, torch
sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  env -u LD_LIBRARY_PATH python3 bench/gpu.py --build . --compiled rows \
    --output results || failed=1
else
  echo "peers: skipped, because Python has no PyTorch that can use a GPU here"
  ./gnn-bench-gpu rows --json results/gpu.json >results/gpu.md || failed=1
  cat results/gpu.md
fi
[ "$failed" -eq 0 ]
