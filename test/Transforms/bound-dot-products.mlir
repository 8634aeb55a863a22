// RUN: gnn-opt --gnn-bound-dot-products %s | FileCheck %s
// RUN: gnn-opt --gnn-bound-dot-products=max-score=10 %s \
// RUN:   | FileCheck %s --check-prefix=OPTION

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>

// The square of the longest row of each head, of queries and of keys.
// CHECK-LABEL: func @attention
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<complete>, %[[Q:.*]]: tensor<?x2x8xf32>, %[[K:.*]]: tensor<?x2x8xf32>, %[[V:.*]]: tensor<?x2x8xf32>)
// CHECK: %[[SQUARES:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[Q]] : {{.*}}) outs(%{{.*}} : tensor<?x2xf32>)
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X:.*]], %[[X]] : f32
// CHECK: arith.addf %{{.*}}, %[[SQUARE]]
// CHECK: %[[LONGEST:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[SQUARES]] : {{.*}}) outs(%{{.*}} : tensor<2xf32>)
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%[[K]] :
// CHECK: %[[LONGESTKEY:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]}
// CHECK: %[[PRODUCTS:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[LONGEST]], %[[LONGESTKEY]] :
// CHECK: %[[PRODUCT:.*]] = tensor.extract %[[PRODUCTS]][]
// CHECK: %[[LIMIT:.*]] = arith.constant 9.000000e+02 : f32
// OPTION: arith.constant 1.000000e+02 : f32
// CHECK: %[[SMALL:.*]] = arith.cmpf ole, %[[PRODUCT]], %[[LIMIT]]
// CHECK: %[[Y:.*]] = gnn.attention %[[G]] score dst(%[[Q]] : {{.*}}) src(%[[K]] :
// CHECK: } bounded(%[[SMALL]]) {
// CHECK: return %[[Y]]
func.func @attention(%g: !gnn.graph<complete>, %q: tensor<?x2x8xf32>,
                     %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>)
    -> tensor<?x2x8xf32> {
  %y = gnn.attention %g
    score dst(%q : tensor<?x2x8xf32>) src(%k : tensor<?x2x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #hofhf],
     score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf} : !gnn.graph<complete> -> tensor<?x2x8xf32>
  return %y : tensor<?x2x8xf32>
}

// Rows that are both are looked at once.
// CHECK-LABEL: func @same_rows
// CHECK: %[[LENGTHS:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]}
// CHECK: linalg.generic {{.*}} ins(%[[LENGTHS]], %[[LENGTHS]] :
// CHECK: bounded(
func.func @same_rows(%g: !gnn.graph<causal>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %b, %a : f32
      %s = arith.addf %p, %sum : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#h, #h, affine_map<(f) -> ()>],
     score_iterators = ["reduction"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = affine_map<(f) -> ()>}
    : !gnn.graph<causal> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
