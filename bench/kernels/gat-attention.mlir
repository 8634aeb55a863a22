// GAT's attention: scores are sums of a number per destination and one per
// source, for each head.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#one = affine_map<(h) -> (h)>

func.func @gat_attention(%g: !gnn.graph<csr>,
                         %a: tensor<?x$(H)xf32> {gnn.name = "a"},
                         %b: tensor<?x$(H)xf32> {gnn.name = "b"},
                         %v: tensor<?x$(H)x$(D)xf32> {gnn.name = "v"})
    -> tensor<?x$(H)x$(D)xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?x$(H)xf32>) src(%b : tensor<?x$(H)xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x$(H)x$(D)xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#one, #one, #one], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x$(H)x$(D)xf32>
  return %y : tensor<?x$(H)x$(D)xf32>
}
