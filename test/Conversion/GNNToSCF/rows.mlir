// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf \
// RUN:   --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>

// A destination's row is made by one iteration of the parallel loop, from its
// in-edges in order; the source of an edge is read from the column indices.
// CHECK-LABEL: func @csr
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>, %[[COLUMNS:.*]]: tensor<?xi32>, %[[N:.*]]: index, %[[X:.*]]: tensor<?x4xf32>)
// CHECK-NOT: gnn.message_aggregate
// CHECK: %[[Y:.*]] = scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x4xf32>)
// CHECK: %[[SUM:.*]] = scf.for %[[E:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<4xf32>)
// CHECK: tensor.extract %{{.*}}[%[[E]]] : tensor<?xi32>
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]][%{{.*}}, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[ROW]] : tensor<4xf32>)
// CHECK: linalg.generic {{.*}} outs(%[[ACC]] : tensor<4xf32>)
// CHECK: scf.yield
// CHECK: scf.forall.in_parallel
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[I]], 0] [1, 4] [1, 1]
// CHECK: return %[[Y]]
func.func @csr(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// On a topology whose rows are ranges the loop variable is the source.
// CHECK-LABEL: func @causal
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index, %[[X:.*]]: tensor<?x4xf32>)
// CHECK: scf.forall (%[[I:.*]]) in (%[[D]])
// CHECK: %[[END:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[END]]
// CHECK-NOT: tensor.extract %
// CHECK: tensor.extract_slice %[[X]][%[[J]], 0] [1, 4]
func.func @causal(%g: !gnn.graph<causal>, %x: tensor<?x4xf32>)
    -> tensor<?x4xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<causal> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Aggregators share what they accumulate: sum, mean, var and std need a sum and
// a sum of squares, which one loop carries.
// CHECK-LABEL: func @several
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NOT: scf.for
// CHECK: math.sqrt
// CHECK: scf.forall.in_parallel
// CHECK-COUNT-4: tensor.parallel_insert_slice
func.func @several(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %y:4 = gnn.message_aggregate [sum, mean, var, std] %g
      src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>,
        tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y#0, %y#1, %y#2, %y#3
    : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// An empty neighbourhood has a maximum of 0.
// CHECK-LABEL: func @empty_maximum
// CHECK: arith.maximumf
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq
// CHECK: arith.select %[[EMPTY]], %{{.*}}, %{{.*}} : f32
func.func @empty_maximum(%g: !gnn.graph<csr>, %x: tensor<?xf32>)
    -> tensor<?xf32> {
  %y = gnn.message_aggregate [max] %g src(%x : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> tensor<?xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?xf32>
}
