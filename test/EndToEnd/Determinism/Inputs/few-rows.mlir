// Products of several panels of columns: 128 with an activation that functions of
// `math` make, 130, of which two columns are left, and 96, which are two of 48.

#all = affine_map<(i, j) -> (i, j)>

func.func private @weights(%height: index, %width: index) -> tensor<?x?xf32> {
  %empty = tensor.empty(%height, %width) : tensor<?x?xf32>
  %w = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seven = arith.constant 7 : index
    %eleven = arith.constant 11 : index
    %five = arith.constant 5.0 : f32
    %scale = arith.constant 0.03125 : f32
    %0 = arith.muli %i, %seven : index
    %1 = arith.addi %0, %j : index
    %2 = arith.remui %1, %eleven : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.subf %4, %five : f32
    %6 = arith.mulf %5, %scale : f32
    linalg.yield %6 : f32
  } -> tensor<?x?xf32>
  return %w : tensor<?x?xf32>
}

func.func @few_rows(%g: !gnn.graph<csr>,
                    %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> (tensor<?x128xf32>, tensor<?x130xf32>, tensor<?x96xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  %c130 = arith.constant 130 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>

  %wd0 = func.call @weights(%c6, %c128) : (index, index) -> tensor<?x?xf32>
  %w0 = tensor.cast %wd0 : tensor<?x?xf32> to tensor<6x128xf32>
  %e0 = tensor.empty(%n) : tensor<?x128xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<?x6xf32>, tensor<6x128xf32>)
    outs(%i0 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %y0 = linalg.generic {indexing_maps = [#all, #all],
                        iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<?x128xf32>) outs(%e0 : tensor<?x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.erf %in : f32
    %1 = arith.addf %0, %one : f32
    %2 = arith.mulf %1, %in : f32
    linalg.yield %2 : f32
  } -> tensor<?x128xf32>

  %wd1 = func.call @weights(%c128, %c130) : (index, index) -> tensor<?x?xf32>
  %w1 = tensor.cast %wd1 : tensor<?x?xf32> to tensor<128x130xf32>
  %e1 = tensor.empty(%n) : tensor<?x130xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x130xf32>) -> tensor<?x130xf32>
  %y1 = linalg.matmul ins(%y0, %w1 : tensor<?x128xf32>, tensor<128x130xf32>)
    outs(%i1 : tensor<?x130xf32>) -> tensor<?x130xf32>

  %wd2 = func.call @weights(%c130, %c96) : (index, index) -> tensor<?x?xf32>
  %w2 = tensor.cast %wd2 : tensor<?x?xf32> to tensor<130x96xf32>
  %e2 = tensor.empty(%n) : tensor<?x96xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y2 = linalg.matmul ins(%y1, %w2 : tensor<?x130xf32>, tensor<130x96xf32>)
    outs(%i2 : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y0, %y1, %y2 : tensor<?x128xf32>, tensor<?x130xf32>, tensor<?x96xf32>
}
