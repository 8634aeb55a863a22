// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf="attention-edges=1 long-row-edges=64" \
// RUN:   --canonicalize --cse %s | FileCheck %s

// Parts have a maximum, a sum and weighted values.
// CHECK-LABEL: func @attention
// CHECK: %[[PARTS:.*]]:3 = scf.forall {{.*}} -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x4xf32>)

// A row goes through its edges one by one, without a place for scores.
// CHECK: scf.forall
// CHECK: %[[OWN:.*]]:3 = scf.for {{.*}} iter_args(%[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}, %[[VALUES:.*]] = %{{.*}}) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>)
// CHECK-NOT: scf.for
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[STATE:.*]]:3 = linalg.generic {{.*}} outs(%[[MAX]], %[[SUM]], %{{.*}} :
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%[[STATE]]#2 : {{.*}}) outs(%[[VALUES]] :
// CHECK: %[[WEIGHT:.*]]:2 = linalg.generic {{.*}} outs(%[[STATE]]#1,
// CHECK: scf.yield %[[STATE]]#0, %[[WEIGHT]]#0,

// Then parts: the larger maximum, and both states scaled to it.
// CHECK: scf.for %[[P:.*]] = {{.*}} iter_args(%[[MAX:.*]] = %[[OWN]]#0, %[[SUM:.*]] = %[[OWN]]#1, %[[VALUES:.*]] = %[[OWN]]#2)
// CHECK: %[[PARTMAX:.*]] = tensor.extract_slice %[[PARTS]]#0[%[[P]], 0]
// CHECK: %[[PARTSUM:.*]] = tensor.extract_slice %[[PARTS]]#1[%[[P]], 0]
// CHECK: %[[PARTVALUES:.*]] = tensor.extract_slice %[[PARTS]]#2[%[[P]], 0, 0]
// CHECK: %[[MERGED:.*]]:4 = linalg.generic {{.*}} ins(%[[PARTMAX]], %[[PARTSUM]] : {{.*}}) outs(%[[MAX]], %[[SUM]],
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[PARTVALUES]], %[[MERGED]]#2, %[[MERGED]]#3 : {{.*}}) outs(%[[VALUES]] :
// CHECK: scf.yield %[[MERGED]]#0, %[[MERGED]]#1,
#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>
func.func @attention(%g: !gnn.graph<csr>, %a: tensor<?x2xf32>,
                     %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?x2xf32>) src(%a : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %s = arith.addf %i, %j : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x4xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf} : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
