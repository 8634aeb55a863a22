// RUN: gnn-opt --gnn-prefetch-segments --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-prefetch-segments="minimum-bytes=0 most-bytes=1024" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=FEW

#size = affine_map<(d0)[s0] -> (-d0 + s0, 16)>

// Queries and results have the pointer of destinations, keys that of sources: of
// either, a head asks for an eighth of the next segment's lines.
// CHECK-LABEL: func @heads
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: memref<?xi32>, %[[SOURCES:[a-z0-9]+]]: memref<?xi32>
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<?x8x4xf32>, %[[K:[a-z0-9]+]]: memref<?x8x4xf32>, %[[Y:[a-z0-9]+]]: memref<?x8x4xf32>
// CHECK: %[[SIZE:.*]] = memref.dim %[[ROWS]]
// CHECK: %[[LAST:.*]] = arith.subi %[[SIZE]]
// CHECK: %[[Y_ROWS:.*]] = memref.dim %[[Y]]
// CHECK: %[[Y_BYTES:.*]] = arith.muli %[[Y_ROWS]], %c128
// CHECK: %[[Q_ROWS:.*]] = memref.dim %[[Q]]
// CHECK: %[[Q_BYTES:.*]] = arith.muli %[[Q_ROWS]], %c128
// CHECK: %[[BYTES:.*]] = arith.addi %[[Y_BYTES]], %[[Q_BYTES]]
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %[[BYTES]], %c524288
// CHECK: %[[FLAT_Y:.*]] = memref.collapse_shape %[[Y]] {{.*}} into memref<?xf32>
// CHECK: %[[FLAT_Q:.*]] = memref.collapse_shape %[[Q]] {{.*}} into memref<?xf32>
// CHECK: %[[FLAT_K:.*]] = memref.collapse_shape %[[K]] {{.*}} into memref<?xf32>
// CHECK: scf.forall (%[[S:.*]], %[[H:.*]]) in
// CHECK: memref.load %[[SOURCES]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[S]], %c1
// CHECK: arith.minui %[[NEXT]], %[[LAST]]
// CHECK: memref.load %[[ROWS]]
// CHECK: %[[FIRST:.*]] = arith.index_cast
// CHECK: %[[AFTER:.*]] = arith.addi %[[S]], %c2
// CHECK: memref.load %[[ROWS]]
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: %[[LENGTH:.*]] = arith.subi %[[END]], %[[FIRST]]
// CHECK: %[[COUNT:.*]] = arith.minui %[[LENGTH]], %c1024
// CHECK: %[[ALL:.*]] = arith.muli %[[COUNT]], %c128
// CHECK: %[[SHARE:.*]] = arith.ceildivui %[[ALL]], %c512
// CHECK: %[[LINES:.*]] = arith.select %[[MANY]], %[[SHARE]], %c0
// CHECK: %[[BEGIN:.*]] = arith.muli %[[H]], %[[LINES]]
// CHECK: %[[LOT:.*]] = arith.ceildivui %[[LINES]], %c1
// CHECK: %[[FROM:.*]] = arith.muli %c0{{.*}}, %[[LOT]]
// CHECK: %[[NEXT_LOT:.*]] = arith.addi %[[FROM]], %[[LOT]]
// CHECK: %[[TO:.*]] = arith.minui %[[NEXT_LOT]], %[[LINES]]
// CHECK: scf.for %[[LINE:.*]] = %[[FROM]] to %[[TO]] step %c1
// CHECK: %[[E:.*]] = arith.muli %[[LINE]], %c16
// CHECK: %[[P:.*]] = arith.addi %{{.*}}, %[[E]]
// CHECK: memref.prefetch %[[FLAT_Y]][%[[P]]], write, locality<2>, data
// CHECK: memref.prefetch %[[FLAT_Q]][%[[P]]], read, locality<2>, data
// CHECK: memref.prefetch %[[FLAT_K]]
// CHECK-NOT: memref.prefetch

