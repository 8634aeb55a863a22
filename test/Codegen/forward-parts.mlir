// RUN: gnn-opt --split-input-file --gnn-forward-parts %s | FileCheck %s

// Rows are written side by side at once, by loops and by views of some rows.

// CHECK-LABEL: func.func @side_by_side(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK: %[[Y:.+]] = memref.alloc(%[[N]]) : memref<?x12xf32>
// CHECK: %[[LEFT:.+]] = memref.subview %[[Y]][0, 0] [%[[N]], 4] [1, 1]
// CHECK: scf.forall (%[[I:.+]]) in (%[[N]]) {
// CHECK:   vector.transfer_write %{{.+}}, %[[LEFT]][%[[I]], %{{.+}}] {{.*}} memref<?x4xf32, strided<[12, 1]>>
// CHECK: %[[RIGHT:.+]] = memref.subview %[[Y]][0, 4] [%[[N]], 8] [1, 1]
// CHECK: scf.forall (%[[J:.+]]) = (0) to (%[[N]]) step (2) {
// CHECK:   %[[ROWS:.+]] = memref.subview %[[RIGHT]][%[[J]], 0] [2, 8] [1, 1] : {{.*}} to memref<2x8xf32, strided<[12, 1], offset: ?>>
// CHECK:   vector.transfer_write %{{.+}}, %[[ROWS]]
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.dealloc
// CHECK: return %[[Y]]
func.func @side_by_side(%n: index, %v: vector<4xf32>, %w: vector<2x8xf32>) -> memref<?x12xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %v, %a[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  %b = memref.alloc(%n) : memref<?x8xf32>
  scf.forall (%i) = (0) to (%n) step (2) {
    %rows = memref.subview %b[%i, 0] [2, 8] [1, 1] : memref<?x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
    vector.transfer_write %w, %rows[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, memref<2x8xf32, strided<[8, 1], offset: ?>>
  }
  %y = memref.alloc(%n) : memref<?x12xf32>
  %left = memref.subview %y[0, 0] [%n, 4] [1, 1] : memref<?x12xf32> to memref<?x4xf32, strided<[12, 1]>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[12, 1]>>
  %right = memref.subview %y[0, 4] [%n, 8] [1, 1] : memref<?x12xf32> to memref<?x8xf32, strided<[12, 1], offset: 4>>
  memref.copy %b, %right : memref<?x8xf32> to memref<?x8xf32, strided<[12, 1], offset: 4>>
  memref.dealloc %a : memref<?x4xf32>
  memref.dealloc %b : memref<?x8xf32>
  return %y : memref<?x12xf32>
}

// -----

// What adds up reads what it has written.

// CHECK-LABEL: func.func @sum(
// CHECK: %[[Y:.+]] = memref.alloc
// CHECK: %[[LEFT:.+]] = memref.subview %[[Y]]
// CHECK: memref.load %[[LEFT]]
// CHECK: memref.store %{{.+}}, %[[LEFT]]
// CHECK-NOT: memref.copy
func.func @sum(%n: index, %x: f32) -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?x2xf32>
  scf.forall (%i) in (%n) {
    %old = memref.load %a[%i, %c0] : memref<?x2xf32>
    %new = arith.addf %old, %x : f32
    memref.store %new, %a[%i, %c0] : memref<?x2xf32>
  }
  %y = memref.alloc(%n) : memref<?x4xf32>
  %left = memref.subview %y[0, 0] [%n, 2] [1, 1] : memref<?x4xf32> to memref<?x2xf32, strided<[4, 1]>>
  memref.copy %a, %left : memref<?x2xf32> to memref<?x2xf32, strided<[4, 1]>>
  return %y : memref<?x4xf32>
}

// -----

// Rows that something else gathers stay close together.

// CHECK-LABEL: func.func @gathered(
// CHECK: memref.copy
func.func @gathered(%n: index, %v: vector<4xf32>, %order: memref<?xindex>,
                    %other: memref<?x4xf32>) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %v, %a[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  scf.forall (%i) in (%n) {
    %j = memref.load %order[%i] : memref<?xindex>
    %row = vector.transfer_read %a[%j, %c0], %zero {in_bounds = [true]} : memref<?x4xf32>, vector<4xf32>
    vector.transfer_write %row, %other[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  %y = memref.alloc(%n) : memref<?x8xf32>
  %left = memref.subview %y[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  return %y : memref<?x8xf32>
}

// -----

// What is used after it was copied may differ from the copy.

// CHECK-LABEL: func.func @used_later(
// CHECK: memref.copy
func.func @used_later(%n: index, %v: vector<4xf32>, %w: vector<4xf32>)
    -> (memref<?x8xf32>, memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %v, %a[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  %y = memref.alloc(%n) : memref<?x8xf32>
  %left = memref.subview %y[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  scf.forall (%i) in (%n) {
    vector.transfer_write %w, %a[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  return %y, %a : memref<?x8xf32>, memref<?x4xf32>
}

// -----

// What the buffer is copied over was there before.

// CHECK-LABEL: func.func @filled_before(
// CHECK: memref.copy
func.func @filled_before(%n: index, %v: vector<4xf32>, %w: vector<8xf32>) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %y = memref.alloc(%n) : memref<?x8xf32>
  %a = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %v, %a[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
    vector.transfer_write %w, %y[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x8xf32>
  }
  %left = memref.subview %y[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  return %y : memref<?x8xf32>
}

// -----

// A size that is known only after the buffer was filled.

// CHECK-LABEL: func.func @late_size(
// CHECK: memref.copy
func.func @late_size(%n: index, %v: vector<4xf32>, %sizes: memref<1xindex>) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %v, %a[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  %m = memref.load %sizes[%c0] : memref<1xindex>
  %y = memref.alloc(%m) : memref<?x8xf32>
  %left = memref.subview %y[0, 0] [%m, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  return %y : memref<?x8xf32>
}

// -----

// A vector along a column of single numbers, which would have gaps.

// CHECK-LABEL: func.func @column(
// CHECK: memref.copy
func.func @column(%n: index, %v: vector<4xf32>) -> memref<?x2xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?x1xf32>
  scf.forall (%i) = (0) to (%n) step (4) {
    %rows = memref.subview %a[%i, 0] [4, 1] [1, 1] : memref<?x1xf32> to memref<4xf32, strided<[1], offset: ?>>
    vector.transfer_write %v, %rows[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32, strided<[1], offset: ?>>
  }
  %y = memref.alloc(%n) : memref<?x2xf32>
  %left = memref.subview %y[0, 0] [%n, 1] [1, 1] : memref<?x2xf32> to memref<?x1xf32, strided<[2, 1]>>
  memref.copy %a, %left : memref<?x1xf32> to memref<?x1xf32, strided<[2, 1]>>
  return %y : memref<?x2xf32>
}
