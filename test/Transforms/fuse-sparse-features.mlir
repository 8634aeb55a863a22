// RUN: gnn-opt --gnn-fuse-sparse-features --split-input-file %s | FileCheck %s

// The product is a sum of rows of the weights, and the dense form is gone.
// CHECK-LABEL: func @product
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr, bipartite>, %[[V:.*]]: !gnn.edges<f32>, %[[W:.*]]: tensor<9x4xf32>)
// CHECK-NEXT: %[[Y:.*]] = gnn.message_aggregate [sum] %[[G]] src(%[[W]] : tensor<9x4xf32>) edge(%[[V]] : !gnn.edges<f32>) {indexing_maps = [#[[ROW:.*]], #[[NONE:.*]], #[[ROW]]], iterator_types = ["parallel"]} : !gnn.graph<csr, bipartite> -> tensor<?x4xf32>
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT: gnn.yield %[[P]] : f32
// CHECK: return %[[Y]]
func.func @product(%g: !gnn.graph<csr, bipartite>, %v: !gnn.edges<f32>,
                   %w: tensor<9x4xf32>) -> tensor<?x4xf32> {
  %n = gnn.num_nodes dst %g : !gnn.graph<csr, bipartite>
  %f = arith.constant 9 : index
  %all = gnn.make_graph %n, %f : (index, index) -> !gnn.graph<complete, bipartite>
  %s = gnn.spread_edges %v from %g to %all
    : !gnn.edges<f32>, !gnn.graph<csr, bipartite> to !gnn.graph<complete, bipartite>
  %t = gnn.edges_to_tensor %all, %s
    : !gnn.graph<complete, bipartite>, !gnn.edges<f32> -> tensor<?x?xf32>
  %x = tensor.cast %t : tensor<?x?xf32> to tensor<?x9xf32>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x9xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x9xf32>, tensor<9x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Rows are counted without the matrix.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr, bipartite>
// CHECK-NEXT: %[[N:.*]] = gnn.num_nodes dst %[[G]]
// CHECK-NEXT: return %[[N]]
func.func @rows(%g: !gnn.graph<csr, bipartite>, %v: !gnn.edges<f32>) -> index {
  %n = gnn.num_nodes dst %g : !gnn.graph<csr, bipartite>
  %f = arith.constant 9 : index
  %all = gnn.make_graph %n, %f : (index, index) -> !gnn.graph<complete, bipartite>
  %s = gnn.spread_edges %v from %g to %all
    : !gnn.edges<f32>, !gnn.graph<csr, bipartite> to !gnn.graph<complete, bipartite>
  %t = gnn.edges_to_tensor %all, %s
    : !gnn.graph<complete, bipartite>, !gnn.edges<f32> -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %t, %c0 : tensor<?x?xf32>
  return %rows : index
}

// -----

// The initial value is not zero, so this is no linear layer.
// CHECK-LABEL: func @accumulates
// CHECK: gnn.spread_edges
// CHECK: linalg.matmul
// CHECK-NOT: gnn.message_aggregate
func.func @accumulates(%g: !gnn.graph<csr, bipartite>, %v: !gnn.edges<f32>,
                       %w: tensor<9x4xf32>, %init: tensor<?x4xf32>)
    -> tensor<?x4xf32> {
  %n = gnn.num_nodes dst %g : !gnn.graph<csr, bipartite>
  %f = arith.constant 9 : index
  %all = gnn.make_graph %n, %f : (index, index) -> !gnn.graph<complete, bipartite>
  %s = gnn.spread_edges %v from %g to %all
    : !gnn.edges<f32>, !gnn.graph<csr, bipartite> to !gnn.graph<complete, bipartite>
  %t = gnn.edges_to_tensor %all, %s
    : !gnn.graph<complete, bipartite>, !gnn.edges<f32> -> tensor<?x?xf32>
  %x = tensor.cast %t : tensor<?x?xf32> to tensor<?x9xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x9xf32>, tensor<9x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Spread on a window some edges are left out.
// CHECK-LABEL: func @window
// CHECK: linalg.matmul
// CHECK-NOT: gnn.message_aggregate
func.func @window(%g: !gnn.graph<csr>, %h: !gnn.graph<window<2>>,
                  %v: !gnn.edges<f32>, %w: tensor<9x4xf32>) -> tensor<?x4xf32> {
  %s = gnn.spread_edges %v from %g to %h
    : !gnn.edges<f32>, !gnn.graph<csr> to !gnn.graph<window<2>>
  %t = gnn.edges_to_tensor %h, %s
    : !gnn.graph<window<2>>, !gnn.edges<f32> -> tensor<?x?xf32>
  %x = tensor.cast %t : tensor<?x?xf32> to tensor<?x9xf32>
  %n = gnn.num_nodes dst %g : !gnn.graph<csr>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x9xf32>, tensor<9x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
