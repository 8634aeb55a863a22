// RUN: gnn-opt --gnn-tabulate-products=max-columns=11 --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-tabulate-products="max-columns=12 max-dense-columns=11" --split-input-file %s | FileCheck %s --check-prefix=DENSE

#i = affine_map<(f, i) -> (i)>
#f = affine_map<(f, i) -> (f)>
#none = affine_map<(f, i) -> ()>

// Four products of three are too many, but not where all pairs are edges.
// CHECK-LABEL: func @many
// CHECK-NOT: linalg.matmul
// CHECK: gnn.message
// DENSE-LABEL: func @many
// DENSE: linalg.matmul
func.func @many(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> !gnn.edges<3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %y = gnn.message %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<4x2x3xf32>
    %p = arith.mulf %a, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : !gnn.edges<3xf32>
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

// CHECK-LABEL: func @pairs
// CHECK: linalg.matmul
// DENSE-LABEL: func @pairs
// DENSE-NOT: linalg.matmul
// DENSE: gnn.message
func.func @pairs(%g: !gnn.graph<complete>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> !gnn.edges<3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %y = gnn.message %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<complete> -> !gnn.edges<3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<4x2x3xf32>
    %p = arith.mulf %a, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : !gnn.edges<3xf32>
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

// The row is not the source's alone.
// DENSE-LABEL: func @both_ends
// DENSE-NOT: linalg.matmul
// DENSE: gnn.message
func.func @both_ends(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> !gnn.edges<3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %y = gnn.message %g dst(%x : tensor<?x2xf32>) src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<3xf32> {
  ^bb0(%own: f32, %a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<4x2x3xf32>
    %c = arith.addf %a, %own : f32
    %p = arith.mulf %c, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : !gnn.edges<3xf32>
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

// The matrices are not known.
// DENSE-LABEL: func @unknown
// DENSE-NOT: linalg.matmul
// DENSE: gnn.message
func.func @unknown(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>, %w: tensor<4x2x3xf32>) -> !gnn.edges<3xf32> {
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %y = gnn.message %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<4x2x3xf32>
    %p = arith.mulf %a, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : !gnn.edges<3xf32>
}
