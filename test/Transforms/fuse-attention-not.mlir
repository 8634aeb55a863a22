// RUN: gnn-opt --gnn-fuse-attention --split-input-file %s | FileCheck %s

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Only a sum of weighted values is attention.
// CHECK-LABEL: func @mean
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
func.func @mean(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
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
  %y = gnn.aggregate [mean] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x4xf32> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Two aggregations of one message keep it.
// CHECK-LABEL: func @two_aggregators
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
func.func @two_aggregators(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
    %k: tensor<?x2x4xf32>, %v: tensor<?x2x4xf32>)
    -> (tensor<?x2x4xf32>, tensor<?x2x4xf32>) {
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
  %y, %z = gnn.aggregate [sum, max] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x4xf32> 
    -> tensor<?x2x4xf32>, tensor<?x2x4xf32>
  return %y, %z : tensor<?x2x4xf32>, tensor<?x2x4xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Weights that somebody else reads are computed anyway.
// CHECK-LABEL: func @weights_returned
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
func.func @weights_returned(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
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
  return %y, %alpha : tensor<?x2x4xf32>, !gnn.edges<2xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// The weight is added, not multiplied.
// CHECK-LABEL: func @not_a_product
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
func.func @not_a_product(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
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
    %p = arith.addf %a, %w : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x4xf32> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// The square of a weight is no weight.
// CHECK-LABEL: func @squared
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
func.func @squared(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
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
    %o = arith.mulf %w, %w : f32
    %p = arith.mulf %a, %o : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x4xf32> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Weights over the edges of another graph.
// CHECK-LABEL: func @other_graph
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
func.func @other_graph(%g: !gnn.graph<csr>, %h: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
    %k: tensor<?x2x4xf32>, %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %score = gnn.message %h dst(%q : tensor<?x2x4xf32>)
      src(%k : tensor<?x2x4xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %alpha = gnn.edge_softmax %h, %score : !gnn.graph<csr>, !gnn.edges<2xf32>
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

// A weighted value that is summed over features first.
// CHECK-LABEL: func @reduced_value
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
func.func @reduced_value(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
    %k: tensor<?x2x4xf32>, %v: tensor<?x2x4xf32>) -> tensor<?x2xf32> {
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
      {indexing_maps = [#hf, #h, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %w: f32, %sum: f32):
    %p = arith.mulf %a, %w : f32
    %r = arith.addf %p, %sum : f32
    gnn.yield %r : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

#h = affine_map<(h) -> (h)>
#n = affine_map<(h) -> ()>

// The weights alone tell how many heads there are.
// CHECK-LABEL: func @one_value_for_all_heads
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
func.func @one_value_for_all_heads(%g: !gnn.graph<csr>,
    %scores: !gnn.edges<6xf32>, %v: tensor<?xf32>) -> tensor<?x6xf32> {
  %alpha = gnn.edge_softmax %g, %scores : !gnn.graph<csr>, !gnn.edges<6xf32>
  %m = gnn.message %g src(%v : tensor<?xf32>) edge(%alpha : !gnn.edges<6xf32>)
      {indexing_maps = [#n, #h, #h], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32, %w: f32):
    %p = arith.mulf %a, %w : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// -----

#h = affine_map<(h) -> (h)>

// Attention has at least one head.
// CHECK-LABEL: func @no_heads
// CHECK-NOT: gnn.attention
// CHECK: gnn.edge_softmax
func.func @no_heads(%g: !gnn.graph<csr>, %scores: !gnn.edges<0xf32>,
                    %v: tensor<?x0xf32>) -> tensor<?x0xf32> {
  %alpha = gnn.edge_softmax %g, %scores : !gnn.graph<csr>, !gnn.edges<0xf32>
  %m = gnn.message %g src(%v : tensor<?x0xf32>)
      edge(%alpha : !gnn.edges<0xf32>)
      {indexing_maps = [#h, #h, #h], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<0xf32> {
  ^bb0(%a: f32, %w: f32):
    %p = arith.mulf %a, %w : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<0xf32> -> tensor<?x0xf32>
  return %y : tensor<?x0xf32>
}
