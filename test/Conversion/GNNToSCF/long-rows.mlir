// RUN: gnn-opt --convert-gnn-to-scf="attention-edges=1 long-row-edges=64" \
// RUN:   --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: gnn-opt --convert-gnn-to-scf="attention-edges=1" --canonicalize --cse \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=WHOLE

// Parts, each of 64 edges, and the row that its first edge is in; a part that is
// not all of that row's has no edges.
// CHECK-LABEL: func @sum
// CHECK: %[[GRAPH:.*]]:3 = gnn.graph_parts
// CHECK: %[[ALL:.*]] = arith.divui %{{.*}}, %c64
// CHECK: %[[ENOUGH:.*]] = arith.cmpi uge, %[[ALL]], %c16
// CHECK: %[[COUNT:.*]] = arith.select %[[ENOUGH]], %[[ALL]], %c0
// CHECK: %[[PARTS:.*]] = scf.forall (%[[P:.*]]) in (%[[COUNT]]) {{.*}} -> (tensor<?x8xf32>) {
// CHECK: %[[FIRST:.*]] = arith.muli %[[P]], %c64
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c64
// CHECK: %[[ROW:.*]]:2 = scf.for {{.*}} -> (index, index) {
// CHECK: arith.shrui
// CHECK: }
// CHECK: tensor.extract %[[GRAPH]]#0
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[LAST]], %[[END]]
// CHECK: %[[STOP:.*]] = arith.select %[[INSIDE]], %[[LAST]], %[[FIRST]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[STOP]]

// A row jumps over its parts, and then adds their sums.
// CHECK: scf.forall (%[[I:.*]]) in
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: %[[P0:.*]] = arith.ceildivui %[[BEGIN]], %c64
// CHECK: %[[P1:.*]] = arith.divui %[[END]], %c64
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[P0]],
// CHECK: %[[LASTPART:.*]] = arith.select %[[HAS]], %[[P1]], %c0
// CHECK: %[[FIRSTPART:.*]] = arith.select %[[HAS]], %[[P0]], %c0
// CHECK: %[[N:.*]] = arith.subi %[[LASTPART]], %[[FIRSTPART]]
// CHECK: %[[SKIPPED:.*]] = arith.muli %[[N]], %c64
// CHECK: %[[MIDDLE:.*]] = arith.muli %[[FIRSTPART]], %c64
// CHECK: %[[REST:.*]] = arith.subi %[[END]], %[[SKIPPED]]
// CHECK: %[[OWN:.*]] = scf.for %[[K:.*]] = %[[BEGIN]] to %[[REST]]
// CHECK: %[[BEHIND:.*]] = arith.cmpi uge, %[[K]], %[[MIDDLE]]
// CHECK: %[[JUMP:.*]] = arith.select %[[BEHIND]], %[[SKIPPED]], %c0
// CHECK: %[[E:.*]] = arith.addi %[[K]], %[[JUMP]]
// CHECK: tensor.extract %[[GRAPH]]#1[%[[E]]]
// CHECK: scf.for %[[Q:.*]] = %[[FIRSTPART]] to %[[LASTPART]] step %c1 iter_args(%[[SUM:.*]] = %[[OWN]])
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[PARTS]][%[[Q]], 0] [1, 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[PART]] : {{.*}}) outs(%[[SUM]] :
// CHECK: arith.addf
// WHOLE-LABEL: func @sum
// WHOLE: scf.forall
// WHOLE-NOT: scf.forall (
func.func @sum(%graph: !gnn.graph<csr>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn.message_aggregate [sum] %graph src(%x : tensor<?x8xf32>)
      {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x8xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x8xf32>
}
