// RUN: gnn-opt --gnn-bound-dot-products %s | FileCheck %s

// CHECK-NOT: bounded(

#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// Listed edges may be few for each row.
// CHECK-LABEL: func @listed_edges
func.func @listed_edges(%g: !gnn.graph<csr>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<csr> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Windows may be narrow.
// CHECK-LABEL: func @window
func.func @window(%g: !gnn.graph<window<8>>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<window<8>> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// So may graphs of a batch be.
// CHECK-LABEL: func @batch
func.func @batch(%g: !gnn.graph<block_diagonal>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<block_diagonal> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// What follows the product may be of any size.
// CHECK-LABEL: func @finished
func.func @finished(%g: !gnn.graph<complete>, %x: tensor<?x8xf32>, %c: f32)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>)
          uniform(%c : f32) {
    ^bb0(%a: f32, %b: f32, %scale: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      %r = gnn.reduced %s : f32
      %t = arith.mulf %r, %scale : f32
      gnn.yield %t : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<complete> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// No dot product.
// CHECK-LABEL: func @sums
func.func @sums(%g: !gnn.graph<complete>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %a : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<complete> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
