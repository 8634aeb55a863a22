// RUN: %differential %s square --topologies csr complete causal "window<2>" block_diagonal

// Rows of a table that numbers name.

func.func @rows(%g: !gnn.graph<TOPOLOGY>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                          gnn.axis = "destination",
                                          gnn.graph = 0 : i64})
    -> tensor<?x2xf32> {
  %p = gnn.position %g : !gnn.graph<TOPOLOGY> -> tensor<?xindex>
  %table = arith.constant
    dense<[[0.5, 1.0], [2.0, 3.0], [-1.0, 4.0]]> : tensor<3x2xf32>
  %n = gnn.num_nodes dst %g : !gnn.graph<TOPOLOGY>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %c3 = arith.constant 3 : index
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, f) -> (n)>, affine_map<(n, f) -> (n, f)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?xindex>) outs(%empty : tensor<?x2xf32>) {
  ^bb0(%position: index, %out: f32):
    %row = arith.remui %position, %c3 : index
    %f = linalg.index 1 : index
    %value = tensor.extract %table[%row, %f] : tensor<3x2xf32>
    linalg.yield %value : f32
  } -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
