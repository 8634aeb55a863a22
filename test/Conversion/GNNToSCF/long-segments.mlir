// RUN: gnn-opt --convert-gnn-to-scf="long-segment-edges=64" --canonicalize --cse \
// RUN:   --split-input-file %s | FileCheck %s

// The sources of all graphs are cut into parts of 64, if each graph has one row: a
// part is the row's whose first source is before it and whose last is behind it.

// CHECK-LABEL: func @pool(
// CHECK: %[[GRAPH:.*]]:2 = gnn.graph_parts
// CHECK: %[[ALL:.*]] = arith.divui %{{.*}}, %c64
// CHECK: %[[MANY:.*]] = arith.cmpi uge, %[[ALL]], %c16
// CHECK: %[[ONE:.*]] = scf.for {{.*}} iter_args(%[[SO:.*]] = %true) -> (i1) {
// CHECK:   %[[ROWS:.*]] = arith.subi
// CHECK:   %[[IS:.*]] = arith.cmpi eq, %[[ROWS]], %c1
// CHECK:   arith.andi %[[SO]], %[[IS]]
// CHECK: %[[ENOUGH:.*]] = arith.andi %[[MANY]], %[[ONE]]
// CHECK: %[[COUNT:.*]] = arith.select %[[ENOUGH]], %[[ALL]], %c0
// CHECK: %[[PARTS:.*]] = scf.forall (%[[P:.*]]) in (%[[COUNT]]) {{.*}} -> (tensor<?x8xf32>) {
// CHECK:   %[[FIRST:.*]] = arith.muli %[[P]], %c64
// CHECK:   scf.for {{.*}} -> (index, index) {
// CHECK:     tensor.extract %[[GRAPH]]#1
// CHECK:   scf.for %{{.*}} = %[[FIRST]] to
// CHECK: scf.forall
// CHECK:   scf.for
// CHECK:   scf.for
// CHECK:     tensor.extract_slice %[[PARTS]]
func.func @pool(%g: !gnn.graph<block_diagonal, bipartite>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x8xf32>)
      {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x8xf32> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return %y : tensor<?x8xf32>
}

// -----

// Among nodes of one kind, a segment of one row has one source.

// CHECK-LABEL: func @square(
// CHECK-COUNT-1: = scf.forall
// CHECK-NOT: = scf.forall
func.func @square(%g: !gnn.graph<block_diagonal>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x8xf32>)
      {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal> -> tensor<?x8xf32> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return %y : tensor<?x8xf32>
}

// -----

// What graphs send to their nodes comes from one source each.

// CHECK-LABEL: func @spread(
// CHECK-COUNT-1: = scf.forall
// CHECK-NOT: = scf.forall
func.func @spread(%g: !gnn.graph<block_diagonal, bipartite>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %r = gnn.reverse %g : !gnn.graph<block_diagonal, bipartite>
    -> !gnn.graph<block_diagonal, bipartite>
  %y = gnn.message_aggregate [sum] %r src(%x : tensor<?x8xf32>)
      {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x8xf32> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return %y : tensor<?x8xf32>
}
