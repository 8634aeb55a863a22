// Rows of the sources, each times the weight of its edge, added up.

#row = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @weighted_sum(%g: !gnn.graph<csr>,
                        %x: tensor<?x$(D)xf32> {gnn.name = "x"},
                        %edge_weight: tensor<?xf32> {gnn.name = "edge_weight"})
    -> tensor<?x$(D)xf32> {
  %w = gnn.edges_from_tensor %g, %edge_weight
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x$(D)xf32>)
      edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#row, #none, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x$(D)xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x$(D)xf32>
}
