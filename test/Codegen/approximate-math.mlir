// RUN: gnn-opt --gnn-approximate-math %s | FileCheck %s
// RUN: gnn-opt --gnn-approximate-math=trigonometric %s \
// RUN:   | FileCheck %s --check-prefix=TRIGONOMETRIC

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
// TRIGONOMETRIC-LABEL: func @left
// TRIGONOMETRIC-NOT: math.sin
// TRIGONOMETRIC: math.atan %{{.*}} : f32
func.func @left(%d: f64, %x: f32) -> (f64, f32, f32) {
  %0 = math.exp %d : f64
  %1 = math.sin %x : f32
  %2 = math.atan %x : f32
  return %0, %1, %2 : f64, f32, f32
}

// Powers of 2 need no product before their polynomial.
// CHECK-LABEL: func @powers
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %[[S:.*]]: f32)
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant dense<-1.270000e+02> : vector<16xf32>
// CHECK-DAG: %[[LARGE:.*]] = arith.constant dense<0x4B40007F> : vector<16xf32>
// CHECK: %[[BELOW:.*]] = arith.cmpf ogt, %[[LOWEST]], %[[X]]
// CHECK: %[[CLAMPED:.*]] = arith.select %[[BELOW]], %[[LOWEST]], %[[X]]
// CHECK: %[[SUM:.*]] = arith.addf %[[CLAMPED]], %[[LARGE]]
// CHECK: %[[N:.*]] = arith.subf %[[SUM]], %[[LARGE]]
// CHECK: %[[R:.*]] = arith.subf %[[CLAMPED]], %[[N]]
// CHECK-COUNT-5: math.fma %{{.*}}, %[[R]], %{{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: arith.bitcast %[[SUM]]
// CHECK: arith.addf %[[S]], %{{.*}} : f32
// CHECK: math.exp2 %{{.*}} : f32
// CHECK: return
func.func @powers(%v: vector<16xf32>, %x: f32) -> (vector<16xf32>, f32, f32) {
  %0 = math.exp2 %v {gnn.never_positive} : vector<16xf32>
  %1 = math.exp2 %x {gnn.bounded} : f32
  %2 = math.exp2 %x : f32
  return %0, %1, %2 : vector<16xf32>, f32, f32
}

// Of what is never above 0, in fewer steps: one multiply-add rounds to a power of
// two, whose exponent its bits are.
// CHECK-LABEL: func @never_positive
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %{{.*}}: f32, %{{.*}}: f64)
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant dense<-8.800000e+01> : vector<16xf32>
// CHECK-DAG: %[[LARGE:.*]] = arith.constant dense<0x4B40007F> : vector<16xf32>
// CHECK-DAG: %[[C23:.*]] = arith.constant dense<23> : vector<16xi32>
// CHECK: %[[BELOW:.*]] = arith.cmpf ogt, %[[LOWEST]], %[[X]]
// CHECK: %[[CLAMPED:.*]] = arith.select %[[BELOW]], %[[LOWEST]], %[[X]]
// CHECK: %[[SUM:.*]] = math.fma %[[CLAMPED]], %{{.*}}, %[[LARGE]]
// CHECK: %[[N:.*]] = arith.subf %[[SUM]], %[[LARGE]]
// CHECK: %[[R:.*]] = math.fma %[[N]], %{{.*}}, %[[CLAMPED]]
// CHECK-COUNT-5: math.fma %{{.*}}, %[[R]], %{{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]]
// CHECK: arith.shli %[[BITS]], %[[C23]]
// CHECK: arith.mulf
// CHECK: math.fma %{{.*}} : f32
// CHECK: math.exp %{{.*}} : f64
func.func @never_positive(%v: vector<16xf32>, %x: f32, %d: f64)
    -> (vector<16xf32>, f32, f64) {
  %0 = math.exp %v {gnn.never_positive} : vector<16xf32>
  %1 = math.exp %x {gnn.never_positive} : f32
  %2 = math.exp %d {gnn.never_positive} : f64
  return %0, %1, %2 : vector<16xf32>, f32, f64
}

