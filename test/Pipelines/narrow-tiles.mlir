// Tiles of windows are narrow, those of rounded products as wide as a tile of these,
// and those of all pairs wide.
// DEFINE: %{compile} = gnn-compile %s --target=x86_64-linux-gnu --target-cpu=x86-64-v4 \
// DEFINE:   --emit=linalg -o -
// RUN: %{compile} | FileCheck %s
// RUN: %{compile} --precision=bf16 | FileCheck %s --check-prefix=ROUNDED
// RUN: %{compile} --narrow-tiles=false | FileCheck %s --check-prefix=WIDE

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// CHECK-LABEL: func.func @window
// CHECK: scf.forall {{.*}} step (1, 16)
// ROUNDED-LABEL: func.func @window
// ROUNDED: scf.forall {{.*}} step (1, 32)
// WIDE-LABEL: func.func @window
// WIDE: scf.forall {{.*}} step (1, 64)
func.func @window(%g: !gnn.graph<window<4>>, %q: tensor<?x2x4xf32> {gnn.name = "q"},
                  %k: tensor<?x2x4xf32> {gnn.name = "k"},
                  %v: tensor<?x2x4xf32> {gnn.name = "v"}) -> tensor<?x2x4xf32> {
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
    : !gnn.graph<window<4>> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
