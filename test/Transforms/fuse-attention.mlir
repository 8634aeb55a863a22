// RUN: gnn-opt --gnn-fuse-attention --split-input-file %s | FileCheck %s

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// CHECK: #[[HF:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[H:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @dot_product
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[Q:.*]]: tensor<?x2x4xf32>, %[[K:.*]]: tensor<?x2x4xf32>, %[[V:.*]]: tensor<?x2x4xf32>)
// CHECK-NEXT: %[[Y:.*]] = gnn.attention %[[G]] score dst(%[[Q]] : tensor<?x2x4xf32>) src(%[[K]] : tensor<?x2x4xf32>) {
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %[[SUM:.*]]: f32):
// CHECK: arith.addf %[[SUM]]
// CHECK: } value src(%[[V]] : tensor<?x2x4xf32>) {
// The weight is no part of the value any more.
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
// CHECK-NEXT: gnn.yield %[[A]]
// CHECK: score_iterators = ["parallel", "reduction"]
// CHECK-SAME: score_maps = [#[[HF]], #[[HF]], #[[H]]]
// CHECK-SAME: value_maps = [#[[HF]], #[[HF]]]
// CHECK-SAME: weight_map = #[[H]]
// CHECK-NEXT: return %[[Y]]
func.func @dot_product(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
    %k: tensor<?x2x4xf32>, %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %score = gnn.message %g dst(%q : tensor<?x2x4xf32>)
      src(%k : tensor<?x2x4xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %alpha = gnn.edge_softmax %g, %score : !gnn.graph<csr>, !gnn.edges<2xf32>
  %m = gnn.message %g src(%v : tensor<?x2x4xf32>)
      edge(%alpha : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x4xf32> {
  ^bb0(%a: f32, %w: f32):
    %p = arith.mulf %a, %w : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x4xf32> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Scores that come from elsewhere are read.
// CHECK-LABEL: func @stored_scores
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[S:.*]]: !gnn.edges<2xf32>
// CHECK: gnn.attention %[[G]] score edge(%[[S]] : !gnn.edges<2xf32>) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
// CHECK-NEXT: gnn.yield %[[A]]
func.func @stored_scores(%g: !gnn.graph<csr>, %score: !gnn.edges<2xf32>,
                         %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %alpha = gnn.edge_softmax %g, %score : !gnn.graph<csr>, !gnn.edges<2xf32>
  %m = gnn.message %g src(%v : tensor<?x2x4xf32>)
      edge(%alpha : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x4xf32> {
  ^bb0(%a: f32, %w: f32):
    %p = arith.mulf %a, %w : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x4xf32> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Scores with a second user are stored and read.
// CHECK-LABEL: func @shared_scores
// CHECK: %[[S:.*]] = gnn.message
// CHECK: gnn.attention %{{.*}} score edge(%[[S]] : !gnn.edges<2xf32>)
// CHECK: return %{{.*}}, %[[S]]
func.func @shared_scores(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
    %k: tensor<?x2x4xf32>, %v: tensor<?x2x4xf32>)
    -> (tensor<?x2x4xf32>, !gnn.edges<2xf32>) {
  %score = gnn.message %g dst(%q : tensor<?x2x4xf32>)
      src(%k : tensor<?x2x4xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %alpha = gnn.edge_softmax %g, %score : !gnn.graph<csr>, !gnn.edges<2xf32>
  %m = gnn.message %g src(%v : tensor<?x2x4xf32>)
      edge(%alpha : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x4xf32> {
  ^bb0(%a: f32, %w: f32):
    %p = arith.mulf %a, %w : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x4xf32> -> tensor<?x2x4xf32>
  return %y, %score : tensor<?x2x4xf32>, !gnn.edges<2xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Other factors of the product stay in the value.
// CHECK-LABEL: func @factors
// CHECK: } value src(%{{.*}}, %{{.*}} : tensor<?x2x4xf32>, tensor<?x2x4xf32>) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: gnn.yield %[[P]]
func.func @factors(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
    %k: tensor<?x2x4xf32>, %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %score = gnn.message %g dst(%q : tensor<?x2x4xf32>)
      src(%k : tensor<?x2x4xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %alpha = gnn.edge_softmax %g, %score : !gnn.graph<csr>, !gnn.edges<2xf32>
  %m = gnn.message %g src(%v, %k : tensor<?x2x4xf32>, tensor<?x2x4xf32>)
      edge(%alpha : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x4xf32> {
  ^bb0(%a: f32, %b: f32, %w: f32):
    %p = arith.mulf %a, %w : f32
    %r = arith.mulf %p, %b : f32
    gnn.yield %r : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x4xf32> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
