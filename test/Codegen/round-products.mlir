// RUN: gnn-opt --gnn-round-products --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-round-products=factors=f16 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=HALF
// RUN: gnn-opt --gnn-round-products=factors=tf32 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=TF32
// RUN: gnn-opt --gnn-round-products=several-weights --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=SEVERAL

// Both factors are rounded; products and sums stay in float32.
// CHECK-LABEL: func @linear
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x16xf32>, %[[C:.*]]: tensor<?x16xf32>)
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%{{.*}} : tensor<?x8xbf16>)
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<8x16xbf16>)
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<?x8xbf16>, tensor<8x16xbf16>) outs(%[[C]] : tensor<?x16xf32>)
// CHECK: %[[L:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[R:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[P:.*]] = arith.mulf %[[L]], %[[R]] : f32
// CHECK: arith.addf %{{.*}}, %[[P]] : f32

// HALF-LABEL: func @linear
// HALF: arith.truncf %{{.*}} : f32 to f16
// HALF: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x8xf16>, tensor<8x16xf16>)
// HALF: arith.extf %{{.*}} : f16 to f32

// What tf32 has of float32 is stored like any other.
// TF32-LABEL: func @linear
// TF32-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x16xf32>
// TF32: linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}})
// TF32-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// TF32: %[[BITS:.*]] = arith.bitcast %[[A]] : f32 to i32
// TF32: %[[SUM:.*]] = arith.addi %[[BITS]], %{{.*}} : i32
// TF32: %[[KEPT:.*]] = arith.andi %[[SUM]], %{{.*}} : i32
// TF32: %[[ROUNDED:.*]] = arith.bitcast %[[KEPT]] : i32 to f32
// TF32: %[[NAN:.*]] = arith.cmpf uno, %[[A]], %[[A]] : f32
// TF32: %[[L:.*]] = arith.select %[[NAN]], %[[A]], %[[ROUNDED]] : f32
// TF32: %[[R:.*]] = arith.select
// TF32: arith.mulf %[[L]], %[[R]] : f32
func.func @linear(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>,
                  %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
    outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// What was bfloat16 before is not rounded again.
// CHECK-LABEL: func @exact
// CHECK-SAME: (%{{.*}}, %[[W:.*]]: tensor<8x16xbf16>
// CHECK: ins(%{{.*}}, %[[W]] : tensor<?x8xbf16>, tensor<8x16xbf16>)
#identity = affine_map<(i, j) -> (i, j)>
func.func @exact(%x: tensor<?x8xf32>, %w: tensor<8x16xbf16>,
                 %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %empty = tensor.empty() : tensor<8x16xf32>
  %wide = linalg.generic
    {indexing_maps = [#identity, #identity],
     iterator_types = ["parallel", "parallel"]}
    ins(%w : tensor<8x16xbf16>) outs(%empty : tensor<8x16xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %e = arith.extf %a : bf16 to f32
    linalg.yield %e : f32
  } -> tensor<8x16xf32>
  %y = linalg.matmul ins(%x, %wide : tensor<?x8xf32>, tensor<8x16xf32>)
    outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// Of a transposed factor, only the sum of a tile is rounded: one over all nodes
// would not be divided among threads.
#row = affine_map<(k, i, j) -> (k, i)>
#column = affine_map<(k, i, j) -> (k, j)>
#result = affine_map<(k, i, j) -> (i, j)>
// CHECK-LABEL: func @over_nodes
// CHECK-NOT: truncf
func.func @over_nodes(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>,
                      %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = linalg.generic
    {indexing_maps = [#row, #column, #result],
     iterator_types = ["reduction", "parallel", "parallel"]}
    ins(%x, %y : tensor<?x8xf32>, tensor<?x16xf32>)
    outs(%c : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// CHECK-LABEL: func @of_a_tile
// CHECK: scf.forall
// CHECK: truncf
// CHECK: truncf
func.func @of_a_tile(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>,
                     %c: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %r = scf.forall (%h) in (2) shared_outs(%o = %c) -> tensor<2x8x16xf32> {
    %s = tensor.extract_slice %o[%h, 0, 0] [1, 8, 16] [1, 1, 1]
      : tensor<2x8x16xf32> to tensor<8x16xf32>
    %t = linalg.generic
      {indexing_maps = [#row, #column, #result],
       iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x, %y : tensor<?x8xf32>, tensor<?x16xf32>)
      outs(%s : tensor<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %d: f32):
      %p = arith.mulf %a, %b : f32
      %u = arith.addf %d, %p : f32
      linalg.yield %u : f32
    } -> tensor<8x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%h, 0, 0] [1, 8, 16] [1, 1, 1]
        : tensor<8x16xf32> into tensor<2x8x16xf32>
    }
  }
  return %r : tensor<2x8x16xf32>
}

// -----

// Products of float64 are asked for on purpose.
// CHECK-LABEL: func @double
// CHECK: linalg.matmul
func.func @double(%x: tensor<?x8xf64>, %w: tensor<8x16xf64>,
                  %c: tensor<?x16xf64>) -> tensor<?x16xf64> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf64>, tensor<8x16xf64>)
    outs(%c : tensor<?x16xf64>) -> tensor<?x16xf64>
  return %y : tensor<?x16xf64>
}

// -----

// A weight for each head, if that is asked for; not a product of what the nodes of
// two arrays have.
#rows = affine_map<(n, h, j, k) -> (n, h, k)>
#weights = affine_map<(n, h, j, k) -> (h, k, j)>
#results = affine_map<(n, h, j, k) -> (n, h, j)>
#others = affine_map<(n, h, j, k) -> (j, h, k)>
// CHECK-LABEL: func @heads
// CHECK-NOT: truncf
// SEVERAL-LABEL: func @heads
// SEVERAL: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x4x8xf32>) outs(%{{.*}} : tensor<?x4x8xbf16>)
// SEVERAL: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x8x16xf32>) outs(%{{.*}} : tensor<4x8x16xbf16>)
// SEVERAL: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x4x8xbf16>, tensor<4x8x16xbf16>)
// SEVERAL: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x4x8xf32>, tensor<?x4x8xf32>)
func.func @heads(%x: tensor<?x4x8xf32>, %w: tensor<4x8x16xf32>, %c: tensor<?x4x16xf32>,
                 %y: tensor<?x4x8xf32>, %d: tensor<?x4x?xf32>) -> (tensor<?x4x16xf32>, tensor<?x4x?xf32>) {
  %0 = linalg.generic
    {indexing_maps = [#rows, #weights, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x4x8xf32>, tensor<4x8x16xf32>) outs(%c : tensor<?x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x4x16xf32>
  %1 = linalg.generic
    {indexing_maps = [#rows, #others, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %y : tensor<?x4x8xf32>, tensor<?x4x8xf32>) outs(%d : tensor<?x4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x4x?xf32>
  return %0, %1 : tensor<?x4x16xf32>, tensor<?x4x?xf32>
}
