// RUN: gnn-opt --gnn-tabulate-products --split-input-file %s | FileCheck %s

#i = affine_map<(f, i) -> (i)>
#f = affine_map<(f, i) -> (f)>
#none = affine_map<(f, i) -> ()>

// The products of a row and four matrices are a row of twelve.
// CHECK-LABEL: func @relations
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x2xf32>, %[[RELATION:.*]]: !gnn.edges<i64>)
// CHECK-NOT: tensor<4x2x3xf32>
// CHECK: %[[W:.*]] = arith.constant dense_resource<[[NAME:.*]]> : tensor<2x12xf32>
// CHECK: %[[TABLE:.*]] = linalg.matmul ins(%[[X]], %[[W]] :
// CHECK: %[[Y:.*]] = gnn.message %[[G]] edge(%[[RELATION]] : !gnn.edges<i64>) uniform(
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK: ^bb0(%[[R:.*]]: i64, %{{.*}}: f32):
// CHECK: %[[SOURCE:.*]] = gnn.index src
// CHECK: %[[K:.*]] = arith.index_cast %[[R]]
// CHECK: %[[START:.*]] = arith.muli %[[K]], %c3
// CHECK: %[[F:.*]] = gnn.feature_index 0
// CHECK: %[[COLUMN:.*]] = arith.addi %[[START]], %[[F]]
// CHECK: %[[E:.*]] = tensor.extract %[[TABLE]][%[[SOURCE]], %[[COLUMN]]] : tensor<?x12xf32>
// CHECK: gnn.yield %[[E]]
// CHECK: return %[[Y]]
// 1, 2, 3, 7, 8, 9, and so on: the first row of each matrix.
// CHECK: [[NAME]]: "0x400000000000803F00000040000040400000E0400000004100001041000050410000604100007041
func.func @relations(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
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

// The same of rows of destinations.
// CHECK-LABEL: func @destinations
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x2xf32>
// CHECK: %[[TABLE:.*]] = linalg.matmul ins(%[[X]], %{{.*}} : tensor<?x2xf32>, tensor<2x6xf32>)
// CHECK: gnn.message
// CHECK: %[[DESTINATION:.*]] = gnn.index dst
// CHECK: tensor.extract %[[TABLE]][%[[DESTINATION]], %{{.*}}] : tensor<?x6xf32>
func.func @destinations(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                        %relation: !gnn.edges<i64>) -> !gnn.edges<3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<2x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %y = gnn.message %g dst(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<3xf32> {
  ^bb0(%a: f32, %r: i64, %one: f32, %sum: f32):
    %k = arith.index_cast %r : i64 to index
    %f = gnn.feature_index 0
    %i = gnn.feature_index 1
    %e = tensor.extract %w[%k, %i, %f] : tensor<2x2x3xf32>
    %p = arith.mulf %a, %e : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : !gnn.edges<3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041"
    }
  }
#-}

// -----

#i = affine_map<(f, i) -> (i)>
#f = affine_map<(f, i) -> (f)>
#none = affine_map<(f, i) -> ()>

// What else multiplies the row multiplies the product.
// CHECK-LABEL: func @scaled
// CHECK: %[[TABLE:.*]] = linalg.matmul
// CHECK: gnn.message
// CHECK: %[[E:.*]] = tensor.extract %[[TABLE]]
// CHECK: %[[SHARE:.*]] = tensor.extract %{{.*}} : tensor<?x2xf32>
// CHECK: %[[P:.*]] = arith.mulf %[[E]], %[[SHARE]]
// CHECK: gnn.yield %[[P]]
func.func @scaled(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>,
                     %relation: !gnn.edges<i64>) -> !gnn.edges<3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %shares = gnn.update node(%x : tensor<?x2xf32>)
      {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
       iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%a: f32):
    %v = arith.mulf %a, %a : f32
    gnn.yield %v : f32
  }
  %y = gnn.message %g src(%x : tensor<?x2xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<3xf32>)
      {indexing_maps = [#i, #none, #f, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<3xf32> {
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

#bi = affine_map<(b, f, i) -> (b, i)>
#bf = affine_map<(b, f, i) -> (b, f)>
#none = affine_map<(b, f, i) -> ()>

// Blocks on the diagonal have a product each.
// CHECK-LABEL: func @blocks
// CHECK-SAME: (%{{.*}}, %[[X:.*]]: tensor<?x2x1xf32>,
// CHECK: %[[W:.*]] = arith.constant dense_resource<{{.*}}> : tensor<2x1x12xf32>
// CHECK: %[[TABLE:.*]] = gnn.update node(%[[X]] : tensor<?x2x1xf32>) uniform(%[[W]] :
// CHECK-SAME: iterator_types = ["parallel", "reduction", "parallel"]
// CHECK: gnn.message
// CHECK: %[[B:.*]] = gnn.feature_index 0
// CHECK: tensor.extract %[[TABLE]][%{{.*}}, %[[B]], %{{.*}}] : tensor<?x2x12xf32>
func.func @blocks(%g: !gnn.graph<csr>, %x: tensor<?x2x1xf32>,
                  %relation: !gnn.edges<i64>) -> !gnn.edges<2x3xf32> {
  %w = arith.constant dense_resource<weight> : tensor<4x2x1x3xf32>
  %ones = arith.constant dense<1.0> : tensor<2x3xf32>
  %y = gnn.message %g src(%x : tensor<?x2x1xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(%ones : tensor<2x3xf32>)
      {indexing_maps = [#bi, #none, #bf, #bf],
       iterator_types = ["parallel", "parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2x3xf32> {
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
  return %y : !gnn.edges<2x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C041"
    }
  }
#-}
