// RUN: not gnn-opt --gnn-block-features=block=0 %s 2>&1 | FileCheck %s

// CHECK: :[[#@LINE+1]]:1: error: block and min-blocks must be at least 1 and cache-bytes at least 0, got 0, 8 and 2097152
func.func @f() {
  return
}
