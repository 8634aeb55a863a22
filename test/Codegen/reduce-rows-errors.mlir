// RUN: gnn-opt --gnn-reduce-rows=vector-width=12 --verify-diagnostics %s

// expected-error @+1 {{vector-width must be a power of two of at least 4, got 12}}
func.func @options() {
  return
}
