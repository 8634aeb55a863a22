// RUN: %differential %s square --topologies csr complete causal "window<1>" block_diagonal --emulate

// What a score sums up may be any function of products of rows, and of each of
// them: only some are products of matrices.

#hd = affine_map<(h, d) -> (h, d)>
#h = affine_map<(h, d) -> (h)>

func.func @scores(%g: !gnn.graph<TOPOLOGY>,
                  %x: tensor<?x6xf32> {gnn.name = "x",
                                      gnn.axis = "destination",
                                      gnn.graph = 0 : i64})
    -> (tensor<?x2x3xf32>, tensor<?x2x3xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %0 = gnn.attention %g
    score dst(%v : tensor<?x2x3xf32>) src(%v : tensor<?x2x3xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %t = math.tanh %p : f32
      %s = arith.addf %sum, %t : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x3xf32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    {score_maps = [#hd, #hd, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hd, #hd], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<TOPOLOGY> -> tensor<?x2x3xf32>
  %1 = gnn.attention %g
    score dst(%v : tensor<?x2x3xf32>) src(%v : tensor<?x2x3xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %c = math.absf %a : f32
      %p = arith.mulf %c, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x3xf32>) {
    ^bb0(%b: f32):
      %c = math.absf %b : f32
      gnn.yield %c : f32
    }
    {score_maps = [#hd, #hd, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hd, #hd], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<TOPOLOGY> -> tensor<?x2x3xf32>
  return %0, %1 : tensor<?x2x3xf32>, tensor<?x2x3xf32>
}
