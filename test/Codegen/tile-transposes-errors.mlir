// RUN: gnn-opt --gnn-tile-transposes=vector-width=0 --verify-diagnostics %s

// expected-error @+1 {{the vector width must be at least 1}}
func.func @options() {
  return
}
