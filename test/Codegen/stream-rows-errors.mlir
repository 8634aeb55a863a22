// RUN: gnn-opt --gnn-stream-rows=minimum-bytes=-1 --verify-diagnostics %s
// RUN: gnn-opt --gnn-stream-rows=few-edges=-8 --verify-diagnostics %s

// expected-error @+1 {{minimum-bytes and few-edges must not be negative, but are}}
func.func @options() {
  return
}
