// RUN: gnn-opt --gnn-split-accesses=vector-width=12 --verify-diagnostics %s

// expected-error @+1 {{vector-width must be a power of two, got 12}}
func.func @options() {
  return
}
