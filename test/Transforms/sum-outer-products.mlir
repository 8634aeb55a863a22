// RUN: gnn-opt --gnn-sum-outer-products=min-columns=1 --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-sum-outer-products='min-columns=1 max-elements=5' --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: gnn-opt --gnn-sum-outer-products=min-columns=2 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=NONE

#c = affine_map<(c) -> (c)>
#v = affine_map<(o, c) -> (c)>
#m = affine_map<(o, c) -> (c, o)>
#r = affine_map<(o, c) -> (o)>
#outer = affine_map<(d, c) -> (d)>

// Matrices of three rows and one column, made of two numbers of an edge. The longer
// part is inside, as neither fills a vector: weights 1, 4, 2, 5, 3, 6.
// CHECK-LABEL: func @matrices
// CHECK-SAME: %[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x3xf32>, %[[H:.*]]: tensor<?x2xf32>
// CHECK-NOT: linalg.matmul
// CHECK: %[[E:.*]] = gnn.edges_from_tensor %[[G]], %[[H]] : {{.*}} -> !gnn.edges<2xf32>
// CHECK: %[[M:.*]] = gnn.message %[[G]] src(%[[X]] : tensor<?x3xf32>) edge(%[[E]] : !gnn.edges<2xf32>)
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32):
// CHECK-NEXT: %[[PQ:.*]] = arith.mulf %[[P]], %[[Q]]
// CHECK-NEXT: gnn.yield %[[PQ]]
// CHECK: %[[SUMS:.*]] = gnn.aggregate [sum] %[[G]], %[[M]] : {{.*}} -> tensor<?x2x3xf32>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[SUMS]]
// CHECK: %[[W:.*]] = arith.constant dense_resource<[[NAME:.*]]> : tensor<6x1xf32>
// CHECK: %[[Y:.*]] = linalg.matmul ins(%[[ROWS]], %[[W]]
// CHECK: return %[[Y]]
// CHECK: [[NAME]]: "0x400000000000803F0000004000004040000080400000A0400000C040"
// NONE-LABEL: func @matrices
// NONE: linalg.matmul ins(%{{.*}} : tensor<?x2xf32>, tensor<2x3xf32>)
func.func @matrices(%g: !gnn.graph<csr>, %x: tensor<?x3xf32>, %h: tensor<?x2xf32>)
    -> tensor<?x1xf32> {
  %w = arith.constant dense<[[1., 2., 3.], [4., 5., 6.]]> : tensor<2x3xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %h, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
  %l = linalg.matmul ins(%h, %w : tensor<?x2xf32>, tensor<2x3xf32>)
    outs(%init : tensor<?x3xf32>) -> tensor<?x3xf32>
  %k = tensor.dim %l, %c0 : tensor<?x3xf32>
  %q = tensor.expand_shape %l [[0], [1, 2]] output_shape [%k, 3, 1]
    : tensor<?x3xf32> into tensor<?x3x1xf32>
  %e = gnn.edges_from_tensor %g, %q
    : !gnn.graph<csr>, tensor<?x3x1xf32> -> !gnn.edges<3x1xf32>
  %m = gnn.message %g src(%x : tensor<?x3xf32>) edge(%e : !gnn.edges<3x1xf32>)
      {indexing_maps = [#v, #m, #r], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<1xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %y = gnn.aggregate [sum] %g, %m : !gnn.graph<csr>, !gnn.edges<1xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

#v = affine_map<(o, c) -> (c)>
#m = affine_map<(o, c) -> (c, o)>
#r = affine_map<(o, c) -> (o)>
#id = affine_map<(c) -> (c)>

// What a bias adds to the matrices multiplies means of the other rows; a mean of
// products is taken as a sum is.
// CHECK-LABEL: func @bias
// CHECK-SAME: %[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x2xf32>
// CHECK: %[[P:.*]] = gnn.aggregate [mean] %{{.*}} -> tensor<?x1x2xf32>
// CHECK: %[[Y:.*]] = linalg.matmul ins(%{{.*}} : tensor<?x2xf32>, tensor<2x1xf32>)
// CHECK: %[[M:.*]] = gnn.message %[[G]] src(%[[X]] : tensor<?x2xf32>)
// CHECK: %[[MEANS:.*]] = gnn.aggregate [mean] %[[G]], %[[M]]
// CHECK: %[[B:.*]] = arith.constant dense_resource<{{.*}}> : tensor<2x1xf32>
// CHECK: %[[Z:.*]] = linalg.matmul ins(%[[MEANS]], %[[B]]
// CHECK: %[[SUM:.*]] = gnn.update node(%[[Y]], %[[Z]]
// CHECK: return %[[SUM]]
// NONE-LABEL: func @bias
func.func @bias(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>, %h: tensor<?x1xf32>)
    -> tensor<?x1xf32> {
  %w = arith.constant dense<[[1., 2.]]> : tensor<1x2xf32>
  %b = arith.constant dense<[3., 4.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %h, %c0 : tensor<?x1xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = linalg.matmul ins(%h, %w : tensor<?x1xf32>, tensor<1x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %lb = gnn.update node(%l : tensor<?x2xf32>) uniform(%b : tensor<2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    gnn.yield %s : f32
  }
  %q = tensor.expand_shape %lb [[0], [1, 2]] output_shape [%n, 2, 1]
    : tensor<?x2xf32> into tensor<?x2x1xf32>
  %e = gnn.edges_from_tensor %g, %q
    : !gnn.graph<csr>, tensor<?x2x1xf32> -> !gnn.edges<2x1xf32>
  %m = gnn.message %g src(%x : tensor<?x2xf32>) edge(%e : !gnn.edges<2x1xf32>)
      {indexing_maps = [#v, #m, #r], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<1xf32> {
  ^bb0(%a: f32, %c: f32, %sum: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %y = gnn.aggregate [mean] %g, %m : !gnn.graph<csr>, !gnn.edges<1xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

#v = affine_map<(o, c) -> (c)>
#m = affine_map<(o, c) -> (c, o)>
#r = affine_map<(o, c) -> (o)>

// A maximum of products is none of sums.
// CHECK-LABEL: func @maximum
// CHECK: linalg.matmul
// CHECK: gnn.aggregate [max] {{.*}} !gnn.edges<1xf32>
// NONE-LABEL: func @maximum
func.func @maximum(%g: !gnn.graph<csr>, %x: tensor<?x3xf32>, %h: tensor<?x2xf32>)
    -> tensor<?x1xf32> {
  %w = arith.constant dense<[[1., 2., 3.], [4., 5., 6.]]> : tensor<2x3xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %h, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
  %l = linalg.matmul ins(%h, %w : tensor<?x2xf32>, tensor<2x3xf32>)
    outs(%init : tensor<?x3xf32>) -> tensor<?x3xf32>
  %q = tensor.expand_shape %l [[0], [1, 2]] output_shape [%n, 3, 1]
    : tensor<?x3xf32> into tensor<?x3x1xf32>
  %e = gnn.edges_from_tensor %g, %q
    : !gnn.graph<csr>, tensor<?x3x1xf32> -> !gnn.edges<3x1xf32>
  %m = gnn.message %g src(%x : tensor<?x3xf32>) edge(%e : !gnn.edges<3x1xf32>)
      {indexing_maps = [#v, #m, #r], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<1xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %y = gnn.aggregate [max] %g, %m : !gnn.graph<csr>, !gnn.edges<1xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
