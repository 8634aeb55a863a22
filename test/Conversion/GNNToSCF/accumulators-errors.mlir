// RUN: gnn-opt --convert-gnn-to-scf=ordered-elements=-8 --verify-diagnostics %s

// expected-error @+1 {{gathered-elements and ordered-elements must be at least 0, got 0 and -8}}
func.func @options() {
  return
}
