// RUN: %differential %s random hub isolated no-edges empty --emulate

// Features in fours, in pairs, and with a rest that fills no lane: sums and maxima
// of rows of 64, 36, 200 and 22, biases added to them, and attention whose keys have
// 16 features for each of two heads and whose values have 32.

#f = affine_map<(f) -> (f)>
#n = affine_map<(n, f) -> (n)>
#nf = affine_map<(n, f) -> (n, f)>
#w = affine_map<(n, f) -> (f)>
#head = affine_map<(h, f) -> (h)>
#all = affine_map<(h, f) -> (h, f)>

func.func private @weights() -> tensor<200xf32> {
  %empty = tensor.empty() : tensor<200xf32>
  %w = linalg.generic {indexing_maps = [#f], iterator_types = ["parallel"]}
      outs(%empty : tensor<200xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %0 = arith.sitofp %k : i32 to f32
    %c = arith.constant 0.37 : f32
    %1 = arith.mulf %0, %c : f32
    %2 = math.sin %1 : f32
    linalg.yield %2 : f32
  } -> tensor<200xf32>
  return %w : tensor<200xf32>
}

func.func @rows(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?x64xf32>, tensor<?x36xf32>, tensor<?x200xf32>, tensor<?x22xf32>,
        tensor<?x2x32xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %column = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %w200 = func.call @weights() : () -> tensor<200xf32>
  %empty = tensor.empty(%n) : tensor<?x200xf32>
  %x200 = linalg.generic {indexing_maps = [#n, #w, #nf],
                          iterator_types = ["parallel", "parallel"]}
      ins(%column, %w200 : tensor<?xf32>, tensor<200xf32>)
      outs(%empty : tensor<?x200xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x200xf32>
  %x64 = tensor.extract_slice %x200[0, 8] [%n, 64] [1, 1]
    : tensor<?x200xf32> to tensor<?x64xf32>
  %x36 = tensor.extract_slice %x200[0, 3] [%n, 36] [1, 1]
    : tensor<?x200xf32> to tensor<?x36xf32>
  %x22 = tensor.extract_slice %x200[0, 100] [%n, 22] [1, 1]
    : tensor<?x200xf32> to tensor<?x22xf32>
  %bias = tensor.extract_slice %w200[0] [64] [1]
    : tensor<200xf32> to tensor<64xf32>

  %s64 = gnn.message_aggregate [sum] %g src(%x64 : tensor<?x64xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %empty64 = tensor.empty(%n) : tensor<?x64xf32>
  %y64 = linalg.generic {indexing_maps = [#nf, #w, #nf],
                         iterator_types = ["parallel", "parallel"]}
      ins(%s64, %bias : tensor<?x64xf32>, tensor<64xf32>)
      outs(%empty64 : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  %y36 = gnn.message_aggregate [max] %g src(%x36 : tensor<?x36xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x36xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %y200 = gnn.message_aggregate [mean] %g src(%x200 : tensor<?x200xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x200xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %y22 = gnn.message_aggregate [sum] %g src(%x22 : tensor<?x22xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x22xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }

  %x32 = tensor.extract_slice %x200[0, 40] [%n, 32] [1, 1]
    : tensor<?x200xf32> to tensor<?x32xf32>
  %k = tensor.expand_shape %x32 [[0], [1, 2]] output_shape [%n, 2, 16]
    : tensor<?x32xf32> into tensor<?x2x16xf32>
  %v = tensor.expand_shape %x64 [[0], [1, 2]] output_shape [%n, 2, 32]
    : tensor<?x64xf32> into tensor<?x2x32xf32>
  %scores = gnn.message %g dst(%k : tensor<?x2x16xf32>) src(%k : tensor<?x2x16xf32>)
      {indexing_maps = [#all, #all, #head], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    gnn.yield %1 : f32
  }
  %weights = gnn.edge_softmax %g, %scores : !gnn.graph<csr>, !gnn.edges<2xf32>
  %messages = gnn.message %g src(%v : tensor<?x2x32xf32>) edge(%weights : !gnn.edges<2xf32>)
      {indexing_maps = [#all, #head, #all], iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %y = gnn.aggregate [sum] %g, %messages
    : !gnn.graph<csr>, !gnn.edges<2x32xf32> -> tensor<?x2x32xf32>
  return %y64, %y36, %y200, %y22, %y
    : tensor<?x64xf32>, tensor<?x36xf32>, tensor<?x200xf32>, tensor<?x22xf32>,
      tensor<?x2x32xf32>
}
