// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf \
// RUN:   --split-input-file %s | FileCheck %s

// A message fills the part of the edge tensor that belongs to a row.
// CHECK-LABEL: func @message
// CHECK-SAME: (%{{.*}}: tensor<?xi32>, %[[COLUMNS:.*]]: tensor<?xi32>, %{{.*}}: index, %[[X:.*]]: tensor<?xf32>)
// CHECK: %[[EMPTY:.*]] = tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK: scf.forall (%{{.*}}) in (%{{.*}}) shared_outs(%[[OUT:.*]] = %[[EMPTY]])
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[OUT]][%[[BEGIN:.*]]] [%[[SIZE:.*]]] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[PART]])
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[BEGIN]]] [%[[SIZE]]] [1]
func.func @message(%g: !gnn.graph<csr>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %m = gnn.message %g dst(%x : tensor<?xf32>) src(%x : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    gnn.yield %s : f32
  }
  %y = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Two passes over the edges of a row: maximum and sum, then the weights. A row
// masked altogether is shifted by 0, so that -inf minus -inf does not occur.
// CHECK-LABEL: func @softmax
// CHECK: scf.forall
// CHECK: %[[STATISTICS:.*]]:2 = scf.for {{.*}} -> (tensor<2xf32>, tensor<2xf32>)
// CHECK: %[[M:.*]] = arith.maximumf
// CHECK: %[[MASKED:.*]] = arith.cmpf oeq, %[[M]], %{{.*}} : f32
// CHECK: arith.select %[[MASKED]], %{{.*}}, %[[M]]
// CHECK-COUNT-2: math.exp
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[STATISTICS]]#0, %[[STATISTICS]]#1
// CHECK: math.exp
// CHECK: arith.divf
// CHECK-NOT: gnn.edge_softmax
func.func @softmax(%g: !gnn.graph<csr>, %t: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %s = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %w = gnn.edge_softmax %g, %s : !gnn.graph<csr>, !gnn.edges<2xf32>
  %y = gnn.edges_to_tensor %g, %w
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Attention is one pass: the loop carries maximum, sum and weighted sum, and no
// tensor of edges is made.
// CHECK-LABEL: func @attention
// CHECK-SAME: (%{{.*}}: tensor<?xi32>, %{{.*}}: tensor<?xi32>, %{{.*}}: index, %[[Q:.*]]: tensor<?x2x4xf32>, %[[V:.*]]: tensor<?x2x4xf32>)
// CHECK: %[[OUT:.*]] = tensor.empty(%{{.*}}) : tensor<?x2x4xf32>
// CHECK-NOT: tensor.empty(%
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %[[OUT]])
// CHECK-NOT: tensor.empty(%
// CHECK: scf.for {{.*}} -> (tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>)
// CHECK-NOT: tensor.empty(%
// CHECK: scf.forall.in_parallel
func.func @attention(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
                     %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%q : tensor<?x2x4xf32>) src(%q : tensor<?x2x4xf32>) {
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
     weight_map = #h} : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

// gnn.index is the number of the row and of the column.
// CHECK-LABEL: func @indices
// CHECK: scf.forall (%[[I:.*]]) in
// CHECK: scf.for %[[E:[^ ]*]] =
// CHECK: %[[C:.*]] = tensor.extract %{{.*}}[%[[E]]] : tensor<?xi32>
// CHECK-NEXT: %[[J:.*]] = arith.index_cast %[[C]] : i32 to index
// CHECK: arith.cmpi ult, %[[J]], %[[I]]
func.func @indices(%g: !gnn.graph<csr>) -> tensor<?xi1> {
  %m = gnn.message %g {indexing_maps = [affine_map<() -> ()>],
                       iterator_types = []}
      : !gnn.graph<csr> -> !gnn.edges<i1> {
    %i = gnn.index dst
    %j = gnn.index src
    %0 = arith.cmpi ult, %j, %i : index
    gnn.yield %0 : i1
  }
  %y = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<i1> -> tensor<?xi1>
  return %y : tensor<?xi1>
}
