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
