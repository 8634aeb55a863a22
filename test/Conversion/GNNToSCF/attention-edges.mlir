// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf \
// RUN:   --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf=attention-edges=4 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FOUR

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>

// Scores of up to 16 edges and their maximum, one factor for what was before,
// then weights and values.
// CHECK-LABEL: func @attention
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[END:.*]] step %[[C16]] iter_args(%[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>)
// CHECK: %[[NEXT:.*]] = arith.addi %[[P]], %[[C16]]
// CHECK: %[[LAST:.*]] = arith.minsi %[[NEXT]], %[[END]]
// CHECK: %[[SCORES:.*]] = tensor.empty() : tensor<16x2xf32>
// CHECK: %[[FIRST:.*]]:2 = scf.for %[[E:.*]] = %[[P]] to %[[LAST]] {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[SCORES]])
// CHECK-NOT: math.exp
// CHECK: arith.maximumf
// CHECK: %[[SLOT:.*]] = arith.subi %[[E]], %[[P]]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[SLOT]], 0] [1, 2] [1, 1]
// CHECK: %[[STATE:.*]]:3 = linalg.generic {{.*}} ins(%[[FIRST]]#0 : {{.*}} outs(%[[MAX]], %[[SUM]],
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} outs(%[[ACC]] :
// CHECK: scf.for %{{.*}} = %[[P]] to %[[LAST]] {{.*}} iter_args(%{{.*}} = %[[STATE]]#1,
// CHECK: tensor.extract_slice %[[FIRST]]#1
// CHECK: math.exp
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK-NEXT: arith.addf %[[PRODUCT]], %{{.*}} fastmath<contract>
// CHECK: scf.yield %[[STATE]]#0,
// CHECK-NOT: math.exp

// One division for each head.
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4xf32>)
// CHECK: arith.mulf
// CHECK-NOT: arith.divf

// FOUR-LABEL: func @attention
// FOUR: tensor.empty() : tensor<4x2xf32>
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

// -----

#h = affine_map<(h) -> (h)>

// 64 scores of an edge fill 256 bytes, a quarter of what there may be.
// CHECK-LABEL: func @many_heads
// CHECK: tensor.empty() : tensor<4x64xf32>
// FOUR-LABEL: func @many_heads
// FOUR: tensor.empty() : tensor<4x64xf32>
func.func @many_heads(%g: !gnn.graph<csr>, %a: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %y = gnn.attention %g
    score src(%a : tensor<?x64xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    value src(%a : tensor<?x64xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h} : !gnn.graph<csr> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
