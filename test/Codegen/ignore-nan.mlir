// RUN: gnn-opt --gnn-ignore-nan %s | FileCheck %s

// What stays is the number there was before, where either is NaN.
// CHECK-LABEL: func @marked
// CHECK-SAME: (%[[BEFORE:.*]]: vector<16xf32>, %[[SCORE:.*]]: vector<16xf32>)
// CHECK: %[[GREATER:.*]] = arith.cmpf ogt, %[[SCORE]], %[[BEFORE]] : vector<16xf32>
// CHECK: %[[M:.*]] = arith.select %[[GREATER]], %[[SCORE]], %[[BEFORE]]
// CHECK: return %[[M]]
func.func @marked(%before: vector<16xf32>, %score: vector<16xf32>)
    -> vector<16xf32> {
  %m = arith.maximumf %before, %score {gnn.ignores_nan} : vector<16xf32>
  return %m : vector<16xf32>
}

// Others keep NaN.
// CHECK-LABEL: func @other
// CHECK: arith.maximumf
// CHECK-NOT: arith.select
func.func @other(%a: f32, %b: f32) -> f32 {
  %m = arith.maximumf %a, %b : f32
  return %m : f32
}
