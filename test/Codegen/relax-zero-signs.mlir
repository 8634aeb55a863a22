// RUN: gnn-opt --gnn-relax-zero-signs %s | FileCheck %s

// NaN is kept: no flag but nsz.
// CHECK-LABEL: func @extrema
// CHECK: arith.maximumf %{{.*}}, %{{.*}} fastmath<nsz> : vector<16xf32>
// CHECK: arith.minimumf %{{.*}}, %{{.*}} fastmath<nsz> : f64
func.func @extrema(%a: vector<16xf32>, %b: vector<16xf32>, %c: f64, %d: f64)
    -> (vector<16xf32>, f64) {
  %x = arith.maximumf %a, %b : vector<16xf32>
  %n = arith.minimumf %c, %d : f64
  return %x, %n : vector<16xf32>, f64
}

// Flags that are there stay.
// CHECK-LABEL: func @flags
// CHECK: arith.maximumf %{{.*}}, %{{.*}} fastmath<nnan,nsz> : f32
func.func @flags(%a: f32, %b: f32) -> f32 {
  %x = arith.maximumf %a, %b fastmath<nnan> : f32
  return %x : f32
}

// Signs of zeros count in everything else.
// CHECK-LABEL: func @others
// CHECK-NOT: nsz
// CHECK: return
func.func @others(%a: f32, %b: f32) -> f32 {
  %s = arith.subf %a, %b : f32
  %p = arith.mulf %s, %b : f32
  return %p : f32
}
