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

// The largest square of which sides hold a whole number.
// CHECK-LABEL: func @narrow
// CHECK: linalg.transpose ins(%{{.*}} : tensor<8x8xf32>)
// EIGHT-LABEL: func @narrow
// EIGHT: linalg.transpose ins(%{{.*}} : tensor<8x8xf32>)
func.func @narrow(%x: tensor<64x8xf32>, %e: tensor<8x64xf32>)
    -> tensor<8x64xf32> {
  %t = linalg.transpose ins(%x : tensor<64x8xf32>)
    outs(%e : tensor<8x64xf32>) permutation = [1, 0]
  return %t : tensor<8x64xf32>
}

// CHECK-LABEL: func @odd
// CHECK: linalg.transpose ins(%{{.*}} : tensor<64x6xf32>)
func.func @odd(%x: tensor<64x6xf32>, %e: tensor<6x64xf32>)
    -> tensor<6x64xf32> {
  %t = linalg.transpose ins(%x : tensor<64x6xf32>)
    outs(%e : tensor<6x64xf32>) permutation = [1, 0]
  return %t : tensor<6x64xf32>
}

// CHECK-LABEL: func @unknown
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x16xf32>)
func.func @unknown(%x: tensor<?x16xf32>, %e: tensor<16x?xf32>)
    -> tensor<16x?xf32> {
  %t = linalg.transpose ins(%x : tensor<?x16xf32>)
    outs(%e : tensor<16x?xf32>) permutation = [1, 0]
  return %t : tensor<16x?xf32>
}
