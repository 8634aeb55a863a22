// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf=parallel-edges --canonicalize --cse %s \
// RUN:   | FileCheck %s
// A loop over all edges; nothing needs the row of an edge, so nobody looks for it.
// CHECK-LABEL: func @message
// CHECK-SAME: (%{{.*}}: tensor<?xi32>, %[[COLUMNS:.*]]: tensor<?xi32>, %{{.*}}: index, %[[X:.*]]: tensor<?x4xf32>)
// CHECK: %[[EDGES:.*]] = tensor.dim %[[COLUMNS]]
// CHECK-NOT: linalg.generic
// CHECK: scf.forall (%[[E:.*]]) in (%[[EDGES]]) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK: %[[COLUMN:.*]] = tensor.extract %[[COLUMNS]][%[[E]]]
// CHECK: %[[J:.*]] = arith.index_cast %[[COLUMN]]
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[J]], 0] [1, 4] [1, 1]
// CHECK: tensor.parallel_insert_slice %[[ROW]] into %[[OUT]][%[[E]], 0] [1, 4] [1, 1]
func.func @message(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %y = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// All pairs are edges.
// CHECK-LABEL: func @complete
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (%{{.*}}, %{{.*}}) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK: %[[VALUE:.*]] = tensor.extract_slice %{{.*}}[%[[J]], %[[I]], 0] [1, 1, 4] [1, 1, 1]
// CHECK: tensor.parallel_insert_slice %[[VALUE]] into %[[OUT]][%[[I]], %[[J]], 0] [1, 1, 4] [1, 1, 1]
func.func @complete(%g: !gnn.graph<complete>, %t: tensor<?x?x4xf32>)
    -> tensor<?x?x4xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<complete>, tensor<?x?x4xf32> -> !gnn.edges<4xf32>
  %h, %u = gnn.reverse %g edges(%w : !gnn.edges<4xf32>)
    : !gnn.graph<complete> -> !gnn.graph<complete>, !gnn.edges<4xf32>
  %y = gnn.edges_to_tensor %h, %u
    : !gnn.graph<complete>, !gnn.edges<4xf32> -> tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}

