// RUN: gnn-opt --gnn-reduce-single-columns --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-reduce-single-columns="min-depth=32 max-depth=64" --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=DEPTH

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[STEPS:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[NUMBERS:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @column
// CHECK-SAME: (%[[X:.*]]: tensor<?x16xf32>, %[[EMPTY:.*]]: tensor<?x1xf32>)
// CHECK: %[[W:.*]] = arith.constant dense<2.000000e+00> : tensor<16xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<?xf32>
// CHECK: %[[SUMS:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[STEPS]], #[[NUMBERS]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[W]] : tensor<?x16xf32>, tensor<16xf32>) outs(%[[ZEROS]] : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[OUT:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OUT]], %[[PRODUCT]]
// CHECK-NEXT: linalg.yield %[[SUM]]
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[SUMS]] into %[[EMPTY]][0, 0] [%{{.*}}, 1] [1, 1] : tensor<?xf32> into tensor<?x1xf32>
// CHECK: return %[[Y]]
// DEPTH-LABEL: func @column
// DEPTH: linalg.matmul
func.func @column(%x: tensor<?x16xf32>, %empty: tensor<?x1xf32>)
    -> tensor<?x1xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<2.0> : tensor<16x1xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>)
    -> tensor<?x1xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x1xf32>)
    outs(%zeros : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

// Weights of a file are the same numbers in another shape; 48 are deep enough for both.
// CHECK-LABEL: func @resource
// CHECK: arith.constant dense_resource<w> : tensor<48xf64>
// CHECK: linalg.generic
// DEPTH-LABEL: func @resource
// DEPTH: linalg.generic
func.func @resource(%x: tensor<?x48xf64>, %empty: tensor<?x1xf64>)
    -> tensor<?x1xf64> {
  %zero = arith.constant 0.0 : f64
  %w = arith.constant dense_resource<w> : tensor<48x1xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<?x1xf64>)
    -> tensor<?x1xf64>
  %y = linalg.matmul ins(%x, %w : tensor<?x48xf64>, tensor<48x1xf64>)
    outs(%zeros : tensor<?x1xf64>) -> tensor<?x1xf64>
  return %y : tensor<?x1xf64>
}

// -----

// Two columns, a factor that is not known and sums that begin with others are left
// alone.
// CHECK-LABEL: func @others
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @others(%x: tensor<?x16xf32>, %two: tensor<?x2xf32>,
                  %one: tensor<?x1xf32>, %w: tensor<16x1xf32>)
    -> (tensor<?x2xf32>, tensor<?x1xf32>, tensor<?x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %columns = arith.constant dense<2.0> : tensor<16x2xf32>
  %column = arith.constant dense<2.0> : tensor<16x1xf32>
  %zeros2 = linalg.fill ins(%zero : f32) outs(%two : tensor<?x2xf32>)
    -> tensor<?x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%one : tensor<?x1xf32>)
    -> tensor<?x1xf32>
  %0 = linalg.matmul ins(%x, %columns : tensor<?x16xf32>, tensor<16x2xf32>)
    outs(%zeros2 : tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x1xf32>)
    outs(%zeros : tensor<?x1xf32>) -> tensor<?x1xf32>
  %2 = linalg.matmul ins(%x, %column : tensor<?x16xf32>, tensor<16x1xf32>)
    outs(%one : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0, %1, %2 : tensor<?x2xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}
