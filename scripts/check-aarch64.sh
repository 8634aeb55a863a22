#!/bin/sh
# Runs the tests of the runtime and of models on AArch64, in an emulator.
#
#   scripts/check-aarch64.sh BUILD
#
# Code for the baseline runs the end-to-end tests, on a processor that has no more; code
# for later processors runs each layer with its defaults, and models in bfloat16, with
# SVE's vectors as long as theirs. FILTER is a regular expression for the tests to run.
# Debian's libraries for AArch64 come into a folder below BUILD and are not installed;
# SYSROOT names another that has them.
set -eu

build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$build/aarch64
sysroot=${SYSROOT:-$work/sysroot}
mkdir -p "$work"

fail() {
  echo "check-aarch64: $1" >&2
  exit 1
}

# ------------------------------------------------------------------ libraries

# With lists and a cache of its own, apt-get needs no root.
fetch_sysroot() {
  # Debian 12's. They are what the runtime and its tests are built with, and what
  # these need in turn.
  set -- gcc-12-base libgcc-s1 libgcc-12-dev libc6 libc6-dev linux-libc-dev \
    libstdc++6 libstdc++-12-dev zlib1g zlib1g-dev libzip4 libzip-dev libbz2-1.0 libxxhash-dev \
    libssl3 libmetis5 libmetis-dev libomp5-19 libomp-22-dev libeigen3-dev \
    libspectra-dev libgtest-dev
  [ "$(cat "$sysroot/packages" 2>/dev/null)" != "$*" ] || return 0
  if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    fail "there is no apt-get here; unpack what Debian calls $* for arm64 into a \
folder by other means, and name it in SYSROOT"
  fi
  echo "Fetching Debian's libraries for AArch64"
  rm -rf "$work/apt" "$sysroot"
  mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$sysroot"
  : >"$work/apt/status"
  cat >"$work/apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "$(id -un)";
Debug::NoLocking "true";
Dir::State "$work/apt";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt/cache";
END
  APT_CONFIG=$work/apt/conf
  export APT_CONFIG
  # Some list may be unreachable and not be needed.
  apt-get update -qq || true
  (cd "$work/apt" && apt-get download -qq "$@") ||
    fail "apt-get could not fetch $* for arm64, which Debian 12 (bookworm) has, \
LLVM 22's in its security suite"
  unset APT_CONFIG
  for package in "$work"/apt/*.deb; do
    dpkg -x "$package" "$sysroot"
  done
  rm -rf "$work/apt"
  echo "$*" >"$sysroot/packages"
}

[ -n "${SYSROOT:-}" ] || fetch_sysroot
for program in qemu-aarch64 clang++-22 ld.lld-22; do
  command -v "$program" >/dev/null ||
    fail "there is no $program here; install Debian's qemu-user, clang-22 and lld-22"
done

# -------------------------------------------------------------------- runtime

cmake -G Ninja -S "$source" -B "$work/runtime" -DGNN_RUNTIME_ONLY=ON \
  -DCMAKE_TOOLCHAIN_FILE="$source/cmake/aarch64-linux-gnu.cmake" \
  -DGNN_SYSROOT="$sysroot" >"$work/configure.log" ||
  fail "the runtime cannot be configured; see $work/configure.log"
cmake --build "$work/runtime"

# ---------------------------------------------------------------------- tests

linker="clang-22 --target=aarch64-linux-gnu --sysroot=$sysroot -fuse-ld=lld \
-shared -Wl,-z,defs -Wl,--gc-sections -L$sysroot/usr/lib/llvm-22/lib -lomp -lm"

# make_tools CPU MACHINE OPTIONS: tools that compile for CPU and run on MACHINE
make_tools() {
  tools=$work/tools/$1
  mkdir -p "$tools"
  emulator="qemu-aarch64 -cpu $2 -L $sysroot"
  for tool in gnn-run-library gnn-encode; do
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$emulator" \
      "$work/runtime/bin/$tool" >"$tools/$tool"
  done
  for tool in "gnn-compile $3" gnn-run; do
    cat >"$tools/${tool%% *}" <<END
#!/bin/sh
exec python3 "$source/test/Tools/foreign.py" --tools "$build/bin" --cpu $1 \\
  --linker "$linker" --programs "$work/runtime/bin" \\
  --emulator "$emulator" $tool "\$@"
END
  done
  chmod +x "$tools"/*
}

lit=$(command -v lit-22 || command -v llvm-lit || echo lit)
rm -rf "$work/results"
mkdir -p "$work/results"

# What is about GPUs, the memory of this machine's processes, or what gnn-run says of
# models that it compiles by itself.
other='GPU/|Memory/|Precision/(layers|products)'
other="$other|Errors/(libraries|weights)|Batches/errors"

# check CPU MACHINE THREADS TEST...
check() {
  echo "Code for $1 on $2"
  name=$1
  threads=$3
  shift 3
  "$lit" -sv --param targets=cpu --param processor=aarch64 --param tools="$tools" \
    --param threads="$threads" --filter "${FILTER:-.}" --filter-out "$other" \
    --allow-empty-runs --output "$work/results/$name.json" "$@" || true
}

if [ -z "${FILTER:-}" ]; then
  echo "The runtime's tests"
  qemu-aarch64 -L "$sysroot" "$work/runtime/unittests/bin/GNNRuntimeTests" \
    --gtest_brief=1 --gtest_output="json:$work/results/runtime.json" || true
fi

tests=$build/test/EndToEnd
make_tools aarch64 cortex-a53 ""
check aarch64 cortex-a53 "" "$tests"

# Threads have something to do on small graphs only if they are told to.
set -- "$tests/Precision"
for layer in "$source"/test/EndToEnd/Layers/*/; do
  name=$(basename "$layer")
  [ "$name" != "${name#*-}" ] || set -- "$@" "$tests/Layers/$name"
done
while read -r cpu machine; do
  make_tools "$cpu" "$machine" --serialize-small-loops=false
  check "$cpu" "$machine" 1,2 "$@"
done <<END
neoverse-n1 neoverse-n1
neoverse-v1 max,sve-default-vector-length=32
neoverse-v2 max,sve-default-vector-length=16
END

python3 - "$work/results" <<'END'
import json, pathlib, sys
passed = failed = 0
for path in pathlib.Path(sys.argv[1]).iterdir():
    results = json.loads(path.read_text())
    if "testsuites" in results:
        failed += results["failures"]
        passed += results["tests"] - results["failures"] - results["disabled"]
        continue
    for test in results["tests"]:
        passed += test["code"] == "PASS"
        failed += test["code"] not in ("PASS", "UNSUPPORTED", "EXCLUDED",
                                       "SKIPPED")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
END
