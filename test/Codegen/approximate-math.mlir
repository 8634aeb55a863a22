// RUN: gnn-opt --gnn-approximate-math %s | FileCheck %s

// CHECK-LABEL: func @single
// CHECK-NOT: math.exp
// CHECK-NOT: math.tanh
// CHECK-NOT: math.erf
// CHECK-NOT: math.log
// CHECK: math.fma
// CHECK: return
func.func @single(%x: f32, %v: vector<16xf32>)
    -> (f32, vector<16xf32>, vector<16xf32>, f32, f32, f32) {
  %0 = math.exp %x : f32
  %1 = math.tanh %v : vector<16xf32>
  %2 = math.erf %v : vector<16xf32>
  %3 = math.log %x : f32
  %4 = math.expm1 %x : f32
  %5 = math.log1p %x : f32
  return %0, %1, %2, %3, %4, %5
    : f32, vector<16xf32>, vector<16xf32>, f32, f32, f32
}

// Other types, and functions whose approximations are not exact enough, go to
// the library.
// CHECK-LABEL: func @left
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.sin %{{.*}} : f32
// CHECK: math.atan %{{.*}} : f32
func.func @left(%d: f64, %x: f32) -> (f64, f32, f32) {
  %0 = math.exp %d : f64
  %1 = math.sin %x : f32
  %2 = math.atan %x : f32
  return %0, %1, %2 : f64, f32, f32
}
