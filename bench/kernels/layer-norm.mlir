// A layer norm of rows: less their mean, by their deviation, with a weight and a bias
// for each column.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @layer_norm(%x: tensor<?x$(D)xf32> {gnn.name = "x", gnn.axis = "any"},
                      %w: tensor<$(D)xf32> {gnn.name = "w"},
                      %b: tensor<$(D)xf32> {gnn.name = "b"})
    -> (tensor<?x$(D)xf32> {gnn.axis = "any"}) {
  %zero = arith.constant 0.0 : f32
  %width = arith.constant $(D).0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x$(D)xf32>
  %numbers = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%numbers : tensor<?xf32>)
    -> tensor<?xf32>
  %mean = linalg.generic {indexing_maps = [#all, #row],
                          iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x$(D)xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%value: f32, %sum: f32):
    %part = arith.divf %value, %width : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %variance = linalg.generic {indexing_maps = [#all, #row, #row],
                              iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<?x$(D)xf32>, tensor<?xf32>)
      outs(%zeros : tensor<?xf32>) {
  ^bb0(%value: f32, %middle: f32, %sum: f32):
    %centred = arith.subf %value, %middle : f32
    %square = arith.mulf %centred, %centred : f32
    %part = arith.divf %square, %width : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?x$(D)xf32>
  %y = linalg.generic {
      indexing_maps = [#all, #row, #row, #column, #column, #all],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %variance, %w, %b : tensor<?x$(D)xf32>, tensor<?xf32>,
          tensor<?xf32>, tensor<$(D)xf32>, tensor<$(D)xf32>)
      outs(%empty : tensor<?x$(D)xf32>) {
  ^bb0(%value: f32, %middle: f32, %spread: f32, %weight: f32, %bias: f32,
       %before: f32):
    %centred = arith.subf %value, %middle : f32
    %more = arith.addf %spread, %epsilon : f32
    %deviation = math.sqrt %more : f32
    %scaled = arith.divf %centred, %deviation : f32
    %weighted = arith.mulf %scaled, %weight : f32
    %done = arith.addf %weighted, %bias : f32
    linalg.yield %done : f32
  } -> tensor<?x$(D)xf32>
  return %y : tensor<?x$(D)xf32>
}
