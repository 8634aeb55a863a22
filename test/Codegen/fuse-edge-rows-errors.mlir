// RUN: not gnn-opt %s 2>&1 \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-edge-rows{rows=0}))' \
// RUN:   | FileCheck %s
// RUN: not gnn-opt %s 2>&1 \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-edge-rows{many-blocks=0}))' \
// RUN:   | FileCheck %s

// CHECK: fuse-edge-rows-errors.mlir:[[#@LINE+1]]:1: error: there is at least 1 block of 1 row and 1 byte, and no row has less than nothing
func.func @f() {
  return
}
