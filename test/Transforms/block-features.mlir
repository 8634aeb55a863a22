// RUN: gnn-opt %s --gnn-block-features="block=8 min-blocks=2 cache-bytes=65536 min-degree=3" \
// RUN:   --canonicalize | FileCheck %s
// RUN: gnn-opt %s --gnn-block-features | FileCheck %s --check-prefix=FEW

// Two blocks of 8 features of 4 bytes: of more than 2 * 65536 / 64 sources, blocks
// are aggregated one by one, but not of more than 2 * 65536 / 32, nor with less than
// three edges for each.
#id = affine_map<(f) -> (f)>
// CHECK-LABEL: func @sum(
// CHECK-SAME: %[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x16xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C2048:.*]] = arith.constant 2048 : index
// CHECK-DAG: %[[C4096:.*]] = arith.constant 4096 : index
// CHECK: %[[SOURCES:.*]] = gnn.num_nodes src %[[G]]
// CHECK: %[[EDGES:.*]] = gnn.num_edges %[[G]]
// CHECK: %[[LARGE:.*]] = arith.cmpi ugt, %[[SOURCES]], %[[C2048]]
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[SOURCES]], %[[C4096]]
// CHECK: %[[LEAST:.*]] = arith.muli %[[SOURCES]], %[[C3]]
// CHECK: %[[REUSED:.*]] = arith.cmpi uge, %[[EDGES]], %[[LEAST]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[LARGE]], %[[FITS]]
// CHECK: %[[IF:.*]] = arith.andi %[[BOTH]], %[[REUSED]]
// CHECK: %[[Y:.*]] = scf.if %[[IF]]
// CHECK: scf.for %[[F:[a-z0-9]+]] = %[[C0]] to %[[C16]] step %[[C8]] iter_args(%[[ALL:.*]] = %{{.*}})
// CHECK: %[[BLOCK:.*]] = scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[O:.*]] = %{{.*}}) -> (tensor<?x8xf32>)
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[F]]] [1, 8] [1, 1]
// CHECK: tensor.parallel_insert_slice %[[ROW]] into %[[O]][%[[I]], 0] [1, 8] [1, 1]
// CHECK: %[[P:.*]] = gnn.message_aggregate [sum] %[[G]] src(%[[BLOCK]] : tensor<?x8xf32>)
// CHECK: tensor.insert_slice %[[P]] into %[[ALL]][0, %[[F]]]
// CHECK: } else {
// CHECK: %[[WHOLE:.*]] = gnn.message_aggregate [sum] %[[G]] src(%[[X]] : tensor<?x16xf32>)
// CHECK: scf.yield %[[WHOLE]]
// CHECK: return %[[Y]]
// FEW-LABEL: func @sum(
// FEW-NOT: scf.if
func.func @sum(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
    {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x16xf32>
}

// Numbers for edges are read for each block, rows of destinations and what is the
// same everywhere in slices. The update that alone reads the result is part of both
// forms, with whole rows.
#none = affine_map<(f) -> ()>
// CHECK-LABEL: func @weighted(
// CHECK-SAME: %[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x16xf32>, %[[Z:.*]]: tensor<?x16xf32>, %[[W:.*]]: !gnn.edges<f32>, %[[B:.*]]: tensor<16xf32>
// CHECK: %[[Y:.*]] = scf.if
// CHECK: %[[ALL:.*]] = scf.for %[[F:[a-z0-9]+]] =
// CHECK: %[[DST:.*]] = tensor.extract_slice %[[Z]][0, %[[F]]] [%{{.*}}, 8] [1, 1]
// CHECK: %[[SRC:.*]] = scf.forall
// CHECK: %[[BIAS:.*]] = tensor.extract_slice %[[B]][%[[F]]] [8] [1]
// CHECK: gnn.message_aggregate [max] %[[G]] dst(%[[DST]] : tensor<?x8xf32>) src(%[[SRC]] : tensor<?x8xf32>) edge(%[[W]] : !gnn.edges<f32>) uniform(%[[BIAS]] : tensor<8xf32>)
// CHECK: gnn.update node(%[[ALL]]
// CHECK: } else {
// CHECK: %[[WHOLE:.*]] = gnn.message_aggregate
// CHECK: gnn.update node(%[[WHOLE]]
// CHECK: return %[[Y]]
func.func @weighted(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
                    %z: tensor<?x16xf32>, %w: !gnn.edges<f32>,
                    %b: tensor<16xf32>) -> tensor<?x16xf32> {
  %y = gnn.message_aggregate [max] %g dst(%z : tensor<?x16xf32>)
    src(%x : tensor<?x16xf32>) edge(%w : !gnn.edges<f32>)
    uniform(%b : tensor<16xf32>)
    {indexing_maps = [#id, #id, #none, #id, #id], iterator_types = ["parallel"]}
    : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%d: f32, %s: f32, %e: f32, %u: f32):
    %p = arith.mulf %s, %e : f32
    %q = arith.addf %p, %d : f32
    %r = arith.addf %q, %u : f32
    gnn.yield %r : f32
  }
  %n = gnn.update node(%y : tensor<?x16xf32>)
    {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    : tensor<?x16xf32> {
  ^bb0(%a: f32):
    %m = arith.mulf %a, %a : f32
    gnn.yield %m : f32
  }
  return %n : tensor<?x16xf32>
}

// Graphs that list no edges, features of edges and messages that depend on which
// feature they are leave aggregations whole.
// CHECK-LABEL: func @whole(
// CHECK-NOT: scf.if
func.func @whole(%all: !gnn.graph<complete>, %g: !gnn.graph<csr>,
                 %x: tensor<?x16xf32>, %w: !gnn.edges<16xf32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %a = gnn.message_aggregate [sum] %all src(%x : tensor<?x16xf32>)
    {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    : !gnn.graph<complete> -> tensor<?x16xf32> {
  ^bb0(%s: f32):
    gnn.yield %s : f32
  }
  %b = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
    edge(%w : !gnn.edges<16xf32>)
    {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
    : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%s: f32, %e: f32):
    %p = arith.mulf %s, %e : f32
    gnn.yield %p : f32
  }
  %c = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
    {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%s: f32):
    %i = gnn.feature_index 0
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %p = arith.mulf %s, %k : f32
    gnn.yield %p : f32
  }
  return %a, %b, %c : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}
