// RUN: gnn-opt --gnn-prefetch-windows --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-prefetch-windows=minimum-bytes=0 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FEW

#begin = affine_map<(d0) -> (0, d0 - 64)>
#end = affine_map<(d0)[s0] -> (s0, d0 + 80)>

// Of queries and results the next rows, of keys those behind the window, half of them
// before each of the two loops of a tile.
// CHECK-LABEL: func @window
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<?x8x32xf32>, %[[K:[a-z0-9]+]]: memref<?x8x32xf32>, %[[Y:[a-z0-9]+]]: memref<?x8x32xf32>
// CHECK-DAG: %[[Q_ROWS:.*]] = memref.dim %[[Q]]
// CHECK-DAG: %[[LAST_Q:.*]] = arith.subi %[[Q_ROWS]], %c1
// CHECK-DAG: %[[K_ROWS:.*]] = memref.dim %[[K]]
// CHECK-DAG: %[[LAST_K:.*]] = arith.subi %[[K_ROWS]], %c1
// CHECK-DAG: %[[Y_ROWS:.*]] = memref.dim %[[Y]]
// CHECK-DAG: %[[LAST_Y:.*]] = arith.subi %[[Y_ROWS]], %c1
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %{{.*}}, %c524288
// CHECK: %[[ROWS:.*]] = arith.select %[[MANY]], %c16{{.*}}, %c0
// CHECK: scf.forall (%[[H:.*]], %[[I:.*]]) =
// CHECK: %[[BEGIN:.*]] = affine.max
// CHECK: %[[END:.*]] = affine.min
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c16
// CHECK: arith.ceildivui %[[ROWS]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c64
// CHECK: scf.for %[[ROW:.*]] =
// CHECK-DAG: %[[OWN:.*]] = arith.addi %[[ROW]], %[[NEXT]]
// CHECK-DAG: %[[R:.*]] = arith.minui %[[OWN]], %[[LAST_Y]]
// CHECK-DAG: memref.prefetch %[[Y]][%[[R]], %[[H]], %{{.*}}], write, locality<2>, data
// CHECK-DAG: memref.prefetch %[[Y]][%[[R]], %[[H]], %{{.*}}], write
// CHECK-DAG: memref.prefetch %[[Q]][%{{.*}}, %[[H]], %{{.*}}], read
// CHECK-DAG: %[[OTHER:.*]] = arith.addi %[[ROW]], %[[END]]
// CHECK-DAG: %[[S:.*]] = arith.minui %[[OTHER]], %[[LAST_K]]
// CHECK-DAG: memref.prefetch %[[K]][%[[S]], %[[H]], %{{.*}}], read, locality<2>, data
// CHECK: scf.for
// CHECK: memref.load
// CHECK: scf.for %[[ROW_2:.*]] =
// CHECK: memref.prefetch
// CHECK: scf.for
// CHECK-NOT: memref.prefetch

// FEW-LABEL: func @window
// FEW: arith.cmpi sge, %{{.*}}, %c0
func.func @window(%q: memref<?x8x32xf32>, %k: memref<?x8x32xf32>,
                  %y: memref<?x8x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.forall (%h, %i) = (0, 0) to (8, %n) step (1, 16) {
    %result = memref.subview %y[%i, %h, 0] [16, 1, 32] [1, 1, 1]
      : memref<?x8x32xf32> to memref<16x32xf32, strided<[256, 1], offset: ?>>
    %mine = memref.subview %q[%i, %h, 0] [16, 1, 32] [1, 1, 1]
      : memref<?x8x32xf32> to memref<16x32xf32, strided<[256, 1], offset: ?>>
    %begin = affine.max #begin(%i)
    %end = affine.min #end(%i)[%n]
    scf.for %j = %begin to %end step %c64 {
      %others = memref.subview %k[%j, %h, 0] [64, 1, 32] [1, 1, 1]
        : memref<?x8x32xf32> to memref<64x32xf32, strided<[256, 1], offset: ?>>
      scf.for %e = %c0 to %c16 step %c1 {
        %x = memref.load %others[%e, %c0]
          : memref<64x32xf32, strided<[256, 1], offset: ?>>
        memref.store %x, %result[%e, %c0]
          : memref<16x32xf32, strided<[256, 1], offset: ?>>
      }
      scf.for %e = %c0 to %c16 step %c1 {
        %x = memref.load %mine[%e, %c0]
          : memref<16x32xf32, strided<[256, 1], offset: ?>>
      }
    }
  }
  return
}

