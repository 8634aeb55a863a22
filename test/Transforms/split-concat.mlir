// RUN: gnn-opt --gnn-split-concat --split-input-file %s | FileCheck %s

// Rows that something else reads as well are multiplied where they are.

// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x3xf32>, %[[B:[a-z0-9]+]]: tensor<?x2xf32>
// CHECK-NOT: tensor.concat
// CHECK: %[[W1:.+]] = arith.constant dense_resource<w_rows0> : tensor<3x2xf32>
// CHECK: tensor.dim %[[A]]
// CHECK: %[[ZERO:.+]] = linalg.fill
// CHECK: %[[P:.+]] = linalg.matmul ins(%[[A]], %[[W1]] : {{.*}}) outs(%[[ZERO]] : tensor<?x2xf32>)
// CHECK: %[[W2:.+]] = arith.constant dense_resource<w_rows3> : tensor<2x2xf32>
// CHECK: %[[Y:.+]] = linalg.matmul ins(%[[B]], %[[W2]] : {{.*}}) outs(%[[P]] : tensor<?x2xf32>)
// CHECK: return %[[Y]]
func.func @split(%a: tensor<?x3xf32>, %b: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense_resource<w> : tensor<5x2xf32>
  %rows = tensor.concat dim(1) %a, %b : (tensor<?x3xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
  %n = tensor.dim %rows, %c0 : tensor<?x5xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x5xf32>, tensor<5x2xf32>) outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x400000000000803F000000400000404000008040000080400000A0400000C0400000E0400000004100001041"
    }
  }
#-}

// -----

// Rows that are only put side by side can be written there.

// CHECK-LABEL: func.func @own_rows(
// CHECK: tensor.concat
func.func @own_rows(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 1.0], [2.0, 3.0]]> : tensor<6x2xf32>
  %p = math.exp %a : tensor<?x3xf32>
  %q = math.exp %b : tensor<?x3xf32>
  %rows = tensor.concat dim(1) %p, %q : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x6xf32>
  %n = tensor.dim %rows, %c0 : tensor<?x6xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x6xf32>, tensor<6x2xf32>) outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// Results that are wide would be read once more for each product.

// CHECK-LABEL: func.func @wide_result(
// CHECK: tensor.concat
func.func @wide_result(%a: tensor<?x1xf32>, %b: tensor<?x1xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %rows = tensor.concat dim(1) %a, %b : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x2xf32>
  %n = tensor.dim %rows, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x2xf32>, tensor<2x2xf32>) outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// Others read the rows together, and weights that are not known stay whole.

// CHECK-LABEL: func.func @read_together(
// CHECK: tensor.concat
func.func @read_together(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> (tensor<?x2xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 1.0], [2.0, 3.0]]> : tensor<6x2xf32>
  %rows = tensor.concat dim(1) %a, %b : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x6xf32>
  %n = tensor.dim %rows, %c0 : tensor<?x6xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x6xf32>, tensor<6x2xf32>) outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y, %rows : tensor<?x2xf32>, tensor<?x6xf32>
}

// CHECK-LABEL: func.func @unknown_weights(
// CHECK: tensor.concat
func.func @unknown_weights(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>, %w: tensor<6x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.concat dim(1) %a, %b : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x6xf32>
  %n = tensor.dim %rows, %c0 : tensor<?x6xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x6xf32>, tensor<6x2xf32>) outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
