// RUN: gnn-opt %s --gnn-fuse-lookups | FileCheck %s

#row = affine_map<(f) -> (f)>

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0) -> ()>

// CHECK-LABEL: func @message
// CHECK-SAME: %[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x4xf32>, %[[N:.*]]: tensor<?xi64>, %[[T:.*]]: tensor<3x4xf32>
// CHECK: %[[E:.*]] = gnn.edges_from_tensor %[[G]], %[[N]] : !gnn.graph<csr>, tensor<?xi64> -> !gnn.edges<i64>
// CHECK: gnn.message %[[G]] src(%[[X]] : tensor<?x4xf32>) edge(%[[E]] : !gnn.edges<i64>)
// CHECK-SAME: indexing_maps = [#[[ROW]], #[[NONE]], #[[ROW]]]
// CHECK: ^bb0(%[[A:.*]]: f32, %[[I:.*]]: i64):
// CHECK: %[[R:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK: %[[F:.*]] = gnn.feature_index 0
// CHECK: %[[B:.*]] = tensor.extract %[[T]][%[[R]], %[[F]]]
// CHECK: arith.addf %[[A]], %[[B]]
func.func @message(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>, %n: tensor<?xi64>,
                   %t: tensor<3x4xf32>) -> !gnn.edges<4xf32> {
  %r = gnn.lookup %t[%n] : tensor<3x4xf32>, tensor<?xi64> -> tensor<?x4xf32>
  %e = gnn.edges_from_tensor %g, %r : !gnn.graph<csr>, tensor<?x4xf32> -> !gnn.edges<4xf32>
  %m = gnn.message %g src(%x : tensor<?x4xf32>) edge(%e : !gnn.edges<4xf32>)
      {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    gnn.yield %s : f32
  }
  return %m : !gnn.edges<4xf32>
}

// Where no operand is left to tell the extent of a loop, an empty one does. A sum
// goes on.
// CHECK-LABEL: func @extents
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: gnn.message %{{.*}} edge(%{{.*}} : !gnn.edges<i32>) uniform(%[[EMPTY]] : tensor<4xf32>)
// CHECK-SAME: iterator_types = ["reduction"]
// CHECK: ^bb0(%[[I:.*]]: i32, %{{.*}}: f32, %[[SUM:.*]]: f32):
// CHECK: %[[R:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: %[[B:.*]] = tensor.extract %{{.*}}[%[[R]], %{{.*}}]
// CHECK: arith.addf %[[SUM]], %[[B]]
func.func @extents(%g: !gnn.graph<csr>, %n: tensor<?xi32>, %t: tensor<3x4xf32>)
    -> !gnn.edges<f32> {
  %r = gnn.lookup %t[%n] : tensor<3x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %e = gnn.edges_from_tensor %g, %r : !gnn.graph<csr>, tensor<?x4xf32> -> !gnn.edges<4xf32>
  %m = gnn.message %g edge(%e : !gnn.edges<4xf32>)
      {indexing_maps = [#row, affine_map<(f) -> ()>], iterator_types = ["reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%b: f32, %sum: f32):
    %s = arith.addf %sum, %b : f32
    gnn.yield %s : f32
  }
  return %m : !gnn.edges<f32>
}

// Numbers of several dimensions, of a type that no edge holds, and rows of nodes.
// CHECK-LABEL: func @others
// CHECK: gnn.message %{{.*}} edge(%{{.*}} : !gnn.edges<2x4xf32>)
// CHECK: gnn.message %{{.*}} edge(%{{.*}} : !gnn.edges<4xf32>)
// CHECK: gnn.message %{{.*}} src(%{{.*}} : tensor<?x4xf32>)
func.func @others(%g: !gnn.graph<csr>, %several: tensor<?x2xi64>, %n: tensor<?xi64>,
                  %indices: tensor<?xindex>, %t: tensor<3x4xf32>)
    -> (!gnn.edges<2x4xf32>, !gnn.edges<4xf32>, !gnn.edges<4xf32>) {
  %r = gnn.lookup %t[%several] : tensor<3x4xf32>, tensor<?x2xi64> -> tensor<?x2x4xf32>
  %e = gnn.edges_from_tensor %g, %r
    : !gnn.graph<csr>, tensor<?x2x4xf32> -> !gnn.edges<2x4xf32>
  %0 = gnn.message %g edge(%e : !gnn.edges<2x4xf32>)
      {indexing_maps = [affine_map<(i, f) -> (i, f)>, affine_map<(i, f) -> (i, f)>],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x4xf32> {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    gnn.yield %s : f32
  }
  %i = gnn.lookup %t[%indices] : tensor<3x4xf32>, tensor<?xindex> -> tensor<?x4xf32>
  %d = gnn.edges_from_tensor %g, %i : !gnn.graph<csr>, tensor<?x4xf32> -> !gnn.edges<4xf32>
  %2 = gnn.message %g edge(%d : !gnn.edges<4xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    gnn.yield %s : f32
  }
  %x = gnn.lookup %t[%n] : tensor<3x4xf32>, tensor<?xi64> -> tensor<?x4xf32>
  %1 = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    gnn.yield %s : f32
  }
  return %0, %2, %1 : !gnn.edges<2x4xf32>, !gnn.edges<4xf32>, !gnn.edges<4xf32>
}
