// RUN: %differential %s square --threads 1,2,3

// Sums and maxima of wide rows side by side, whose parts meet a matrix of their
// own each, and a product with all of a row: wide rows are multiplied where they
// are made.

#row = affine_map<(h, f) -> (h, f)>
#parts = affine_map<(h, c, k) -> (h, k)>
#matrices = affine_map<(h, c, k) -> (h, k, c)>
#result = affine_map<(h, c, k) -> (h, c)>

func.func @products(%g: !gnn.graph<csr>,
                    %features: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                                gnn.graph = 0 : i64})
    -> (tensor<?x4x9xf32>, tensor<?x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %w_empty = tensor.empty() : tensor<4x256x9xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                        iterator_types = ["parallel", "parallel", "parallel"]}
    outs(%w_empty : tensor<4x256x9xf32>) {
  ^bb0(%out: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %m0 = arith.muli %i0, %c7 : index
    %m1 = arith.muli %i1, %c3 : index
    %a1 = arith.addi %m0, %m1 : index
    %m2 = arith.muli %i2, %c5 : index
    %a2 = arith.addi %a1, %m2 : index
    %r = arith.remui %a2, %c11 : index
    %i = arith.index_cast %r : index to i32
    %float = arith.sitofp %i : i32 to f32
    %shifted = arith.subf %float, %four : f32
    linalg.yield %shifted : f32
  } -> tensor<4x256x9xf32>
  %v_empty = tensor.empty() : tensor<1024x5xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
                        iterator_types = ["parallel", "parallel"]}
    outs(%v_empty : tensor<1024x5xf32>) {
  ^bb0(%out: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %m0 = arith.muli %i0, %c7 : index
    %m1 = arith.muli %i1, %c3 : index
    %a1 = arith.addi %m0, %m1 : index
    %r = arith.remui %a1, %c11 : index
    %i = arith.index_cast %r : index to i32
    %float = arith.sitofp %i : i32 to f32
    %shifted = arith.subf %float, %four : f32
    linalg.yield %shifted : f32
  } -> tensor<1024x5xf32>
  %n = tensor.dim %features, %c0 : tensor<?x6xf32>
  %x_empty = tensor.empty(%n) : tensor<?x4x128xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
    outs(%x_empty : tensor<?x4x128xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %part = linalg.index 1 : index
    %feature = linalg.index 2 : index
    %i = arith.addi %part, %feature : index
    %column = arith.remui %i, %c6 : index
    %f = tensor.extract %features[%row, %column] : tensor<?x6xf32>
    linalg.yield %f : f32
  } -> tensor<?x4x128xf32>
  %sum, %max = gnn.message_aggregate [sum, max] %g src(%x : tensor<?x4x128xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> tensor<?x4x128xf32>, tensor<?x4x128xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %both = tensor.concat dim(2) %sum, %max
    : (tensor<?x4x128xf32>, tensor<?x4x128xf32>) -> tensor<?x4x256xf32>
  %y = gnn.update node(%both : tensor<?x4x256xf32>) uniform(%w : tensor<4x256x9xf32>)
      {indexing_maps = [#parts, #matrices, #result],
       iterator_types = ["parallel", "parallel", "reduction"]} : tensor<?x4x9xf32> {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    gnn.yield %t : f32
  }
  %flat = tensor.collapse_shape %both [[0], [1, 2]]
    : tensor<?x4x256xf32> into tensor<?x1024xf32>
  %empty = tensor.empty(%n) : tensor<?x5xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x5xf32>) -> tensor<?x5xf32>
  %z = linalg.matmul ins(%flat, %v : tensor<?x1024xf32>, tensor<1024x5xf32>)
    outs(%zeros : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y, %z : tensor<?x4x9xf32>, tensor<?x5xf32>
}
