// RUN: gnn-opt --gnn-prefetch-segments=most-bytes=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-prefetch-segments=minimum-bytes=-1 --verify-diagnostics %s

// expected-error @+1 {{minimum bytes must be at least 0, and most bytes at least 1}}
func.func @options() {
  return
}
