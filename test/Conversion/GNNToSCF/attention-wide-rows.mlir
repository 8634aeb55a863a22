// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf=vector-width=16 --split-input-file %s \
// RUN:   | FileCheck %s

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Scores and values are made of the same rows of 512 bytes, of which 32 are
// 16 KiB. Where eight rows have more edges, fewer rows are taken at a time; not
// so if all sources' rows together have less than 4 MiB.
// CHECK-LABEL: func @again
// CHECK-SAME: %{{.*}}: tensor<?xi32>, %{{.*}}: tensor<?xi32>, %[[SOURCES:[a-z0-9]+]]: index
// CHECK: %[[LARGE:.*]] = arith.cmpi uge, %[[SOURCES]], %c8192
// CHECK: %[[FEW:.*]] = arith.select %[[LARGE]], %c32{{.*}}, %c256
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%{{.*}}) step (8)
// CHECK: %[[LASTROW:.*]] = arith.minsi
// CHECK: arith.subi %[[LASTROW]], %[[I]]
// CHECK: %[[COUNT:.*]] = arith.subi
// CHECK: %[[MANY:.*]] = arith.cmpi sgt, %[[COUNT]], %[[FEW]]
// CHECK: %[[FEW2:.*]] = arith.addi %[[FEW]], %[[FEW]]
// CHECK: %[[SIZE8:.*]] = arith.select %[[MANY]], %c4{{.*}}, %c8
// CHECK: %[[MORE:.*]] = arith.cmpi sgt, %[[COUNT]], %[[FEW2]]
// CHECK: %[[FEW4:.*]] = arith.addi %[[FEW2]], %[[FEW2]]
// CHECK: %[[SIZE4:.*]] = arith.select %[[MORE]], %c2{{.*}}, %[[SIZE8]]
// CHECK: %[[MOST:.*]] = arith.cmpi sgt, %[[COUNT]], %[[FEW4]]
// CHECK: %[[SIZE:.*]] = arith.select %[[MOST]], %c1{{.*}}, %[[SIZE4]]
// CHECK: scf.for %[[FIRST:.*]] = %[[I]] to %[[LASTROW]] step %[[SIZE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[SIZE]]
// CHECK: %[[LAST:.*]] = arith.minsi %[[NEXT]], %[[LASTROW]]
// CHECK: %[[SHORT:.*]] = arith.cmpi sle, %{{.*}}, %[[FEW]]
// CHECK: arith.select %[[SHORT]], %[[LAST]], %[[FIRST]]

// Rows are written where they are among the eight.
// CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to
// CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to
// CHECK: arith.subi %[[ROW]], %[[I]]
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %[[LAST]]
// CHECK: arith.subi %[[ROW]], %[[I]]
func.func @again(%g: !gnn.graph<csr>, %q: tensor<?x4x32xf32>,
                 %k: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
  %y = gnn.attention %g
    score dst(%q : tensor<?x4x32xf32>) src(%k : tensor<?x4x32xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%k : tensor<?x4x32xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h} : !gnn.graph<csr> -> tensor<?x4x32xf32>
  return %y : tensor<?x4x32xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Values of other rows.
// CHECK-LABEL: func @other
// CHECK-NOT: %c32
// CHECK: arith.cmpi sle, %{{.*}}, %c256
// CHECK-NOT: %c32
// CHECK: return
func.func @other(%g: !gnn.graph<csr>, %q: tensor<?x4x32xf32>,
                 %k: tensor<?x4x32xf32>, %v: tensor<?x4x32xf32>)
    -> tensor<?x4x32xf32> {
  %y = gnn.attention %g
    score dst(%q : tensor<?x4x32xf32>) src(%k : tensor<?x4x32xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x4x32xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h} : !gnn.graph<csr> -> tensor<?x4x32xf32>
  return %y : tensor<?x4x32xf32>
}
