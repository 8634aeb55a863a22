// RUN: gnn-opt --gnn-block-features=block=0 --verify-diagnostics %s

// expected-error@below {{block and min-blocks must be at least 1, cache-bytes and min-degree at least 0, got 0, 8, 2097152 and 12}}
func.func @f() {
  return
}
