// RUN: gnn-opt --gnn-keep-accumulators %s | FileCheck %s

// CHECK-LABEL: func @sum
// CHECK-SAME: (%[[SUM:.*]]: memref<64xf32>, %[[X:.*]]: memref<?x64xf32>,
// CHECK: gpu.launch {{.*}} threads(%[[T:[^,]*]],
// CHECK: %[[FIRST:.*]] = memref.load %[[SUM]][%[[T]]]
// CHECK: %[[LAST:.*]] = scf.for %[[E:.*]] = {{.*}} iter_args(%[[A:.*]] = %[[FIRST]]) -> (f32) {
// CHECK-NEXT: %[[B:.*]] = memref.load %[[X]][%[[E]], %[[T]]]
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: scf.yield %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[LAST]], %[[SUM]][%[[T]]]
// CHECK-NEXT: gpu.barrier
func.func @sum(%sum: memref<64xf32>, %x: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    scf.for %e = %c0 to %n step %c1 {
      %a = memref.load %sum[%t] : memref<64xf32>
      %b = memref.load %x[%e, %t] : memref<?x64xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %sum[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// Another element of the same buffer is read, perhaps another thread's.
// CHECK-LABEL: func @neighbor
// CHECK: scf.for
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: memref.store
// CHECK-NEXT: gpu.barrier
func.func @neighbor(%sum: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    scf.for %e = %c0 to %n step %c1 {
      %a = memref.load %sum[%t] : memref<64xf32>
      %b = memref.load %sum[%c0] : memref<64xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %sum[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// The element moves with the loop.
// CHECK-LABEL: func @moving
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: memref.store
func.func @moving(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.for %e = %c0 to %n step %c1 {
      %a = memref.load %x[%e] : memref<?xf32>
      %c = arith.addf %a, %a : f32
      memref.store %c, %x[%e] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}

// Barriers stay where a loop still writes something that others read.
// CHECK-LABEL: func @still_writes
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.store %{{.*}}, %[[Y:.*]][%{{.*}}] : memref<?xf32>
// CHECK-NEXT: gpu.barrier
// CHECK: }
func.func @still_writes(%sum: memref<64xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    scf.for %e = %c0 to %n step %c1 {
      %a = memref.load %sum[%t] : memref<64xf32>
      %c = arith.addf %a, %a : f32
      memref.store %c, %sum[%t] : memref<64xf32>
      memref.store %c, %y[%e] : memref<?xf32>
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// What is chosen of two buffers may be either.
// CHECK-LABEL: func @chosen
// CHECK-NOT: iter_args
// CHECK: return
func.func @chosen(%n: index, %is: i1, %sum: memref<?xf32>,
                  %other: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %either = arith.select %is, %sum, %other : memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.for %e = %c0 to %n step %c1 {
      %a = memref.load %sum[%c0] : memref<?xf32>
      %b = memref.load %either[%c0] : memref<?xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %sum[%c0] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}
