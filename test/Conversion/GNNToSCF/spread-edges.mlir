// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf \
// RUN:   --split-input-file %s | FileCheck %s

// A row of the matrix is zeroed, then edges are added at their sources.
// CHECK-LABEL: func @complete
// CHECK-SAME: %[[ROWS:[^:]*]]: tensor<?xi32>, %[[COLUMNS:[^:]*]]: tensor<?xi32>
// CHECK: scf.forall (%[[I:.*]]) in
// CHECK: %[[ROW:.*]] = linalg.fill {{.*}} -> tensor<?xf32>
// CHECK: scf.for %[[E:.*]] = {{.*}} iter_args(%[[SUMS:.*]] = %[[ROW]])
// CHECK: %[[COLUMN:.*]] = tensor.extract %[[COLUMNS]][%[[E]]]
// CHECK: %[[J:.*]] = arith.index_cast %[[COLUMN]]
// CHECK-NOT: scf.if
// CHECK: tensor.extract_slice %[[SUMS]][%[[J]]] [1] [1]
// CHECK: arith.addf
// CHECK: tensor.insert_slice %{{.*}} into %[[SUMS]][%[[J]]] [1] [1]
func.func @complete(%g: !gnn.graph<csr>, %h: !gnn.graph<complete>,
                    %t: tensor<?xf32>) -> tensor<?x?xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %s = gnn.spread_edges %w from %g to %h
    : !gnn.edges<f32>, !gnn.graph<csr> to !gnn.graph<complete>
  %r = gnn.edges_to_tensor %h, %s
    : !gnn.graph<complete>, !gnn.edges<f32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Edges that leave their segment have no entry.
// CHECK-LABEL: func @block_diagonal
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: %[[ENTRY:.*]] = arith.subi
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ENTRY]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: tensor.insert_slice
func.func @block_diagonal(%g: !gnn.graph<csr>, %h: !gnn.graph<block_diagonal>,
                          %t: tensor<?xf32>) -> tensor<?xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %s = gnn.spread_edges %w from %g to %h
    : !gnn.edges<f32>, !gnn.graph<csr> to !gnn.graph<block_diagonal>
  %r = gnn.edges_to_tensor %h, %s
    : !gnn.graph<block_diagonal>, !gnn.edges<f32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
