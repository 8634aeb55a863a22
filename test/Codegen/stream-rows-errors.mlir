// RUN: gnn-opt --gnn-stream-rows=minimum-bytes=-1 --verify-diagnostics %s
// RUN: gnn-opt --gnn-stream-rows=minimum-gathered-bytes=-8 --verify-diagnostics %s

// expected-error @+1 {{minimum-bytes and minimum-gathered-bytes must not be negative, but are}}
func.func @options() {
  return
}