// What is bounded needs no comparison.
// CHECK-LABEL: func @bounded
// CHECK-NOT: arith.cmpf
// CHECK-COUNT-7: math.fma
// CHECK-NOT: math.fma
// CHECK: return
func.func @bounded(%v: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %v {gnn.bounded} : vector<16xf32>
  return %0 : vector<16xf32>
}

// Of what is from 0 to 1, the logarithm is one polynomial.
// CHECK-LABEL: func @unit_interval
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %{{.*}}: f64)
// CHECK-COUNT-8: math.fma %{{.*}}, %[[X]], %{{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %{{.*}} : vector<16xf32>
// CHECK: math.log1p %{{.*}} : f64
// CHECK: return %[[Y]]
func.func @unit_interval(%v: vector<16xf32>, %d: f64) -> (vector<16xf32>, f64) {
  %0 = math.log1p %v {gnn.unit_interval} : vector<16xf32>
  %1 = math.log1p %d {gnn.unit_interval} : f64
  return %0, %1 : vector<16xf32>, f64
}

// One power of two, which is halved so that it does not overflow, and no division.
// CHECK-LABEL: func @less_one
// CHECK-DAG: %[[LARGE:.*]] = arith.constant dense<0x4B40007E> : vector<16xf32>
// CHECK: %[[SUM:.*]] = math.fma %{{.*}}, %{{.*}}, %[[LARGE]]
// CHECK: %[[N:.*]] = arith.subf %[[SUM]], %[[LARGE]]
// CHECK: %[[R:.*]] = math.fma %[[N]]
// CHECK: %[[REST:.*]] = math.fma %[[N]], %{{.*}}, %[[R]]
// CHECK-COUNT-4: math.fma %{{.*}}, %[[REST]]
// CHECK-NOT: arith.divf
// CHECK: %[[LESS:.*]] = math.fma %{{.*}}, %[[REST]]
// CHECK: %[[HALF:.*]] = math.fma %{{.*}}, %[[LESS]]
// CHECK: %[[WHOLE:.*]] = arith.addf %[[HALF]], %[[HALF]]
// CHECK: return %[[WHOLE]]
func.func @less_one(%v: vector<16xf32>) -> vector<16xf32> {
  %0 = math.expm1 %v : vector<16xf32>
  return %0 : vector<16xf32>
}

// Both a polynomial near 0 and 1 less an exponential, which needs no limit as its
// exponent is that of a number of at most 4.
// CHECK-LABEL: func @error_function
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<16xf32>
// CHECK-DAG: %[[CUT:.*]] = arith.constant dense<7.500000e-01> : vector<16xf32>
// CHECK-DAG: %[[FOUR:.*]] = arith.constant dense<4.000000e+00> : vector<16xf32>
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-COUNT-4: math.fma %{{.*}}, %[[SQUARE]], %{{.*}} : vector<16xf32>
// CHECK: %[[NEAR:.*]] = math.fma %[[X]], %{{.*}}, %[[X]]
// CHECK: %[[MAGNITUDE:.*]] = math.absf %[[X]]
// CHECK: %[[BEYOND:.*]] = arith.cmpf olt, %[[FOUR]], %[[MAGNITUDE]]
// CHECK: %[[LIMITED:.*]] = arith.select %[[BEYOND]], %[[FOUR]], %[[MAGNITUDE]]
// CHECK-COUNT-5: math.fma %{{.*}}, %[[LIMITED]], %{{.*}} : vector<16xf32>
// CHECK-NOT: arith.cmpf
// CHECK-NOT: arith.divf
// CHECK: %[[REST:.*]] = arith.mulf
// CHECK: %[[POSITIVE:.*]] = arith.subf %[[ONE]], %[[REST]]
// CHECK: %[[FAR:.*]] = math.copysign %[[POSITIVE]], %[[X]]
// CHECK: %[[IS_FAR:.*]] = arith.cmpf ogt, %[[MAGNITUDE]], %[[CUT]]
// CHECK: %[[RESULT:.*]] = arith.select %[[IS_FAR]], %[[FAR]], %[[NEAR]]
// CHECK: return %[[RESULT]]
func.func @error_function(%v: vector<16xf32>) -> vector<16xf32> {
  %0 = math.erf %v : vector<16xf32>
  return %0 : vector<16xf32>
}
