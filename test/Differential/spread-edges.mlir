// RUN: %differential %s duplicates loops isolated hub no-edges one-node one-node-loop empty --topologies complete causal "window<2>"

// Values of a listed graph on pairs of nodes, those of duplicates added up.
// What is not in the target does not count.

#id = affine_map<(f) -> (f)>

func.func @spread(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x"},
                  %edge_weight: tensor<?xf32> {gnn.name = "edge_weight"},
                  %edge_attr: tensor<?x3xf32> {gnn.name = "edge_attr"})
    -> (tensor<?x6xf32>, tensor<?x3xf32> {gnn.axis = "any"}) {
  %w = gnn.edges_from_tensor %g, %edge_weight
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %a = gnn.edges_from_tensor %g, %edge_attr
    : !gnn.graph<csr>, tensor<?x3xf32> -> !gnn.edges<3xf32>
  %n = gnn.num_nodes dst %g : !gnn.graph<csr>
  %h = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<TOPOLOGY>
  %hw = gnn.spread_edges %w from %g to %h
    : !gnn.edges<f32>, !gnn.graph<csr> to !gnn.graph<TOPOLOGY>
  %ha = gnn.spread_edges %a from %g to %h
    : !gnn.edges<3xf32>, !gnn.graph<csr> to !gnn.graph<TOPOLOGY>
  %y = gnn.message_aggregate [sum] %h src(%x : tensor<?x6xf32>)
      edge(%hw : !gnn.edges<f32>)
      {indexing_maps = [#id, affine_map<(f) -> ()>, #id],
       iterator_types = ["parallel"]} : !gnn.graph<TOPOLOGY> -> tensor<?x6xf32> {
  ^bb0(%s: f32, %e: f32):
    %0 = arith.mulf %s, %e : f32
    gnn.yield %0 : f32
  }
  %z = gnn.aggregate [max] %h, %ha
    : !gnn.graph<TOPOLOGY>, !gnn.edges<3xf32> -> tensor<?x3xf32>
  return %y, %z : tensor<?x6xf32>, tensor<?x3xf32>
}
