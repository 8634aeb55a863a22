// The mean of each node's in-neighbours, over whatever graph is passed.
func.func @mean(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %m = gnn.message %g src(%x : tensor<?x16xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> !gnn.edges<16xf32> {
  ^bb0(%value: f32):
    gnn.yield %value : f32
  }
  %y = gnn.aggregate [mean] %g, %m : !gnn.graph<csr>, !gnn.edges<16xf32> -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
