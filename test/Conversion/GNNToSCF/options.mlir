// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf %s \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf=feature-tile=32 %s \
// RUN:   | FileCheck %s --check-prefix=TILED
// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf="feature-tile=32 parallel-edges" %s \
// RUN:   | FileCheck %s --check-prefix=SIDES

// 80 features are accumulated at once, or as two tiles of 32 in a loop and a
// rest of 16.
// WHOLE-LABEL: func @wide
// WHOLE: scf.for {{.*}} -> (tensor<80xf32>)
// WHOLE-NOT: scf.for %
// WHOLE: return

// TILED-LABEL: func @wide
// TILED: %[[C64:.*]] = arith.constant 64 : index
// TILED: scf.for %[[F:.*]] = %{{.*}} to %[[C64]] step %{{.*}} -> (tensor<80xf32>)
// TILED: scf.for {{.*}} -> (tensor<32xf32>)
// TILED: tensor.extract_slice %{{.*}}[%{{.*}}, %[[F]]] [1, 32] [1, 1]
// TILED: tensor.insert_slice %{{.*}} into %{{.*}}[%[[F]]] [32] [1]
// TILED: scf.for {{.*}} -> (tensor<16xf32>)
// TILED: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}] [16] [1]

// The tiles of a row side by side, and the rests of all rows after them.
// SIDES-LABEL: func @wide
// SIDES: %[[TILES:.*]] = scf.forall (%[[I:.*]], %[[T:.*]]) in (%{{.*}}, 2) shared_outs(%[[OUT:.*]] = %{{.*}})
// SIDES: %[[F:.*]] = arith.muli %[[T]],
// SIDES: %[[SUM:.*]] = scf.for {{.*}} -> (tensor<32xf32>)
// SIDES: tensor.extract_slice %{{.*}}[%{{.*}}, %[[F]]] [1, 32] [1, 1]
// SIDES: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[I]], %[[F]]] [1, 32] [1, 1]
// SIDES: scf.forall (%{{.*}}) in {{.*}} shared_outs(%{{.*}} = %[[TILES]])
// SIDES: scf.for {{.*}} -> (tensor<16xf32>)
// SIDES: tensor.parallel_insert_slice {{.*}} [1, 16] [1, 1]
func.func @wide(%g: !gnn.graph<csr>, %x: tensor<?x80xf32>)
    -> tensor<?x80xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x80xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> tensor<?x80xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x80xf32>
}

// Rows of five parts of 75 features are two tiles, each of whole registers if it
// is not the last.
// WHOLE-LABEL: func @parts
// WHOLE: scf.for {{.*}} -> (tensor<5x48xf32>)
// WHOLE: scf.for {{.*}} -> (tensor<5x27xf32>)
func.func @parts(%g: !gnn.graph<csr>, %x: tensor<?x5x75xf32>)
    -> tensor<?x5x75xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x5x75xf32>)
      {indexing_maps = [affine_map<(t, f) -> (t, f)>, affine_map<(t, f) -> (t, f)>],
       iterator_types = ["parallel", "parallel"]} : !gnn.graph<csr> -> tensor<?x5x75xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x5x75xf32>
}
