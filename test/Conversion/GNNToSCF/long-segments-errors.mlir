// RUN: gnn-opt --convert-gnn-to-scf=long-segment-edges=-1 --verify-diagnostics %s

// expected-error @+1 {{long-segment-edges must be at least 0, got -1}}
func.func @nothing() {
  return
}
