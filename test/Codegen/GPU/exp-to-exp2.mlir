// RUN: gnn-opt --gnn-exp-to-exp2 %s | FileCheck %s

// CHECK-LABEL: func @f32
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[FACTOR:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[X]], %[[FACTOR]]
// CHECK: math.exp2 %[[SCALED]]
func.func @f32(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// There is no such instruction for f64.
// CHECK-LABEL: func @f64
// CHECK: math.exp %
func.func @f64(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}

// A number that is taken from several is not scaled by itself: a large one would be
// rounded by more than any exponent.
// CHECK-LABEL: func @differences
// CHECK-SAME: (%[[X0:.*]]: f32, %[[X1:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[D0:.*]] = arith.subf %[[X0]], %[[Y]]
// CHECK: arith.mulf %[[D0]],
// CHECK: %[[D1:.*]] = arith.subf %[[X1]], %[[Y]]
// CHECK: arith.mulf %[[D1]],
func.func @differences(%x0: f32, %x1: f32, %y: f32) -> (f32, f32) {
  %d0 = arith.subf %x0, %y : f32
  %e0 = math.exp %d0 : f32
  %d1 = arith.subf %x1, %y : f32
  %e1 = math.exp %d1 : f32
  return %e0, %e1 : f32, f32
}
