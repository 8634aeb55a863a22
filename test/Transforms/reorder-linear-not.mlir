// RUN: gnn-opt --gnn-reorder-linear --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// Nothing is won.
// CHECK-LABEL: func @same_width
// CHECK: linalg.matmul
// CHECK: gnn.message_aggregate
// CHECK-NOT: linalg.matmul
func.func @same_width(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<16x16xf32>)
    -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>)
    -> tensor<?x16xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x16xf32>, tensor<16x16xf32>)
    outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x16xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x16xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// The aggregation is on the narrow side already.
// CHECK-LABEL: func @narrows_already
// CHECK: linalg.matmul
// CHECK: gnn.message_aggregate
// CHECK-NOT: linalg.matmul
func.func @narrows_already(%g: !gnn.graph<csr>, %x: tensor<?x64xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<64x16xf32>)
    -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>)
    -> tensor<?x16xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x64xf32>, tensor<64x16xf32>)
    outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x16xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x16xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// The aggregation is on the narrow side already.
// CHECK-LABEL: func @widens_already
// CHECK: gnn.message_aggregate
// CHECK: linalg.matmul
// CHECK-NOT: gnn.message_aggregate
func.func @widens_already(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<16x64xf32>)
    -> tensor<?x64xf32> {
  %m = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %m, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>)
    -> tensor<?x64xf32>
  %y = linalg.matmul ins(%m, %weights : tensor<?x16xf32>, tensor<16x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// A maximum is not linear.
// CHECK-LABEL: func @max
// CHECK: linalg.matmul
// CHECK: gnn.message_aggregate
// CHECK-NOT: linalg.matmul
func.func @max(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<16x64xf32>)
    -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>)
    -> tensor<?x64xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x16xf32>, tensor<16x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = gnn.message_aggregate [max] %g src(%h : tensor<?x64xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// What the product is added to would be summed as well.
// CHECK-LABEL: func @bias
// CHECK: linalg.matmul
// CHECK: gnn.message_aggregate
// CHECK-NOT: linalg.matmul
func.func @bias(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<16x64xf32>)
    -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>)
    -> tensor<?x64xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x16xf32>, tensor<16x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x64xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// The message is no multiple of its source.
// CHECK-LABEL: func @nonlinear
// CHECK: linalg.matmul
// CHECK: gnn.message_aggregate
// CHECK-NOT: linalg.matmul
func.func @nonlinear(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<16x64xf32>)
    -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>)
    -> tensor<?x64xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x16xf32>, tensor<16x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x64xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %t = math.tanh %p : f32
    gnn.yield %t : f32
  }
  return %y : tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// The product is needed anyway.
// CHECK-LABEL: func @two_users
// CHECK: linalg.matmul
// CHECK: gnn.message_aggregate
// CHECK-NOT: linalg.matmul
func.func @two_users(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>, %w: !gnn.edges<f32>,
    %weights: tensor<16x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>)
    -> tensor<?x64xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x16xf32>, tensor<16x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x64xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y, %h : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// A factor for each feature does not commute with the product.
// CHECK-LABEL: func @per_feature
// CHECK: linalg.matmul
// CHECK: gnn.message_aggregate
// CHECK-NOT: linalg.matmul
func.func @per_feature(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
    %e: !gnn.edges<64xf32>, %weights: tensor<16x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>)
    -> tensor<?x64xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x16xf32>, tensor<16x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x64xf32>)
      edge(%e : !gnn.edges<64xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x64xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// The factor depends on the feature, although no operand with features does.
// CHECK-LABEL: func @factor_per_feature
// CHECK: linalg.matmul
// CHECK: gnn.message_aggregate
// CHECK-NOT: linalg.matmul
func.func @factor_per_feature(%g: !gnn.graph<csr>, %x: tensor<?x8xf32>,
    %weights: tensor<8x16xf32>, %table: tensor<16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>)
    -> tensor<?x16xf32>
  %h = linalg.matmul ins(%x, %weights : tensor<?x8xf32>, tensor<8x16xf32>)
    outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x16xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%a: f32):
    %f = gnn.feature_index 0
    %b = tensor.extract %table[%f] : tensor<16xf32>
    %p = arith.mulf %a, %b : f32
    gnn.yield %p : f32
  }
  return %y : tensor<?x16xf32>
}

// -----

#f = affine_map<(f) -> (f)>

// Sums in another type than the rows.
// CHECK-LABEL: func @wider_sums
// CHECK: %[[A:.*]] = gnn.message_aggregate
// CHECK: linalg.matmul ins(%[[A]],
func.func @wider_sums(%g: !gnn.graph<csr>, %x: tensor<?x16xbf16>,
                      %w: tensor<16x4xbf16>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xbf16>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xbf16> {
  ^bb0(%b: bf16):
    gnn.yield %b : bf16
  }
  %n = tensor.dim %a, %c0 : tensor<?x16xbf16>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %h = linalg.matmul ins(%a, %w : tensor<?x16xbf16>, tensor<16x4xbf16>)
    outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %h : tensor<?x4xf32>
}

// -----

#f = affine_map<(f) -> (f)>

// Rows whose number the result alone knows.
// CHECK-LABEL: func @known_rows
// CHECK: %[[A:.*]] = gnn.message_aggregate
// CHECK: linalg.matmul ins(%[[A]],
func.func @known_rows(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
                      %w: tensor<16x4xf32>) -> tensor<34x4xf32> {
  %zero = arith.constant 0.0 : f32
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%b: f32):
    gnn.yield %b : f32
  }
  %e = tensor.empty() : tensor<34x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<34x4xf32>)
    -> tensor<34x4xf32>
  %h = linalg.matmul ins(%a, %w : tensor<?x16xf32>, tensor<16x4xf32>)
    outs(%i : tensor<34x4xf32>) -> tensor<34x4xf32>
  return %h : tensor<34x4xf32>
}

// -----

#f = affine_map<(f) -> (f)>

// One aggregation would become several, with weights that are not known before.
// CHECK-LABEL: func @product_in_loop
// CHECK: %[[A:.*]] = gnn.message_aggregate
// CHECK: scf.for
// CHECK: linalg.matmul ins(%[[A]],
func.func @product_in_loop(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
                           %w: tensor<2x16x4xf32>, %first: tensor<?x4xf32>)
    -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x16xf32> {
  ^bb0(%b: f32):
    gnn.yield %b : f32
  }
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %first)
      -> (tensor<?x4xf32>) {
    %wk = tensor.extract_slice %w[%k, 0, 0] [1, 16, 4] [1, 1, 1]
      : tensor<2x16x4xf32> to tensor<16x4xf32>
    %n = tensor.dim %a, %c0 : tensor<?x16xf32>
    %e = tensor.empty(%n) : tensor<?x4xf32>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>)
      -> tensor<?x4xf32>
    %h = linalg.matmul ins(%a, %wk : tensor<?x16xf32>, tensor<16x4xf32>)
      outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
    %t = linalg.add ins(%h, %s : tensor<?x4xf32>, tensor<?x4xf32>)
      outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %t : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// A layer whose number of columns the result does not tell.
// CHECK-LABEL: func @unknown_columns
// CHECK: gnn.message_aggregate {{.*}} -> tensor<?x8xf32>
// CHECK: linalg.matmul
func.func @unknown_columns(%g: !gnn.graph<csr>, %x: tensor<?x8xf32>,
    %weights: tensor<8x2xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %sum = gnn.message_aggregate [sum] %g src(%x : tensor<?x8xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x8xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%sum, %weights : tensor<?x8xf32>, tensor<8x2xf32>)
    outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
