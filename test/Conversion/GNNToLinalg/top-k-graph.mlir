// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-linalg="top-k-lanes=8 attention-column-tile=16" \
// RUN:   --split-input-file %s | FileCheck %s
// RUN: gnn-opt --convert-gnn-to-linalg --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=ROWS

#d = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>

// Eight destinations are side by side: coordinates are packed with these last, and
// so are scores and lists. A source that is better than the last place of any is
// put into all of them.
// CHECK-LABEL: func @nearest
// CHECK-SAME: (%[[N:.*]]: index, %[[S:.*]]: index, %[[X:.*]]: tensor<?x3xf32>)
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%[[N]]) step (8) shared_outs(%{{.*}}, %{{.*}}) -> (tensor<?x4xi32>, tensor<?xindex>)
// CHECK: %[[PACKED:.*]] = linalg.transpose {{.*}} outs({{.*}} : tensor<3x8xf32>)
// CHECK: %[[LISTS:.*]] = linalg.fill ins(%{{.*}} : f32) {{.*}} -> tensor<4x8xf32>
// CHECK: %[[BEST:.*]]:2 = scf.for %[[J:.*]] = %{{.*}} to %[[S]] step %c16 iter_args(%{{.*}} = %[[LISTS]],
// CHECK: linalg.generic {{.*}} ins(%[[PACKED]], %{{.*}} : tensor<3x8xf32>, tensor<?x3xf32>)
// CHECK: scf.for
// CHECK: %[[ANY:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} outs(%{{.*}} : tensor<i1>)
// CHECK: %[[IS_ONE:.*]] = tensor.extract %[[ANY]][]
// CHECK: scf.if %[[IS_ONE]]
// CHECK: scf.for
// CHECK: arith.cmpf ugt
// CHECK: arith.cmpf ord
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
// CHECK: linalg.transpose ins(%[[BEST]]#1 : tensor<4x8xi32>) outs(%{{.*}} : tensor<8x4xi32>)
// CHECK: arith.cmpf une
// CHECK: tensor.parallel_insert_slice

// ROWS-LABEL: func @nearest
// ROWS: gnn.top_k_graph
func.func @nearest(%g: !gnn.graph<complete>, %x: tensor<?x3xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %h : !gnn.graph<csr>
}

// -----

#d = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>

// Of a batch, the destinations of a tile are those of one segment after the other.
// CHECK-LABEL: func @segments
// CHECK: scf.forall
// CHECK: scf.while
// CHECK: scf.while
// CHECK: scf.for %[[SEGMENT:[^ ]*]] =
// CHECK: tensor.extract %{{.*}}[%[[SEGMENT]]]
// CHECK: scf.for {{.*}} step %c16
func.func @segments(%g: !gnn.graph<block_diagonal>, %x: tensor<?x3xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g src(%x : tensor<?x3xf32>)
      {indexing_maps = [#d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<block_diagonal> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    gnn.yield %s : f32
  }
  return %h : !gnn.graph<csr>
}

// -----

#one = affine_map<() -> ()>

// Pairs that are no matrix, and lists that are too long.
// CHECK-LABEL: func @listed
// CHECK: gnn.top_k_graph
func.func @listed(%g: !gnn.graph<csr>, %x: tensor<?xf32>) -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g src(%x : tensor<?xf32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 4}
      : !gnn.graph<csr> -> !gnn.graph<csr> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %h : !gnn.graph<csr>
}

// CHECK-LABEL: func @causal
// CHECK: gnn.top_k_graph
func.func @causal(%g: !gnn.graph<causal>, %x: tensor<?xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g src(%x : tensor<?xf32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 4}
      : !gnn.graph<causal> -> !gnn.graph<csr> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %h : !gnn.graph<csr>
}

// CHECK-LABEL: func @edges_of_segments
// CHECK: gnn.top_k_graph
func.func @edges_of_segments(%g: !gnn.graph<block_diagonal>,
                             %s: tensor<?xf32>) -> !gnn.graph<csr> {
  %e = gnn.edges_from_tensor %g, %s
    : !gnn.graph<block_diagonal>, tensor<?xf32> -> !gnn.edges<f32>
  %h = gnn.top_k_graph %g edge(%e : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 4}
      : !gnn.graph<block_diagonal> -> !gnn.graph<csr> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %h : !gnn.graph<csr>
}

// CHECK-LABEL: func @long_lists
// CHECK: gnn.top_k_graph
func.func @long_lists(%g: !gnn.graph<complete>, %x: tensor<?xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g src(%x : tensor<?xf32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 513}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %h : !gnn.graph<csr>
}
