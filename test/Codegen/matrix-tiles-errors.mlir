// RUN: gnn-opt --gnn-lower-rounded-products="matrix-tiles vector-width=8" --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-rounded-products="matrix-tiles row-block=48" --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-rounded-products="matrix-tiles near-depth=16" --verify-diagnostics %s

// expected-error @+1 {{matrix tiles take blocks of a multiple of 32 and columns of 32}}
func.func @any() {
  return
}
