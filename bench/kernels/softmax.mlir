// A softmax of rows.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @softmax(%x: tensor<?x$(D)xf32> {gnn.name = "x", gnn.axis = "any"})
    -> (tensor<?x$(D)xf32> {gnn.axis = "any"}) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x$(D)xf32>
  %numbers = tensor.empty(%n) : tensor<?xf32>
  %lowest = linalg.fill ins(%least : f32) outs(%numbers : tensor<?xf32>)
    -> tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%numbers : tensor<?xf32>)
    -> tensor<?xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row],
                             iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x$(D)xf32>) outs(%lowest : tensor<?xf32>) {
  ^bb0(%value: f32, %before: f32):
    %next = arith.maximumf %before, %value : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?x$(D)xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all],
                             iterator_types = ["parallel", "parallel"]}
      ins(%x, %largest : tensor<?x$(D)xf32>, tensor<?xf32>)
      outs(%empty : tensor<?x$(D)xf32>) {
  ^bb0(%value: f32, %most: f32, %before: f32):
    %less = arith.subf %value, %most : f32
    %weight = math.exp %less : f32
    linalg.yield %weight : f32
  } -> tensor<?x$(D)xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<?x$(D)xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%weight: f32, %before: f32):
    %next = arith.addf %before, %weight : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<?x$(D)xf32>, tensor<?xf32>)
      outs(%empty : tensor<?x$(D)xf32>) {
  ^bb0(%weight: f32, %all: f32, %before: f32):
    %part = arith.divf %weight, %all : f32
    linalg.yield %part : f32
  } -> tensor<?x$(D)xf32>
  return %y : tensor<?x$(D)xf32>
}
