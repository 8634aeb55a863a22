// A dense product of M x K and K x N, both arguments: nothing about the second
// factor is known when this is compiled.

func.func @gemm(%x: tensor<?x$(K)xf32> {gnn.name = "x", gnn.axis = "any"},
                %w: tensor<$(K)x$(N)xf32> {gnn.name = "w"})
    -> (tensor<?x$(N)xf32> {gnn.axis = "any"}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x$(K)xf32>
  %empty = tensor.empty(%m) : tensor<?x$(N)xf32>
  %init = linalg.fill ins(%zero : f32)
    outs(%empty : tensor<?x$(N)xf32>) -> tensor<?x$(N)xf32>
  %y = linalg.matmul
    ins(%x, %w : tensor<?x$(K)xf32>, tensor<$(K)x$(N)xf32>)
    outs(%init : tensor<?x$(N)xf32>) -> tensor<?x$(N)xf32>
  return %y : tensor<?x$(N)xf32>
}
