// RUN: gnn-opt %s --gnn-lower-dynamic-reshapes | FileCheck %s
// RUN: gnn-opt %s --gnn-lower-dynamic-reshapes --expand-strided-metadata \
// RUN:   | FileCheck %s --check-prefix=UPSTREAM

// CHECK-LABEL: func.func @two_dynamic(
// CHECK-SAME: %[[X:.*]]: memref<?x4xf32>, %[[A:.*]]: index, %[[B:.*]]: index)
// UPSTREAM-LABEL: func.func @two_dynamic(
// UPSTREAM-NOT: expand_shape
func.func @two_dynamic(%x: memref<?x4xf32>, %a: index, %b: index)
    -> memref<?x?x4xf32> {
  // CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
  // CHECK: %[[OUTER:.*]] = arith.muli %[[STRIDES]]#0, %[[B]] : index
  // CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[A]], %[[B]], 4], strides: [%[[OUTER]], 4, 1]
  %e = memref.expand_shape %x [[0, 1], [2]] output_shape [%a, %b, 4]
    : memref<?x4xf32> into memref<?x?x4xf32>
  return %e : memref<?x?x4xf32>
}

// CHECK-LABEL: func.func @one_dynamic(
func.func @one_dynamic(%x: memref<?xf32>, %a: index) -> memref<?x4xf32> {
  // CHECK: memref.expand_shape
  %e = memref.expand_shape %x [[0, 1]] output_shape [%a, 4]
    : memref<?xf32> into memref<?x4xf32>
  return %e : memref<?x4xf32>
}
