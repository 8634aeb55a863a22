// RUN: gnn-opt --verify-diagnostics %s \
// RUN:   --convert-gnn-to-linalg=top-k-lanes=-1

// expected-error @+1 {{top-k-lanes must be at least 0, got -1}}
func.func @options() {
  return
}
