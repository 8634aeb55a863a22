// RUN: gnn-opt --gnn-offload-serial-code --allow-unregistered-dialect %s \
// RUN:   | FileCheck %s

// CHECK-LABEL: func @loop
// CHECK-SAME: (%[[A:.*]]: memref<?xi32>, %[[N:.*]]: index)
// CHECK: %[[RESULT:.*]] = memref.alloc() : memref<i32>
// CHECK: gpu.launch
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: memref.store %[[SUM]], %[[RESULT]][]
// CHECK: gpu.terminator
// CHECK: %[[HOST:.*]] = memref.alloca() : memref<i32>
// CHECK: gpu.memcpy{{ *}}%[[HOST]], %{{.*}} : memref<i32>, memref<i32,
// CHECK: %[[SUM:.*]] = memref.load %[[HOST]][]
// CHECK: memref.dealloc %[[RESULT]]
// CHECK: return %[[SUM]]
func.func @loop(%a: memref<?xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
    %x = memref.load %a[%i] : memref<?xi32>
    %next = arith.addi %s, %x : i32
    scf.yield %next : i32
  }
  return %sum : i32
}

// CHECK-LABEL: func @store
// CHECK: gpu.launch
// CHECK: memref.store
// CHECK: gpu.terminator
func.func @store(%a: memref<?xi32>, %x: i32) {
  %c0 = arith.constant 0 : index
  memref.store %x, %a[%c0] : memref<?xi32>
  return
}

// CHECK-LABEL: func @load
// CHECK-SAME: (%[[A:.*]]: memref<?x4xi32>, %[[I:.*]]: index)
// CHECK: %[[HOST:.*]] = memref.alloca() : memref<i32>
// CHECK: %[[ELEMENT:.*]] = memref.subview %[[A]][%[[I]], %{{.*}}] [1, 1] [1, 1]
// CHECK: gpu.memcpy{{ *}}%[[HOST]], %[[ELEMENT]]
// CHECK: memref.load %[[HOST]][]
func.func @load(%a: memref<?x4xi32>, %i: index) -> i32 {
  %c2 = arith.constant 2 : index
  %x = memref.load %a[%i, %c2] : memref<?x4xi32>
  return %x : i32
}

// Host code walks through a loop that holds kernels.
// CHECK-LABEL: func @hops
// CHECK-NOT: gpu.launch
// CHECK: scf.for
// CHECK-NEXT: scf.parallel
func.func @hops(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %hop = %c0 to %c3 step %c1 {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      %x = memref.load %a[%i] : memref<?xf32>
      memref.store %x, %a[%i] : memref<?xf32>
    }
  }
  return
}

// Nothing on the device.
// CHECK-LABEL: func @scalars
// CHECK-NOT: gpu.launch
// CHECK: return
func.func @scalars(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %next = arith.addi %s, %i : index
    scf.yield %next : index
  }
  return %sum : index
}

// What nobody knows stays on the host.
// CHECK-LABEL: func @unknown
// CHECK-NEXT: "other.op"() ({
func.func @unknown() {
  "other.op"() ({
    "other.end"() : () -> ()
  }) : () -> ()
  return
}
