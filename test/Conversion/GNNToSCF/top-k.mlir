// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf %s | FileCheck %s

// A row of scores goes past a list of the three largest, of as many places as
// there can be; then each is written over where it lies: no second tensor with
// an entry per edge.
// CHECK-LABEL: func @top_k
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>, %{{.*}}: tensor<?xi32>, %{{.*}}: index, %[[T:.*]]: tensor<?x4xf32>)
// CHECK-NOT: tensor.empty({{.*}}) : tensor<?x4xf32>
// CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[OUT:.*]] = %[[T]])
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[OUT]]
// CHECK: %[[LIST:.*]] = linalg.fill {{.*}} -> tensor<3x4xf32>
// CHECK: %[[LARGEST:.*]] = scf.for %[[E:.*]] = %[[BEGIN:[^ ]*]] to %[[END:.*]] step {{.*}} iter_args({{.*}} = %[[LIST]])
// CHECK: %[[BEFORE:.*]] = arith.subi %[[E]], %[[BEGIN]]
// CHECK: %[[COUNT:.*]] = arith.addi %[[BEFORE]]
// CHECK: %[[PLACES:.*]] = arith.minsi %[[COUNT]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[PLACES]]
// CHECK: arith.cmpf ugt
// CHECK: arith.cmpf ord
// CHECK: %[[THRESHOLD:.*]] = tensor.extract_slice %[[LARGEST]][%{{.*}}, 0] [1, 4] [1, 1]
// CHECK: %[[TIES:.*]] = scf.for
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step {{.*}} iter_args(%{{.*}} = %[[ROW]], %{{.*}} = %[[TIES]])
// CHECK: arith.select
// CHECK: tensor.insert_slice
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]]
func.func @top_k(%g: !gnn.graph<csr>, %t: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?x4xf32> -> !gnn.edges<4xf32>
  %k = gnn.edge_top_k %g, %s {k = 3} : !gnn.graph<csr>, !gnn.edges<4xf32>
  %y = gnn.edges_to_tensor %g, %k
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// On a dense layout the rows are those of the matrix.
// CHECK-LABEL: func @dense
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: index, %[[T:.*]]: tensor<?x?xf32>)
// CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[OUT:.*]] = %[[T]])
// CHECK: tensor.extract_slice %[[OUT]][%[[I]], 0] [1, %[[S]]] [1, 1]
func.func @dense(%g: !gnn.graph<causal>, %t: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %s = gnn.edges_from_tensor %g, %t
    : !gnn.graph<causal>, tensor<?x?xf32> -> !gnn.edges<f32>
  %k = gnn.edge_top_k %g, %s {k = 3} : !gnn.graph<causal>, !gnn.edges<f32>
  %y = gnn.edges_to_tensor %g, %k
    : !gnn.graph<causal>, !gnn.edges<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
