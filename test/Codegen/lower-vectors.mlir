// RUN: gnn-opt --gnn-lower-vectors %s | FileCheck %s

// CHECK-LABEL: func @reduction
// CHECK-NOT: vector.multi_reduction
// CHECK-COUNT-2: vector.reduction <add>
func.func @reduction(%v: vector<2x16xf32>, %acc: vector<2xf32>)
    -> vector<2xf32> {
  %0 = vector.multi_reduction <add>, %v, %acc [1]
    : vector<2x16xf32> to vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: func @transfer
// CHECK-NOT: vector<2x16xf32>, memref
// CHECK-COUNT-2: vector.load {{.*}} : memref<2x16xf32>, vector<16xf32>
func.func @transfer(%m: memref<2x16xf32>) -> vector<2x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %zero {in_bounds = [true, true]}
    : memref<2x16xf32>, vector<2x16xf32>
  return %0 : vector<2x16xf32>
}

// CHECK-LABEL: func @transpose
// CHECK-NOT: vector.transpose
// CHECK: vector.shuffle
func.func @transpose(%v: vector<2x4xf32>) -> vector<4x2xf32> {
  %0 = vector.transpose %v, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  return %0 : vector<4x2xf32>
}

// Indices of the parts are plain arithmetic: nothing would lower affine.apply
// after this pass.
// CHECK-LABEL: func @offset
// CHECK-SAME: (%{{.*}}: memref<?x16xf32>, %[[I:.*]]: index)
// CHECK-NOT: affine.apply
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: vector.load %{{.*}}[%[[NEXT]], %{{.*}}] : memref<?x16xf32>, vector<16xf32>
func.func @offset(%m: memref<?x16xf32>, %i: index) -> vector<2x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%i, %c0], %zero {in_bounds = [true, true]}
    : memref<?x16xf32>, vector<2x16xf32>
  return %0 : vector<2x16xf32>
}
