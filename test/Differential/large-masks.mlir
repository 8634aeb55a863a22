// RUN: sed s/MASK/-1.0e10/g %s > %t.10.in
// RUN: %differential %t.10.in large --topologies csr complete block_diagonal --emulate
// RUN: sed s/MASK/-1.0e30/g %s > %t.30.in
// RUN: %differential %t.30.in large --topologies csr complete causal --emulate
// RUN: sed s/MASK/-3.4028234e38/g %s > %t.38.in
// RUN: %differential %t.38.in large --topologies csr complete "window<120>" --emulate

// Models mask attention by large negative numbers, beside which scores vanish. Here
// the first sources are masked, more than a tile of them, so that a softmax starts
// with a maximum whose last digit is worth more than any exponent.

#hd = affine_map<(h, d) -> (h, d)>
#h = affine_map<(h, d) -> (h)>

func.func @masked(%g: !gnn.graph<TOPOLOGY>,
                  %x: tensor<?x6xf32> {gnn.name = "x",
                                      gnn.axis = "destination",
                                      gnn.graph = 0 : i64})
    -> tensor<?x2x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %y = gnn.attention %g
    score dst(%v : tensor<?x2x3xf32>) src(%v : tensor<?x2x3xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %c100 = arith.constant 100 : index
      %mask = arith.constant MASK : f32
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      %dot = gnn.reduced %s : f32
      %j = gnn.index src
      %isMasked = arith.cmpi ult, %j, %c100 : index
      %score = arith.select %isMasked, %mask, %dot : f32
      gnn.yield %score : f32
    }
    value src(%v : tensor<?x2x3xf32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    {score_maps = [#hd, #hd, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hd, #hd], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<TOPOLOGY> -> tensor<?x2x3xf32>
  return %y : tensor<?x2x3xf32>
}
