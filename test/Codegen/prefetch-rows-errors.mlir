// RUN: gnn-opt --gnn-prefetch-rows=rows-ahead=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-prefetch-rows=bytes-ahead=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-prefetch-rows=bytes-ahead-again=0 --verify-diagnostics %s
// RUN: gnn-opt --gnn-prefetch-rows=max-lines=-1 --verify-diagnostics %s

// expected-error @+1 {{distances and lines must be at least 1}}
func.func @options() {
  return
}
