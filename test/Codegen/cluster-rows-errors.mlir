// RUN: gnn-opt --gnn-cluster-rows=min-row-bytes=0 --verify-diagnostics %s

// expected-error@below {{min-row-bytes must be at least 1, min-row-edges, cache-bytes and sweeps at least 0, got 0, 4, 2097152 and 2}}
func.func @f() {
  return
}
