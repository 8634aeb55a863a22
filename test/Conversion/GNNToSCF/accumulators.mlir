// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf="gathered-elements=64 ordered-elements=128" \
// RUN:   --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=ANY
// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf="gathered-elements=64 long-row-edges=8" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=PARTS

#f = affine_map<(f) -> (f)>

// Of rows at places that edges name, 64 features are added up at once, and 32 where
// there is a maximum, beside which NaN are looked for.
// CHECK-LABEL: func @gathered
// CHECK: scf.for {{.*}} -> (tensor<64xf32>)
// CHECK: scf.forall
// CHECK: scf.for {{.*}} -> (tensor<32xf32>)
// ANY-LABEL: func @gathered
// ANY: scf.for {{.*}} -> (tensor<192xf32>)
// ANY: scf.for {{.*}} -> (tensor<192xf32>)
// Tiles are not divided into parts of edges, so that rows stay whole.
// PARTS-LABEL: func @gathered
// PARTS: scf.for {{.*}} -> (tensor<192xf32>)
func.func @gathered(%g: !gnn.graph<csr>, %x: tensor<?x192xf32>)
    -> (tensor<?x192xf32>, tensor<?x192xf32>) {
  %y = gnn.message_aggregate [mean] %g src(%x : tensor<?x192xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x192xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %z = gnn.message_aggregate [max] %g src(%x : tensor<?x192xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x192xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y, %z : tensor<?x192xf32>, tensor<?x192xf32>
}

// -----

#f = affine_map<(f) -> (f)>

// Rows of edges are read one after the other: sums of 1,024 features are whole.
// CHECK-LABEL: func @edges
// CHECK: scf.for {{.*}} -> (tensor<1024xf32>)
// ANY-LABEL: func @edges
// ANY: scf.for {{.*}} -> (tensor<256xf32>)
func.func @edges(%g: !gnn.graph<csr>, %e: !gnn.edges<1024xf32>)
    -> tensor<?x1024xf32> {
  %y = gnn.message_aggregate [sum] %g edge(%e : !gnn.edges<1024xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x1024xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x1024xf32>
}

// -----

#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// So are those of a graph's nodes, also with a weight, but not with an exponential:
// registers are for its steps. More than a maximum of 128 features is not, either.
// CHECK-LABEL: func @readouts
// CHECK: scf.for {{.*}} -> (tensor<300xf32>)
// CHECK: scf.forall
// CHECK: scf.for {{.*}} -> (tensor<160xf32>)
// CHECK: scf.for {{.*}} -> (tensor<140xf32>)
// CHECK: scf.forall
// CHECK: scf.for {{.*}} -> (tensor<160xf32>)
func.func @readouts(%g: !gnn.graph<block_diagonal, bipartite>,
                    %x: tensor<?x300xf32>, %w: tensor<?xf32>)
    -> (tensor<?x300xf32>, tensor<?x300xf32>, tensor<?x300xf32>) {
  %y = gnn.message_aggregate [sum] %g
      src(%x, %w : tensor<?x300xf32>, tensor<?xf32>)
      {indexing_maps = [#f, #none, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x300xf32> {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %c = arith.addf %b, %one : f32
    %d = arith.mulf %a, %c : f32
    gnn.yield %d : f32
  }
  %z = gnn.message_aggregate [sum] %g src(%x : tensor<?x300xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x300xf32> {
  ^bb0(%a: f32):
    %b = math.exp %a : f32
    gnn.yield %b : f32
  }
  %m = gnn.message_aggregate [max] %g src(%x : tensor<?x300xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x300xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y, %z, %m : tensor<?x300xf32>, tensor<?x300xf32>, tensor<?x300xf32>
}
