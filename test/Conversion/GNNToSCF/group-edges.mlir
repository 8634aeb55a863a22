// RUN: gnn-opt --gnn-group-edges --canonicalize --cse --split-input-file %s | FileCheck %s

#i = affine_map<(f, i) -> (i)>
#f = affine_map<(f, i) -> (f)>
#none = affine_map<(f, i) -> ()>

// A block's edges are counted by their number, placed by it, and divided into runs
// of one destination. What the edges of a run send is added up, and so many runs are
// multiplied at once.
// CHECK-LABEL: func @relations
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x2xf32>, %[[RELATION:.*]]: !gnn.edges<i64>)
// CHECK: %[[W:.*]] = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
// CHECK-DAG: %[[NUMBERS:.*]] = gnn.edges_to_tensor %[[G]], %[[RELATION]]
// CHECK-DAG: %[[PARTS:.*]]:3 = gnn.graph_parts %[[G]]
// CHECK: %[[BLOCKS:.*]] = arith.maxui
// CHECK: scf.forall (%[[BLOCK:.*]]) in (%[[BLOCKS]]) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK: scf.while
// CHECK: arith.cmpi eq, %[[BLOCK]]
// CHECK: %[[FIRST:.*]] = arith.select
// CHECK: scf.while
// CHECK: arith.cmpi eq
// CHECK: %[[LAST:.*]] = arith.select
// CHECK: %[[COUNTS:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] {{.*}} -> (tensor<4xi32>)
// CHECK: %[[STARTS:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[COUNTS]],
// CHECK: %[[SORTED:.*]]:3 = scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] {{.*}} iter_args(%{{.*}} = %[[STARTS]]#0,
// CHECK: %[[RUNS:.*]]:5 = scf.for {{.*}} iter_args(%{{.*}} = %[[SORTED]]#0,
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<?x3xf32>
// CHECK: %[[SUMS:.*]]:4 = scf.for %[[K:[^ ]*]] = {{.*}} iter_args(%{{.*}} = %[[ZEROS]],
// CHECK: scf.for {{.*}} step %c48
// CHECK: %[[TILE:.*]] = scf.for {{.*}} -> (tensor<48x2xf32>)
// CHECK: tensor.extract %[[RUNS]]#1
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: tensor.extract %[[RUNS]]#1
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: scf.for %[[PLACE:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[SOURCE:.*]] = tensor.extract %[[SORTED]]#2[%[[PLACE]]]
// CHECK: %[[J:.*]] = arith.index_cast %[[SOURCE]]
// CHECK: tensor.extract_slice %[[X]][%[[J]], 0]
// CHECK: arith.addf
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[TILE]]
// CHECK: %[[MATRIX:.*]] = tensor.extract_slice %[[W]][%[[K]], 0, 0] [1, 2, 3]
// CHECK: linalg.matmul ins(%[[ROWS]], %[[MATRIX]] : tensor<?x2xf32>, tensor<2x3xf32>)
// CHECK: %[[ENTRY:.*]] = tensor.extract %[[RUNS]]#2
// CHECK: %[[ROW:.*]] = arith.index_cast %[[ENTRY]]
// CHECK: arith.subi %[[ROW]], %[[FIRST]]
// CHECK: arith.addf
// CHECK: tensor.parallel_insert_slice %[[SUMS]]#0 into %[[OUT]][%[[FIRST]], 0]
func.func @relations(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> tensor<?x3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> tensor<?x3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<4x2x3xf32>
    %p = arith.mulf %a, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C041"
    }
  }
#-}

// -----

#i = affine_map<(f, i) -> (i)>
#f = affine_map<(f, i) -> (f)>
#none = affine_map<(f, i) -> ()>

// What is the same for all edges of a run multiplies their sum.
// CHECK-LABEL: func @scaled
// CHECK: %[[SHARES:.*]] = gnn.update
// CHECK: scf.for %[[K:[^ ]*]] = {{.*}} -> (tensor<?x3xf32>, tensor<48x2xf32>,
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (tensor<2xf32>)
// CHECK-NOT: arith.mulf
// CHECK: %[[SHARE:.*]] = tensor.extract %[[SHARES]][%{{.*}}, %[[K]]]
// CHECK: linalg.generic {{.*}} outs(%[[SUM]] : tensor<2xf32>)
// CHECK: arith.mulf %{{.*}}, %[[SHARE]]
// CHECK: linalg.matmul
func.func @scaled(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> tensor<?x3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %shares = gnn.update node(%x : tensor<?x2xf32>)
      {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
       iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%a: f32):
    %v = arith.mulf %a, %a : f32
    gnn.yield %v : f32
  }
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> tensor<?x3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %d = gnn.index dst
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<4x2x3xf32>
    %share = tensor.extract %shares[%d, %k] : tensor<?x2xf32>
    %m = arith.mulf %a, %share : f32
    %p = arith.mulf %m, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C041"
    }
  }
#-}

// -----

#i = affine_map<(f, i) -> (i)>
#f = affine_map<(f, i) -> (f)>
#none = affine_map<(f, i) -> ()>

