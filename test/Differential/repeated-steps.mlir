// RUN: %differential %s square --topologies csr complete causal block_diagonal

// A reduction that takes the same step for each feature, and one that reads it once
// it is over.

#f = affine_map<(f) -> (f)>
#n = affine_map<(f) -> ()>

func.func @count(%g: !gnn.graph<TOPOLOGY>,
                 %x: tensor<?x6xf32> {gnn.name = "x",
                                     gnn.axis = "destination",
                                     gnn.graph = 0 : i64})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.extract_slice %x[0, 0] [%d, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %m = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#f, #n], iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %s: f32):
    %one = arith.constant 1.0 : f32
    %t = arith.addf %s, %one : f32
    gnn.yield %t : f32
  }
  %y = gnn.aggregate [max] %g, %m
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> tensor<?xf32>
  %k = gnn.message %g dst(%x : tensor<?x6xf32>) src(%v : tensor<?xf32>)
      {indexing_maps = [#f, #n, #n], iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %t = arith.addf %s, %b : f32
    gnn.yield %t : f32
  }
  %z = gnn.aggregate [sum] %g, %k
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
