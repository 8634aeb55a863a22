// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf=parallel-graphs --canonicalize --cse %s \
// RUN:   | FileCheck %s

// An edge's number is its destination's times the number of edges, plus its own.
// Numbers of each 64 edges are sorted by counting; sorted parts are merged, two and
// two, there and back; rows begin where their numbers do.
// CHECK-LABEL: func @sort
// CHECK-SAME: (%[[DESTINATIONS:.*]]: tensor<?xi32>, %[[SOURCES:.*]]: tensor<?xi32>,
// CHECK: %[[EDGES:.*]] = tensor.dim %[[DESTINATIONS]]
// CHECK: %[[NUMBERS:.*]] = linalg.generic
// CHECK: %[[E:.*]] = linalg.index 0
// CHECK: tensor.extract %[[DESTINATIONS]][%[[E]]]
// CHECK: %[[KEY:.*]] = arith.muli %{{.*}}, %[[EDGES]]
// CHECK: arith.addi %[[KEY]], %[[E]]
// CHECK: %[[PARTS:.*]] = scf.forall (%[[P:.*]]) in (%[[EDGES]]) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK: %[[OWN:.*]] = tensor.extract %[[NUMBERS]][%[[P]]]
// CHECK: %[[REST:.*]] = arith.remui %[[P]], %c64
// CHECK: %[[FIRST:.*]] = arith.subi %[[P]], %[[REST]]
// CHECK: %[[PLACE:.*]] = scf.for %[[Q:[^ ]*]] = %[[FIRST]]
// CHECK: %[[OTHER:.*]] = tensor.extract %[[NUMBERS]][%[[Q]]]
// CHECK: arith.cmpi ult, %[[OTHER]], %[[OWN]]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[PLACE]]] [1] [1]
// CHECK: %[[SORTED:.*]]:3 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[PARTS]], %[[B:.*]] = %{{.*}}, %[[WIDTH:.*]] = %c64)
// CHECK: %[[TWICE:.*]] = arith.muli %[[WIDTH]], %c2
// CHECK: %[[THERE:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[B]])
// CHECK: tensor.extract %[[A]]
// CHECK: scf.while
// CHECK: tensor.extract %[[A]]
// CHECK: %[[BACK:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[A]])
// CHECK: tensor.extract %[[THERE]]
// CHECK: arith.divui %{{.*}}, %[[TWICE]]
// CHECK: scf.yield %[[BACK]], %[[THERE]],
// CHECK: linalg.generic
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[BOUND:.*]] = arith.muli %[[ROW]], %[[EDGES]]
// CHECK: scf.while
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[SORTED]]#0
// CHECK: arith.cmpi ult, %[[NUMBER]], %[[BOUND]]
// CHECK: linalg.generic
// CHECK: %[[AT:.*]] = tensor.extract %[[SORTED]]#0
// CHECK: %[[EDGE:.*]] = arith.remui %[[AT]], %[[EDGES]]
// CHECK: tensor.extract %[[SOURCES]][%[[EDGE]]]
// CHECK: scf.forall
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, 3] [1, 1]
func.func @sort(%g: !gnn.graph<coo>, %t: tensor<?x3xf32>)
    -> (tensor<?xi32>, tensor<?xi32>, tensor<?x3xf32>) {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<coo>, tensor<?x3xf32> -> !gnn.edges<3xf32>
  %h, %u = gnn.to_csr %g edges(%w : !gnn.edges<3xf32>)
    : !gnn.graph<coo> -> !gnn.graph<csr>, !gnn.edges<3xf32>
  %parts:3 = gnn.graph_parts %h
    : !gnn.graph<csr> -> tensor<?xi32>, tensor<?xi32>, index
  %y = gnn.edges_to_tensor %h, %u
    : !gnn.graph<csr>, !gnn.edges<3xf32> -> tensor<?x3xf32>
  return %parts#0, %parts#1, %y : tensor<?xi32>, tensor<?xi32>, tensor<?x3xf32>
}

// Out-degrees are how far apart a source's edges begin and end when sorted.
// CHECK-LABEL: func @out_degree
// CHECK: %[[SORTED:.*]]:3 = scf.for
// CHECK: linalg.generic
// CHECK: %[[NODE:.*]] = linalg.index 0
// CHECK: %[[NEXT:.*]] = arith.addi %[[NODE]], %c1
// CHECK: %[[END:.*]]:2 = scf.while
// CHECK: %[[BEGIN:.*]]:2 = scf.while
// CHECK: arith.subi %[[END]]#0, %[[BEGIN]]#0
func.func @out_degree(%g: !gnn.graph<csr>) -> tensor<?xf32> {
  %d = gnn.degree src %g : !gnn.graph<csr> -> tensor<?xf32>
  return %d : tensor<?xf32>
}

// A node's segment is found by bisection.
// CHECK-LABEL: func @positions
// CHECK-SAME: (%[[POINTERS:[^ ]*]]: tensor<?xi32>
// CHECK: linalg.generic
// CHECK: %[[NODE:.*]] = linalg.index 0
// CHECK: scf.while
// CHECK: %[[ENTRY:.*]] = tensor.extract %[[POINTERS]]
// CHECK: %[[FIRST:.*]] = arith.index_cast %[[ENTRY]]
// CHECK: arith.cmpi ule, %[[FIRST]], %[[NODE]]
// CHECK: arith.subi %[[NODE]]
func.func @positions(%g: !gnn.graph<block_diagonal>) -> tensor<?xi32> {
  %p = gnn.position %g : !gnn.graph<block_diagonal> -> tensor<?xi32>
  return %p : tensor<?xi32>
}
