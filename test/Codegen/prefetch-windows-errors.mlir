// RUN: gnn-opt --gnn-prefetch-windows=minimum-bytes=-1 --verify-diagnostics %s

// expected-error @+1 {{minimum bytes must be at least 0}}
func.func @options() {
  return
}
