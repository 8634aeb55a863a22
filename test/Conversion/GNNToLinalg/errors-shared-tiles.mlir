// RUN: gnn-opt --verify-diagnostics %s \
// RUN:   --convert-gnn-to-linalg=attention-shared-tiles=0

// expected-error @+1 {{tiles of attention must be shared by at least 1, got 0}}
func.func @options() {
  return
}
