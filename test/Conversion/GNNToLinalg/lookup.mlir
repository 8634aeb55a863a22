// RUN: gnn-opt %s -convert-gnn-to-linalg | FileCheck %s

// CHECK-DAG: #[[NUMBERS:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: func @lookup
// CHECK-SAME: %[[TABLE:.*]]: tensor<5x2x3xf32>, %[[N:.*]]: tensor<?xi64>
func.func @lookup(%table: tensor<5x2x3xf32>, %numbers: tensor<?xi64>)
    -> tensor<?x2x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[NUMBERS]], #[[ROWS]]]
  // CHECK-SAME: ins(%[[N]] : tensor<?xi64>)
  // CHECK: ^bb0(%[[NUMBER:.*]]: i64
  // CHECK-DAG: %[[ROW:.*]] = arith.index_cast %[[NUMBER]]
  // CHECK-DAG: %[[I:.*]] = linalg.index 1
  // CHECK-DAG: %[[J:.*]] = linalg.index 2
  // CHECK: tensor.extract %[[TABLE]][%[[ROW]], %[[I]], %[[J]]]
  %r = gnn.lookup %table[%numbers]
    : tensor<5x2x3xf32>, tensor<?xi64> -> tensor<?x2x3xf32>
  return %r : tensor<?x2x3xf32>
}

// An index needs no cast.
// CHECK-LABEL: func @numbers_are_indices
// CHECK: ^bb0(%[[NUMBER:.*]]: index
// CHECK: tensor.extract %{{.*}}[%[[NUMBER]]]
func.func @numbers_are_indices(%table: tensor<5xi32>, %numbers: tensor<?xindex>)
    -> tensor<?xi32> {
  %r = gnn.lookup %table[%numbers]
    : tensor<5xi32>, tensor<?xindex> -> tensor<?xi32>
  return %r : tensor<?xi32>
}
