// RUN: gnn-opt --convert-gnn-to-scf=feature-tile=0 --verify-diagnostics %s

// expected-error @+1 {{feature-tile must be at least 1, got 0}}
func.func @options() {
  return
}
