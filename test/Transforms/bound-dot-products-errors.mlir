// RUN: gnn-opt --gnn-bound-dot-products=max-score=90 -verify-diagnostics %s

// expected-error @+1 {{max-score must be above 0 and at most 80}}
func.func @f() {
  return
}
