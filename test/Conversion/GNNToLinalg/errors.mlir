// RUN: gnn-opt --verify-diagnostics %s \
// RUN:   --convert-gnn-to-linalg="attention-row-tile=0 attention-column-tile=8"

// expected-error @+1 {{attention tiles must be at least 1, got 0 x 8}}
func.func @options() {
  return
}
