// RUN: gnn-opt --gnn-expand-bfloat16 %s | FileCheck %s

// Rounding by integers, of vectors as of single numbers; what is extended is
// shifted.
// CHECK-LABEL: func @round
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.*}} : vector<16xf32> to vector<16xi32>
// CHECK: arith.trunci %{{.*}} : vector<16xi32> to vector<16xi16>
// CHECK: arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
func.func @round(%a: vector<16xf32>) -> vector<16xbf16> {
  %b = arith.truncf %a : vector<16xf32> to vector<16xbf16>
  return %b : vector<16xbf16>
}

// CHECK-LABEL: func @extend
// CHECK-NOT: arith.extf
// CHECK: arith.shli
func.func @extend(%a: bf16) -> f32 {
  %b = arith.extf %a : bf16 to f32
  return %b : f32
}

// Float64 is exact from float32.
// CHECK-LABEL: func @widen
// CHECK: %[[S:.*]] = arith.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: arith.extf %[[S]] : vector<8xf32> to vector<8xf64>
func.func @widen(%a: vector<8xbf16>) -> vector<8xf64> {
  %b = arith.extf %a : vector<8xbf16> to vector<8xf64>
  return %b : vector<8xf64>
}

// What is added in bfloat16 is added in float32 and rounded, as functions are.
// CHECK-LABEL: func @compute
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: math.sqrt %{{.*}} : f32
// CHECK-NOT: arith.truncf
func.func @compute(%a: bf16, %b: bf16) -> bf16 {
  %s = arith.addf %a, %b : bf16
  %r = math.sqrt %s : bf16
  return %r : bf16
}

// CHECK-LABEL: func @multiply_add
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
func.func @multiply_add(%a: bf16, %b: bf16) -> bf16 {
  %r = math.fma %a, %b, %a : bf16
  return %r : bf16
}

// From float64 in two steps, the first of which leaves a last bit where it rounds.
// CHECK-LABEL: func @narrow
// CHECK: %[[S:.*]] = arith.truncf %[[A:.*]] : f64 to f32
// CHECK: %[[D:.*]] = arith.extf %[[S]] : f32 to f64
// CHECK: arith.cmpf ueq, %[[D]], %[[A]]
// CHECK-NOT: to bf16
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @narrow(%a: f64) -> bf16 {
  %b = arith.truncf %a : f64 to bf16
  return %b : bf16
}
