// RUN: %differential %s two-sided

// Sources and destinations of different numbers and widths: messages, degrees,
// a reversal, self loops between nodes of equal number.

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @bipartite(%g: !gnn.graph<csr, bipartite>,
                     %x_src: tensor<?x6xf32> {gnn.name = "x_src"},
                     %x_dst: tensor<?x4xf32> {gnn.name = "x_dst"},
                     %edge_weight: tensor<?xf32> {gnn.name = "edge_weight"})
    -> (tensor<?x6xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x6xf32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xf32> {gnn.axis = "any"},
        tensor<?xf32> {gnn.axis = "any"}) {
  %w = gnn.edges_from_tensor %g, %edge_weight
    : !gnn.graph<csr, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
  %y0 = gnn.message_aggregate [mean] %g src(%x_src : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr, bipartite> -> tensor<?x6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  // The destination's own row, weighted.
  %y1 = gnn.message_aggregate [sum] %g dst(%x_dst : tensor<?x4xf32>)
      edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr, bipartite> -> tensor<?x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %r, %rw = gnn.reverse %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr, bipartite> -> !gnn.graph<csr, bipartite>, !gnn.edges<f32>
  %y2 = gnn.message_aggregate [max] %r src(%x_dst : tensor<?x4xf32>)
      edge(%rw : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr, bipartite> -> tensor<?x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x_dst, %c0 : tensor<?x4xf32>
  %fill = tensor.extract_slice %x_dst[0, 2] [%n, 1] [1, 1]
    : tensor<?x4xf32> to tensor<?xf32>
  %h, %u = gnn.add_self_loops reuse %g edges(%w : !gnn.edges<f32>)
    fill(%fill : tensor<?xf32>)
    : !gnn.graph<csr, bipartite> -> !gnn.graph<csr, bipartite>, !gnn.edges<f32>
  %y3 = gnn.message_aggregate [sum] %h src(%x_src : tensor<?x6xf32>)
      edge(%u : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr, bipartite> -> tensor<?x6xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %k, %v = gnn.remove_self_loops %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr, bipartite> -> !gnn.graph<csr, bipartite>, !gnn.edges<f32>
  %t0 = gnn.edges_to_tensor %h, %u
    : !gnn.graph<csr, bipartite>, !gnn.edges<f32> -> tensor<?xf32>
  %t1 = gnn.edges_to_tensor %k, %v
    : !gnn.graph<csr, bipartite>, !gnn.edges<f32> -> tensor<?xf32>
  %d0 = gnn.degree dst %g : !gnn.graph<csr, bipartite> -> tensor<?xi32>
  %d1 = gnn.degree src %g : !gnn.graph<csr, bipartite> -> tensor<?xi32>
  return %y0, %y1, %y2, %y3, %d0, %d1, %t0, %t1
    : tensor<?x6xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x6xf32>,
      tensor<?xi32>, tensor<?xi32>, tensor<?xf32>, tensor<?xf32>
}
