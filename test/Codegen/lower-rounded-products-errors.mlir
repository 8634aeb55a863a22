// RUN: gnn-opt --gnn-lower-rounded-products=row-tile=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-rounded-products=depth-block=7 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-rounded-products=large-row-block=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-lower-rounded-products=min-blocks=0 --verify-diagnostics %s

// expected-error @+1 {{tile sizes must be at least 1, and of the sum even}}
func.func @any() {
  return
}
