// RUN: gnn-opt --gnn-group-edges --split-input-file %s | FileCheck %s

#i = affine_map<(f, i) -> (i)>
#f = affine_map<(f, i) -> (f)>
#none = affine_map<(f, i) -> ()>

// The largest messages, not their sum.
// CHECK-LABEL: func @maximum
// CHECK-NOT: scf.forall
// CHECK: gnn.message_aggregate [max]
func.func @maximum(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> tensor<?x3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %y = gnn.message_aggregate [max] %g src(%x : tensor<?x2xf32>)
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

// All pairs of nodes are edges.
// CHECK-LABEL: func @complete
// CHECK-NOT: scf.forall
// CHECK: gnn.message_aggregate
func.func @complete(%g: !gnn.graph<complete>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> tensor<?x3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<complete> -> tensor<?x3xf32> {
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

// What is multiplied is another one for each column.
// CHECK-LABEL: func @by_column
// CHECK-NOT: scf.forall
// CHECK: gnn.message_aggregate
func.func @by_column(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
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
    %c = arith.addf %a, %one : f32
    %p = arith.mulf %c, %e : f32
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

// The matrix is another one for each row.
// CHECK-LABEL: func @by_row
// CHECK-NOT: scf.forall
// CHECK: gnn.message_aggregate
func.func @by_row(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
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
    %n = arith.minsi %k, %i : index
    %e = tensor.extract %w[%n, %i, %f] : tensor<4x2x3xf32>
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

// Something follows the sum.
// CHECK-LABEL: func @finished
// CHECK-NOT: scf.forall
// CHECK: gnn.message_aggregate
func.func @finished(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
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
    %t = gnn.reduced %s : f32
    %n = arith.negf %t : f32
    gnn.yield %n : f32
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
