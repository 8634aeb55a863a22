// RUN: gnn-opt --convert-gnn-to-linalg %s | FileCheck %s

// Where scores are bounded, their exponentials are the weights and nothing is
// corrected; the products are the same. Pairs that are no edges are masked before a
// maximum, or after the exponentials.

#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// CHECK-LABEL: func @attention
// CHECK-SAME: %[[BOUNDED:[^:]*]]: i1
// CHECK: scf.for {{.*}} iter_args(%[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}, %[[ROWS:.*]] = %{{.*}})
// CHECK: %[[SCORES:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: %[[NEXT:.*]]:4 = scf.if %[[BOUNDED]]
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}} outs(%[[SCORES]] :
// CHECK: math.exp %{{.*}} {gnn.bounded}
// CHECK: %[[MASKED:.*]] = linalg.generic
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: %[[WEIGHTS:.*]] = tensor.insert_slice %[[MASKED]] into %[[EXP]]
// CHECK: %[[ADDED:.*]] = linalg.generic {{.*}} ins(%[[WEIGHTS]] : {{.*}}) outs(%[[SUM]] :
// CHECK: scf.yield %[[MAX]], %[[ADDED]], %[[ROWS]], %[[WEIGHTS]]
// CHECK: } else {
// CHECK: arith.maximumf
// CHECK: math.exp %{{.*}} {gnn.never_positive}
// CHECK: scf.yield
// CHECK: linalg.generic {{.*}} ins(%[[NEXT]]#3, {{.*}}) outs(%[[NEXT]]#2 :
// CHECK: scf.yield %[[NEXT]]#0, %[[NEXT]]#1, %{{.*}} :
func.func @attention(%bounded: i1, %g: !gnn.graph<causal>, %x: tensor<?x8xf32>)
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
    bounded(%bounded)
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<causal> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
