// Sum, mean and maximum of the sources' rows in one op.

#row = affine_map<(f) -> (f)>

func.func @multi_aggregate(%g: !gnn.graph<csr>,
                           %x: tensor<?x$(D)xf32> {gnn.name = "x"})
    -> (tensor<?x$(D)xf32>, tensor<?x$(D)xf32>, tensor<?x$(D)xf32>) {
  %y:3 = gnn.message_aggregate [sum, mean, max] %g
      src(%x : tensor<?x$(D)xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr>
        -> tensor<?x$(D)xf32>, tensor<?x$(D)xf32>, tensor<?x$(D)xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y#0, %y#1, %y#2
    : tensor<?x$(D)xf32>, tensor<?x$(D)xf32>, tensor<?x$(D)xf32>
}
