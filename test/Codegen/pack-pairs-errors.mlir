// RUN: gnn-opt --gnn-pack-weights=depth-multiple=3 --verify-diagnostics %s
// RUN: gnn-opt --gnn-pack-matmul=depth-multiple=0 --verify-diagnostics %s

// expected-error @+1 {{pairs fill an even number of rows}}
func.func @any() {
  return
}
