// RUN: gnn-opt --gnn-lower-matmul=row-tile=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-matmul=row-block=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-matmul=column-vectors=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-matmul=narrow-vectors=-1 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-matmul=vector-width=-1 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-matmul=large-row-block=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-matmul=min-blocks=0 --verify-diagnostics %s

// expected-error @+1 {{tile sizes must be at least 1}}
func.func @options() {
  return
}
