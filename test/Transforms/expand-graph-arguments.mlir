// RUN: gnn-opt --gnn-expand-graph-arguments --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-expand-graph-arguments=mark-fixed --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FIXED

// A graph becomes its parts; argument attributes stay with their argument, those
// of a graph with its first part.
// CHECK-LABEL: func @csr
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32> {gnn.name = "graph"}, %[[COLUMNS:.*]]: tensor<?xi32>, %[[N:.*]]: index, %[[X:.*]]: tensor<?xf32> {gnn.name = "x"})
// CHECK: %[[G:.*]] = gnn.make_graph %[[ROWS]], %[[COLUMNS]], %[[N]] : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
// CHECK: gnn.edges_from_tensor %[[G]], %[[X]]
// All parts are marked if that is asked for, and nothing else.
// FIXED-LABEL: func @csr
// FIXED-SAME: (%{{.*}}: tensor<?xi32> {gnn.fixed = "graph", gnn.name = "graph"}, %{{.*}}: tensor<?xi32> {gnn.fixed = "graph"}, %{{.*}}: index {gnn.fixed = "graph"}, %{{.*}}: tensor<?xf32> {gnn.name = "x"})
func.func @csr(%g: !gnn.graph<csr> {gnn.name = "graph"},
               %x: tensor<?xf32> {gnn.name = "x"}) -> tensor<?xf32> {
  %w = gnn.edges_from_tensor %g, %x
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %y = gnn.aggregate [sum] %g, %w
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Calls and returns follow.
// CHECK-LABEL: func private @callee
// CHECK-SAME: (%[[A:.*]]: index, %[[B:.*]]: index) -> (index, index)
// CHECK: return %{{.*}}, %{{.*}} : index, index
func.func private @callee(%g: !gnn.graph<complete>) -> !gnn.graph<complete> {
  return %g : !gnn.graph<complete>
}
// CHECK-LABEL: func @caller
// CHECK-SAME: (%[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: call @callee(%{{.*}}, %{{.*}}) : (index, index) -> (index, index)
func.func @caller(%g: !gnn.graph<complete>) -> index {
  %h = call @callee(%g) : (!gnn.graph<complete>) -> !gnn.graph<complete>
  %n = gnn.num_nodes dst %h : !gnn.graph<complete>
  return %n : index
}

// -----

// The columns of a sparse matrix are no attribute of its row pointers.
// CHECK-LABEL: func @sparse_input
// CHECK-SAME: (%{{.*}}: tensor<?xi32> {gnn.name = "x"}, %{{.*}}: tensor<?xi32>,
func.func @sparse_input(%g: !gnn.graph<csr, bipartite> {gnn.columns = 8 : i64, gnn.name = "x"}) -> index {
  %n = gnn.num_nodes dst %g : !gnn.graph<csr, bipartite>
  return %n : index
}

// -----

// Nothing to do.
// CHECK-LABEL: func @no_graph
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: return %[[X]]
func.func @no_graph(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
