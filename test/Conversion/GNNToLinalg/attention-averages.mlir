// RUN: gnn-opt --convert-gnn-to-linalg %s | FileCheck %s

// Scores that are weights: no maximum is carried, and nothing is corrected by one.

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>

// CHECK-LABEL: func @average
// CHECK: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK: scf.forall
// CHECK-DAG: %[[SUM0:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<64xf32>)
// CHECK-DAG: %[[ROWS0:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<4x64xf32>)
// CHECK: %[[STATE:.*]]:2 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[SUM0]], %[[ROWS:.*]] = %[[ROWS0]])
// CHECK-NOT: maximumf
// CHECK-NOT: math.exp
// Of pairs that are no edges the weight is 0.
// CHECK: %[[SCORES:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<?xf32>)
// CHECK: %[[MASKED:.*]] = linalg.generic
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[ZERO]] : f32
// CHECK: %[[WEIGHTS:.*]] = tensor.insert_slice %[[MASKED]] into %[[SCORES]]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[WEIGHTS]] : {{.*}}) outs(%[[SUM]] :
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[WEIGHTS]], {{.*}}) outs(%[[ROWS]] :
// CHECK: scf.yield
// CHECK: linalg.generic {{.*}} ins(%[[STATE]]#0 : tensor<64xf32>)
// CHECK: arith.divf
func.func @average(%g: !gnn.graph<causal>, %a: tensor<?x2xf32>,
                   %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score src(%a : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    value src(%v : tensor<?x2x4xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf, normalization = #gnn.normalization<sum>}
    : !gnn.graph<causal> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
