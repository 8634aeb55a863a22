// A small layer as models have it: a product, a mean over the neighbours, bias
// and ReLU.

#row = affine_map<(f) -> (f)>

func.func @layer(%g: !gnn.graph<csr>,
                 %x: tensor<?x$(K)xf32> {gnn.name = "x"},
                 %w: tensor<$(K)x$(D)xf32> {gnn.name = "w"},
                 %bias: tensor<$(D)xf32> {gnn.name = "bias"})
    -> tensor<?x$(D)xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x$(K)xf32>
  %empty = tensor.empty(%n) : tensor<?x$(D)xf32>
  %init = linalg.fill ins(%zero : f32)
    outs(%empty : tensor<?x$(D)xf32>) -> tensor<?x$(D)xf32>
  %h = linalg.matmul
    ins(%x, %w : tensor<?x$(K)xf32>, tensor<$(K)x$(D)xf32>)
    outs(%init : tensor<?x$(D)xf32>) -> tensor<?x$(D)xf32>
  %m = gnn.message_aggregate [mean] %g src(%h : tensor<?x$(D)xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x$(D)xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %y = gnn.update node(%m : tensor<?x$(D)xf32>)
      uniform(%bias : tensor<$(D)xf32>)
      {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      : tensor<?x$(D)xf32> {
  ^bb0(%a: f32, %b: f32):
    %z = arith.constant 0.0 : f32
    %s = arith.addf %a, %b : f32
    %r = arith.maximumf %s, %z : f32
    gnn.yield %r : f32
  }
  return %y : tensor<?x$(D)xf32>
}
