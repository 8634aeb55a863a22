// RUN: gnn-opt --gnn-tile-transposes %s | FileCheck %s
// RUN: gnn-opt --gnn-tile-transposes=vector-width=8 %s \
// RUN:   | FileCheck %s --check-prefix=EIGHT

// CHECK-LABEL: func @squares
// CHECK: scf.for %[[I:.*]] = {{.*}} step %c16
// CHECK: scf.for %[[J:.*]] = {{.*}} step %c16
// CHECK: linalg.transpose ins(%{{.*}} : tensor<16x16xf32>)
func.func @squares(%x: tensor<64x32xf32>, %e: tensor<32x64xf32>)
    -> tensor<32x64xf32> {
  %t = linalg.transpose ins(%x : tensor<64x32xf32>)
    outs(%e : tensor<32x64xf32>) permutation = [1, 0]
  return %t : tensor<32x64xf32>
}

// The largest square of which sides hold a whole number, and as many beside each
// other as fill vectors.
// CHECK-LABEL: func @narrow
// CHECK: linalg.transpose ins(%{{.*}} : tensor<16x8xf32>) outs(%{{.*}} : tensor<8x16xf32>)
// EIGHT-LABEL: func @narrow
// EIGHT: linalg.transpose ins(%{{.*}} : tensor<8x8xf32>)
func.func @narrow(%x: tensor<64x8xf32>, %e: tensor<8x64xf32>)
    -> tensor<8x64xf32> {
  %t = linalg.transpose ins(%x : tensor<64x8xf32>)
    outs(%e : tensor<8x64xf32>) permutation = [1, 0]
  return %t : tensor<8x64xf32>
}

// A square that fits into one vector is alone.
// CHECK-LABEL: func @small
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x4xf32>)
// EIGHT-LABEL: func @small
// EIGHT: linalg.transpose ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<8x4xf32>)
func.func @small(%x: tensor<20x16xf32>, %e: tensor<16x20xf32>)
    -> tensor<16x20xf32> {
  %t = linalg.transpose ins(%x : tensor<20x16xf32>)
    outs(%e : tensor<16x20xf32>) permutation = [1, 0]
  return %t : tensor<16x20xf32>
}

// CHECK-LABEL: func @odd
// CHECK: linalg.transpose ins(%{{.*}} : tensor<64x6xf32>)
func.func @odd(%x: tensor<64x6xf32>, %e: tensor<6x64xf32>)
    -> tensor<6x64xf32> {
  %t = linalg.transpose ins(%x : tensor<64x6xf32>)
    outs(%e : tensor<6x64xf32>) permutation = [1, 0]
  return %t : tensor<6x64xf32>
}

// What transposes and computes.
// CHECK-LABEL: func @scaled
// CHECK: scf.for %{{.*}} step %c16
// CHECK: scf.for %{{.*}} step %c16
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<16x16xf32>) outs(%{{.*}} : tensor<16x16xf32>)
func.func @scaled(%x: tensor<64x32xf32>, %e: tensor<32x64xf32>, %scale: f32)
    -> tensor<32x64xf32> {
  %t = linalg.generic
      {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>,
                        affine_map<(d0, d1) -> (d0, d1)>],
       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %scale : f32
    linalg.yield %p : f32
  } -> tensor<32x64xf32>
  return %t : tensor<32x64xf32>
}

// Rows stay rows.
// CHECK-LABEL: func @elementwise
// CHECK-NOT: scf.for
// CHECK: linalg.generic
func.func @elementwise(%x: tensor<64x32xf32>, %e: tensor<64x32xf32>, %scale: f32)
    -> tensor<64x32xf32> {
  %t = linalg.generic
      {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                        affine_map<(d0, d1) -> (d0, d1)>],
       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %scale : f32
    linalg.yield %p : f32
  } -> tensor<64x32xf32>
  return %t : tensor<64x32xf32>
}

// CHECK-LABEL: func @unknown
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x16xf32>)
func.func @unknown(%x: tensor<?x16xf32>, %e: tensor<16x?xf32>)
    -> tensor<16x?xf32> {
  %t = linalg.transpose ins(%x : tensor<?x16xf32>)
    outs(%e : tensor<16x?xf32>) permutation = [1, 0]
  return %t : tensor<16x?xf32>
}
