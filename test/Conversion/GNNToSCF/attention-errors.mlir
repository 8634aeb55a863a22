// RUN: gnn-opt --convert-gnn-to-scf=attention-edges=0 --verify-diagnostics %s
// RUN: not gnn-opt --convert-gnn-to-scf=vector-width=-1 %s 2>&1 \
// RUN:   | FileCheck %s

// CHECK: error: vector-width must be at least 0, got -1
// expected-error @+1 {{attention-edges must be at least 1, got 0}}
func.func @options() {
  return
}
