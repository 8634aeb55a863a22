// RUN: gnn-opt --gnn-specialize-topology=tile=0 --verify-diagnostics %s

// expected-error @+1 {{tile must be at least 1, got 0}}
func.func @options() {
  return
}
