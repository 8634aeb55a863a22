// RUN: gnn-opt --gnn-hoist-node-products --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>

// What EdgeConv's first layer reads of both ends of an edge: two products of the
// nodes' rows, by the first and the last two rows of the weights.
// CHECK-LABEL: func @both_ends
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x2xf32>)
// CHECK: %[[W1:.*]] = arith.constant dense_resource<weight_rows0> : tensor<2x3xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[X]], %[[W1]] :
// CHECK: %[[W2:.*]] = arith.constant dense_resource<weight_rows2> : tensor<2x3xf32>
// CHECK: %[[Q:.*]] = linalg.matmul ins(%[[X]], %[[W2]] :
// CHECK: %[[SUM:.*]] = gnn.message %[[G]] dst(%[[P]], %[[Q]] : {{.*}}) src(%[[Q]] :
// CHECK-NEXT: ^bb0(%[[OWN:.*]]: f32, %[[SELF:.*]]: f32, %[[OTHER:.*]]: f32):
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[OTHER]], %[[SELF]]
// CHECK-NEXT: %[[TOTAL:.*]] = arith.addf %[[OWN]], %[[DIFFERENCE]]
// CHECK-NEXT: gnn.yield %[[TOTAL]]
// CHECK: %[[Y:.*]] = gnn.edges_to_tensor %[[G]], %[[SUM]]
// CHECK-NOT: linalg.matmul
// CHECK: return %[[Y]]
// 1 to 6, and 7 to 12, of float32.
// CHECK-DAG: weight_rows0: "0x400000000000803F0000004000004040000080400000A0400000C040"
// CHECK-DAG: weight_rows2: "0x400000000000E0400000004100001041000020410000304100004041"
func.func @both_ends(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>) -> tensor<?x3xf32> {
  %own = gnn.message %g dst(%x : tensor<?x2xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %other = gnn.message %g dst(%x : tensor<?x2xf32>) src(%x : tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %b, %a : f32
    gnn.yield %d : f32
  }
  %first = gnn.edges_to_tensor %g, %own
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %second = gnn.edges_to_tensor %g, %other
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %rows = tensor.concat dim(1) %first, %second
    : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
  %w = arith.constant dense<[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.], [10., 11., 12.]]>
    : tensor<4x3xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %rows, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x4xf32>, tensor<4x3xf32>)
    outs(%init : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// On all pairs of nodes; attributes of edges are multiplied as they were, and
// added to the sums.
// CHECK-LABEL: func @beside_attributes
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<complete>, %[[X:.*]]: tensor<?x1xf32>, %[[E:.*]]: tensor<?x1xf32>)
// CHECK: %[[W2:.*]] = arith.constant dense_resource<weight_rows1> : tensor<1x2xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[X]], %[[W2]] :
// CHECK: %[[SUM:.*]] = gnn.message %[[G]] src(%[[P]] :
// CHECK: %[[PAIRS:.*]] = gnn.edges_to_tensor %[[G]], %[[SUM]]
// CHECK: %[[LISTED:.*]] = tensor.collapse_shape %[[PAIRS]] {{\[}}[0, 1], [2]]
// CHECK: %[[W1:.*]] = arith.constant dense_resource<weight_rows0> : tensor<1x2xf32>
// CHECK: linalg.matmul ins(%[[E]], %[[W1]] : tensor<?x1xf32>, tensor<1x2xf32>) outs(%[[LISTED]] :
func.func @beside_attributes(%g: !gnn.graph<complete>, %x: tensor<?x1xf32>,
                             %e: tensor<?x1xf32>) -> tensor<?x2xf32> {
  %source = gnn.message %g src(%x : tensor<?x1xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<complete> -> !gnn.edges<1xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %pairs = gnn.edges_to_tensor %g, %source
    : !gnn.graph<complete>, !gnn.edges<1xf32> -> tensor<?x?x1xf32>
  %listed = tensor.collapse_shape %pairs [[0, 1], [2]]
    : tensor<?x?x1xf32> into tensor<?x1xf32>
  %rows = tensor.concat dim(1) %e, %listed
    : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x2xf32>
  %w = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %rows, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// A product of both ends is no sum of products of each.
// CHECK-LABEL: func @product
// CHECK: %[[ROWS:.*]] = gnn.edges_to_tensor
// CHECK: linalg.matmul ins(%[[ROWS]],
func.func @product(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  %m = gnn.message %g dst(%x : tensor<?x2xf32>) src(%x : tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  %rows = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %w = arith.constant dense<[[1.], [2.]]> : tensor<2x1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %rows, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x2xf32>, tensor<2x1xf32>)
    outs(%init : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Weights that are an argument are not divided.
// CHECK-LABEL: func @unknown_weights
// CHECK: %[[ROWS:.*]] = gnn.edges_to_tensor
// CHECK: linalg.matmul ins(%[[ROWS]],
func.func @unknown_weights(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                           %w: tensor<2x1xf32>) -> tensor<?x1xf32> {
  %m = gnn.message %g src(%x : tensor<?x2xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %rows = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %rows, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x2xf32>, tensor<2x1xf32>)
    outs(%init : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Edges of two graphs that may be as many are no sums of one message.
// CHECK-LABEL: func @two_graphs
// CHECK: %[[ROWS:.*]] = tensor.concat
// CHECK: linalg.matmul ins(%[[ROWS]],
func.func @two_graphs(%g: !gnn.graph<csr>, %h: !gnn.graph<csr>, %x: tensor<?x1xf32>)
    -> tensor<?x1xf32> {
  %m = gnn.message %g src(%x : tensor<?x1xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<1xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %o = gnn.message %h src(%x : tensor<?x1xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<1xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %first = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<1xf32> -> tensor<?x1xf32>
  %second = gnn.edges_to_tensor %h, %o
    : !gnn.graph<csr>, !gnn.edges<1xf32> -> tensor<?x1xf32>
  %rows = tensor.concat dim(1) %first, %second
    : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x2xf32>
  %w = arith.constant dense<[[1.], [2.]]> : tensor<2x1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %rows, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x2xf32>, tensor<2x1xf32>)
    outs(%init : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// A number from outside is no row of a node.
// CHECK-LABEL: func @number_from_outside
// CHECK: %[[ROWS:.*]] = gnn.edges_to_tensor
// CHECK: linalg.matmul ins(%[[ROWS]],
func.func @number_from_outside(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                               %s: f32) -> tensor<?x1xf32> {
  %m = gnn.message %g src(%x : tensor<?x2xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32):
    %sum = arith.addf %a, %s : f32
    gnn.yield %sum : f32
  }
  %rows = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %w = arith.constant dense<[[1.], [2.]]> : tensor<2x1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %rows, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x2xf32>, tensor<2x1xf32>)
    outs(%init : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// What stands there twice is a sum of nodes' rows once; the second copy is
// multiplied as it is.
// CHECK-LABEL: func @same_message_twice
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x2xf32>)
// CHECK: %[[COPY:.*]] = gnn.edges_to_tensor
// CHECK: %[[W1:.*]] = arith.constant dense_resource<weight_rows0> : tensor<2x3xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[X]], %[[W1]] :
// CHECK: gnn.message %[[G]] src(%[[P]] :
// CHECK: %[[SUMS:.*]] = gnn.edges_to_tensor
// CHECK: %[[W2:.*]] = arith.constant dense_resource<weight_rows2> : tensor<2x3xf32>
// CHECK: %[[Y:.*]] = linalg.matmul ins(%[[COPY]], %[[W2]] : {{.*}} outs(%[[SUMS]] :
// CHECK: return %[[Y]]
func.func @same_message_twice(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>) -> tensor<?x3xf32> {
  %m = gnn.message %g src(%x : tensor<?x2xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %t = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %rows = tensor.concat dim(1) %t, %t
    : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
  %w = arith.constant dense<[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.], [10., 11., 12.]]>
    : tensor<4x3xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %rows, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x4xf32>, tensor<4x3xf32>)
    outs(%init : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// How many rows of the weights belong to the message is not known.
// CHECK-LABEL: func @unknown_columns
// CHECK: %[[ROWS:.*]] = tensor.concat
// CHECK: linalg.matmul ins(%[[ROWS]],
func.func @unknown_columns(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                           %e: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %m = gnn.message %g src(%x : tensor<?x2xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %t = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %rows = tensor.concat dim(1) %e, %t
    : (tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
  %w = arith.constant dense<[[1.], [2.], [3.]]> : tensor<3x1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %rows, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x?xf32>, tensor<3x1xf32>)
    outs(%init : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
