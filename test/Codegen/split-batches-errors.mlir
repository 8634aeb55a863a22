// RUN: not gnn-opt %s 2>&1 \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-split-batches{rows=0}))' \
// RUN:   | FileCheck %s
// RUN: not gnn-opt %s 2>&1 \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-split-batches{min-bytes=-1}))' \
// RUN:   | FileCheck %s

// CHECK: split-batches-errors.mlir:[[#@LINE+1]]:1: error: a block has at least 1 row, and no matrix has less than nothing
func.func @f() {
  return
}
