// RUN: gnn-opt %s --gnn-divide-columns=min-iterations=0 -verify-diagnostics

// expected-error @+1 {{min-iterations must be at least 1}}
func.func @options() {
  return
}
