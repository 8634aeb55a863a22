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
