// A layer of GAT as models have it: a product, the scores' two halves, attention
// over listed edges, and a bias.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#one = affine_map<(h) -> (h)>

func.func @gat_layer(%g: !gnn.graph<csr>,
                     %x: tensor<?x$(K)xf32> {gnn.name = "x"},
                     %w: tensor<$(K)x$(HD)xf32> {gnn.name = "w"},
                     %dst: tensor<$(H)x$(D)xf32> {gnn.name = "att_dst"},
                     %src: tensor<$(H)x$(D)xf32> {gnn.name = "att_src"},
                     %bias: tensor<$(H)x$(D)xf32> {gnn.name = "bias"})
    -> tensor<?x$(H)x$(D)xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x$(K)xf32>
  %empty = tensor.empty(%n) : tensor<?x$(HD)xf32>
  %init = linalg.fill ins(%zero : f32)
    outs(%empty : tensor<?x$(HD)xf32>) -> tensor<?x$(HD)xf32>
  %flat = linalg.matmul
    ins(%x, %w : tensor<?x$(K)xf32>, tensor<$(K)x$(HD)xf32>)
    outs(%init : tensor<?x$(HD)xf32>) -> tensor<?x$(HD)xf32>
  %v = tensor.expand_shape %flat [[0], [1, 2]] output_shape [%n, $(H), $(D)]
    : tensor<?x$(HD)xf32> into tensor<?x$(H)x$(D)xf32>
  %a = gnn.update node(%v : tensor<?x$(H)x$(D)xf32>)
      uniform(%dst : tensor<$(H)x$(D)xf32>)
      {indexing_maps = [#hf, #hf, #h], iterator_types = ["parallel", "reduction"]}
      : tensor<?x$(H)xf32> {
  ^bb0(%i: f32, %j: f32, %sum: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %b = gnn.update node(%v : tensor<?x$(H)x$(D)xf32>)
      uniform(%src : tensor<$(H)x$(D)xf32>)
      {indexing_maps = [#hf, #hf, #h], iterator_types = ["parallel", "reduction"]}
      : tensor<?x$(H)xf32> {
  ^bb0(%i: f32, %j: f32, %sum: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %m = gnn.attention %g
    score dst(%a : tensor<?x$(H)xf32>) src(%b : tensor<?x$(H)xf32>) {
    ^bb0(%i: f32, %j: f32):
      %z = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %z : f32
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
  %y = gnn.update node(%m : tensor<?x$(H)x$(D)xf32>)
      uniform(%bias : tensor<$(H)x$(D)xf32>)
      {indexing_maps = [#hf, #hf, #hf], iterator_types = ["parallel", "parallel"]}
      : tensor<?x$(H)x$(D)xf32> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x$(H)x$(D)xf32>
}