// FEW-LABEL: func @heads
// FEW: arith.cmpi sge, %{{.*}}, %c0
// FEW: arith.minui %{{.*}}, %c8
func.func @heads(%rows: memref<?xi32>, %sources: memref<?xi32>,
                 %q: memref<?x8x4xf32>, %k: memref<?x8x4xf32>,
                 %y: memref<?x8x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.forall (%s, %h) in (%n, 8) {
    %t = arith.addi %s, %c1 : index
    %b = memref.load %rows[%s] : memref<?xi32>
    %begin = arith.index_cast %b : i32 to index
    %e = memref.load %rows[%t] : memref<?xi32>
    %end = arith.index_cast %e : i32 to index
    %f = memref.load %sources[%s] : memref<?xi32>
    %first = arith.index_cast %f : i32 to index
    %l = memref.load %sources[%t] : memref<?xi32>
    %last = arith.index_cast %l : i32 to index
    %length = arith.subi %end, %begin : index
    %result = memref.subview %y[%begin, %h, 0] [%length, 1, 4] [1, 1, 1]
      : memref<?x8x4xf32> to memref<?x4xf32, strided<[32, 1], offset: ?>>
    scf.for %i = %begin to %end step %c16 {
      %some = affine.min #size(%i)[%end]
      %mine = memref.subview %q[%i, %h, 0] [%some, 1, 4] [1, 1, 1]
        : memref<?x8x4xf32> to memref<?x4xf32, strided<[32, 1], offset: ?>>
      scf.for %j = %first to %last step %c16 {
        %others = memref.subview %k[%j, %h, 0] [1, 1, 4] [1, 1, 1]
          : memref<?x8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        %x = memref.load %others[%c0] : memref<4xf32, strided<[1], offset: ?>>
        memref.store %x, %result[%c0, %c0]
          : memref<?x4xf32, strided<[32, 1], offset: ?>>
        %z = memref.load %mine[%c0, %c0]
          : memref<?x4xf32, strided<[32, 1], offset: ?>>
        memref.store %z, %result[%c0, %c1]
          : memref<?x4xf32, strided<[32, 1], offset: ?>>
      }
    }
  }
  return
}

// -----

