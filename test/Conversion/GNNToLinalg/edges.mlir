// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-linalg \
// RUN:   --split-input-file %s | FileCheck %s

// A dot product per head is a linalg.generic over all pairs.
// CHECK-DAG: #[[DST:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[SRC:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func @scores
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index, %[[Q:.*]]: tensor<?x2x4xf32>, %[[K:.*]]: tensor<?x2x4xf32>)
// CHECK: %[[INIT:.*]] = linalg.fill
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[DST]], #[[SRC]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[Q]], %[[K]] : {{.*}}) outs(%[[INIT]] : tensor<?x?x2xf32>)
// CHECK: return %[[Y]]
func.func @scores(%g: !gnn.graph<complete>, %q: tensor<?x2x4xf32>,
                  %k: tensor<?x2x4xf32>) -> tensor<?x?x2xf32> {
  %s = gnn.message %g dst(%q : tensor<?x2x4xf32>) src(%k : tensor<?x2x4xf32>)
      {indexing_maps = [affine_map<(h, f) -> (h, f)>,
                        affine_map<(h, f) -> (h, f)>,
                        affine_map<(h, f) -> (h)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<complete> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %sum, %p : f32
    gnn.yield %t : f32
  }
  %y = gnn.edges_to_tensor %g, %s
    : !gnn.graph<complete>, !gnn.edges<2xf32> -> tensor<?x?x2xf32>
  return %y : tensor<?x?x2xf32>
}

// -----

// An aggregation reduces the loop over sources; the mean divides by their
// number.
// CHECK-LABEL: func @mean
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index, %[[X:.*]]: tensor<?x4xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[X]] : tensor<?x4xf32>)
// CHECK-NOT: arith.select
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<?x4xf32>)
// CHECK: arith.maxsi %[[S]]
// CHECK: arith.divf
func.func @mean(%g: !gnn.graph<complete>, %x: tensor<?x4xf32>)
    -> tensor<?x4xf32> {
  %y = gnn.message_aggregate [mean] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<complete> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x4xf32>
}

// -----

// Pairs that are no edges are left out by a comparison of indices.
// CHECK-LABEL: func @causal
// CHECK: linalg.generic
// CHECK-DAG: %[[I:.*]] = linalg.index 0
// CHECK-DAG: %[[J:.*]] = linalg.index 1
// CHECK: %[[EDGE:.*]] = arith.cmpi sle, %[[J]], %[[I]]
// CHECK: %[[NEXT:.*]] = arith.addf
// CHECK: %[[KEPT:.*]] = arith.select %[[EDGE]], %[[NEXT]], %{{.*}}
// CHECK: linalg.yield %[[KEPT]]
func.func @causal(%g: !gnn.graph<causal>, %x: tensor<?x4xf32>)
    -> tensor<?x4xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<causal> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x4xf32>
}

// -----

// Stored values of a dense layout are read by destination and source.
// CHECK-DAG: #[[EDGE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[NODE:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func @stored
// CHECK-SAME: %[[T:[^ ]*]]: tensor<?x?x4xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[EDGE]], #[[NODE]]], {{.*}} ins(%[[T]] : tensor<?x?x4xf32>) outs(%{{.*}} : tensor<?x4xf32>)
func.func @stored(%g: !gnn.graph<complete>, %t: tensor<?x?x4xf32>)
    -> tensor<?x4xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<complete>, tensor<?x?x4xf32> -> !gnn.edges<4xf32>
  %y = gnn.aggregate [sum] %g, %w
    : !gnn.graph<complete>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Maximum, sum and weights of a softmax.
// CHECK-LABEL: func @softmax
// CHECK: %[[M:.*]] = linalg.generic
// CHECK: arith.maximumf
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[M]]
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[M]], %[[S]]
// CHECK: arith.divf
// CHECK-NOT: gnn.edge_softmax
func.func @softmax(%g: !gnn.graph<complete>, %t: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %s = gnn.edges_from_tensor %g, %t
    : !gnn.graph<complete>, tensor<?x?xf32> -> !gnn.edges<f32>
  %w = gnn.edge_softmax %g, %s : !gnn.graph<complete>, !gnn.edges<f32>
  %y = gnn.edges_to_tensor %g, %w
    : !gnn.graph<complete>, !gnn.edges<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func @update
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[S:.*]]: f32)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<?x4xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[S]]
// CHECK-NEXT: linalg.yield %[[P]]
func.func @update(%x: tensor<?x4xf32>, %s: f32) -> tensor<?x4xf32> {
  %y = gnn.update node(%x : tensor<?x4xf32>) uniform(%s : f32)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>,
                        affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x4xf32>
}

// -----

// What follows the sum reads a bias, of which the sum itself knows nothing: it
// is a plain contraction of two factors.
// CHECK-LABEL: func @biased
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: index, %[[Q:.*]]: tensor<?x4xf32>, %[[K:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<?xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[K]] : tensor<?x4xf32>, tensor<?x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[B]] : tensor<?xf32>) outs(%[[SUM]] :
// CHECK-NEXT: ^bb0(%[[BIAS:.*]]: f32, %[[S:.*]]: f32)
// CHECK-NEXT: arith.addf %[[S]], %[[BIAS]]
func.func @biased(%g: !gnn.graph<complete>, %q: tensor<?x4xf32>,
                  %k: tensor<?x4xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %s = gnn.message %g dst(%q : tensor<?x4xf32>)
      src(%k, %b : tensor<?x4xf32>, tensor<?xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>,
                        affine_map<(f) -> ()>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]}
      : !gnn.graph<complete> -> !gnn.edges<f32> {
  ^bb0(%x: f32, %y: f32, %bias: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %sum, %p : f32
    %r = gnn.reduced %t : f32
    %u = arith.addf %r, %bias : f32
    gnn.yield %u : f32
  }
  %y = gnn.edges_to_tensor %g, %s
    : !gnn.graph<complete>, !gnn.edges<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
