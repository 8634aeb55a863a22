// RUN: gnn-opt --gnn-reorder-linear --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>

// The product of sparse rows comes before their aggregation, though wider.
// CHECK-LABEL: func @before_aggregation
// CHECK: %[[X:.*]] = tensor.cast
// CHECK: %[[H:.*]] = linalg.matmul ins(%[[X]], %{{.*}} : tensor<?x9xf32>, tensor<9x64xf32>)
// CHECK: gnn.message_aggregate [mean] %{{.*}} src(%[[H]] : tensor<?x64xf32>)
func.func @before_aggregation(%g: !gnn.graph<csr>,
                              %m: !gnn.graph<csr, bipartite>, %v: !gnn.edges<f32>,
                              %w: tensor<9x64xf32>) -> tensor<?x64xf32> {
  %n = gnn.num_nodes dst %m : !gnn.graph<csr, bipartite>
  %f = arith.constant 9 : index
  %all = gnn.make_graph %n, %f : (index, index) -> !gnn.graph<complete, bipartite>
  %s = gnn.spread_edges %v from %m to %all
    : !gnn.edges<f32>, !gnn.graph<csr, bipartite> to !gnn.graph<complete, bipartite>
  %t = gnn.edges_to_tensor %all, %s
    : !gnn.graph<complete, bipartite>, !gnn.edges<f32> -> tensor<?x?xf32>
  %x = tensor.cast %t : tensor<?x?xf32> to tensor<?x9xf32>
  %a = gnn.message_aggregate [mean] %g src(%x : tensor<?x9xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x9xf32> {
  ^bb0(%r: f32):
    gnn.yield %r : f32
  }
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%a, %w : tensor<?x9xf32>, tensor<9x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// So does the product of their sum with what neighbours sent.
// CHECK-LABEL: func @before_sum
// CHECK: %[[X:.*]] = tensor.cast
// CHECK: %[[H:.*]] = linalg.matmul ins(%[[X]], %{{.*}} : tensor<?x9xf32>, tensor<9x64xf32>)
// CHECK: %[[A:.*]] = gnn.message_aggregate [sum] %{{.*}} src(%[[H]] : tensor<?x64xf32>)
// CHECK: gnn.update node(%[[A]], %[[H]] : tensor<?x64xf32>, tensor<?x64xf32>)
func.func @before_sum(%g: !gnn.graph<csr>, %m: !gnn.graph<csr, bipartite>,
                      %v: !gnn.edges<f32>, %w: tensor<9x64xf32>)
    -> tensor<?x64xf32> {
  %n = gnn.num_nodes dst %m : !gnn.graph<csr, bipartite>
  %f = arith.constant 9 : index
  %all = gnn.make_graph %n, %f : (index, index) -> !gnn.graph<complete, bipartite>
  %s = gnn.spread_edges %v from %m to %all
    : !gnn.edges<f32>, !gnn.graph<csr, bipartite> to !gnn.graph<complete, bipartite>
  %t = gnn.edges_to_tensor %all, %s
    : !gnn.graph<complete, bipartite>, !gnn.edges<f32> -> tensor<?x?xf32>
  %x = tensor.cast %t : tensor<?x?xf32> to tensor<?x9xf32>
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x9xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x9xf32> {
  ^bb0(%r: f32):
    gnn.yield %r : f32
  }
  %z = gnn.update node(%a, %x : tensor<?x9xf32>, tensor<?x9xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x9xf32> {
  ^bb0(%r: f32, %o: f32):
    %q = arith.subf %r, %o : f32
    gnn.yield %q : f32
  }
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%z, %w : tensor<?x9xf32>, tensor<9x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// CHECK-LABEL: func @stays_before
// CHECK: %[[H:.*]] = linalg.matmul
// CHECK: gnn.message_aggregate [sum] %{{.*}} src(%[[H]] : tensor<?x64xf32>)
func.func @stays_before(%g: !gnn.graph<csr>, %m: !gnn.graph<csr, bipartite>,
                        %v: !gnn.edges<f32>, %w: tensor<9x64xf32>)
    -> tensor<?x64xf32> {
  %n = gnn.num_nodes dst %m : !gnn.graph<csr, bipartite>
  %f = arith.constant 9 : index
  %all = gnn.make_graph %n, %f : (index, index) -> !gnn.graph<complete, bipartite>
  %s = gnn.spread_edges %v from %m to %all
    : !gnn.edges<f32>, !gnn.graph<csr, bipartite> to !gnn.graph<complete, bipartite>
  %t = gnn.edges_to_tensor %all, %s
    : !gnn.graph<complete, bipartite>, !gnn.edges<f32> -> tensor<?x?xf32>
  %x = tensor.cast %t : tensor<?x?xf32> to tensor<?x9xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x9xf32>, tensor<9x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x64xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%r: f32):
    gnn.yield %r : f32
  }
  return %y : tensor<?x64xf32>
}
