// Attention with scores that are dot products (TransformerConv over listed
// edges, dense attention over `complete`), without the projections around it.
// Queries come with 1 / sqrt(width) folded in.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

func.func @dot_attention(%g: !gnn.graph<$(TOPOLOGY)>,
                         %q: tensor<?x$(H)x$(D)xf32> {gnn.name = "q"},
                         %k: tensor<?x$(H)x$(D)xf32> {gnn.name = "k"},
                         %v: tensor<?x$(H)x$(D)xf32> {gnn.name = "v"})
    -> tensor<?x$(H)x$(D)xf32> {
  %y = gnn.attention %g
    score dst(%q : tensor<?x$(H)x$(D)xf32>) src(%k : tensor<?x$(H)x$(D)xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x$(H)x$(D)xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<$(TOPOLOGY)> -> tensor<?x$(H)x$(D)xf32>
  return %y : tensor<?x$(H)x$(D)xf32>
}
