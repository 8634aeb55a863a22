// RUN: not gnn-opt %s 2>&1 \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-row-products{rows=0}))' \
// RUN:   | FileCheck %s
// RUN: not gnn-opt %s 2>&1 \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-row-products{min-row-bytes=-1}))' \
// RUN:   | FileCheck %s
// RUN: not gnn-opt %s 2>&1 \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-row-products{block-bytes=0}))' \
// RUN:   | FileCheck %s

// CHECK: fuse-row-products-errors.mlir:[[#@LINE+1]]:1: error: a block has at least 1 row and 1 byte, and no row has less than nothing
func.func @f() {
  return
}
