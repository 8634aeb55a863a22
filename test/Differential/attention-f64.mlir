// RUN: %differential %s square --topologies csr complete causal

// Attention in float64, whose exponentials are the C library's.

#heads = affine_map<(h) -> (h)>
#features = affine_map<(h, f) -> (h, f)>
#weights = affine_map<(h, f) -> (h)>

func.func @attention(%g: !gnn.graph<TOPOLOGY>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                          gnn.axis = "destination",
                                          gnn.graph = 0 : i64})
    -> tensor<?x2x3xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %wide = arith.extf %x : tensor<?x6xf32> to tensor<?x6xf64>
  %v = tensor.expand_shape %wide [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf64> into tensor<?x2x3xf64>
  %s = tensor.extract_slice %wide[0, 0] [%n, 2] [1, 1]
    : tensor<?x6xf64> to tensor<?x2xf64>
  %y = gnn.attention %g
    score dst(%s : tensor<?x2xf64>) src(%s : tensor<?x2xf64>) {
    ^bb0(%i: f64, %j: f64):
      %sum = arith.addf %i, %j : f64
      gnn.yield %sum : f64
    }
    value src(%v : tensor<?x2x3xf64>) {
    ^bb0(%j: f64):
      gnn.yield %j : f64
    }
    {score_maps = [#heads, #heads, #heads], score_iterators = ["parallel"],
     value_maps = [#features, #features],
     value_iterators = ["parallel", "parallel"], weight_map = #weights}
    : !gnn.graph<TOPOLOGY> -> tensor<?x2x3xf64>
  return %y : tensor<?x2x3xf64>
}
