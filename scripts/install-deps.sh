#!/bin/sh
# Installs the Debian packages the build needs and that are not there yet.
#
#   scripts/install-deps.sh [--bench] [PACKAGE...]
#                              (default: all but clang-tidy-22; with --bench
#                              also what the benchmarks need)
#
# Debian 12 (bookworm) has LLVM 22 in its security suite. As another user than
# root this calls sudo.
set -eu

bench=
if [ "${1:-}" = --bench ]; then
  bench=libbenchmark-dev
  shift
fi
if [ $# -eq 0 ]; then
  # libpolly-22-dev holds files that LLVM's CMake package refers to.
  set -- libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools libpolly-22-dev \
    clang-22 libclang-rt-22-dev lld-22 libomp-22-dev clang-format-22 \
    cmake ninja-build ccache python3 python3-numpy libgtest-dev zlib1g-dev \
    libzip-dev libxxhash-dev libeigen3-dev libspectra-dev libmetis-dev
fi
set -- "$@" $bench

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "make deps: there is no apt-get here; install what Debian calls $*" \
    "by other means and run make with DEPS=no" \
    "(CMAKE_ARGS=-DMLIR_DIR=... names an MLIR 22 in another place)" >&2
  exit 1
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" \
  2>/dev/null | sed -n 's/^installed //p')
missing=
for package; do
  echo "$installed" | grep -qxF "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=env
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "make deps: installing$missing needs root; run" \
      "'apt-get install$missing' as root, or install sudo" >&2
    exit 1
  fi
  as_root="sudo env"
fi

echo "Installing$missing"
# Some list may be unreachable and not be needed: what counts is the install.
$as_root apt-get update -qq || true
# shellcheck disable=SC2086 # words
if ! $as_root DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends $missing; then
  echo "make deps: apt-get could not install$missing; on Debian 12 (bookworm)" \
    "LLVM 22 is in the security suite, so the sources need the line" \
    "'deb http://security.debian.org/debian-security bookworm-security main'" >&2
  exit 1
fi
