// RUN: %differential %s square --topologies csr complete causal

// One value for all heads: the weights alone tell how many there are.

#h = affine_map<(h) -> (h)>
#n = affine_map<(h) -> ()>

func.func @one_value(%g: !gnn.graph<TOPOLOGY>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                         gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.extract_slice %x[0, 0] [%d, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %s = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#h, #h], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %w = gnn.edge_softmax %g, %s : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>
  %m = gnn.message %g src(%v : tensor<?xf32>) edge(%w : !gnn.edges<6xf32>)
      {indexing_maps = [#n, #h, #h], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}
