// RUN: gnn-opt --gnn-reorder-linear --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// 16 features are aggregated instead of 64.
// CHECK-LABEL: func @widens
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x16xf32>, %[[E:.*]]: !gnn.edges<f32>, %[[W:.*]]: tensor<16x64xf32>)
// CHECK: %[[A:.*]] = gnn.message_aggregate [sum] %[[G]] src(%[[X]] : tensor<?x16xf32>) edge(%[[E]] : !gnn.edges<f32>)
// CHECK-SAME: -> tensor<?x16xf32>
// CHECK: %[[Y:.*]] = linalg.matmul ins(%[[A]], %[[W]]
// CHECK: return %[[Y]]
func.func @widens(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<16x64xf32>)
    -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>)
    -> tensor<?x64xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x16xf32>, tensor<16x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x64xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// CHECK-LABEL: func @narrows
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x64xf32>, %[[E:.*]]: !gnn.edges<f32>, %[[W:.*]]: tensor<64x16xf32>)
// CHECK: %[[H:.*]] = linalg.matmul ins(%[[X]], %[[W]]
// CHECK: %[[Y:.*]] = gnn.message_aggregate [mean] %[[G]] src(%[[H]] : tensor<?x16xf32>)
// CHECK: return %[[Y]]
func.func @narrows(%g: !gnn.graph<csr>, %x: tensor<?x64xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<64x16xf32>)
    -> tensor<?x16xf32> {
  %m = gnn.message_aggregate [mean] %g src(%x : tensor<?x64xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %m, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>)
    -> tensor<?x16xf32>
  %y = linalg.matmul ins(%m, %weights : tensor<?x64xf32>, tensor<64x16xf32>)
    outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
