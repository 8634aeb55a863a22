// RUN: gnn-opt %s --gnn-call-math-library | FileCheck %s

// CHECK-DAG: func.func private @log1p(f64) -> f64
// CHECK-DAG: func.func private @erf(f64) -> f64

// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[X:.*]]: f64
func.func @scalar(%x: f64) -> f64 {
  // CHECK: call @log1p(%[[X]]) : (f64) -> f64
  %y = math.log1p %x : f64
  return %y : f64
}

// One call for each element.
// CHECK-LABEL: func.func @vector(
func.func @vector(%x: vector<2xf64>) -> vector<2xf64> {
  // CHECK-COUNT-2: call @erf(
  // CHECK-NOT: math.erf
  %y = math.erf %x : vector<2xf64>
  return %y : vector<2xf64>
}

// LLVM has an intrinsic for these.
// CHECK-LABEL: func.func @intrinsic(
func.func @intrinsic(%x: f64) -> f64 {
  // CHECK: math.exp
  // CHECK: math.sqrt
  %y = math.exp %x : f64
  %z = math.sqrt %y : f64
  return %z : f64
}
