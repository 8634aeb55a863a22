// RUN: gnn-opt --gnn-fuse-aggregation --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// CHECK-LABEL: func @fused
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x4xf32>, %[[W:.*]]: !gnn.edges<f32>)
// CHECK-NEXT: %[[Y:.*]]:2 = gnn.message_aggregate [sum, max] %[[G]] src(%[[X]] : tensor<?x4xf32>) edge(%[[W]] : !gnn.edges<f32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: gnn.yield %[[P]]
// CHECK: return %[[Y]]#0, %[[Y]]#1
func.func @fused(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>, %w: !gnn.edges<f32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  %y, %z = gnn.aggregate [sum, max] %g, %m
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>, tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Messages that are read twice are stored once.
// CHECK-LABEL: func @two_users
// CHECK-NOT: gnn.message_aggregate
// CHECK: gnn.message
// CHECK-COUNT-2: gnn.aggregate
func.func @two_users(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  %z = gnn.aggregate [max] %g, %m
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// There is no message to fuse.
// CHECK-LABEL: func @stored
// CHECK-NOT: gnn.message_aggregate
// CHECK: gnn.aggregate
func.func @stored(%g: !gnn.graph<csr>, %m: !gnn.edges<4xf32>)
    -> tensor<?x4xf32> {
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// CHECK-LABEL: func @two_graphs
// CHECK-NOT: gnn.message_aggregate
// CHECK: gnn.aggregate
func.func @two_graphs(%g: !gnn.graph<csr>, %h: !gnn.graph<csr>,
                      %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %y = gnn.aggregate [sum] %h, %m
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
