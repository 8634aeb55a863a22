// RUN: gnn-opt --convert-gnn-to-scf=attention-edges=0 --verify-diagnostics %s

// expected-error @+1 {{attention-edges must be at least 1, got 0}}
func.func @options() {
  return
}
