#!/bin/sh
# Runs clang-tidy over everything a configured BUILD folder compiles, source by source,
# whose generated and precompiled headers are built.
#
#   scripts/lint.sh BUILD
set -eu

build=$1
root=$(cd "$(dirname "$0")/.." && pwd)
runner=$(command -v run-clang-tidy-22 || command -v run-clang-tidy) || {
  echo "make lint: run-clang-tidy is missing; apt-get install clang-tidy-22" >&2
  exit 1
}
if [ ! -f "$build/compile_commands.json" ]; then
  echo "make lint: $build/compile_commands.json is missing; configure with" \
    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON" >&2
  exit 1
fi
exec "$runner" -quiet -p "$build" -config-file="$root/.clang-tidy" \
  "^$root/(bench|dialect|lib|runtime|tools|unittests)/.*\\.cpp\$"
