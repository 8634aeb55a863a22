// Rows of the sources, aggregated at destinations: a product of the adjacency
// matrix and a dense one.

#row = affine_map<(f) -> (f)>

func.func @aggregate(%g: !gnn.graph<csr>,
                     %x: tensor<?x$(D)xf32> {gnn.name = "x"})
    -> tensor<?x$(D)xf32> {
  %y = gnn.message_aggregate [$(KIND)] %g src(%x : tensor<?x$(D)xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x$(D)xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x$(D)xf32>
}
