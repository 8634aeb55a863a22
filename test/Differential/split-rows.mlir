// RUN: %differential %s square

// Rows split into two dimensions whose sizes are only known at run time.
func.func @split(%x: tensor<?x6xf32> {gnn.name = "x"}) -> tensor<?x?x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x6xf32>
  %one = arith.minui %rows, %c1 : index
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [%rows, %one, 6]
    : tensor<?x6xf32> into tensor<?x?x6xf32>
  %y = arith.addf %e, %e : tensor<?x?x6xf32>
  return %y : tensor<?x?x6xf32>
}
