// RUN: gnn-opt --gnn-batch-gathers=max-edges=2 %s | FileCheck %s
// RUN: gnn-opt --gnn-batch-gathers=max-edges=1 %s | FileCheck %s --check-prefix=ONE
// RUN: gnn-opt --gnn-batch-gathers="max-edges=2 max-loads=1" %s \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: gnn-opt --gnn-batch-gathers="max-edges=2 max-loads=7" %s \
// RUN:   | FileCheck %s --check-prefix=FOUR

// Two iterations at once; the rest of them follows.
// CHECK-LABEL: func @sum_of_gathered
// CHECK-SAME: (%[[COLUMNS:.*]]: memref<?xindex>, %[[X:.*]]: memref<?xf32>,
// CHECK: gpu.launch
// CHECK: %[[MOST:.*]] = scf.for %[[E:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: %[[J0:.*]] = memref.load %[[COLUMNS]][%[[E]]]
// CHECK-NEXT: %[[X0:.*]] = memref.load %[[X]][%[[J0]]]
// CHECK: %[[E1:.*]] = arith.addi %[[E]],
// CHECK-NEXT: %[[J1:.*]] = memref.load %[[COLUMNS]][%[[E1]]]
// CHECK-NEXT: %[[X1:.*]] = memref.load %[[X]][%[[J1]]]
// CHECK-NEXT: %[[SUM0:.*]] = arith.addf %[[SUM]], %[[X0]]
// CHECK-NEXT: %[[SUM1:.*]] = arith.addf %[[SUM0]], %[[X1]]
// CHECK-NEXT: scf.yield %[[SUM1]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[MOST]])
// CHECK: memref.load
// CHECK: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
// ONE-LABEL: func @sum_of_gathered
// ONE-COUNT-1: scf.for
// ONE-NOT: scf.for
// ONE: return
func.func @sum_of_gathered(%columns: memref<?xindex>, %x: memref<?xf32>, %y: memref<1xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
             threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    %sum = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
      %j = memref.load %columns[%e] : memref<?xindex>
      %v = memref.load %x[%j] : memref<?xf32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%c0] : memref<1xf32>
    gpu.terminator
  }
  return
}

// What is written could be what the next iteration reads.
// CHECK-LABEL: func @writes
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @writes(%columns: memref<?xindex>, %x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
             threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    scf.for %e = %c0 to %n step %c1 {
      %j = memref.load %columns[%e] : memref<?xindex>
      %v = memref.load %x[%j] : memref<?xf32>
      memref.store %v, %x[%e] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}

// Elements one after the other are not waited for long.
// CHECK-LABEL: func @in_order
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @in_order(%x: memref<?xf32>, %y: memref<1xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
             threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    %sum = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%e] : memref<?xf32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%c0] : memref<1xf32>
    gpu.terminator
  }
  return
}

// A vector counts as many elements as it has.
// CHECK-LABEL: func @vectors
// CHECK: scf.for
// CHECK: %[[J0:.*]] = memref.load
// CHECK: %[[V0:.*]] = vector.load %{{.*}}[%[[J0]]]
// CHECK: %[[J1:.*]] = memref.load
// CHECK: %[[V1:.*]] = vector.load %{{.*}}[%[[J1]]]
// CHECK: arith.addf %{{.*}}, %[[V0]]
// CHECK: arith.addf %{{.*}}, %[[V1]]
// FOUR-LABEL: func @vectors
// FOUR-COUNT-1: vector.load
// FOUR-NOT: vector.load
func.func @vectors(%columns: memref<?xindex>, %x: memref<?xf32>, %y: memref<1xvector<4xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
             threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    %sum = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<4xf32>) {
      %j = memref.load %columns[%e] : memref<?xindex>
      %v = vector.load %x[%j] : memref<?xf32>, vector<4xf32>
      %next = arith.addf %s, %v : vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    memref.store %sum, %y[%c0] : memref<1xvector<4xf32>>
    gpu.terminator
  }
  return
}
