// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf \
// RUN:   --split-input-file %s | FileCheck %s

// Numbers of nodes and edges come from the parts.
// CHECK-LABEL: func @csr_counts
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>, %[[COLUMNS:.*]]: tensor<?xi32>, %[[N:.*]]: index)
// CHECK: %[[SIZE:.*]] = tensor.dim %[[ROWS]]
// CHECK: %[[D:.*]] = arith.subi %[[SIZE]]
// CHECK: %[[E:.*]] = tensor.dim %[[COLUMNS]]
// CHECK: return %[[D]], %[[N]], %[[E]]
func.func @csr_counts(%g: !gnn.graph<csr>) -> (index, index, index) {
  %0 = gnn.num_nodes dst %g : !gnn.graph<csr>
  %1 = gnn.num_nodes src %g : !gnn.graph<csr>
  %2 = gnn.num_edges %g : !gnn.graph<csr>
  return %0, %1, %2 : index, index, index
}

// -----

// In-degrees are differences of row pointers.
// CHECK-LABEL: func @in_degree
// CHECK: linalg.generic
// CHECK: %[[N:.*]] = arith.subi
// CHECK: %[[I:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: arith.sitofp %[[I]] : i64 to f32
func.func @in_degree(%g: !gnn.graph<csr>) -> tensor<?xf32> {
  %d = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xf32>
  return %d : tensor<?xf32>
}

// -----

// Each segment counts its nodes.
// CHECK-LABEL: func @positions_in_segments
// CHECK-SAME: (%[[POINTERS:.*]]: tensor<?xi32>, %{{.*}}: tensor<?xi32>)
// CHECK: scf.for %[[S:[^ ]*]] = {{.*}} iter_args(%[[OUTER:.*]] =
// CHECK: %[[FIRST:.*]] = tensor.extract %[[POINTERS]][%[[S]]]
// CHECK: %[[BEGIN:.*]] = arith.index_cast %[[FIRST]]
// CHECK: scf.for %[[NODE:[^ ]*]] = %[[BEGIN]] {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]])
// CHECK: %[[P:.*]] = arith.subi %[[NODE]], %[[BEGIN]]
// CHECK: %[[I:.*]] = arith.index_cast %[[P]] : index to i32
// CHECK: tensor.insert %[[I]] into %[[INNER]][%[[NODE]]]
func.func @positions_in_segments(%g: !gnn.graph<block_diagonal>)
    -> tensor<?xi32> {
  %p = gnn.position %g : !gnn.graph<block_diagonal> -> tensor<?xi32>
  return %p : tensor<?xi32>
}

// -----

// CHECK-LABEL: func @positions_are_numbers
// CHECK: linalg.generic
// CHECK: %[[N:.*]] = linalg.index 0
// CHECK: linalg.yield %[[N]] : index
func.func @positions_are_numbers(%g: !gnn.graph<complete>) -> tensor<?xindex> {
  %p = gnn.position %g : !gnn.graph<complete> -> tensor<?xindex>
  return %p : tensor<?xindex>
}

// -----

// Out-degrees are counted, by one thread.
// CHECK-LABEL: func @out_degree
// CHECK-NOT: scf.forall
// CHECK: scf.for %[[E:.*]] = {{.*}} iter_args(%[[COUNTS:.*]] =
// CHECK: %[[COUNT:.*]] = tensor.extract %[[COUNTS]][%[[J:.*]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[COUNT]]
// CHECK: tensor.insert %[[NEXT]] into %[[COUNTS]][%[[J]]]
func.func @out_degree(%g: !gnn.graph<csr>) -> tensor<?xi32> {
  %d = gnn.degree src %g : !gnn.graph<csr> -> tensor<?xi32>
  return %d : tensor<?xi32>
}

// -----

// Loops are dropped by a comparison, and one is appended to each row; results
// are as long as edges are left. The graph is copied first, which need not be
// done again for other values, and these side by side.
// CHECK-LABEL: func @replace
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<?xf32>, %[[F:[a-z0-9]+]]: tensor<?xf32>)
// CHECK: %[[GRAPH:.*]]:3 = scf.for %[[I:[a-z0-9]+]] = {{.*}} -> (tensor<?xi32>, index, tensor<?xi32>)
// CHECK: scf.for
// CHECK: %[[LOOP:.*]] = arith.cmpi eq, %{{.*}}, %[[I]] : index
// CHECK: scf.if %[[LOOP]]
// CHECK-NOT: %[[T]]
// CHECK: %[[VALUES:.*]] = tensor.empty(%[[GRAPH]]#1) : tensor<?xf32>
// CHECK: scf.forall (%[[J:.*]]) in {{.*}} shared_outs(%{{.*}} = %[[VALUES]])
// CHECK: tensor.extract %[[GRAPH]]#0[%[[J]]]
// CHECK: scf.for
// CHECK: %[[OTHER:.*]] = arith.cmpi eq, %{{.*}}, %[[J]] : index
// CHECK: scf.if %[[OTHER]]
// CHECK: } else {
// CHECK: tensor.extract_slice %[[T]]
// CHECK: tensor.extract_slice %[[F]][%[[J]]]
func.func @replace(%g: !gnn.graph<csr>, %t: tensor<?xf32>, %f: tensor<?xf32>)
    -> tensor<?xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %h, %u = gnn.add_self_loops replace %g edges(%w : !gnn.edges<f32>)
    fill(%f : tensor<?xf32>) : !gnn.graph<csr> -> !gnn.graph<csr>,
    !gnn.edges<f32>
  %y = gnn.edges_to_tensor %h, %u
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Nothing is dropped, so nothing is compared.
// CHECK-LABEL: func @keep
// CHECK-NOT: arith.cmpi
// CHECK-NOT: scf.if
// CHECK: return
func.func @keep(%g: !gnn.graph<csr>) -> tensor<?xf32> {
  %h = gnn.add_self_loops keep %g : !gnn.graph<csr> -> !gnn.graph<csr>
  %d = gnn.degree dst %h : !gnn.graph<csr> -> tensor<?xf32>
  return %d : tensor<?xf32>
}

