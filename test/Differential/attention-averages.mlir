// RUN: %differential %s square --topologies csr complete causal "window<1>" block_diagonal --emulate

// Scores that are weights: divided by their sum, which may be 0, or nothing.

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>

func.func @average(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?x2x3xf32>, tensor<?x2x3xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %a = tensor.extract_slice %x[0, 0] [%n, 2] [1, 1]
    : tensor<?x6xf32> to tensor<?x2xf32>
  %0 = gnn.attention %g
    score dst(%a : tensor<?x2xf32>) src(%a : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %p = arith.mulf %i, %j : f32
      %s = math.absf %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x3xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf, normalization = #gnn.normalization<sum>}
    : !gnn.graph<TOPOLOGY> -> tensor<?x2x3xf32>
  %1 = gnn.attention %g
    score src(%v : tensor<?x2x3xf32>) {
    ^bb0(%j: f32, %sum: f32):
      %zero = arith.constant 0.0 : f32
      %positive = arith.maximumf %j, %zero : f32
      %s = arith.addf %sum, %positive : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x3xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#hf, #hofhf], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf, normalization = #gnn.normalization<sum>}
    : !gnn.graph<TOPOLOGY> -> tensor<?x2x3xf32>
  return %0, %1 : tensor<?x2x3xf32>, tensor<?x2x3xf32>
}
