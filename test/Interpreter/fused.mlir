// RUN: gnn-interpret %s --entry=message_aggregate | FileCheck %s --check-prefix=MESSAGE
// RUN: gnn-interpret %s --entry=attention | FileCheck %s --check-prefix=ATTENTION
// RUN: gnn-interpret %s --entry=masked | FileCheck %s --check-prefix=MASKED
// RUN: gnn-interpret %s --entry=causal | FileCheck %s --check-prefix=CAUSAL

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>
#scalar = affine_map<() -> ()>

// Edges 0 <- 1, 0 <- 2, 2 <- 0; node 1 receives nothing.
func.func private @graph() -> !gnn.graph<csr> {
  %rows = arith.constant dense<[0, 2, 2, 3]> : tensor<4xi32>
  %columns = arith.constant dense<[1, 2, 0]> : tensor<3xi32>
  %n = arith.constant 3 : index
  %r = tensor.cast %rows : tensor<4xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<3xi32> to tensor<?xi32>
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return %g : !gnn.graph<csr>
}

// Twice the source's features: node 0 receives 6 + 10 and 8 + 12.
// MESSAGE: result 0: tensor<3x2xf32> = {{\[\[}}16, 20], [0, 0], [2, 4]]
// MESSAGE: result 1: tensor<3x2xf32> = {{\[\[}}60, 96], [1, 1], [2, 4]]
func.func @message_aggregate() -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %g = call @graph() : () -> !gnn.graph<csr>
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]>
    : tensor<3x2xf32>
  %s = tensor.cast %x : tensor<3x2xf32> to tensor<?x2xf32>
  %two = arith.constant 2.0 : f32
  %y, %z = gnn.message_aggregate [sum, mul] %g src(%s : tensor<?x2xf32>)
      uniform(%two : f32)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x2xf32>, tensor<?x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  return %y, %z : tensor<?x2xf32>, tensor<?x2xf32>
}

// Two heads with one score each, two features per head. The scores of head 0 are
// 0 and log 3 at node 0, so weights are 1/4 and 3/4; those of head 1 are equal.
// Node 0, head 0: 1/4 (4, 8) + 3/4 (8, 16) = (7, 14); head 1: the mean of (1, 2)
// and (3, 6). Node 1 receives nothing, node 2 what node 0 has.
// ATTENTION: result 0: tensor<3x2x2xf32> =
// ATTENTION-SAME: {{\[\[\[}}7, 14], [2, 4]], {{\[\[}}0, 0], [0, 0]], {{\[\[}}-1, -2], [-3, -4]]]
func.func @attention() -> tensor<?x2x2xf32> {
  %g = call @graph() : () -> !gnn.graph<csr>
  %scores = arith.constant
    dense<[[5.0, 5.0], [0.0, 1.0], [1.0986122886681098, 1.0]]> : tensor<3x2xf32>
  %values = arith.constant
    dense<[[[-1.0, -2.0], [-3.0, -4.0]], [[4.0, 8.0], [1.0, 2.0]],
           [[8.0, 16.0], [3.0, 6.0]]]> : tensor<3x2x2xf32>
  %k = tensor.cast %scores : tensor<3x2xf32> to tensor<?x2xf32>
  %v = tensor.cast %values : tensor<3x2x2xf32> to tensor<?x2x2xf32>
  %y = gnn.attention %g
    score src(%k : tensor<?x2xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%v : tensor<?x2x2xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#id, #id], score_iterators = ["parallel"],
     value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
     value_iterators = ["parallel", "parallel"],
     weight_map = affine_map<(h, f) -> (h)>}
    : !gnn.graph<csr> -> tensor<?x2x2xf32>
  return %y : tensor<?x2x2xf32>
}

// Every score -inf: 0, even where a value is infinite. One score -inf: the other
// edge gets all the weight. A NaN score: NaN.
// MASKED: result 0: tensor<3xf32> = [0, 0, 0]
// MASKED: result 1: tensor<3xf32> = [6, 0, nan]
func.func @masked() -> (tensor<?xf32>, tensor<?xf32>) {
  %g = call @graph() : () -> !gnn.graph<csr>
  %all = arith.constant dense<0xFF800000> : tensor<3xf32>
  %some = arith.constant dense<[0x7FC00000, 0xFF800000, 3.0]> : tensor<3xf32>
  %infinite = arith.constant dense<0x7F800000> : tensor<3xf32>
  %finite = arith.constant dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  %ka = tensor.cast %all : tensor<3xf32> to tensor<?xf32>
  %ks = tensor.cast %some : tensor<3xf32> to tensor<?xf32>
  %vi = tensor.cast %infinite : tensor<3xf32> to tensor<?xf32>
  %vf = tensor.cast %finite : tensor<3xf32> to tensor<?xf32>
  %a = gnn.attention %g
    score src(%ka : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    value src(%vi : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    {score_maps = [#scalar, #scalar], score_iterators = [],
     value_maps = [#scalar, #scalar], value_iterators = [],
     weight_map = affine_map<() -> ()>}
    : !gnn.graph<csr> -> tensor<?xf32>
  %b = gnn.attention %g
    score src(%ks : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    value src(%vf : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    {score_maps = [#scalar, #scalar], score_iterators = [],
     value_maps = [#scalar, #scalar], value_iterators = [],
     weight_map = affine_map<() -> ()>}
    : !gnn.graph<csr> -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// The same computation on a causal graph: equal scores make running means.
// CAUSAL: result 0: tensor<3xf32> = [3, 6, 5]
func.func @causal() -> tensor<?xf32> {
  %three = arith.constant 3 : index
  %g = gnn.make_graph %three, %three : (index, index) -> !gnn.graph<causal>
  %x = arith.constant dense<[3.0, 9.0, 3.0]> : tensor<3xf32>
  %v = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %y = gnn.attention %g
    score {
      %zero = arith.constant 0.0 : f32
      gnn.yield %zero : f32
    }
    value src(%v : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    {score_maps = [#scalar], score_iterators = [],
     value_maps = [#scalar, #scalar], value_iterators = [],
     weight_map = affine_map<() -> ()>}
    : !gnn.graph<causal> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
