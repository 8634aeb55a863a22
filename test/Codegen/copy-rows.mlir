// RUN: gnn-opt --split-input-file --gnn-copy-rows %s | FileCheck %s

// Copies of as many rows, one after the other, are one loop.

// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK: %[[A:.+]] = memref.alloc(%[[N]]) : memref<?x4xf32>
// CHECK: %[[B:.+]] = memref.alloc(%[[N]]) : memref<?x2x2xf32>
// CHECK: %[[LEFT:.+]] = memref.subview
// CHECK: %[[RIGHT:.+]] = memref.expand_shape
// CHECK: scf.forall (%[[I:.+]]) in (%[[N]]) {
// CHECK:   %[[FROM:.+]] = memref.subview %[[A]][%[[I]], 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK:   %[[TO:.+]] = memref.subview %[[LEFT]][%[[I]], 0] [1, 4] [1, 1] : {{.*}} to memref<4xf32, strided<[1], offset: ?>>
// CHECK:   memref.copy %[[FROM]], %[[TO]]
// CHECK:   %[[FROM:.+]] = memref.subview %[[B]][%[[I]], 0, 0] [1, 2, 2] [1, 1, 1] : {{.*}} to memref<2x2xf32, strided<[2, 1], offset: ?>>
// CHECK:   %[[TO:.+]] = memref.subview %[[RIGHT]][%[[I]], 0, 0] [1, 2, 2] [1, 1, 1]
// CHECK:   memref.copy %[[FROM]], %[[TO]]
// CHECK: }
// CHECK-NOT: memref.copy
func.func @two(%n: index, %y: memref<?x4x4xf32>, %z: memref<?x8xf32>) {
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x2x2xf32>
  %left = memref.subview %z[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  %rows = memref.subview %y[0, 0, 0] [%n, 1, 4] [1, 1, 1] : memref<?x4x4xf32> to memref<?x4xf32, strided<[16, 1]>>
  %parts = memref.expand_shape %rows [[0], [1, 2]] output_shape [%n, 2, 2]
    : memref<?x4xf32, strided<[16, 1]>> into memref<?x2x2xf32, strided<[16, 2, 1]>>
  memref.copy %b, %parts : memref<?x2x2xf32> to memref<?x2x2xf32, strided<[16, 2, 1]>>
  return
}

// -----

// Arguments that are put side by side have each a number of rows of its own.

// CHECK-LABEL: func.func @arguments(
// CHECK: scf.forall
// CHECK:   memref.copy
// CHECK:   memref.copy
// CHECK: }
// CHECK-NOT: memref.copy
func.func @arguments(%a: memref<?x4xf32>, %b: memref<?x4xf32>) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x4xf32>
  %z = memref.alloc(%n) : memref<?x8xf32>
  %left = memref.subview %z[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  %right = memref.subview %z[0, 4] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  memref.copy %b, %right : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  return %z : memref<?x8xf32>
}

// -----

// Not together with what is written between them.

// CHECK-LABEL: func.func @apart(
// CHECK: scf.forall
// CHECK:   memref.copy
// CHECK: memref.store
// CHECK: scf.forall
// CHECK:   memref.copy
func.func @apart(%n: index, %z: memref<?x8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?x4xf32>
  %left = memref.subview %z[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %right = memref.subview %z[0, 4] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.store %x, %a[%c0, %c0] : memref<?x4xf32>
  memref.copy %a, %right : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  return
}

// -----

// What has no gaps is one memcpy; columns have gaps within rows; and what is in a
// loop belongs to its thread.

// CHECK-LABEL: func.func @left_alone(
// CHECK: memref.copy %{{.*}} : memref<?x4xf32> to memref<?x4xf32>
// CHECK: memref.copy %{{.*}} : memref<?x4xf32> to memref<?x4xf32, strided<[8, 2]>>
// CHECK: scf.forall
// CHECK-NOT: scf.forall
func.func @left_alone(%n: index, %z: memref<?x8xf32>, %y: memref<?x4xf32>) {
  %a = memref.alloc(%n) : memref<?x4xf32>
  memref.copy %a, %y : memref<?x4xf32> to memref<?x4xf32>
  %columns = memref.subview %z[0, 0] [%n, 4] [1, 2] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 2]>>
  memref.copy %a, %columns : memref<?x4xf32> to memref<?x4xf32, strided<[8, 2]>>
  %left = memref.subview %z[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  scf.forall (%i) in (%n) {
    memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  }
  return
}

// -----

// One after the other where a row of one copy is another row of the other.

// CHECK-LABEL: func.func @shifted(
// CHECK: scf.forall
// CHECK:   memref.copy
// CHECK: scf.forall
// CHECK:   memref.copy
// CHECK-NOT: memref.copy
func.func @shifted(%n: index) -> memref<?x8xf32> {
  %c1 = arith.constant 1 : index
  %more = arith.addi %n, %c1 : index
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%more) : memref<?x8xf32>
  %first = memref.subview %y[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %second = memref.subview %y[1, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 8>>
  memref.copy %a, %first : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.copy %b, %second : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1], offset: 8>>
  return %y : memref<?x8xf32>
}
