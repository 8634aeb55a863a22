// RUN: gnn-opt --gnn-reorder-linear --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>

// 4 features are aggregated instead of 16, and there still is one product.
// CHECK-LABEL: func @narrows
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x16xf32>, %[[W:.*]]: tensor<16x4xf32>)
// CHECK: %[[H:.*]] = linalg.matmul ins(%[[X]], %[[W]]
// CHECK: %[[A:.*]] = gnn.message_aggregate [sum] %[[G]] src(%[[H]] : tensor<?x4xf32>)
// CHECK: %[[Y:.*]] = gnn.update node(%[[A]], %[[H]] : tensor<?x4xf32>, tensor<?x4xf32>)
// CHECK-NOT: linalg.matmul
// CHECK: return %[[Y]]
func.func @narrows(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
                   %w: tensor<16x4xf32>) -> tensor<?x4xf32> {
  %factor = arith.constant 1.5 : f32
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%r: f32):
    gnn.yield %r : f32
  }
  %z = gnn.update node(%a, %x : tensor<?x16xf32>, tensor<?x16xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x16xf32> {
  ^bb0(%r: f32, %s: f32):
    %p = arith.mulf %factor, %s : f32
    %q = arith.addf %r, %p : f32
    gnn.yield %q : f32
  }
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %z, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%z, %w : tensor<?x16xf32>, tensor<16x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// CHECK-LABEL: func @widens
// CHECK: gnn.message_aggregate
// CHECK: gnn.update
// CHECK: linalg.matmul
func.func @widens(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>,
                  %w: tensor<4x16xf32>) -> tensor<?x16xf32> {
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32> {
  ^bb0(%r: f32):
    gnn.yield %r : f32
  }
  %z = gnn.update node(%a, %x : tensor<?x4xf32>, tensor<?x4xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x4xf32> {
  ^bb0(%r: f32, %s: f32):
    %q = arith.addf %r, %s : f32
    gnn.yield %q : f32
  }
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %z, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%z, %w : tensor<?x4xf32>, tensor<4x16xf32>)
    outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Two products would take the place of one.
// CHECK-LABEL: func @other_rows
// CHECK: gnn.update
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
func.func @other_rows(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
                      %own: tensor<?x16xf32>, %w: tensor<16x4xf32>)
    -> tensor<?x4xf32> {
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%r: f32):
    gnn.yield %r : f32
  }
  %z = gnn.update node(%a, %own : tensor<?x16xf32>, tensor<?x16xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x16xf32> {
  ^bb0(%r: f32, %s: f32):
    %q = arith.addf %r, %s : f32
    gnn.yield %q : f32
  }
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %z, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%z, %w : tensor<?x16xf32>, tensor<16x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// A constant is added, which the product would have to change as well.
// CHECK-LABEL: func @not_linear
// CHECK: gnn.update
// CHECK: linalg.matmul
func.func @not_linear(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
                      %w: tensor<16x4xf32>) -> tensor<?x4xf32> {
  %one = arith.constant 1.0 : f32
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%r: f32):
    gnn.yield %r : f32
  }
  %z = gnn.update node(%a, %x : tensor<?x16xf32>, tensor<?x16xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x16xf32> {
  ^bb0(%r: f32, %s: f32):
    %p = arith.addf %s, %one : f32
    %q = arith.addf %r, %p : f32
    gnn.yield %q : f32
  }
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %z, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%z, %w : tensor<?x16xf32>, tensor<16x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// One weight per feature is no factor of a row.
// CHECK-LABEL: func @factor_per_feature
// CHECK: gnn.update
// CHECK: linalg.matmul
func.func @factor_per_feature(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
                              %scale: tensor<16xf32>, %w: tensor<16x4xf32>)
    -> tensor<?x4xf32> {
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%r: f32):
    gnn.yield %r : f32
  }
  %z = gnn.update node(%a, %x : tensor<?x16xf32>, tensor<?x16xf32>)
      uniform(%scale : tensor<16xf32>)
      {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x16xf32> {
  ^bb0(%r: f32, %s: f32, %f: f32):
    %p = arith.mulf %s, %f : f32
    %q = arith.addf %r, %p : f32
    gnn.yield %q : f32
  }
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %z, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%z, %w : tensor<?x16xf32>, tensor<16x4xf32>)
    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
