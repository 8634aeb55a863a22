// RUN: gnn-opt --gnn-multiply-edge-rows=min-bytes=24 --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-multiply-edge-rows=min-bytes=25 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=SMALL

#e = affine_map<(h, f, k) -> (k)>
#w = affine_map<(h, f, k) -> (k, h, f)>
#r = affine_map<(h, f, k) -> (h, f)>

// CHECK-LABEL: func @heads
// CHECK-SAME: %[[G:.*]]: !gnn.graph<csr>, %[[E:.*]]: !gnn.edges<3xf32>
// CHECK: %[[ROWS:.*]] = gnn.edges_to_tensor %[[G]], %[[E]]
// CHECK: %[[W:.*]] = arith.constant dense_resource<[[NAME:.*]]> : tensor<3x2xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[ROWS]], %[[W]] : tensor<?x3xf32>, tensor<3x2xf32>)
// CHECK: %[[Q:.*]] = tensor.expand_shape %[[P]] {{\[}}[0], [1, 2]] output_shape [%{{.*}}, 2, 1]
// CHECK: %[[M:.*]] = gnn.edges_from_tensor %[[G]], %[[Q]] : {{.*}} -> !gnn.edges<2x1xf32>
// CHECK: return %[[M]]
// SMALL-LABEL: func @heads
// SMALL: gnn.message
func.func @heads(%g: !gnn.graph<csr>, %e: !gnn.edges<3xf32>) -> !gnn.edges<2x1xf32> {
  %w = arith.constant dense<[[[1.], [2.]], [[3.], [4.]], [[5.], [6.]]]> : tensor<3x2x1xf32>
  %m = gnn.message %g edge(%e : !gnn.edges<3xf32>) uniform(%w : tensor<3x2x1xf32>)
      {indexing_maps = [#e, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2x1xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %m : !gnn.edges<2x1xf32>
}

// -----

#v = affine_map<(f, k) -> (k)>
#w = affine_map<(f, k) -> (f, k)>
#r = affine_map<(f, k) -> (f)>

// Weights whose rows are columns, and messages that do more.
// CHECK-LABEL: func @others
// CHECK-COUNT-2: gnn.message
// CHECK-NOT: linalg.matmul
// SMALL-LABEL: func @others
func.func @others(%g: !gnn.graph<csr>, %x: tensor<?x3xf32>, %e: !gnn.edges<3xf32>)
    -> (!gnn.edges<2xf32>, !gnn.edges<3xf32>) {
  %w = arith.constant dense<[[1., 2., 3.], [4., 5., 6.]]> : tensor<2x3xf32>
  %m = gnn.message %g edge(%e : !gnn.edges<3xf32>) uniform(%w : tensor<2x3xf32>)
      {indexing_maps = [#v, #w, #r], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %v = arith.constant dense<[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]]> : tensor<3x3xf32>
  %n = gnn.message %g src(%x : tensor<?x3xf32>) edge(%e : !gnn.edges<3xf32>)
      uniform(%v : tensor<3x3xf32>)
      {indexing_maps = [#r, #v, affine_map<(f, k) -> (k, f)>, #r],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<3xf32> {
  ^bb0(%c: f32, %a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %c : f32
    %s = arith.addf %sum, %q : f32
    gnn.yield %s : f32
  }
  return %m, %n : !gnn.edges<2xf32>, !gnn.edges<3xf32>
}
