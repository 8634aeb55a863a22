// RUN: gnn-opt --split-input-file %s --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-linalg="attention-narrow-lanes=16 attention-segment-iterations=32" \
// RUN:   | FileCheck %s

// Few segments and heads are shared out to several iterations: whole tiles of what the
// largest segment has, so that there are 32 of them.

#h = affine_map<(h) -> (h)>

// CHECK-LABEL: func @shares
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>, %[[SOURCES:.*]]: tensor<?xi32>
// CHECK: %[[MOST:.*]] = scf.for %[[I:.*]] = %c0{{.*}} iter_args(%[[SO_FAR:.*]] = %c0{{.*}})
// CHECK: tensor.extract %[[ROWS]][%[[I]]]
// CHECK: %[[NUMBER:.*]] = arith.subi
// CHECK: %[[LARGER:.*]] = arith.maxui %[[SO_FAR]], %[[NUMBER]]
// CHECK: scf.yield %[[LARGER]]
// CHECK: %[[ITERATIONS:.*]] = arith.muli %{{.*}}, %c4
// CHECK: %[[LEAST:.*]] = arith.maxui %[[ITERATIONS]]
// CHECK: %[[WANTED:.*]] = arith.divui %c32{{.*}}, %[[LEAST]]
// CHECK: %[[SHARES:.*]] = arith.maxui %[[WANTED]]
// CHECK: %[[EACH:.*]] = arith.ceildivui %[[MOST]], %[[SHARES]]
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[EACH]], %c16
// CHECK: %[[SOME:.*]] = arith.maxui %[[TILES]]
// CHECK: %[[OF_SHARE:.*]] = arith.muli %[[SOME]], %c16
// CHECK: %[[ALL:.*]] = arith.ceildivui %[[MOST]], %[[OF_SHARE]]
// CHECK: scf.forall (%[[SEGMENT:.*]], %[[HEAD:.*]], %[[SHARE:.*]]) in (%{{.*}}, 4, %[[ALL]])
// CHECK: tensor.extract %[[ROWS]][%[[SEGMENT]]]
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: tensor.extract %[[ROWS]]
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: %[[BEFORE:.*]] = arith.muli %[[SHARE]], %[[OF_SHARE]]
// CHECK: %[[BEHIND:.*]] = arith.addi %[[BEGIN]], %[[BEFORE]]
// CHECK: %[[FIRST:.*]] = arith.minui %[[BEHIND]], %[[END]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[OF_SHARE]]
// CHECK: %[[LAST:.*]] = arith.minui %[[NEXT]], %[[END]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step %c16
// CHECK: tensor.parallel_insert_slice %{{.*}}[%[[FIRST]], %[[HEAD]]]
func.func @shares(%g: !gnn.graph<block_diagonal>, %s: tensor<?x4xf32>,
                  %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"], weight_map = #h}
    : !gnn.graph<block_diagonal> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#h = affine_map<(h) -> (h)>

// Other graphs have tiles enough.
// CHECK-LABEL: func @complete
// CHECK: scf.forall (%{{.*}}, %{{.*}}) =
func.func @complete(%g: !gnn.graph<complete>, %s: tensor<?x4xf32>,
                    %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"], weight_map = #h}
    : !gnn.graph<complete> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
