// RUN: gnn-opt --gnn-exp-to-exp2=min-differences=2 %s | FileCheck %s
// RUN: gnn-opt --gnn-exp-to-exp2 %s | FileCheck %s --check-prefix=FOUR

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

// Differences to one number: its quotient is computed once.
// CHECK-LABEL: func @differences
// CHECK-SAME: (%[[X0:.*]]: f32, %[[X1:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[FACTOR:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[Y]], %[[FACTOR]]
// CHECK: %[[NEGATIVE:.*]] = arith.negf %[[SCALED]]
// CHECK: %[[D0:.*]] = math.fma %[[X0]], %[[FACTOR]], %[[NEGATIVE]]
// CHECK: math.exp2 %[[D0]]
// CHECK: %[[D1:.*]] = math.fma %[[X1]], %[[FACTOR]], %[[NEGATIVE]]
// CHECK: math.exp2 %[[D1]]
// Two are not enough for it to be worth while.
// FOUR-LABEL: func @differences
// FOUR-NOT: math.fma
// FOUR: arith.subf
func.func @differences(%x0: f32, %x1: f32, %y: f32) -> (f32, f32) {
  %d0 = arith.subf %x0, %y : f32
  %e0 = math.exp %d0 : f32
  %d1 = arith.subf %x1, %y : f32
  %e1 = math.exp %d1 : f32
  return %e0, %e1 : f32, f32
}

// A maximum that has not moved gives exactly one: 2^(x - x).
// CHECK-LABEL: func @moves
// CHECK: %[[M0:.*]] = arith.subf
// CHECK: arith.mulf %[[M0]],
// CHECK: %[[M1:.*]] = arith.subf
// CHECK: arith.mulf %[[M1]],
// CHECK-NOT: math.fma
func.func @moves(%x0: f32, %x1: f32, %y: f32, %none: i1) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %max0 = arith.maximumf %x0, %y : f32
  %max = arith.maximumf %x1, %max0 : f32
  %top = arith.select %none, %zero, %max : f32
  %d0 = arith.subf %max0, %top : f32
  %e0 = math.exp %d0 : f32
  %d1 = arith.subf %x1, %top : f32
  %e1 = math.exp %d1 : f32
  return %e0, %e1 : f32, f32
}
