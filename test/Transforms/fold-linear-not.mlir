// RUN: gnn-opt --gnn-fold-linear --split-input-file %s | FileCheck %s

#one = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// The rows are there anyway.
// CHECK-LABEL: func @read_elsewhere
// CHECK: %[[H:.*]] = linalg.matmul ins(%{{.*}} : tensor<?x2xf32>, tensor<2x2xf32>)
// CHECK: %[[Y:.*]] = gnn.update node(%[[H]] :
// CHECK: return %[[H]], %[[Y]]
func.func @read_elsewhere(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?xf32>) {
  %w = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %a = arith.constant dense<[1., 3.]> : tensor<2xf32>
  %y = gnn.update node(%h : tensor<?x2xf32>) uniform(%a : tensor<2xf32>)
      {indexing_maps = [#one, #one, #none], iterator_types = ["reduction"]}
      : tensor<?xf32> {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %p = arith.mulf %v, %u : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %h, %y : tensor<?x2xf32>, tensor<?xf32>
}

// -----

#one = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// A sum of squares is no product.
// CHECK-LABEL: func @squares
// CHECK: linalg.matmul
// CHECK: gnn.update
func.func @squares(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %w = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %a = arith.constant dense<[1., 3.]> : tensor<2xf32>
  %y = gnn.update node(%h : tensor<?x2xf32>) uniform(%a : tensor<2xf32>)
      {indexing_maps = [#one, #one, #none], iterator_types = ["reduction"]}
      : tensor<?xf32> {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %p = arith.mulf %v, %v : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// -----

#in = affine_map<(g, f) -> (f)>
#matrix = affine_map<(g, f) -> (f, g)>
#out = affine_map<(g, f) -> (g)>

// 3 x 1 and 1 x 4 multiplications are less than 3 x 4.
// CHECK-LABEL: func @widens
// CHECK: linalg.matmul ins(%{{.*}} : tensor<?x3xf32>, tensor<3x1xf32>)
// CHECK: gnn.update
func.func @widens(%x: tensor<?x3xf32>) -> tensor<?x4xf32> {
  %w = arith.constant dense<[[1.], [2.], [3.]]> : tensor<3x1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x1xf32>)
    outs(%init : tensor<?x1xf32>) -> tensor<?x1xf32>
  %a = arith.constant dense<[[1., 2., 3., 4.]]> : tensor<1x4xf32>
  %y = gnn.update node(%h : tensor<?x1xf32>) uniform(%a : tensor<1x4xf32>)
      {indexing_maps = [#in, #matrix, #out], iterator_types = ["parallel", "reduction"]}
      : tensor<?x4xf32> {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %p = arith.mulf %v, %u : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x4xf32>
}

// -----

#one = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// Weights that are not known here.
// CHECK-LABEL: func @unknown
// CHECK: linalg.matmul
// CHECK: gnn.update
func.func @unknown(%x: tensor<?x2xf32>, %w: tensor<2x2xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %a = arith.constant dense<[1., 3.]> : tensor<2xf32>
  %y = gnn.update node(%h : tensor<?x2xf32>) uniform(%a : tensor<2xf32>)
      {indexing_maps = [#one, #one, #none], iterator_types = ["reduction"]}
      : tensor<?xf32> {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %p = arith.mulf %v, %u : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// -----

// Rows whose columns are not known, though only three fit the weights, have no
// constants that others can be computed from; nor have results.
// CHECK-LABEL: func @unknown_columns
// CHECK-COUNT-2: linalg.matmul
func.func @unknown_columns(%x: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %w = arith.constant dense<[[1.], [2.], [3.]]> : tensor<3x1xf32>
  %a = arith.constant dense<[[4.]]> : tensor<1x1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<3x1xf32>)
    outs(%init : tensor<?x1xf32>) -> tensor<?x1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%h, %a : tensor<?x1xf32>, tensor<1x1xf32>)
    outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Of no columns there is nothing to multiply.
// CHECK-LABEL: func @no_columns
// CHECK-COUNT-2: linalg.matmul
func.func @no_columns(%x: tensor<?x0xf32>) -> tensor<?x1xf32> {
  %w = arith.constant dense<> : tensor<0x2xf32>
  %a = arith.constant dense<[[1.], [2.]]> : tensor<2x1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x0xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x0xf32>, tensor<0x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %empty1 = tensor.empty(%n) : tensor<?x1xf32>
  %init1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.matmul ins(%h, %a : tensor<?x2xf32>, tensor<2x1xf32>)
    outs(%init1 : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

// A resource of two numbers for six elements is not read.
// CHECK-LABEL: func @short_resource
// CHECK-COUNT-2: linalg.matmul
func.func @short_resource(%x: tensor<?x3xf32>) -> tensor<?x1xf32> {
  %w = arith.constant dense_resource<short> : tensor<3x2xf32>
  %a = arith.constant dense<[[1.], [2.]]> : tensor<2x1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %empty1 = tensor.empty(%n) : tensor<?x1xf32>
  %init1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.matmul ins(%h, %a : tensor<?x2xf32>, tensor<2x1xf32>)
    outs(%init1 : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

{-#
  dialect_resources: { builtin: { short: "0x040000000000803F00000040" } }
#-}