// -----

// All pairs: each tile reads the same rows, which are in the caches.
// CHECK-LABEL: func @all_pairs
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @all_pairs(%k: memref<?x8x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.forall (%h, %i) = (0, 0) to (8, %n) step (1, 16) {
    scf.for %j = %c0 to %n step %c64 {
      %others = memref.subview %k[%j, %h, 0] [64, 1, 32] [1, 1, 1]
        : memref<?x8x32xf32> to memref<64x32xf32, strided<[256, 1], offset: ?>>
      scf.for %e = %c0 to %c16 step %c1 {
        %x = memref.load %others[%e, %c0]
          : memref<64x32xf32, strided<[256, 1], offset: ?>>
      }
      scf.for %e = %c0 to %c16 step %c1 {
      }
    }
  }
  return
}

// -----

#begin = affine_map<(d0) -> (0, d0 - 64)>
#end = affine_map<(d0)[s0] -> (s0, d0 + 80)>

// Whole rows are one after the other, which a processor sees by itself.
// CHECK-LABEL: func @whole_rows
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @whole_rows(%k: memref<?x8x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.forall (%h, %i) = (0, 0) to (8, %n) step (1, 16) {
    %begin = affine.max #begin(%i)
    %end = affine.min #end(%i)[%n]
    scf.for %j = %begin to %end step %c64 {
      %others = memref.subview %k[%j, 0, 0] [64, 8, 32] [1, 1, 1]
        : memref<?x8x32xf32> to memref<64x8x32xf32, strided<[256, 32, 1], offset: ?>>
      scf.for %e = %c0 to %c16 step %c1 {
        %x = memref.load %others[%e, %h, %c0]
          : memref<64x8x32xf32, strided<[256, 32, 1], offset: ?>>
      }
      scf.for %e = %c0 to %c16 step %c1 {
      }
    }
  }
  return
}

// -----

#begin = affine_map<(d0) -> (0, d0 - 64)>
#end = affine_map<(d0)[s0] -> (s0, d0 + 80)>

// A bit is no whole byte.
// CHECK-LABEL: func @bits
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @bits(%k: memref<?x8x32xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.forall (%h, %i) = (0, 0) to (8, %n) step (1, 16) {
    %begin = affine.max #begin(%i)
    %end = affine.min #end(%i)[%n]
    scf.for %j = %begin to %end step %c64 {
      %others = memref.subview %k[%j, %h, 0] [64, 1, 32] [1, 1, 1]
        : memref<?x8x32xi1> to memref<64x32xi1, strided<[256, 1], offset: ?>>
      scf.for %e = %c0 to %c16 step %c1 {
        %x = memref.load %others[%e, %c0]
          : memref<64x32xi1, strided<[256, 1], offset: ?>>
      }
      scf.for %e = %c0 to %c16 step %c1 {
      }
    }
  }
  return
}

// -----

#begin = affine_map<(d0) -> (0, d0 - 64)>
#end = affine_map<(d0)[s0] -> (s0, d0 + 80)>

// Numbers of nodes have no parts.
// CHECK-LABEL: func @numbers
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @numbers(%k: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.forall (%h, %i) = (0, 0) to (8, %n) step (1, 16) {
    %begin = affine.max #begin(%i)
    %end = affine.min #end(%i)[%n]
    scf.for %j = %begin to %end step %c64 {
      %others = memref.subview %k[%j] [64] [1]
        : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
      scf.for %e = %c0 to %c16 step %c1 {
        %x = memref.load %others[%e] : memref<64xf32, strided<[1], offset: ?>>
      }
      scf.for %e = %c0 to %c16 step %c1 {
      }
    }
  }
  return
}