// -----

// Graphs that have their loops are passed on.
// CHECK-LABEL: func @causal_loops
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index)
// CHECK-NOT: scf
// CHECK: return %[[D]]
func.func @causal_loops(%g: !gnn.graph<causal>) -> index {
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<causal> -> !gnn.graph<causal, self_loops>
  %n = gnn.num_nodes dst %h : !gnn.graph<causal, self_loops>
  return %n : index
}

// -----

// The values of loops that exist are chosen edge by edge, though the graph's
// type changes.
// CHECK-LABEL: func @dense_values
// CHECK: %[[LOOP:.*]] = arith.cmpi eq
// CHECK: arith.select %[[LOOP]]
// CHECK-NOT: gnn.add_self_loops
func.func @dense_values(%g: !gnn.graph<complete>, %t: tensor<?x?xf32>,
                        %f: tensor<?xf32>) -> tensor<?x?xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<complete>, tensor<?x?xf32> -> !gnn.edges<f32>
  %h, %u = gnn.add_self_loops replace %g edges(%w : !gnn.edges<f32>)
    fill(%f : tensor<?xf32>) : !gnn.graph<complete>
    -> !gnn.graph<complete, self_loops>, !gnn.edges<f32>
  %y = gnn.edges_to_tensor %h, %u
    : !gnn.graph<complete, self_loops>, !gnn.edges<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// A counting sort: count, prefix sum, move.
// CHECK-LABEL: func @to_csr
// CHECK: linalg.fill
// CHECK-COUNT-3: scf.for
// CHECK-NOT: gnn.to_csr
func.func @to_csr(%g: !gnn.graph<coo>) -> tensor<?xi32> {
  %h = gnn.to_csr %g : !gnn.graph<coo> -> !gnn.graph<csr>
  %r, %c, %n = gnn.graph_parts %h
    : !gnn.graph<csr> -> tensor<?xi32>, tensor<?xi32>, index
  return %c : tensor<?xi32>
}

// -----

// Turning a dense graph around exchanges its numbers.
// CHECK-LABEL: func @reverse_complete
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index)
// CHECK-NEXT: return %[[S]], %[[D]]
func.func @reverse_complete(%g: !gnn.graph<complete, bipartite>)
    -> (index, index) {
  %h = gnn.reverse %g
    : !gnn.graph<complete, bipartite> -> !gnn.graph<complete, bipartite>
  %d = gnn.num_nodes dst %h : !gnn.graph<complete, bipartite>
  %s = gnn.num_nodes src %h : !gnn.graph<complete, bipartite>
  return %d, %s : index, index
}

// -----

// Its edge values are transposed, row by row.
// CHECK-LABEL: func @reverse_window_values
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index, %[[T:.*]]: tensor<?x?x3xf32>)
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[S]], %[[D]]) : tensor<?x?x3xf32>
// CHECK: scf.forall (%[[I:.*]]) in (%[[S]]) shared_outs(%{{.*}} = %[[EMPTY]])
// CHECK: scf.for %[[J:[^ ]*]] =
// CHECK: tensor.extract_slice %[[T]][%[[J]], %[[I]], 0] [1, 1, 3]
func.func @reverse_window_values(%g: !gnn.graph<window<2>>,
                                 %t: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<window<2>>, tensor<?x?x3xf32> -> !gnn.edges<3xf32>
  %h, %u = gnn.reverse %g edges(%w : !gnn.edges<3xf32>)
    : !gnn.graph<window<2>> -> !gnn.graph<window<2>>, !gnn.edges<3xf32>
  %y = gnn.edges_to_tensor %h, %u
    : !gnn.graph<window<2>>, !gnn.edges<3xf32> -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

// -----

// Counted in integers: bfloat16 has no number next to 256 that is one more.
// CHECK-LABEL: func @narrow_degree
// CHECK: %[[COUNTS:.*]] = scf.for {{.*}} -> (tensor<?xi32>)
// CHECK: tensor.extract %[[COUNTS]]
// CHECK: arith.{{[su]}}itofp {{.*}} to bf16
func.func @narrow_degree(%g: !gnn.graph<csr>) -> tensor<?xbf16> {
  %d = gnn.degree src %g : !gnn.graph<csr> -> tensor<?xbf16>
  return %d : tensor<?xbf16>
}
