// RUN: gnn-opt --gnn-fuse-messages --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>

// A message that reduces would be computed again for every feature.
// CHECK-LABEL: func @reduction
// CHECK-COUNT-2: gnn.message
func.func @reduction(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>)
    -> !gnn.edges<4xf32> {
  %a = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %v, %sum : f32
    gnn.yield %s : f32
  }
  %b = gnn.message %g src(%x : tensor<?x4xf32>) edge(%a : !gnn.edges<f32>)
      {indexing_maps = [#id, affine_map<(f) -> ()>, #id],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.mulf %v, %w : f32
    gnn.yield %s : f32
  }
  return %b : !gnn.edges<4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// A value with another user is stored anyway.
// CHECK-LABEL: func @two_users
// CHECK-COUNT-2: gnn.message
func.func @two_users(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>)
    -> (!gnn.edges<4xf32>, !gnn.edges<4xf32>) {
  %a = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    gnn.yield %n : f32
  }
  %b = gnn.message %g edge(%a : !gnn.edges<4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%w: f32):
    %s = arith.mulf %w, %w : f32
    gnn.yield %s : f32
  }
  return %a, %b : !gnn.edges<4xf32>, !gnn.edges<4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Edges of another graph, though it may have as many.
// CHECK-LABEL: func @two_graphs
// CHECK-COUNT-2: gnn.message
func.func @two_graphs(%g: !gnn.graph<csr>, %h: !gnn.graph<csr>,
                      %x: tensor<?x4xf32>) -> !gnn.edges<4xf32> {
  %a = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    gnn.yield %n : f32
  }
  %b = gnn.message %h edge(%a : !gnn.edges<4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%w: f32):
    %s = arith.mulf %w, %w : f32
    gnn.yield %s : f32
  }
  return %b : !gnn.edges<4xf32>
}

// -----

// An exponential for each edge is cheaper to keep than to compute again for
// each of eight features.
// CHECK-LABEL: func @expensive
// CHECK-COUNT-2: gnn.message
func.func @expensive(%g: !gnn.graph<csr>, %x: tensor<?xf32>,
                     %y: tensor<?x8xf32>) -> !gnn.edges<8xf32> {
  %a = gnn.message %g src(%x : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    gnn.yield %e : f32
  }
  %b = gnn.message %g src(%y : tensor<?x8xf32>) edge(%a : !gnn.edges<f32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>,
                        affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<8xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.mulf %v, %w : f32
    gnn.yield %s : f32
  }
  return %b : !gnn.edges<8xf32>
}
