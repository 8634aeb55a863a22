// RUN: %differential %s square --emulate --topologies csr complete causal "window<2>" block_diagonal

// Degrees, as floats and as integers, numbers of nodes and edges, and positions,
// as integers and as indices.

func.func @counts(%g: !gnn.graph<TOPOLOGY>,
                  %x: tensor<?x6xf32> {gnn.name = "x",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?xf32>, tensor<?xi32>, tensor<?xf64>, tensor<?xi64>,
        tensor<3xi64>, tensor<?xi32>, tensor<?xi64>) {
  %y0 = gnn.degree dst %g : !gnn.graph<TOPOLOGY> -> tensor<?xf32>
  %y1 = gnn.degree src %g : !gnn.graph<TOPOLOGY> -> tensor<?xi32>
  %y2 = gnn.degree src %g : !gnn.graph<TOPOLOGY> -> tensor<?xf64>
  %y3 = gnn.degree dst %g : !gnn.graph<TOPOLOGY> -> tensor<?xi64>
  %0 = gnn.num_nodes dst %g : !gnn.graph<TOPOLOGY>
  %1 = gnn.num_nodes src %g : !gnn.graph<TOPOLOGY>
  %2 = gnn.num_edges %g : !gnn.graph<TOPOLOGY>
  %n0 = arith.index_cast %0 : index to i64
  %n1 = arith.index_cast %1 : index to i64
  %n2 = arith.index_cast %2 : index to i64
  %y4 = tensor.from_elements %n0, %n1, %n2 : tensor<3xi64>
  %y5 = gnn.position %g : !gnn.graph<TOPOLOGY> -> tensor<?xi32>
  %p = gnn.position %g : !gnn.graph<TOPOLOGY> -> tensor<?xindex>
  %y6 = gnn.update node(%p : tensor<?xindex>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : tensor<?xi64> {
  ^bb0(%i: index):
    %t = arith.index_cast %i : index to i64
    gnn.yield %t : i64
  }
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6
    : tensor<?xf32>, tensor<?xi32>, tensor<?xf64>, tensor<?xi64>, tensor<3xi64>,
      tensor<?xi32>, tensor<?xi64>
}
