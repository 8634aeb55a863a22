// RUN: gnn-opt --gnn-lower-rounded-products=matrix-tiles --canonicalize \
// RUN:   --split-input-file %s | FileCheck %s

// Sums of 40 rounded to 64 elements: rows end in zeros, and so do pairs. Blocks of
// 32 rows are matrices; other rows are copied from one.
// CHECK-LABEL: func @matmul
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<64xbf16>
// CHECK-DAG: %[[REST:.*]] = arith.constant dense<0.000000e+00> : vector<24xbf16>
// CHECK: bufferization.alloc_tensor() : tensor<1x32x64xbf16>
// CHECK: scf.for %{{.*}} = %c20 to %c32
// CHECK: vector.transfer_write %[[ZEROS]]
// CHECK: scf.forall ({{.*}}) step (64)
// CHECK: bufferization.alloc_tensor() : tensor<4x2x16x32xbf16>
// CHECK: vector.transfer_write %[[REST]]
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c32
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16 iter_args({{.*}}) -> (vector<16x16xf32>, vector<16x16xf32>, vector<16x16xf32>, vector<16x16xf32>) {
// CHECK-COUNT-4: vector.contract
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c32
// CHECK: bufferization.alloc_tensor() : tensor<32x32xf32>
// CHECK: vector.contract
// CHECK: arith.addf {{.*}} : vector<16xf32>
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
func.func @matmul(%x: tensor<?x40xbf16>, %w: tensor<40x32xbf16>,
                  %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x40xbf16>, tensor<40x32xbf16>)
    outs(%c : tensor<?x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

// A transposed factor is turned, by squares; rows there are none of are zeros.
// CHECK-LABEL: func @transposed
// CHECK-SAME: (%[[X:.*]]: tensor<?x16xbf16>
// CHECK: vector.transfer_read %[[X]]{{.*}} {in_bounds = [true, true]} : tensor<?x16xbf16>, vector<16x16xbf16>
// CHECK: vector.transpose {{.*}}, [1, 0] : vector<16x16xbf16> to vector<16x16xbf16>
// CHECK: vector.transfer_read %[[X]]{{.*}} {in_bounds = [false, true]} : tensor<?x16xbf16>, vector<16x16xbf16>
// CHECK: vector.transpose
#x = affine_map<(i, j, k) -> (k, i)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
func.func @transposed(%x: tensor<?x16xbf16>, %w: tensor<?x32xbf16>,
                      %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x16xbf16>, tensor<?x32xbf16>)
    outs(%c : tensor<16x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

// A factor of 1 MiB is multiplied by larger blocks of rows, if there are eight.
// CHECK-LABEL: func @large
// CHECK: scf.forall (%{{.*}}) = (0) to (1024) step (128)
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
func.func @large(%x: tensor<1024x512xbf16>, %w: tensor<512x1024xbf16>,
                 %c: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1024x512xbf16>, tensor<512x1024xbf16>)
    outs(%c : tensor<1024x1024xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// Of 1280 elements 448 at a time, then the rest; sums wait in memory for the next
// ones, and the last ones go to the result.
// CHECK-LABEL: func @deep
// CHECK: scf.forall
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() : tensor<4x40x16x32xbf16>
// CHECK: scf.for
// CHECK: %[[SUMS:.*]] = bufferization.alloc_tensor() : tensor<64x32xf32>
// CHECK: %[[FIRST:.*]] = scf.for %{{.*}} iter_args(%[[S:.*]] = %[[SUMS]])
// CHECK-NOT: vector.transfer_read %[[S]]
// CHECK: scf.for %{{.*}} = %c0 to %c224 step %c16
// CHECK: vector.transfer_write %{{.*}} : vector<16x16xf32>, tensor<64x32xf32>
// CHECK: %[[SECOND:.*]] = scf.for %{{.*}} iter_args(%[[T:.*]] = %[[FIRST]])
// CHECK: vector.transfer_read %[[T]]{{.*}} : tensor<64x32xf32>, vector<16x16xf32>
// CHECK: scf.for %{{.*}} = %c224 to %c448 step %c16
// CHECK: vector.transfer_write %{{.*}} : vector<16x16xf32>, tensor<64x32xf32>
// CHECK: scf.for
// CHECK: vector.transfer_read %[[SECOND]]{{.*}} : tensor<64x32xf32>, vector<16x16xf32>
// CHECK: scf.for %{{.*}} = %c448 to %c640 step %c16
// CHECK: vector.transfer_write %{{.*}} : vector<16x16xf32>, tensor<?x32xf32>
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
func.func @deep(%x: tensor<128x1280xbf16>, %w: tensor<1280x32xbf16>)
    -> tensor<128x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x32xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<128x32xf32>)
    -> tensor<128x32xf32>
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<128x1280xbf16>, tensor<1280x32xbf16>)
    outs(%c : tensor<128x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<128x32xf32>
  return %y : tensor<128x32xf32>
}