// Rows have a maximum and a sum each; the row of an edge is found by bisection of
// the row pointer, and its weight is computed from these.
// CHECK-LABEL: func @softmax
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>, %[[COLUMNS:.*]]: tensor<?xi32>, %{{.*}}: index, %[[SCORES:.*]]: tensor<?x2xf32>)
// CHECK: %[[STATISTICS:.*]]:2 = scf.forall
// CHECK: scf.for
// CHECK: arith.maximumf
// CHECK: %[[EDGES:.*]] = tensor.dim %[[COLUMNS]]
// CHECK: %[[ROWOF:.*]] = linalg.generic
// CHECK: %[[EDGE:.*]] = linalg.index 0
// CHECK: scf.for
// CHECK: tensor.extract %[[ROWS]]
// CHECK: arith.cmpi ule, %{{.*}}, %[[EDGE]]
// CHECK: scf.forall (%[[E:.*]]) in (%[[EDGES]])
// CHECK: %[[ENTRY:.*]] = tensor.extract %[[ROWOF]][%[[E]]]
// CHECK: %[[ROW:.*]] = arith.index_cast %[[ENTRY]]
// CHECK: %[[MAXIMUM:.*]] = tensor.extract_slice %[[STATISTICS]]#0[%[[ROW]], 0]
// CHECK: %[[SUM:.*]] = tensor.extract_slice %[[STATISTICS]]#1[%[[ROW]], 0]
// CHECK: %[[SCORE:.*]] = tensor.extract_slice %[[SCORES]][%[[E]], 0]
// CHECK: linalg.generic {{.*}} ins(%[[SCORE]], %[[MAXIMUM]], %[[SUM]] :
func.func @softmax(%g: !gnn.graph<csr>, %t: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %s = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %w = gnn.edge_softmax %g, %s : !gnn.graph<csr>, !gnn.edges<2xf32>
  %y = gnn.edges_to_tensor %g, %w
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// For each score a loop over its row counts those that rank before it: larger ones,
// and earlier ones that do not rank after it. It ends at the third.
// CHECK-LABEL: func @top_k
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>, %{{.*}}: tensor<?xi32>, %{{.*}}: index, %[[SCORES:.*]]: tensor<?x2xf32>)
// CHECK: %[[ROWOF:.*]] = linalg.generic
// CHECK: linalg.generic {{.*}} ins(%[[SCORES]] :
// CHECK: ^bb0(%[[OWN:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[EDGE:.*]] = linalg.index 0
// CHECK: %[[FEATURE:.*]] = linalg.index 1
// CHECK: tensor.extract %[[ROWOF]][%[[EDGE]]]
// CHECK: %[[COUNTED:.*]]:2 = scf.while (%[[P:.*]] = %{{.*}}, %[[N:.*]] = %c0)
// CHECK: arith.cmpi slt, %[[P]],
// CHECK: arith.cmpi slt, %[[N]], %c3
// CHECK: ^bb0(%[[Q:.*]]: index, %[[COUNT:.*]]: index):
// CHECK: %[[OTHER:.*]] = tensor.extract %[[SCORES]][%[[Q]], %[[FEATURE]]]
// CHECK: %[[LARGER:.*]] = arith.cmpf ugt, %[[OTHER]], %[[OWN]]
// CHECK: %[[NUMBER:.*]] = arith.cmpf ord, %[[OWN]], %[[OWN]]
// CHECK: %[[BEFORE:.*]] = arith.andi %[[LARGER]], %[[NUMBER]]
// CHECK: %[[SMALLER:.*]] = arith.cmpf ugt, %[[OWN]], %[[OTHER]]
// CHECK: %[[AFTER:.*]] = arith.andi %[[SMALLER]]
// CHECK: %[[EARLIER:.*]] = arith.cmpi slt, %[[Q]], %[[EDGE]]
// CHECK: %[[TIE:.*]] = arith.select %[[AFTER]], %false, %[[EARLIER]]
// CHECK: arith.ori %[[BEFORE]], %[[TIE]]
// CHECK: %[[KEPT:.*]] = arith.cmpi slt, %[[COUNTED]]#1, %c3
// CHECK: arith.select %[[KEPT]], %[[OWN]], %cst
func.func @top_k(%g: !gnn.graph<csr>, %t: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %s = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %k = gnn.edge_top_k %g, %s {k = 3} : !gnn.graph<csr>, !gnn.edges<2xf32>
  %y = gnn.edges_to_tensor %g, %k
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// A pair that is no edge has an empty row.
// CHECK-LABEL: func @dense_top_k
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[END:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[J]], %[[END]]
// CHECK: %[[EDGE:.*]] = arith.andi %{{.*}}, %[[BELOW]]
// CHECK: %[[LAST:.*]] = arith.select %[[EDGE]], %[[END]], %c0
// CHECK: scf.while (%[[P:.*]] = %c0,
// CHECK: arith.cmpi slt, %[[P]], %[[LAST]]
func.func @dense_top_k(%g: !gnn.graph<causal>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = gnn.edges_from_tensor %g, %t
    : !gnn.graph<causal>, tensor<?x?xf32> -> !gnn.edges<f32>
  %k = gnn.edge_top_k %g, %s {k = 3} : !gnn.graph<causal>, !gnn.edges<f32>
  %y = gnn.edges_to_tensor %g, %k
    : !gnn.graph<causal>, !gnn.edges<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Everything is zero before the first row.
// CHECK-LABEL: func @spread
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<?x?xf32>
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %[[ZEROS]])
// CHECK-NOT: linalg.fill
// CHECK: scf.for
func.func @spread(%g: !gnn.graph<csr>, %d: !gnn.graph<complete>, %t: tensor<?xf32>) -> tensor<?x?xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %s = gnn.spread_edges %w from %g to %d
    : !gnn.edges<f32>, !gnn.graph<csr> to !gnn.graph<complete>
  %y = gnn.edges_to_tensor %d, %s
    : !gnn.graph<complete>, !gnn.edges<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
