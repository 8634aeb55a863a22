// RUN: gnn-opt --convert-gnn-to-linalg %s | FileCheck %s

// Tiles of all pairs carry maxima, which scores that are weights do not have:
// they are left for loops over rows.
// CHECK-LABEL: func @average
// CHECK: gnn.attention
#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>
func.func @average(%g: !gnn.graph<complete>, %a: tensor<?x2xf32>,
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
    : !gnn.graph<complete> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
