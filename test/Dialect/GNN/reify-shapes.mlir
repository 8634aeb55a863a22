// RUN: gnn-opt %s --resolve-shaped-type-result-dims --canonicalize --split-input-file | FileCheck %s

// Sizes of results follow from sizes of operands, so nothing is computed for the
// sake of a size.

// CHECK-LABEL: func @rows_of_destinations
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr, bipartite>,
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[N:.*]] = gnn.num_nodes dst %[[G]]
// CHECK-NEXT: return %[[N]], %[[THREE]]
func.func @rows_of_destinations(%g: !gnn.graph<csr, bipartite>,
                                %w: !gnn.edges<3xf32>) -> (index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a:2 = gnn.aggregate [sum, max] %g, %w
    : !gnn.graph<csr, bipartite>, !gnn.edges<3xf32>
    -> tensor<?x3xf32>, tensor<?x3xf32>
  %0 = tensor.dim %a#1, %zero : tensor<?x3xf32>
  %1 = tensor.dim %a#1, %one : tensor<?x3xf32>
  return %0, %1 : index, index
}

// -----

// CHECK-LABEL: func @rows_of_degrees
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr, bipartite>)
// CHECK-NEXT: %[[N:.*]] = gnn.num_nodes src %[[G]]
// CHECK-NEXT: return %[[N]]
func.func @rows_of_degrees(%g: !gnn.graph<csr, bipartite>) -> index {
  %zero = arith.constant 0 : index
  %d = gnn.degree src %g : !gnn.graph<csr, bipartite> -> tensor<?xf32>
  %0 = tensor.dim %d, %zero : tensor<?xf32>
  return %0 : index
}

// -----

// CHECK-LABEL: func @rows_of_update
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK-NEXT: return %[[N]]
func.func @rows_of_update(%x: tensor<?x4xf32>) -> index {
  %zero = arith.constant 0 : index
  %y = gnn.update node(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %0 = tensor.dim %y, %zero : tensor<?x4xf32>
  return %0 : index
}

// -----

// CHECK-LABEL: func @rows_of_fused
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>,
// CHECK-COUNT-2: gnn.num_nodes dst %[[G]]
// CHECK-NOT: gnn.message_aggregate
// CHECK-NOT: gnn.attention
// CHECK: return
func.func @rows_of_fused(%g: !gnn.graph<csr>, %x: tensor<?xf32>)
    -> (index, index) {
  %zero = arith.constant 0 : index
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> tensor<?xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %z = gnn.attention %g
    score src(%x : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     value_iterators = [], weight_map = affine_map<() -> ()>}
    : !gnn.graph<csr> -> tensor<?xf32>
  %0 = tensor.dim %y, %zero : tensor<?xf32>
  %1 = tensor.dim %z, %zero : tensor<?xf32>
  return %0, %1 : index, index
}

// CHECK-LABEL: func @rows_of_positions
// CHECK: %[[N:.*]] = gnn.num_nodes dst
// CHECK-NOT: gnn.position
// CHECK: return %[[N]]
func.func @rows_of_positions(%g: !gnn.graph<csr>) -> index {
  %c0 = arith.constant 0 : index
  %p = gnn.position %g : !gnn.graph<csr> -> tensor<?xi32>
  %n = tensor.dim %p, %c0 : tensor<?xi32>
  return %n : index
}

// CHECK-LABEL: func @rows_of_a_table
// CHECK-SAME: %[[TABLE:.*]]: tensor<5x?xf32>, %[[NUMBERS:.*]]: tensor<?xi64>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[NUMBERS]], %{{.*}}
// CHECK-DAG: %[[F:.*]] = tensor.dim %[[TABLE]], %{{.*}}
// CHECK: return %[[N]], %[[F]]
func.func @rows_of_a_table(%table: tensor<5x?xf32>, %numbers: tensor<?xi64>)
    -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = gnn.lookup %table[%numbers]
    : tensor<5x?xf32>, tensor<?xi64> -> tensor<?x?xf32>
  %n = tensor.dim %r, %c0 : tensor<?x?xf32>
  %f = tensor.dim %r, %c1 : tensor<?x?xf32>
  return %n, %f : index, index
}
