// RUN: gnn-opt --gnn-fold-linear --split-input-file %s | FileCheck %s

#heads = affine_map<(h, f) -> (h, f)>
#head = affine_map<(h, f) -> (h)>

// A dot product for each head: two columns instead of four.
// CHECK-LABEL: func @dot_products
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>)
// CHECK-NOT: tensor<3x4xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]],
// CHECK: %[[W:.*]] = arith.constant dense_resource<weight.weight> : tensor<3x2xf32>
// CHECK: %[[Y:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<?x3xf32>, tensor<3x2xf32>)
// CHECK-NOT: gnn.update
// CHECK: return %[[Y]], %[[N]]
// Of (1, 2, 3, 4) and (1, 0), (0.5, 2): 1, 9.5; then 5, 19.5 and 9, 29.5.
// CHECK: weight.weight: "0x400000000000803F000018410000A04000009C41000010410000EC41"
func.func @dot_products(%x: tensor<?x3xf32>) -> (tensor<?x2xf32>, index) {
  %w = arith.constant dense<[[1., 2., 3., 4.], [5., 6., 7., 8.], [9., 10., 11., 12.]]>
    : tensor<3x4xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %d1 = arith.constant 0 : index
  %m = tensor.dim %h, %d1 : tensor<?x4xf32>
  %expanded = tensor.expand_shape %h [[0], [1, 2]] output_shape [%m, 2, 2]
    : tensor<?x4xf32> into tensor<?x2x2xf32>
  %a = arith.constant dense<[[1., 0.], [0.5, 2.]]> : tensor<2x2xf32>
  %y = gnn.update node(%expanded : tensor<?x2x2xf32>) uniform(%a : tensor<2x2xf32>)
      {indexing_maps = [#heads, #heads, #head], iterator_types = ["parallel", "reduction"]}
      : tensor<?x2xf32> {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %p = arith.mulf %v, %u : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y, %m : tensor<?x2xf32>, index
}

// -----

#id = affine_map<(f) -> (f)>
#in = affine_map<(h, g, f) -> (h, f)>
#matrix = affine_map<(h, g, f) -> (h, f, g)>
#out = affine_map<(h, g, f) -> (h, g)>

// A matrix for each head, of what has a bias: this is multiplied, too.
// CHECK-LABEL: func @matrices
// CHECK-SAME: (%[[X:.*]]: tensor<?x1xf32>)
// CHECK: %[[W:.*]] = arith.constant dense_resource<weight.weight> : tensor<1x4xf32>
// CHECK: %[[H:.*]] = linalg.matmul ins(%[[X]], %[[W]] :
// CHECK: %[[B:.*]] = arith.constant dense_resource<weight.weight.bias> : tensor<4xf32>
// CHECK: %[[SUM:.*]] = gnn.update node(%[[H]] : tensor<?x4xf32>) uniform(%[[B]] : tensor<4xf32>)
// CHECK: arith.addf
// CHECK: %[[N:.*]] = tensor.dim %[[X]],
// CHECK: %[[Y:.*]] = tensor.expand_shape %[[SUM]] {{\[\[}}0], [1, 2]] output_shape [%[[N]], 2, 2]
// CHECK-NOT: gnn.update
// CHECK: return %[[Y]]
// (1, 2) times [1 2; 3 4] and (3, 4) times [5 6; 7 8]: 7, 10, 43, 50. The bias: of
// (1, 0, 0, -1) 1, 2, -7, -8.
// CHECK-DAG: weight.weight: "0x400000000000E0400000204100002C4200004842"
// CHECK-DAG: weight.weight.bias: "0x400000000000803F000000400000E0C0000000C1"
func.func @matrices(%x: tensor<?x1xf32>) -> tensor<?x2x2xf32> {
  %w = arith.constant dense<[[1., 2., 3., 4.]]> : tensor<1x4xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x1xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x1xf32>, tensor<1x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %bias = arith.constant dense<[1., 0., 0., -1.]> : tensor<4xf32>
  %b = gnn.update node(%h : tensor<?x4xf32>) uniform(%bias : tensor<4xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x4xf32> {
  ^bb0(%v: f32, %u: f32):
    %s = arith.addf %v, %u : f32
    gnn.yield %s : f32
  }
  %expanded = tensor.expand_shape %b [[0], [1, 2]] output_shape [%n, 2, 2]
    : tensor<?x4xf32> into tensor<?x2x2xf32>
  %a = arith.constant dense<[[[1., 2.], [3., 4.]], [[5., 6.], [7., 8.]]]>
    : tensor<2x2x2xf32>
  %y = gnn.update node(%expanded : tensor<?x2x2xf32>) uniform(%a : tensor<2x2x2xf32>)
      {indexing_maps = [#in, #matrix, #out],
       iterator_types = ["parallel", "parallel", "reduction"]}
      : tensor<?x2x2xf32> {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %p, %sum : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x2x2xf32>
}

// -----

#one = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// One number for each row.
// CHECK-LABEL: func @one_number
// CHECK: %[[H:.*]] = linalg.matmul ins(%{{.*}} : tensor<?x2xf32>, tensor<2x1xf32>)
// CHECK: %[[Y:.*]] = tensor.collapse_shape %[[H]] {{\[\[}}0, 1]]
// CHECK: return %[[Y]]
func.func @one_number(%x: tensor<?x2xf32>) -> tensor<?xf32> {
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
  return %y : tensor<?xf32>
}

// -----

// A layer that reads another, with nothing between them.
// CHECK-LABEL: func @two_layers
// CHECK-SAME: (%[[X:.*]]: tensor<?x1xf32>)
// CHECK: %[[W:.*]] = arith.constant dense_resource<weight.weight> : tensor<1x3xf32>
// CHECK: %[[Y:.*]] = linalg.matmul ins(%[[X]], %[[W]] :
// CHECK-NOT: linalg.matmul
// CHECK: return %[[Y]]
// (1, 2) times [1 2 3; 4 5 6]: 9, 12, 15.
// CHECK: weight.weight: "0x40000000000010410000404100007041"
func.func @two_layers(%x: tensor<?x1xf32>) -> tensor<?x3xf32> {
  %w = arith.constant dense<[[1., 2.]]> : tensor<1x2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x1xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %v = arith.constant dense<[[1., 2., 3.], [4., 5., 6.]]> : tensor<2x3xf32>
  %wide = tensor.empty(%n) : tensor<?x3xf32>
  %init2 = linalg.fill ins(%zero : f32) outs(%wide : tensor<?x3xf32>) -> tensor<?x3xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x1xf32>, tensor<1x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%h, %v : tensor<?x2xf32>, tensor<2x3xf32>)
    outs(%init2 : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
