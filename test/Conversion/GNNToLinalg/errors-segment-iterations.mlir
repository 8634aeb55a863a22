// RUN: gnn-opt --convert-gnn-to-linalg=attention-segment-iterations=-1 \
// RUN:   --verify-diagnostics %s

// expected-error @+1 {{attention-segment-iterations must be at least 0, got -1}}
func.func @negative() {
  return
}
