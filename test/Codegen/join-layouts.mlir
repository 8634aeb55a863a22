// RUN: gnn-opt --gnn-join-layouts --canonicalize --split-input-file %s \
// RUN:   | FileCheck %s

// Elements follow each other in both.
// CHECK-LABEL: func @select
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?xi32, strided<[1]>>
// CHECK: %[[B:.*]] = memref.cast %[[Y]] : memref<?xi32, strided<[1]>> to memref<?xi32>
// CHECK: %[[Z:.*]] = arith.select %[[C]], %[[X]], %[[B]] : memref<?xi32>
// CHECK: memref.load %[[Z]]
func.func @select(%c: i1, %x: memref<?xi32>, %y: memref<?xi32, strided<[1]>>,
                  %i: index) -> i32 {
  %a = memref.cast %x
    : memref<?xi32> to memref<?xi32, strided<[?], offset: ?>>
  %b = memref.cast %y
    : memref<?xi32, strided<[1]>> to memref<?xi32, strided<[?], offset: ?>>
  %z = arith.select %c, %a, %b : memref<?xi32, strided<[?], offset: ?>>
  %e = memref.load %z[%i] : memref<?xi32, strided<[?], offset: ?>>
  return %e : i32
}

// -----

// The offsets differ, and the strides of rows.
// CHECK-LABEL: func @if
// CHECK: %[[Z:.*]] = scf.if %{{.*}} -> (memref<?x8xf32, strided<[?, 1], offset: ?>>)
// CHECK: memref.load %[[Z]]
func.func @if(%c: i1, %x: memref<?x8xf32, strided<[16, 1], offset: 8>>,
              %n: index, %i: index) -> f32 {
  %z = scf.if %c -> (memref<?x8xf32, strided<[?, ?], offset: ?>>) {
    %a = memref.cast %x : memref<?x8xf32, strided<[16, 1], offset: 8>>
      to memref<?x8xf32, strided<[?, ?], offset: ?>>
    scf.yield %a : memref<?x8xf32, strided<[?, ?], offset: ?>>
  } else {
    %y = memref.alloc(%n) : memref<?x8xf32>
    %b = memref.cast %y
      : memref<?x8xf32> to memref<?x8xf32, strided<[?, ?], offset: ?>>
    scf.yield %b : memref<?x8xf32, strided<[?, ?], offset: ?>>
  }
  %e = memref.load %z[%i, %i] : memref<?x8xf32, strided<[?, ?], offset: ?>>
  return %e : f32
}

// -----

// Nothing is known of one of them.
// CHECK-LABEL: func @unknown
// CHECK: arith.select %{{.*}} : memref<?xi32, strided<[?], offset: ?>>
func.func @unknown(%c: i1, %x: memref<?xi32>,
                   %y: memref<?xi32, strided<[?], offset: ?>>)
    -> memref<?xi32, strided<[?], offset: ?>> {
  %a = memref.cast %x
    : memref<?xi32> to memref<?xi32, strided<[?], offset: ?>>
  %z = arith.select %c, %a, %y : memref<?xi32, strided<[?], offset: ?>>
  return %z : memref<?xi32, strided<[?], offset: ?>>
}
