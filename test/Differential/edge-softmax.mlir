// RUN: %differential %s square --emulate --topologies csr complete causal "window<3>" block_diagonal

// Weights per head: one head with ordinary scores, one where every third
// destination is masked altogether and every third source by -inf, one whose
// scores are too large for an exponential without the maximum taken off.

#id = affine_map<(h) -> (h)>

func.func @softmax(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %q = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1]
    : tensor<?x6xf32> to tensor<?x3xf32>
  %k = tensor.extract_slice %x[0, 3] [%n, 3] [1, 1]
    : tensor<?x6xf32> to tensor<?x3xf32>
  %ones = arith.constant dense<[0.0, 1.0, 0.0]> : tensor<3xf32>
  %scale = arith.constant dense<[1.0, 1.0, 400.0]> : tensor<3xf32>
  %score = gnn.message %g dst(%q : tensor<?x3xf32>) src(%k : tensor<?x3xf32>)
      uniform(%ones, %scale : tensor<3xf32>, tensor<3xf32>)
      {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<3xf32> {
  ^bb0(%a: f32, %b: f32, %head: f32, %factor: f32):
    %neg = arith.constant 0xFF800000 : f32
    %half = arith.constant 0.5 : f32
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %i = gnn.index dst
    %j = gnn.index src
    %i3 = arith.remui %i, %three : index
    %j3 = arith.remui %j, %three : index
    %row = arith.cmpi eq, %i3, %zero : index
    %column = arith.cmpi eq, %j3, %one : index
    %either = arith.ori %row, %column : i1
    %isMasked = arith.cmpf ogt, %head, %half : f32
    %masked = arith.andi %either, %isMasked : i1
    %s = arith.addf %a, %b : f32
    %t = arith.mulf %s, %factor : f32
    %0 = arith.select %masked, %neg, %t : f32
    gnn.yield %0 : f32
  }
  %w = gnn.edge_softmax %g, %score : !gnn.graph<TOPOLOGY>, !gnn.edges<3xf32>
  // Two users, so that the weights themselves are computed on every path.
  %sum, %max = gnn.aggregate [sum, max] %g, %w
    : !gnn.graph<TOPOLOGY>, !gnn.edges<3xf32>
    -> tensor<?x3xf32>, tensor<?x3xf32>
  return %sum, %max : tensor<?x3xf32>, tensor<?x3xf32>
}
