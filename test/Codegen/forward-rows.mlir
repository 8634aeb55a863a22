// RUN: gnn-opt --split-input-file --gnn-forward-rows --canonicalize %s \
// RUN:   | FileCheck %s

// Rows are written where they were copied to; which place that is is found out
// as soon as the row is known.

// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[ORDER:[a-z0-9]+]]: memref<?xindex>
// CHECK: %[[Y:.+]] = memref.alloc(%[[N]])
// CHECK-NOT: memref.alloc
// CHECK: scf.forall (%[[I:[a-z0-9]+]]) = (0) to (%[[N]]) step (8) {
// CHECK:   scf.for %[[PLACE:[a-z0-9]+]] = %[[I]]
// CHECK:     %[[ROW:.+]] = memref.load %[[ORDER]][%[[PLACE]]]
// CHECK:     %[[VALUES:.+]] = math.sqrt
// CHECK:     vector.transfer_write %[[VALUES]], %[[Y]][%[[ROW]], %{{.*}}] {in_bounds = [true]}
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.dealloc
// CHECK: return %[[Y]]
func.func @groups(%n: index, %order: memref<?xindex>, %x: vector<4xf32>)
    -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %next = arith.addi %i, %c8 : index
    %last = arith.minsi %next, %n : index
    %count = arith.subi %last, %i : index
    %part = memref.subview %sorted[%i, 0] [%count, 4] [1, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    scf.for %place = %i to %last step %c1 {
      %row = math.sqrt %x : vector<4xf32>
      %k = arith.subi %place, %i : index
      vector.transfer_write %row, %part[%k, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32, strided<[4, 1], offset: ?>>
    }
  }
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

// Rows may be written without a view, and what they are copied to be allocated
// later.

// CHECK-LABEL: func.func @single_rows(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[ORDER:[a-z0-9]+]]: memref<?xindex>, %[[X:[a-z0-9]+]]:
// CHECK: %[[Y:.+]] = memref.alloc(%[[N]])
// CHECK: scf.forall (%[[I:[a-z0-9]+]]) in (%[[N]]) {
// CHECK:   %[[ROW:.+]] = memref.load %[[ORDER]][%[[I]]]
// CHECK:   vector.transfer_write %[[X]], %[[Y]][%[[ROW]], %{{.*}}]
func.func @single_rows(%n: index, %order: memref<?xindex>, %x: vector<4xf32>)
    -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %x, %sorted[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

// A view of one row, which has fewer dimensions.

// CHECK-LABEL: func.func @views_of_rows(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[ORDER:[a-z0-9]+]]: memref<?xindex>, %[[X:[a-z0-9]+]]:
// CHECK: %[[Y:.+]] = memref.alloc(%[[N]])
// CHECK: scf.for %[[PLACE:[a-z0-9]+]] =
// CHECK:   %[[ROW:.+]] = memref.load %[[ORDER]][%[[PLACE]]]
// CHECK:   %[[VIEW:.+]] = memref.subview %[[Y]][%[[ROW]], 0, 0] [1, 1, 4] [1, 1, 1] {{.*}} to memref<1x4xf32
// CHECK:   vector.transfer_write %[[X]], %[[VIEW]]
// CHECK-NOT: memref.copy
func.func @views_of_rows(%n: index, %order: memref<?xindex>, %x: vector<4xf32>)
    -> memref<?x1x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sorted = memref.alloc(%n) : memref<?x1x4xf32>
  %y = memref.alloc(%n) : memref<?x1x4xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %next = arith.addi %i, %c8 : index
    %last = arith.minsi %next, %n : index
    %count = arith.subi %last, %i : index
    %part = memref.subview %sorted[%i, 0, 0] [%count, 1, 4] [1, 1, 1] : memref<?x1x4xf32> to memref<?x1x4xf32, strided<[4, 4, 1], offset: ?>>
    scf.for %place = %i to %last step %c1 {
      %k = arith.subi %place, %i : index
      %row = memref.subview %part[%k, 0, 0] [1, 1, 4] [1, 1, 1] : memref<?x1x4xf32, strided<[4, 4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
      vector.transfer_write %x, %row[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, memref<1x4xf32, strided<[4, 1], offset: ?>>
    }
  }
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0, 0] [1, 1, 4] [1, 1, 1] : memref<?x1x4xf32> to memref<1x1x4xf32, strided<[4, 4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0, 0] [1, 1, 4] [1, 1, 1] : memref<?x1x4xf32> to memref<1x1x4xf32, strided<[4, 4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x1x4xf32, strided<[4, 4, 1], offset: ?>> to memref<1x1x4xf32, strided<[4, 4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x1x4xf32>
  return %y : memref<?x1x4xf32>
}

// -----

// The buffer is read once more.

// CHECK-LABEL: func.func @read_again(
// CHECK: memref.copy
func.func @read_again(%n: index, %order: memref<?xindex>, %x: vector<4xf32>)
    -> (memref<?x4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %x, %sorted[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  %first = memref.load %sorted[%c0, %c0] : memref<?x4xf32>
  memref.dealloc %sorted : memref<?x4xf32>
  return %y, %first : memref<?x4xf32>, f32
}

// -----

// The loop that writes the rows writes the order, too.

// CHECK-LABEL: func.func @order_is_written(
// CHECK: memref.copy
func.func @order_is_written(%n: index, %order: memref<?xindex>,
                            %x: vector<4xf32>) -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %x, %sorted[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
    memref.store %i, %order[%i] : memref<?xindex>
  }
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

// So does an op between the two loops.

// CHECK-LABEL: func.func @order_is_written_between(
// CHECK: memref.copy
func.func @order_is_written_between(%n: index, %order: memref<?xindex>,
                                    %x: vector<4xf32>) -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %x, %sorted[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  memref.store %n, %order[%c0] : memref<?xindex>
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

// Half of a row is written at a time from places that do not begin with 0.

// CHECK-LABEL: func.func @other_columns(
// CHECK: memref.copy
func.func @other_columns(%n: index, %order: memref<?xindex>, %x: vector<2xf32>)
    -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    %half = memref.subview %sorted[%i, 2] [1, 2] [1, 1] : memref<?x4xf32> to memref<1x2xf32, strided<[4, 1], offset: ?>>
    vector.transfer_write %x, %half[%c0, %c0] {in_bounds = [true]} : vector<2xf32>, memref<1x2xf32, strided<[4, 1], offset: ?>>
  }
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

// Some rows are not copied, and have no place.

// CHECK-LABEL: func.func @some_rows(
// CHECK: memref.copy
func.func @some_rows(%n: index, %m: index, %order: memref<?xindex>,
                     %x: vector<4xf32>) -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %x, %sorted[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  scf.forall (%p) in (%m) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

// A function that is called between the two loops may write the order.

func.func private @other()

// CHECK-LABEL: func.func @order_may_be_written(
// CHECK: memref.copy
func.func @order_may_be_written(%n: index, %order: memref<?xindex>,
                                %x: vector<4xf32>) -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %x, %sorted[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  func.call @other() : () -> ()
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

// So may who writes to one of two buffers.

// CHECK-LABEL: func.func @choice_is_written(
// CHECK: memref.copy
func.func @choice_is_written(%n: index, %which: i1, %order: memref<?xindex>,
                             %other: memref<?xindex>, %x: vector<4xf32>)
    -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %sorted = memref.alloc(%n) : memref<?x4xf32>
  %y = memref.alloc(%n) : memref<?x4xf32>
  scf.forall (%i) in (%n) {
    vector.transfer_write %x, %sorted[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x4xf32>
  }
  %chosen = arith.select %which, %order, %other : memref<?xindex>
  memref.store %n, %chosen[%c0] : memref<?xindex>
  scf.forall (%p) in (%n) {
    %j = memref.load %order[%p] : memref<?xindex>
    %from = memref.subview %sorted[%p, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %y[%j, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  }
  memref.dealloc %sorted : memref<?x4xf32>
  return %y : memref<?x4xf32>
}
