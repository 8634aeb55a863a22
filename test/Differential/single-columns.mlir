// RUN: %differential %s random hub one-node empty

// Products with one column, of 20 features and of 5, which are too few for vectors, and
// a sigmoid of the first.

func.func @single_columns(%g: !gnn.graph<csr>,
                          %x: tensor<?x6xf32> {gnn.name = "x",
                                              gnn.axis = "destination",
                                              gnn.graph = 0 : i64})
    -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %unit = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %wide = arith.constant dense<[[0.689, 0.516, -0.159, -0.482, 0.023, -0.190, 0.568, -0.393, -0.047, 0.167, 0.816, 0.009, -0.436, 0.512, 0.237, -0.499, 0.819, 0.966, 0.620, 0.804], [-0.380, 0.460, 0.798, 0.368, -0.056, -0.799, -0.132, 0.222, 0.826, 0.933, -0.046, 0.731, -0.479, 0.610, 0.097, -0.972, 0.439, -0.202, 0.650, 0.336], [-0.998, -0.013, 0.735, -0.512, -0.350, 0.741, -0.618, 0.135, -0.523, 0.935, 0.606, -0.104, -0.839, -0.360, 0.016, 0.866, -0.782, 0.103, 0.413, 0.095], [0.629, 0.081, 0.928, 0.206, 0.175, -0.110, 0.193, -0.230, 0.151, -0.419, -0.621, -0.627, 0.226, 0.313, -0.047, -0.820, 0.515, 0.754, 0.847, 0.685], [0.796, 0.846, 0.081, -0.217, 0.411, -0.449, 0.623, 0.699, 0.790, 0.180, 0.900, 0.159, -0.099, 0.320, 0.993, 0.834, 0.587, -0.835, 0.226, -0.027], [0.260, 0.690, -0.514, 0.463, -0.766, -0.559, 0.589, -0.335, 0.632, -0.799, -0.707, 0.395, -0.910, 0.148, 0.820, 0.068, 0.361, -0.947, 0.270, 0.213]]> : tensor<6x20xf32>
  %narrow = arith.constant dense<[[0.152, -0.218, -0.260, 0.961, -0.927], [-0.957, 0.922, -0.630, -0.752, -0.579], [0.601, 0.874, -0.954, -0.149, -0.797], [-0.480, -0.558, 0.294, -0.299, -0.639], [0.007, -0.921, -0.798, 0.976, -0.601], [-0.283, 0.463, 0.677, 0.837, -0.661]]> : tensor<6x5xf32>
  %column20 = arith.constant dense<[[0.345], [0.933], [-0.884], [0.352], [0.691], [-0.315], [-0.499], [0.194], [-0.115], [-0.650], [-0.057], [-0.180], [0.138], [0.017], [-0.377], [-0.286], [0.675], [-0.498], [0.121], [-0.975]]> : tensor<20x1xf32>
  %column5 = arith.constant dense<[[0.483], [-0.328], [-0.909], [-0.438], [-0.520]]> : tensor<5x1xf32>
  %e20 = tensor.empty(%n) : tensor<?x20xf32>
  %e5 = tensor.empty(%n) : tensor<?x5xf32>
  %e1 = tensor.empty(%n) : tensor<?x1xf32>
  %z20 = linalg.fill ins(%zero : f32) outs(%e20 : tensor<?x20xf32>) -> tensor<?x20xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<?x5xf32>) -> tensor<?x5xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %h20 = linalg.matmul ins(%x, %wide : tensor<?x6xf32>, tensor<6x20xf32>)
    outs(%z20 : tensor<?x20xf32>) -> tensor<?x20xf32>
  %h5 = linalg.matmul ins(%x, %narrow : tensor<?x6xf32>, tensor<6x5xf32>)
    outs(%z5 : tensor<?x5xf32>) -> tensor<?x5xf32>
  %a = linalg.matmul ins(%h20, %column20 : tensor<?x20xf32>, tensor<20x1xf32>)
    outs(%z1 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %b = linalg.matmul ins(%h5, %column5 : tensor<?x5xf32>, tensor<5x1xf32>)
    outs(%z1 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x1xf32>) outs(%e1 : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %unit, %1 : f32
    %3 = arith.divf %unit, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x1xf32>
  return %s, %b : tensor<?x1xf32>, tensor<?x1xf32>
}
