// RUN: %differential %s random hub isolated no-edges empty --emulate

// Rows wider than an aggregation takes at once: 700 features are two tiles of
// 256 and a rest of 188; 3 x 150 features are tiled along their last dimension.

#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>
#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#last = affine_map<(h, f) -> (f)>

func.func @wide(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?x700xf32>, tensor<?x700xf32>, tensor<?x3x150xf32>,
        tensor<?x700xf32>, tensor<?x700xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %column = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %heads = tensor.extract_slice %x[0, 2] [%n, 3] [1, 1]
    : tensor<?x6xf32> to tensor<?x3xf32>
  %empty = tensor.empty() : tensor<700xf32>
  %w = linalg.generic {indexing_maps = [#f], iterator_types = ["parallel"]}
      outs(%empty : tensor<700xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %0 = arith.sitofp %k : i32 to f32
    %c = arith.constant 0.01 : f32
    %1 = arith.mulf %0, %c : f32
    %2 = math.sin %1 : f32
    linalg.yield %2 : f32
  } -> tensor<700xf32>
  %part = tensor.extract_slice %w[100] [150] [1]
    : tensor<700xf32> to tensor<150xf32>

  %y0, %y1 = gnn.message_aggregate [mean, max] %g src(%column : tensor<?xf32>)
      uniform(%w : tensor<700xf32>)
      {indexing_maps = [#none, #f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x700xf32>, tensor<?x700xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %y2 = gnn.message_aggregate [sum] %g src(%heads : tensor<?x3xf32>)
      uniform(%part : tensor<150xf32>)
      {indexing_maps = [#h, #last, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> tensor<?x3x150xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  // Wide rows of nodes, read and written by an update.
  %y3 = gnn.update node(%y0, %y1, %column
                        : tensor<?x700xf32>, tensor<?x700xf32>, tensor<?xf32>)
      {indexing_maps = [#f, #f, #none, #f], iterator_types = ["parallel"]}
      : tensor<?x700xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %0, %b : f32
    gnn.yield %1 : f32
  }
  %y4 = gnn.message_aggregate [softmax] %g src(%y3 : tensor<?x700xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x700xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y0, %y1, %y2, %y3, %y4
    : tensor<?x700xf32>, tensor<?x700xf32>, tensor<?x3x150xf32>,
      tensor<?x700xf32>, tensor<?x700xf32>
}
