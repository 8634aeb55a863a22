// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-linalg %s \
// RUN:   | FileCheck %s
// RUN: gnn-opt --gnn-expand-graph-arguments %s \
// RUN:   --convert-gnn-to-linalg="attention-narrow-lanes=16 attention-window-lanes=32" \
// RUN:   | FileCheck %s --check-prefix=NARROW

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#none = affine_map<() -> ()>
#f = affine_map<(f) -> (f)>
#row = affine_map<(f) -> ()>

// Of segments heads are inside, because lines of rows have several of them.
// CHECK-LABEL: func @heads_of_segments
// CHECK: scf.forall (%[[SEGMENT:.*]], %[[H:.*]]) in (%{{.*}}, 2) shared_outs(%[[OUT:.*]] =
// CHECK: tensor.extract_slice %{{.*}}[0, %[[H]], 0]
// CHECK: tensor.extract %{{.*}}[%[[SEGMENT]]]
// CHECK: scf.for %{{.*}} step %c64
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%{{.*}}, %[[H]], 0]
// With lanes of their own, tiles of segments have as many rows.
// NARROW-LABEL: func @heads_of_segments
// NARROW: scf.forall
// NARROW: scf.for %{{.*}} step %c16
// NARROW: linalg.generic {{.*}} tensor<?x16xf32>
func.func @heads_of_segments(%g: !gnn.graph<block_diagonal>,
                             %q: tensor<?x2x4xf32>, %k: tensor<?x2x4xf32>,
                             %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%q : tensor<?x2x4xf32>) src(%k : tensor<?x2x4xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<block_diagonal> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// So have those of windows, and tiles of all pairs as before.
// NARROW-LABEL: func @window
// NARROW: scf.forall {{.*}} step (16)
// Windows of four times as many nodes have wider ones.
// NARROW-LABEL: func @wide_window
// NARROW: scf.forall {{.*}} step (32)
// NARROW-LABEL: func @pairs
// NARROW: scf.forall {{.*}} step (64)
func.func @window(%g: !gnn.graph<window<8>>, %s: tensor<?xf32>,
                  %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #row}
    : !gnn.graph<window<8>> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

func.func @wide_window(%g: !gnn.graph<window<128>>, %s: tensor<?xf32>,
                  %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #row}
    : !gnn.graph<window<128>> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

func.func @pairs(%g: !gnn.graph<complete>, %s: tensor<?xf32>,
                 %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #row}
    : !gnn.graph<complete> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
