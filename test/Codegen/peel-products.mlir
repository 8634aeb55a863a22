// RUN: gnn-opt --gnn-peel-products --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-peel-products=max-iterations=15 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FEWER

// Two of an even number of iterations come before the loop. The first one adds
// nothing.
// CHECK-LABEL: func @even
// FEWER-LABEL: func @even
func.func @even(%x: memref<16xf32>, %y: memref<16x8xf32>) -> vector<8xf32> {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // CHECK: %[[B0:.*]] = vector.load %[[Y:.*]][%c0, %c0]
  // CHECK: memref.load %[[X:.*]][%c0]
  // CHECK: %[[V0:.*]] = vector.broadcast
  // CHECK: %[[S0:.*]] = arith.mulf %[[V0]], %[[B0]] : vector<8xf32>
  // CHECK: %[[B1:.*]] = vector.load %[[Y]][%[[ONE:.*]], %c0]
  // CHECK: memref.load %[[X]][%[[ONE]]]
  // CHECK: %[[V1:.*]] = vector.broadcast
  // CHECK: %[[S1:.*]] = vector.fma %[[V1]], %[[B1]], %[[S0]]
  // CHECK: scf.for %{{.*}} = %c2{{.*}} to %c16 step %c1 iter_args(%{{.*}} = %[[S1]])
  // FEWER-NOT: arith.mulf
  %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (vector<8xf32>) {
    %b = vector.load %y[%k, %c0] : memref<16x8xf32>, vector<8xf32>
    %a = memref.load %x[%k] : memref<16xf32>
    %v = vector.broadcast %a : f32 to vector<8xf32>
    %t = vector.fma %v, %b, %sum : vector<8xf32>
    scf.yield %t : vector<8xf32>
  }
  return %s : vector<8xf32>
}

// -----

// One of an odd number leaves an even one.
// CHECK-LABEL: func @odd
// FEWER-LABEL: func @odd
// FEWER: arith.mulf
func.func @odd(%x: memref<15x8xf32>, %y: memref<15x8xf32>) -> vector<8xf32> {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  // CHECK: %[[S0:.*]] = arith.mulf
  // CHECK-NOT: vector.fma
  // CHECK: scf.for %{{.*}} = %c1{{.*}} to %c15 step %c1 iter_args(%{{.*}} = %[[S0]])
  %s = scf.for %k = %c0 to %c15 step %c1 iter_args(%sum = %zero) -> (vector<8xf32>) {
    %a = vector.load %x[%k, %c0] : memref<15x8xf32>, vector<8xf32>
    %b = vector.load %y[%k, %c0] : memref<15x8xf32>, vector<8xf32>
    %t = vector.fma %a, %b, %sum : vector<8xf32>
    scf.yield %t : vector<8xf32>
  }
  return %s : vector<8xf32>
}

// -----

// What is added to is no zero, and -0 is not the zero that sums start from.
// CHECK-LABEL: func @other_start
// CHECK-NOT: arith.mulf
func.func @other_start(%x: memref<16x8xf32>, %start: vector<8xf32>)
    -> (vector<8xf32>, vector<8xf32>) {
  %negative = arith.constant dense<-0.0> : vector<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%sum = %start) -> (vector<8xf32>) {
    %a = vector.load %x[%k, %c0] : memref<16x8xf32>, vector<8xf32>
    %t = vector.fma %a, %a, %sum : vector<8xf32>
    scf.yield %t : vector<8xf32>
  }
  %r = scf.for %k = %c0 to %c16 step %c1 iter_args(%sum = %negative) -> (vector<8xf32>) {
    %a = vector.load %x[%k, %c0] : memref<16x8xf32>, vector<8xf32>
    %t = vector.fma %a, %a, %sum : vector<8xf32>
    scf.yield %t : vector<8xf32>
  }
  return %s, %r : vector<8xf32>, vector<8xf32>
}

// -----

// Nor is anything peeled where a loop carries something else, where it reads a
// sum, where nothing says how often it runs, and of two iterations.
// CHECK-LABEL: func @other_loops
// CHECK-NOT: arith.mulf
func.func @other_loops(%x: memref<16x8xf32>, %y: memref<16x8xf32>, %n: index)
    -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %s:2 = scf.for %k = %c0 to %c16 step %c1 iter_args(%sum = %zero, %most = %zero)
      -> (vector<8xf32>, vector<8xf32>) {
    %a = vector.load %x[%k, %c0] : memref<16x8xf32>, vector<8xf32>
    %t = vector.fma %a, %a, %sum : vector<8xf32>
    %m = arith.maximumf %a, %most : vector<8xf32>
    scf.yield %t, %m : vector<8xf32>, vector<8xf32>
  }
  %r = scf.for %k = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (vector<8xf32>) {
    %a = vector.load %x[%k, %c0] : memref<16x8xf32>, vector<8xf32>
    vector.store %sum, %y[%k, %c0] : memref<16x8xf32>, vector<8xf32>
    %t = vector.fma %a, %a, %sum : vector<8xf32>
    scf.yield %t : vector<8xf32>
  }
  %q = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (vector<8xf32>) {
    %a = vector.load %x[%k, %c0] : memref<16x8xf32>, vector<8xf32>
    %t = vector.fma %a, %a, %sum : vector<8xf32>
    scf.yield %t : vector<8xf32>
  }
  %p = scf.for %k = %c0 to %c2 step %c1 iter_args(%sum = %zero) -> (vector<8xf32>) {
    %a = vector.load %x[%k, %c0] : memref<16x8xf32>, vector<8xf32>
    %t = vector.fma %a, %a, %sum : vector<8xf32>
    scf.yield %t : vector<8xf32>
  }
  return %s#0, %s#1, %r, %q, %p
    : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
}
