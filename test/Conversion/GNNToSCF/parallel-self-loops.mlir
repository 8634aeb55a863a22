// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf=parallel-graphs %s | FileCheck %s

// What is left of each row is counted, loops left out by a comparison and one more
// for each row; sums of 64 counts tell where rows begin; then rows are copied side
// by side, with a loop at the end of each.
// CHECK-LABEL: func @replace
// CHECK: %[[COUNTS:.*]] = scf.forall (%[[I:.*]]) in
// CHECK: scf.for
// CHECK: arith.cmpi ne, %{{.*}}, %[[I]] : index
// CHECK: %[[SUMS:.*]] = scf.forall (%[[R:.*]]) in
// CHECK: %[[FIRST:.*]] = arith.muli %[[R]], %c64
// CHECK: scf.for %{{.*}} = %[[FIRST]] to
// CHECK: tensor.extract %[[COUNTS]]
// CHECK: %[[MORE:.*]] = scf.forall
// CHECK: tensor.extract %[[SUMS]]
// CHECK: %[[FIRST:.*]]:2 = scf.for
// CHECK: tensor.extract %[[MORE]]
// CHECK: %[[STARTS:.*]] = scf.forall (%{{.*}}) = (0) to (%{{.*}}) step (64)
// CHECK: tensor.extract %[[FIRST]]#0
// CHECK: %[[ROWS:.*]] = scf.forall (%{{.*}}) = (0) to (%{{.*}}) step (64)
// CHECK: tensor.extract %[[STARTS]]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[FIRST]]#1) : tensor<?xi32>
// CHECK: scf.forall (%[[J:.*]]) in {{.*}} shared_outs(%[[OUT:.*]] = %[[EMPTY]],
// CHECK: tensor.extract %[[ROWS]][%[[J]]]
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: tensor.extract_slice %[[OUT]][%[[BEGIN]]]
// CHECK: %[[LOOP:.*]] = arith.cmpi eq, %{{.*}}, %[[J]] : index
// CHECK: scf.if %[[LOOP]]
// CHECK: %[[OWN:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK: tensor.insert %[[OWN]] into
func.func @replace(%g: !gnn.graph<csr>, %t: tensor<?xf32>, %f: tensor<?xf32>)
    -> tensor<?xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %h, %u = gnn.add_self_loops replace %g edges(%w : !gnn.edges<f32>)
    fill(%f : tensor<?xf32>) : !gnn.graph<csr> -> !gnn.graph<csr>,
    !gnn.edges<f32>
  %y = gnn.edges_to_tensor %h, %u
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
