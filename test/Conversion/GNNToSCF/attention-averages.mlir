// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf="long-row-edges=64" --canonicalize --cse %s \
// RUN:   | FileCheck %s

// Scores that are weights need no maximum: rows have the sum of the weights and
// that of weighted values, in one loop over edges. States of long rows are added.

// CHECK-LABEL: func @average
// CHECK: %[[PARTS:.*]]:2 = scf.forall {{.*}} -> (tensor<?x2xf32>, tensor<?x2x4xf32>)
// CHECK: scf.forall
// CHECK: %[[OWN:.*]]:2 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[VALUES:.*]] = %{{.*}}) -> (tensor<2xf32>, tensor<2x4xf32>)
// CHECK: %[[WEIGHT:.*]] = linalg.generic
// CHECK-NOT: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[WEIGHT]] : {{.*}}) outs(%[[SUM]] :
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[WEIGHT]] : {{.*}}) outs(%[[VALUES]] :
// CHECK-NOT: arith.maximumf

// CHECK: scf.for %[[P:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %[[OWN]]#0, %[[VALUES:.*]] = %[[OWN]]#1)
// CHECK: %[[PARTSUM:.*]] = tensor.extract_slice %[[PARTS]]#0[%[[P]], 0]
// CHECK: %[[PARTVALUES:.*]] = tensor.extract_slice %[[PARTS]]#1[%[[P]], 0, 0]
// CHECK: linalg.generic {{.*}} ins(%[[PARTSUM]] : {{.*}}) outs(%[[SUM]] :
// CHECK: linalg.generic {{.*}} ins(%[[PARTVALUES]] : {{.*}}) outs(%[[VALUES]] :

// CHECK: arith.divf
#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>
func.func @average(%g: !gnn.graph<csr>, %a: tensor<?x2xf32>,
                   %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?x2xf32>) src(%a : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %s = arith.mulf %i, %j : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x4xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf, normalization = #gnn.normalization<sum>}
    : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
