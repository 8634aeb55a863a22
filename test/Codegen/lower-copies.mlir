// RUN: gnn-opt --gnn-lower-copies %s | FileCheck %s

// CHECK-LABEL: func @strided
// CHECK-SAME: (%[[A:.*]]: memref<?x8xf32>, %[[B:.*]]: memref<?x8xf32, strided<[16, 1]>>)
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[B]] :
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[IN]]
func.func @strided(%a: memref<?x8xf32>,
                   %b: memref<?x8xf32, strided<[16, 1]>>) {
  memref.copy %a, %b : memref<?x8xf32> to memref<?x8xf32, strided<[16, 1]>>
  return
}

// One memcpy is best.
// CHECK-LABEL: func @contiguous
// CHECK: memref.copy
// CHECK-NOT: linalg.generic
func.func @contiguous(%a: memref<?x8xf32>, %b: memref<?x8xf32>) {
  memref.copy %a, %b : memref<?x8xf32> to memref<?x8xf32>
  return
}

// A part of a row has no gaps, wherever it begins.
// CHECK-LABEL: func @row
// CHECK: memref.copy
// CHECK-NOT: linalg.generic
func.func @row(%a: memref<8xf32, strided<[1], offset: ?>>, %b: memref<8xf32>) {
  memref.copy %a, %b : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
  return
}

// RUN: gnn-opt --gnn-lower-copies=contiguous %s \
// RUN:   | FileCheck %s --check-prefix=ALL
// ALL-LABEL: func @contiguous
// ALL-NOT: memref.copy
// ALL: linalg.generic
