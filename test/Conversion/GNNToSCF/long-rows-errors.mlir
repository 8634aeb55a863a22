// RUN: gnn-opt --convert-gnn-to-scf=long-row-edges=-1 --verify-diagnostics %s

// expected-error @+1 {{long-row-edges must be at least 0, got -1}}
func.func @nothing() {
  return
}
