// RUN: gnn-opt --gnn-pack-matmul=columns=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-pack-matmul=narrow-columns=-1 --verify-diagnostics %s
// RUN: gnn-opt --gnn-pack-weights=narrow-columns=-1 --verify-diagnostics %s
// RUN: gnn-opt --gnn-pack-weights=columns=0 --verify-diagnostics %s

// expected-error@+1 {{tiles must have at least one column}}
func.func @no_columns() {
  return
}
