// RUN: gnn-opt --gnn-defer-nan=vector-width=0 --verify-diagnostics %s

// expected-error@below {{vector-width must be at least 1}}
func.func @f() {
  return
}
