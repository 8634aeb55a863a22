// RUN: gnn-opt --gnn-expand-graph-arguments %s \
// RUN:   --convert-gnn-to-linalg=attention-lanes=0 | FileCheck %s
// RUN: gnn-opt --gnn-expand-graph-arguments %s \
// RUN:   --convert-gnn-to-linalg="attention-lanes=0 attention-row-tile=8 attention-column-tile=16" \
// RUN:   | FileCheck %s --check-prefix=TILES

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Tiles of destinations in parallel, tiles of sources in a loop that carries
// maximum, sum and weighted sum: scores exist for one tile at a time.
// CHECK-LABEL: func @complete
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index, %{{.*}}: tensor<?x2x4xf32>)
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%[[D]]) step (32)
// CHECK: affine.min #{{.*}}(%[[I]], %[[D]])
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[S]] step %[[C64]] {{.*}} -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x4xf32>)
// CHECK: math.exp
// CHECK: scf.yield
// CHECK: arith.divf
// CHECK-NOT: gnn.attention

// TILES-LABEL: func @complete
// TILES: scf.forall (%{{.*}}) = (0) to (%{{.*}}) step (8)
func.func @complete(%g: !gnn.graph<complete>, %x: tensor<?x2x4xf32>)
    -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x2x4xf32>) src(%x : tensor<?x2x4xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x2x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h} : !gnn.graph<complete> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// Scores above the diagonal are -inf, and tiles that lie above it altogether are
// not visited.
// CHECK-LABEL: func @causal
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: scf.forall (%[[I:.*]]) = (0)
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK: %[[EDGE:.*]] = arith.cmpi sle
// CHECK: arith.select %[[EDGE]], %{{.*}}, %[[LOWEST]]
func.func @causal(%g: !gnn.graph<causal>, %s: tensor<?xf32>,
                  %x: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     value_iterators = [], weight_map = affine_map<() -> ()>}
    : !gnn.graph<causal> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
