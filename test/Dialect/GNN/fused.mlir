// RUN: gnn-opt %s | gnn-opt | FileCheck %s
// RUN: gnn-opt %s --mlir-print-op-generic | gnn-opt | FileCheck %s

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// CHECK-LABEL: func @message_aggregate
func.func @message_aggregate(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>,
                             %w: !gnn.edges<f32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: gnn.message_aggregate [sum, max] %{{.*}} src(%{{.*}} : tensor<?x4xf32>) edge(%{{.*}} : !gnn.edges<f32>)
  // CHECK-SAME: iterator_types = ["parallel"]
  // CHECK-SAME: : !gnn.graph<csr> -> tensor<?x4xf32>, tensor<?x4xf32> {
  %y:2 = gnn.message_aggregate [sum, max] %g src(%x : tensor<?x4xf32>)
      edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32>, tensor<?x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  return %y#0, %y#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func @attention
func.func @attention(%g: !gnn.graph<complete>, %q: tensor<?x2x8xf32>,
                     %v: tensor<?x2x4xf32>, %bias: !gnn.edges<2xf32>, %c: f32)
    -> tensor<?x2x4xf32> {
  // CHECK: gnn.attention %{{.*}} score dst(%{{.*}} : tensor<?x2x8xf32>) src(%{{.*}} : tensor<?x2x8xf32>) uniform(%{{.*}} : f32) {
  // CHECK: gnn.yield
  // CHECK: } value src(%{{.*}} : tensor<?x2x4xf32>) edge(%{{.*}} : !gnn.edges<2xf32>) {
  // CHECK: gnn.yield
  // CHECK: } {score_iterators = ["parallel", "reduction"]
  // CHECK-SAME: value_iterators = ["parallel", "parallel"]
  // CHECK-SAME: : !gnn.graph<complete> -> tensor<?x2x4xf32>
  %y = gnn.attention %g
    score dst(%q : tensor<?x2x8xf32>) src(%q : tensor<?x2x8xf32>)
          uniform(%c : f32) {
    ^bb0(%a: f32, %b: f32, %s: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.mulf %0, %s : f32
      %2 = arith.addf %sum, %1 : f32
      gnn.yield %2 : f32
    }
    value src(%v : tensor<?x2x4xf32>) edge(%bias : !gnn.edges<2xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      gnn.yield %0 : f32
    }
    {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h, d)>,
                   affine_map<(h, d) -> ()>, affine_map<(h, d) -> (h)>],
     score_iterators = ["parallel", "reduction"],
     value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h)>,
                   affine_map<(h, f) -> (h, f)>],
     value_iterators = ["parallel", "parallel"],
     weight_map = affine_map<(h, f) -> (h)>}
    : !gnn.graph<complete> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// CHECK-LABEL: func @bounded
// CHECK-SAME: %[[B:[^:]*]]: i1
// CHECK: } bounded(%[[B]]) {score_iterators
func.func @bounded(%g: !gnn.graph<csr>, %v: tensor<?xf32>, %b: i1)
    -> tensor<?xf32> {
  %0 = gnn.attention %g
    score src(%v : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    value src(%v : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    bounded(%b)
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     value_iterators = [], weight_map = affine_map<() -> ()>}
    : !gnn.graph<csr> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The default is not printed.
// CHECK-LABEL: func @normalizations
func.func @normalizations(%g: !gnn.graph<csr>, %v: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: gnn.attention
  // CHECK: {normalization = #gnn.normalization<sum>, score_iterators
  %0 = gnn.attention %g
    score src(%v : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    value src(%v : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     value_iterators = [], weight_map = affine_map<() -> ()>,
     normalization = #gnn.normalization<sum>}
    : !gnn.graph<csr> -> tensor<?xf32>
  // CHECK: gnn.attention
  // CHECK: {score_iterators
  %1 = gnn.attention %g
    score src(%v : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    value src(%v : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     value_iterators = [], weight_map = affine_map<() -> ()>,
     normalization = #gnn.normalization<softmax>}
    : !gnn.graph<csr> -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