// How many edges of a destination have a number is how many are in the run: nothing
// counts them for all destinations and numbers.
// CHECK-LABEL: func @mean
// CHECK-NOT: gnn.message_aggregate
// CHECK: scf.for {{.*}} -> (tensor<?x3xf32>, tensor<48x2xf32>,
// CHECK: scf.for %{{.*}} = %[[BEGIN:[^ ]*]] to %[[END:[^ ]*]] step {{.*}} -> (tensor<2xf32>)
// CHECK: %[[COUNT:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: %[[INTEGER:.*]] = arith.index_cast %[[COUNT]] : index to i64
// CHECK: %[[FLOAT:.*]] = arith.sitofp %[[INTEGER]] : i64 to f32
// CHECK: %[[SHARE:.*]] = arith.divf %{{.*}}, %[[FLOAT]]
// CHECK: arith.mulf %{{.*}}, %[[SHARE]]
// CHECK: linalg.matmul
func.func @mean(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> tensor<?x3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %fours = arith.constant dense<1.0> : tensor<4xf32>
  %counts = gnn.message_aggregate [sum] %g edge(%relation : !gnn.edges<i64>)
      uniform(%fours : tensor<4xf32>)
      {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>,
                        affine_map<(r) -> (r)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32> {
  ^bb0(%r: i64, %one: f32):
    %zero = arith.constant 0.0 : f32
    %unit = arith.constant 1.0 : f32
    %k = arith.index_cast %r : i64 to index
    %f = gnn.feature_index 0
    %is = arith.cmpi eq, %k, %f : index
    %v = arith.select %is, %unit, %zero : f32
    gnn.yield %v : f32
  }
  %shares = gnn.update node(%counts : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
       iterator_types = ["parallel"]} : tensor<?x4xf32> {
  ^bb0(%a: f32):
    %unit = arith.constant 1.0 : f32
    %v = arith.divf %unit, %a : f32
    gnn.yield %v : f32
  }
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> tensor<?x3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %d = gnn.index dst
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<4x2x3xf32>
    %share = tensor.extract %shares[%d, %k] : tensor<?x4xf32>
    %m = arith.mulf %a, %share : f32
    %p = arith.mulf %m, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C041"
    }
  }
#-}

// -----

#i = affine_map<(f, i) -> (i)>
#f = affine_map<(f, i) -> (f)>
#none = affine_map<(f, i) -> ()>

// Numbers of other edges are no counts of these.
// CHECK-LABEL: func @other_counts
// CHECK: gnn.message_aggregate
// CHECK: %[[SHARES:.*]] = gnn.update
// CHECK: tensor.extract %[[SHARES]]
// CHECK: linalg.matmul
func.func @other_counts(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>, %other: !gnn.edges<i64>) -> tensor<?x3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %fours = arith.constant dense<1.0> : tensor<4xf32>
  %counts = gnn.message_aggregate [sum] %g edge(%other : !gnn.edges<i64>)
      uniform(%fours : tensor<4xf32>)
      {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>,
                        affine_map<(r) -> (r)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32> {
  ^bb0(%r: i64, %one: f32):
    %zero = arith.constant 0.0 : f32
    %unit = arith.constant 1.0 : f32
    %k = arith.index_cast %r : i64 to index
    %f = gnn.feature_index 0
    %is = arith.cmpi eq, %k, %f : index
    %v = arith.select %is, %unit, %zero : f32
    gnn.yield %v : f32
  }
  %shares = gnn.update node(%counts : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
       iterator_types = ["parallel"]} : tensor<?x4xf32> {
  ^bb0(%a: f32):
    %unit = arith.constant 1.0 : f32
    %v = arith.divf %unit, %a : f32
    gnn.yield %v : f32
  }
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> tensor<?x3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %d = gnn.index dst
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<4x2x3xf32>
    %share = tensor.extract %shares[%d, %k] : tensor<?x4xf32>
    %m = arith.mulf %a, %share : f32
    %p = arith.mulf %m, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C041"
    }
  }
#-}

// -----

#bi = affine_map<(b, f, i) -> (b, i)>
#bf = affine_map<(b, f, i) -> (b, f)>
#none = affine_map<(b, f, i) -> ()>

// Blocks of a matrix are multiplied by one loop, however many there are.
// CHECK-LABEL: func @blocks
// CHECK: %[[W:.*]] = arith.constant dense_resource<weight> : tensor<4x2x1x3xf32>
// CHECK: %[[TILE:.*]] = scf.for {{.*}} -> (tensor<48x2x1xf32>)
// CHECK: scf.for %[[B:[^ ]*]] = %c0 to %c2 step
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[TILE]][0, %[[B]], 0]
// CHECK: %[[MATRIX:.*]] = tensor.extract_slice %[[W]][%{{.*}}, %[[B]], 0, 0] [1, 1, 1, 3]
// CHECK: linalg.matmul ins(%[[ROWS]], %[[MATRIX]] : tensor<?x1xf32>, tensor<1x3xf32>)
// CHECK-NOT: linalg.matmul
// CHECK: return
func.func @blocks(%g: !gnn.graph<csr>, %x: tensor<?x2x1xf32>,
                  %relation: !gnn.edges<i64>) -> tensor<?x2x3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x1x3xf32>
  %ones = arith.constant dense<1.0> : tensor<2x3xf32>
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x2x1xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<2x3xf32>)
      {indexing_maps = [#bi, #none, #bf, #bf],
       iterator_types = ["parallel", "parallel", "reduction"]}
      : !gnn.graph<csr> -> tensor<?x2x3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %b = gnn.feature_index 0
    %f = gnn.feature_index 1
    %i = gnn.feature_index 2
    %e = tensor.extract %w[%k, %b, %i, %f] : tensor<4x2x1x3xf32>
    %p = arith.mulf %a, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x2x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C041"
    }
  }
#-}
