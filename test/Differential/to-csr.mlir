// RUN: %differential %s one-node --emulate

// Edge lists built by the function itself: unsorted, with duplicates, bipartite,
// with indices of either type, without edges, without nodes.

#scalar = affine_map<() -> ()>

func.func @sort(%x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "any"})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %values = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]>
    : tensor<7xf32>
  %v = tensor.cast %values : tensor<7xf32> to tensor<?xf32>
  %ones = arith.constant dense<[1.0, 10.0, 100.0, 1000.0, 10000.0]>
    : tensor<5xf32>
  %s = tensor.cast %ones : tensor<5xf32> to tensor<?xf32>

  %d32 = arith.constant dense<[3, 0, 3, 1, 0, 3, 3]> : tensor<7xi32>
  %s32 = arith.constant dense<[4, 2, 0, 1, 2, 4, 3]> : tensor<7xi32>
  %d = tensor.cast %d32 : tensor<7xi32> to tensor<?xi32>
  %c = tensor.cast %s32 : tensor<7xi32> to tensor<?xi32>
  %g = gnn.make_graph %d, %c, %c4, %c5
    : (tensor<?xi32>, tensor<?xi32>, index, index)
    -> !gnn.graph<coo, bipartite>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<coo, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
  %h, %u = gnn.to_csr %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<coo, bipartite> -> !gnn.graph<csr, bipartite>, !gnn.edges<f32>
  %y0 = gnn.edges_to_tensor %h, %u
    : !gnn.graph<csr, bipartite>, !gnn.edges<f32> -> tensor<?xf32>
  %y1 = gnn.message_aggregate [sum] %h src(%s : tensor<?xf32>)
      edge(%u : !gnn.edges<f32>)
      {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []}
      : !gnn.graph<csr, bipartite> -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %degree = gnn.degree dst %g : !gnn.graph<coo, bipartite> -> tensor<?xi32>

  // Reversed first: the list keeps its order.
  %r, %rw = gnn.reverse %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<coo, bipartite> -> !gnn.graph<coo, bipartite>,
      !gnn.edges<f32>
  %rh, %ru = gnn.to_csr %r edges(%rw : !gnn.edges<f32>)
    : !gnn.graph<coo, bipartite> -> !gnn.graph<csr, bipartite>, !gnn.edges<f32>
  %y2 = gnn.edges_to_tensor %rh, %ru
    : !gnn.graph<csr, bipartite>, !gnn.edges<f32> -> tensor<?xf32>

  %d64 = arith.constant dense<[3, 0, 3, 1, 0, 3, 3]> : tensor<7xi64>
  %s64 = arith.constant dense<[4, 2, 0, 1, 2, 4, 3]> : tensor<7xi64>
  %e = tensor.cast %d64 : tensor<7xi64> to tensor<?xi64>
  %f = tensor.cast %s64 : tensor<7xi64> to tensor<?xi64>
  %g64 = gnn.make_graph %e, %f, %c5, %c5
    : (tensor<?xi64>, tensor<?xi64>, index, index) -> !gnn.graph<coo, i64>
  %w64 = gnn.edges_from_tensor %g64, %v
    : !gnn.graph<coo, i64>, tensor<?xf32> -> !gnn.edges<f32>
  %h64, %u64 = gnn.to_csr %g64 edges(%w64 : !gnn.edges<f32>)
    : !gnn.graph<coo, i64> -> !gnn.graph<csr, i64>, !gnn.edges<f32>
  %y3 = gnn.message_aggregate [max] %h64 dst(%s : tensor<?xf32>)
      edge(%u64 : !gnn.edges<f32>)
      {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []}
      : !gnn.graph<csr, i64> -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    gnn.yield %0 : f32
  }
  %out = gnn.degree src %h64 : !gnn.graph<csr, i64> -> tensor<?xi32>

  %none32 = arith.constant dense<> : tensor<0xi32>
  %none = tensor.cast %none32 : tensor<0xi32> to tensor<?xi32>
  %g0 = gnn.make_graph %none, %none, %c0, %c0
    : (tensor<?xi32>, tensor<?xi32>, index, index) -> !gnn.graph<coo>
  %h0 = gnn.to_csr %g0 : !gnn.graph<coo> -> !gnn.graph<csr>
  %nothing = gnn.degree dst %h0 : !gnn.graph<csr> -> tensor<?xi32>
  return %y0, %y1, %y2, %y3, %degree, %out, %nothing
    : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
      tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}