// A share of a segment's destinations asks for the rows of the next segment, too.
// CHECK-LABEL: func @shares
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: memref<?xi32>, %[[Y:[a-z0-9]+]]: memref<?x8x4xf32>
// CHECK: %[[FLAT_Y:.*]] = memref.collapse_shape %[[Y]]
// CHECK: scf.forall (%[[S:.*]], %[[H:.*]], %{{.*}}) in
// CHECK: %[[NEXT:.*]] = arith.addi %[[S]], %c1
// CHECK: arith.minui %[[NEXT]]
// CHECK: memref.load %[[ROWS]]
// CHECK: arith.muli %[[H]]
// CHECK: memref.prefetch %[[FLAT_Y]]
func.func @shares(%rows: memref<?xi32>, %y: memref<?x8x4xf32>, %n: index,
                  %shares: index, %each: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%s, %h, %share) in (%n, 8, %shares) {
    %t = arith.addi %s, %c1 : index
    %b = memref.load %rows[%s] : memref<?xi32>
    %begin = arith.index_cast %b : i32 to index
    %e = memref.load %rows[%t] : memref<?xi32>
    %end = arith.index_cast %e : i32 to index
    %before = arith.muli %share, %each : index
    %behind = arith.addi %begin, %before : index
    %first = arith.minui %behind, %end : index
    %next = arith.addi %first, %each : index
    %last = arith.minui %next, %end : index
    scf.for %i = %first to %last step %c1 {
      %row = memref.subview %y[%i, %h, 0] [1, 1, 4] [1, 1, 1]
        : memref<?x8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      memref.store %x, %row[%c0] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// -----

// In lots: two places of each tile of destinations, and two of each tile of sources
// for it. What is left of a tile is no place of its own.
// CHECK-LABEL: func @tiles
// CHECK: scf.forall (%[[S:.*]], %{{.*}}) in
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: %[[INNER:.*]] = arith.ceildivsi %{{.*}}, %c16
// CHECK: %[[OF_TILES:.*]] = arith.muli %[[INNER]], %c2
// CHECK: %[[EACH:.*]] = arith.addi %c2{{.*}}, %[[OF_TILES]]
// CHECK: %[[OUTER:.*]] = arith.ceildivsi %{{.*}}, %c16
// CHECK: %[[ALL:.*]] = arith.muli %[[OUTER]], %[[EACH]]
// CHECK: %[[PLACES:.*]] = arith.maxui %[[ALL]], %c1
// CHECK: %[[LOT:.*]] = arith.ceildivui %{{.*}}, %[[PLACES]]
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %c16
// CHECK: %[[TILE:.*]] = arith.divui
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %[[EACH]]
// CHECK: %[[PLACE:.*]] = arith.addi %[[FIRST]], %c0
// CHECK: arith.muli %[[PLACE]], %[[LOT]]
// CHECK: memref.prefetch
// CHECK: scf.for
// CHECK: memref.prefetch
// CHECK: scf.for
// CHECK: %[[FIRST_OF_TILES:.*]] = arith.addi %[[FIRST]], %c2
// CHECK: scf.for %[[J:.*]] = %[[BEGIN]] to %[[END]] step %c16
// CHECK: %[[INNER_TILE:.*]] = arith.divui
// CHECK: %[[OF_TILE:.*]] = arith.muli %[[INNER_TILE]], %c2
// CHECK: arith.addi %[[FIRST_OF_TILES]], %[[OF_TILE]]
// CHECK: memref.prefetch
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: scf.for
// CHECK: memref.prefetch
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @tiles(%rows: memref<?xi32>, %q: memref<?x8x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  scf.forall (%s, %h) in (%n, 8) {
    %t = arith.addi %s, %c1 : index
    %b = memref.load %rows[%s] : memref<?xi32>
    %begin = arith.index_cast %b : i32 to index
    %e = memref.load %rows[%t] : memref<?xi32>
    %end = arith.index_cast %e : i32 to index
    scf.for %i = %begin to %end step %c16 {
      scf.for %k = %c0 to %c16 step %c1 {
        %row = memref.subview %q[%i, %h, 0] [1, 1, 4] [1, 1, 1]
          : memref<?x8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        %x = memref.load %row[%c0] : memref<4xf32, strided<[1], offset: ?>>
      }
      scf.for %k = %c0 to %c16 step %c1 {
      }
      scf.for %j = %begin to %end step %c16 {
        scf.for %k = %c0 to %c12 step %c1 {
        }
        scf.for %k = %c12 to %c16 step %c1 {
        }
        scf.for %k = %c0 to %c16 step %c1 {
        }
      }
    }
  }
  return
}

// -----

// Whole rows are one after the other, which a processor sees by itself.
// CHECK-LABEL: func @whole_rows
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @whole_rows(%rows: memref<?xi32>, %x: memref<?x8x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%s, %h) in (%n, 8) {
    %t = arith.addi %s, %c1 : index
    %b = memref.load %rows[%s] : memref<?xi32>
    %begin = arith.index_cast %b : i32 to index
    %e = memref.load %rows[%t] : memref<?xi32>
    %end = arith.index_cast %e : i32 to index
    scf.for %i = %begin to %end step %c1 {
      %row = memref.subview %x[%i, 0, 0] [1, 8, 4] [1, 1, 1]
        : memref<?x8x4xf32> to memref<8x4xf32, strided<[4, 1], offset: ?>>
      %v1 = memref.load %row[%c0, %c0] : memref<8x4xf32, strided<[4, 1], offset: ?>>
    }
  }
  return
}

// -----

// Rows that do not count from an entry of an array are no segment.
// CHECK-LABEL: func @other_rows
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @other_rows(%x: memref<?x8x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%s, %h) in (%n, 8) {
    %row = memref.subview %x[%s, %h, 0] [1, 1, 4] [1, 1, 1]
      : memref<?x8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %v2 = memref.load %row[%c0] : memref<4xf32, strided<[1], offset: ?>>
  }
  return
}

// -----

// A bit is no whole byte.
// CHECK-LABEL: func @bits
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @bits(%rows: memref<?xi32>, %x: memref<?x8x4xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%s, %h) in (%n, 8) {
    %b = memref.load %rows[%s] : memref<?xi32>
    %begin = arith.index_cast %b : i32 to index
    %row = memref.subview %x[%begin, %h, 0] [1, 1, 4] [1, 1, 1]
      : memref<?x8x4xi1> to memref<4xi1, strided<[1], offset: ?>>
    %v3 = memref.load %row[%c0] : memref<4xi1, strided<[1], offset: ?>>
  }
  return
}
