// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf %s | FileCheck %s

// A row has a list of its best edges, which starts with scores of -inf. An edge
// whose score comes before the last of them is put where it belongs, from the end
// on. Then the lists of all rows are put one after the other.
// CHECK-LABEL: func @nearest
// CHECK-SAME: (%[[N:.*]]: index, %[[S:.*]]: index, %[[X:.*]]: tensor<?x3xf32>)
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[LISTS:.*]]:3 = scf.forall (%[[I:.*]]) in (%[[N]])
// CHECK: %[[SCORES:.*]] = linalg.fill ins(%[[LOWEST]] : f32) {{.*}} -> tensor<4xf32>
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[S]] step {{.*}} iter_args(%[[BEST:.*]] = %[[SCORES]],
// CHECK: linalg.generic
// CHECK: %[[WORST:.*]] = tensor.extract %[[BEST]][%c3]
// CHECK: arith.cmpf ugt, %[[SCORE:.*]], %[[WORST]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tensor.insert
// CHECK: tensor.insert
// CHECK: tensor.parallel_insert_slice
// CHECK: %[[POINTER:.*]] = scf.forall
// CHECK: scf.forall {{.*}} -> (tensor<?xi32>)
// CHECK: tensor.extract %[[LISTS]]#1
func.func @nearest(%g: !gnn.graph<complete, bipartite>, %x: tensor<?x3xf32>)
    -> (tensor<?xi32>, tensor<?xi32>) {
  %h = gnn.top_k_graph %g src(%x : tensor<?x3xf32>)
      {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>],
       iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete, bipartite> -> !gnn.graph<csr, bipartite> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    gnn.yield %s : f32
  }
  %rows, %columns, %n = gnn.graph_parts %h
    : !gnn.graph<csr, bipartite> -> tensor<?xi32>, tensor<?xi32>, index
  return %rows, %columns : tensor<?xi32>, tensor<?xi32>
}
