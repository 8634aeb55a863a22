// GATv2's attention: scores are att . leaky_relu(k_i + v_j), and v_j is what is
// averaged as well.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

func.func @gatv2_attention(%g: !gnn.graph<csr>,
                           %k: tensor<?x$(H)x$(D)xf32> {gnn.name = "k"},
                           %v: tensor<?x$(H)x$(D)xf32> {gnn.name = "v"},
                           %att: tensor<$(H)x$(D)xf32> {gnn.name = "att"})
    -> tensor<?x$(H)x$(D)xf32> {
  %y = gnn.attention %g
    score dst(%k : tensor<?x$(H)x$(D)xf32>) src(%v : tensor<?x$(H)x$(D)xf32>)
        uniform(%att : tensor<$(H)x$(D)xf32>) {
    ^bb0(%i: f32, %j: f32, %w: f32, %acc: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %r = arith.select %positive, %sum, %small : f32
      %p = arith.mulf %r, %w : f32
      %s = arith.addf %acc, %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x$(H)x$(D)xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#hf, #hf, #hf, #h],
     score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x$(H)x$(D)xf32>
  return %y : tensor<?x$(H)x$(D)xf32>
}
