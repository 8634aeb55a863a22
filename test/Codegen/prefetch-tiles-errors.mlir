// RUN: gnn-opt --gnn-prefetch-tiles=bytes-ahead=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-prefetch-tiles=result-steps=0 --verify-diagnostics %s

// expected-error @+1 {{distances and steps must be at least 1}}
func.func @options() {
  return
}
