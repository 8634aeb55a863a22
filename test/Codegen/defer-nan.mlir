// RUN: gnn-opt --split-input-file --gnn-defer-nan %s | FileCheck %s
// RUN: gnn-opt --split-input-file --gnn-defer-nan="vector-width=8 mask-registers=false" %s \
// RUN:   | FileCheck %s --check-prefix=INTEGERS

// A mask says it for two registers; where it is not all true, the loop is run
// again as it was.
// CHECK-LABEL: func @maximum
// CHECK-SAME: (%[[X:.*]]: memref<?x32xf32>, %[[INIT:.*]]: vector<32xf32>, %[[N:.*]]: index)
// CHECK: %[[TRUE:.*]] = arith.constant dense<true> : vector<16xi1>
// CHECK: %[[FAST:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[INIT]], %[[O:.*]] = %[[TRUE]])
// CHECK:   %[[V:.*]] = vector.load %[[X]]
// CHECK:   %[[GREATER:.*]] = arith.cmpf ogt, %[[V]], %[[A]]
// CHECK:   %[[M:.*]] = arith.select %[[GREATER]], %[[V]], %[[A]]
// CHECK:   %[[LOW:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0]
// CHECK:   %[[HIGH:.*]] = vector.extract_strided_slice %[[V]] {offsets = [16]
// CHECK:   %[[BOTH:.*]] = arith.cmpf ord, %[[LOW]], %[[HIGH]] : vector<16xf32>
// CHECK:   %[[NEXT:.*]] = arith.andi %[[O]], %[[BOTH]]
// CHECK:   scf.yield %[[M]], %[[NEXT]]
// CHECK: %[[ALL:.*]] = vector.reduction <and>, %[[FAST]]#1
// CHECK: %[[RESULT:.*]] = scf.if %[[ALL]]
// CHECK:   scf.yield %[[FAST]]#0
// CHECK: } else {
// CHECK:   %[[EXACT:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]])
// CHECK:     arith.maximumf
// CHECK:   scf.yield %[[EXACT]]
// CHECK: return %[[RESULT]]

// Four registers of eight elements, and masks that are as wide.
// INTEGERS-LABEL: func @maximum
// INTEGERS: %[[TRUE:.*]] = arith.constant dense<-1> : vector<8xi32>
// INTEGERS: %[[FAST:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}}, %[[O:.*]] = %[[TRUE]], %[[P:.*]] = %[[TRUE]])
// INTEGERS:   %[[BOTH:.*]] = arith.cmpf ord, %{{.*}} : vector<8xf32>
// INTEGERS:   %[[WIDE:.*]] = arith.extsi %[[BOTH]] : vector<8xi1> to vector<8xi32>
// INTEGERS:   arith.andi %[[O]], %[[WIDE]] : vector<8xi32>
// INTEGERS:   arith.andi %[[P]], %{{.*}} : vector<8xi32>
// INTEGERS: %[[MASK:.*]] = arith.andi %[[FAST]]#1, %[[FAST]]#2
// INTEGERS: %[[ORDERED:.*]] = arith.cmpi slt, %[[MASK]], %{{.*}} : vector<8xi32>
// INTEGERS: %[[ALL:.*]] = vector.reduction <and>, %[[ORDERED]]
// INTEGERS: scf.if %[[ALL]]
func.func @maximum(%x: memref<?x32xf32>, %init: vector<32xf32>, %n: index)
    -> vector<32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init)
      -> (vector<32xf32>) {
    %v = vector.load %x[%i, %c0] : memref<?x32xf32>, vector<32xf32>
    %next = arith.maximumf %a, %v fastmath<nsz> : vector<32xf32>
    scf.yield %next : vector<32xf32>
  }
  return %m : vector<32xf32>
}

// -----

// A sum of the same numbers is NaN where one of them is.
// CHECK-LABEL: func @with_sum
// CHECK: %[[FAST:.*]]:3 = scf.for
// CHECK:   arith.addf
// CHECK:   arith.cmpf ogt
// CHECK:   arith.cmpf olt
// CHECK-NOT: arith.cmpf ord
// CHECK:   scf.yield
// CHECK: %[[ORDERED:.*]] = arith.cmpf ord, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: vector.reduction <and>
// CHECK: %[[R:.*]]:3 = scf.if
// CHECK:   scf.yield %[[FAST]]#0, %[[FAST]]#1, %[[FAST]]#2
// CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @with_sum(%x: memref<?x16xf32>, %init: vector<16xf32>, %n: index)
    -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1
      iter_args(%s = %init, %a = %init, %b = %init)
      -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
    %v = vector.load %x[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    %sum = arith.addf %s, %v : vector<16xf32>
    %max = arith.maximumf %a, %v fastmath<nsz> : vector<16xf32>
    %min = arith.minimumf %b, %v fastmath<nsz> : vector<16xf32>
    scf.yield %sum, %max, %min
      : vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  return %r#0, %r#1, %r#2 : vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// -----

// A loop that writes may not run twice.
// CHECK-LABEL: func @writes
// CHECK: arith.maximumf
// CHECK-NOT: scf.if
func.func @writes(%x: memref<?x16xf32>, %init: vector<16xf32>, %n: index)
    -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init)
      -> (vector<16xf32>) {
    %v = vector.load %x[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    %next = arith.maximumf %a, %v fastmath<nsz> : vector<16xf32>
    vector.store %v, %x[%c0, %c0] : memref<?x16xf32>, vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  return %m : vector<16xf32>
}

// -----

// Who reads the maximum in between is to see NaN.
// CHECK-LABEL: func @read_in_between
// CHECK: arith.maximumf
// CHECK-NOT: scf.if
func.func @read_in_between(%x: memref<?x16xf32>, %init: vector<16xf32>,
                           %n: index) -> (vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init, %s = %init)
      -> (vector<16xf32>, vector<16xf32>) {
    %v = vector.load %x[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    %next = arith.maximumf %a, %v fastmath<nsz> : vector<16xf32>
    %sum = arith.addf %s, %next : vector<16xf32>
    scf.yield %next, %sum : vector<16xf32>, vector<16xf32>
  }
  return %r#0, %r#1 : vector<16xf32>, vector<16xf32>
}
