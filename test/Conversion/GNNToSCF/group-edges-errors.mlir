// RUN: not gnn-opt --gnn-group-edges=tile-rows=0 %s 2>&1 | FileCheck %s
// RUN: not gnn-opt --gnn-group-edges=max-edges=4000 %s 2>&1 | FileCheck %s

// CHECK: error: tile-rows, matrix-edges and min-edges must be at least 1, and max-edges at least min-edges
func.func @nothing() {
  return
}
