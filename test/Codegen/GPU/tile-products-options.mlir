// Which products are tiled.

// RUN: gnn-opt --gnn-tile-products="min-rows=16 min-columns=8 min-depth=32" %s \
// RUN:   | FileCheck %s
// RUN: gnn-opt --gnn-tile-products="min-rows=17 min-columns=8 min-depth=32" %s \
// RUN:   | FileCheck %s --check-prefix=LEFT
// RUN: gnn-opt --gnn-tile-products="min-rows=16 min-columns=9 min-depth=32" %s \
// RUN:   | FileCheck %s --check-prefix=LEFT
// RUN: gnn-opt --gnn-tile-products="min-rows=16 min-columns=8 min-depth=33" %s \
// RUN:   | FileCheck %s --check-prefix=LEFT

// Fewer columns do if sums are long.
// RUN: gnn-opt --gnn-tile-products="min-columns=9 long-depth=32 min-long-columns=8" %s \
// RUN:   | FileCheck %s
// RUN: gnn-opt --gnn-tile-products="min-columns=9 long-depth=33 min-long-columns=8" %s \
// RUN:   | FileCheck %s --check-prefix=LEFT
// RUN: gnn-opt --gnn-tile-products="min-columns=8 long-depth=32 min-long-columns=9" %s \
// RUN:   | FileCheck %s --check-prefix=LEFT

// CHECK-LABEL: func @product
// CHECK: scf.forall
// LEFT-LABEL: func @product
// LEFT-NOT: scf.forall
// LEFT: return
func.func @product(%x: tensor<16x32xf32>, %w: tensor<32x8xf32>) -> tensor<16x8xf32> {
  %cst = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x8xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x8xf32>)
    outs(%zero : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}
