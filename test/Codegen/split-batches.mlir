// RUN: gnn-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-split-batches{rows=32}),canonicalize,cse)' \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-split-batches{min-bytes=32769}),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=FEW

// Blocks of rows, in each the products with one matrix after the other. Matrices
// that a cache holds are left alone.
// CHECK-LABEL: func @matrices
// CHECK-SAME: %[[X:.*]]: tensor<?x4x128xf32>, %[[W:.*]]: tensor<4x128x16xf32>
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%{{.*}}) step (32)
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: scf.for %[[T:[a-z0-9]+]] = %c0 to %c4 step %c1
// CHECK: %[[B:.*]] = tensor.extract_slice %[[W]][%[[T]], 0, 0] [1, 128, 16]
// CHECK: %[[ROWS:.*]] = tensor.extract_slice {{.*}} : tensor<?x1x128xf32> to tensor<?x128xf32>
// CHECK: %[[MATRIX:.*]] = tensor.extract_slice %[[B]]{{.*}} : tensor<1x128x16xf32> to tensor<128x16xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<?x16xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]{{.*}} ins(%[[ROWS]], %[[MATRIX]] : {{.*}}) outs(%[[ZEROS]]
// CHECK: tensor.insert_slice {{.*}} tensor<?x16xf32> into tensor<?x1x16xf32>
// FEW-LABEL: func @matrices
// FEW-NOT: scf.for
// FEW: return
func.func @matrices(%x: tensor<?x4x128xf32>, %w: tensor<4x128x16xf32>) -> tensor<?x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x128xf32>
  %empty = tensor.empty(%n) : tensor<?x4x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, t, c, k) -> (n, t, k)>, affine_map<(n, t, c, k) -> (t, k, c)>,
                       affine_map<(n, t, c, k) -> (n, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x4x128xf32>, tensor<4x128x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x4x16xf32>
  return %y : tensor<?x4x16xf32>
}

// -----

// In a loop over blocks there is no other one. What is added to is kept.
// CHECK-LABEL: func @nested
// CHECK: scf.forall (%{{.*}}) in (8)
// CHECK-NOT: scf.forall (
// CHECK-NOT: linalg.fill
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK: linalg.generic
func.func @nested(%x: tensor<?x4x128xf32>, %w: tensor<4x128x16xf32>,
                  %sums: tensor<8x?x4x16xf32>) -> tensor<8x?x4x16xf32> {
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x128xf32>
  %all = scf.forall (%i) in (%c8) shared_outs(%arg = %sums) -> (tensor<8x?x4x16xf32>) {
    %zeros = tensor.extract_slice %arg[%i, 0, 0, 0] [1, %n, 4, 16] [1, 1, 1, 1]
      : tensor<8x?x4x16xf32> to tensor<?x4x16xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, t, c, k) -> (n, t, k)>, affine_map<(n, t, c, k) -> (t, k, c)>,
                       affine_map<(n, t, c, k) -> (n, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x4x128xf32>, tensor<4x128x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x4x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %arg[%i, 0, 0, 0] [1, %n, 4, 16] [1, 1, 1, 1]
        : tensor<?x4x16xf32> into tensor<8x?x4x16xf32>
    }
  }
  return %all : tensor<8x?x4x16xf32>
}
