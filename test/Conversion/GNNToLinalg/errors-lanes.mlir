// RUN: gnn-opt --verify-diagnostics %s \
// RUN:   --convert-gnn-to-linalg=attention-lanes=-1
// RUN: gnn-opt --verify-diagnostics %s \
// RUN:   --convert-gnn-to-linalg=attention-narrow-lanes=-1
// RUN: gnn-opt --verify-diagnostics %s \
// RUN:   --convert-gnn-to-linalg=attention-window-lanes=-1

// expected-error @+1 {{attention lanes must be at least 0, got -1}}
func.func @options() {
  return
}
