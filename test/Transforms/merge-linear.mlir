// RUN: gnn-opt --gnn-merge-linear --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>

// Terms of one sum that was made in two steps; what else is added stays in its order.
// CHECK-LABEL: func @two_steps
// CHECK-SAME: (%[[X:.*]]: tensor<?x2xf32>, %[[H:.*]]: tensor<?x2xf32>)
// CHECK-NOT: linalg.matmul
// CHECK: %[[C:.*]] = arith.constant dense_resource<[[NAME:"weight.weight"]]> : tensor<2x2xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[X]], %[[C]] :
// CHECK-NOT: linalg.matmul
// CHECK: %[[Y:.*]] = gnn.update node(%[[H]], %[[P]] : {{.*}}) uniform(%{{.*}} : tensor<2xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[S]], %[[BIAS]]
// CHECK-NEXT: gnn.yield %[[T]]
// CHECK-NOT: gnn.update
// CHECK: return %[[Y]]
// 11, 22, 33 and 44.
// CHECK: [[NAME]]: "0x40000000000030410000B0410000044200003042"
func.func @two_steps(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %a = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[10., 20.], [30., 40.]]> : tensor<2x2xf32>
  %bias = arith.constant dense<[5., 6.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %a : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = linalg.matmul ins(%x, %b : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = gnn.update node(%h, %p : tensor<?x2xf32>, tensor<?x2xf32>) uniform(%bias : tensor<2xf32>)
      {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32, %a2: f32):
    %s0 = arith.addf %a0, %a1 : f32
    %s1 = arith.addf %s0, %a2 : f32
    gnn.yield %s1 : f32
  }
  %y = gnn.update node(%s, %q : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.addf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  return %y : tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Nothing is left to add.
// CHECK-LABEL: func @nothing_else
// CHECK: %[[P:.*]] = linalg.matmul
// CHECK-NOT: gnn.update
// CHECK: return %[[P]]
func.func @nothing_else(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %a = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[10., 20.], [30., 40.]]> : tensor<2x2xf32>
  %bias = arith.constant dense<[5., 6.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %a : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = linalg.matmul ins(%x, %b : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = gnn.update node(%p, %q : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.addf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  return %y : tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Something else reads one of the layers.
// CHECK-LABEL: func @read_twice
// CHECK-COUNT-2: linalg.matmul
// CHECK: gnn.update
func.func @read_twice(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %a = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[10., 20.], [30., 40.]]> : tensor<2x2xf32>
  %bias = arith.constant dense<[5., 6.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %a : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = linalg.matmul ins(%x, %b : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = gnn.update node(%p, %q : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.addf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  return %y, %q : tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Something else reads what is in between.
// CHECK-LABEL: func @read_between
// CHECK-COUNT-2: linalg.matmul
// CHECK-COUNT-2: gnn.update
func.func @read_between(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %a = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[10., 20.], [30., 40.]]> : tensor<2x2xf32>
  %bias = arith.constant dense<[5., 6.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %a : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = linalg.matmul ins(%x, %b : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = gnn.update node(%h, %p : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.addf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  %y = gnn.update node(%s, %q : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.addf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  return %y, %s : tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Layers of other rows.
// CHECK-LABEL: func @other_rows
// CHECK-COUNT-2: linalg.matmul
// CHECK: gnn.update
func.func @other_rows(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %a = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[10., 20.], [30., 40.]]> : tensor<2x2xf32>
  %bias = arith.constant dense<[5., 6.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %a : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = linalg.matmul ins(%h, %b : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = gnn.update node(%p, %q : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.addf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  return %y : tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Products are not added up.
// CHECK-LABEL: func @product
// CHECK-COUNT-2: linalg.matmul
// CHECK: gnn.update
func.func @product(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %a = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[10., 20.], [30., 40.]]> : tensor<2x2xf32>
  %bias = arith.constant dense<[5., 6.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %a : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = linalg.matmul ins(%x, %b : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = gnn.update node(%p, %q : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.mulf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  return %y : tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Weights that are not known.
// CHECK-LABEL: func @unknown
// CHECK-COUNT-2: linalg.matmul
// CHECK: gnn.update
func.func @unknown(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>, %w: tensor<2x2xf32>) -> tensor<?x2xf32> {
  %a = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[10., 20.], [30., 40.]]> : tensor<2x2xf32>
  %bias = arith.constant dense<[5., 6.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %a : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = gnn.update node(%p, %q : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.addf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  return %y : tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Weights without elements are no resource, which MLIR could not translate.
// CHECK-LABEL: func @no_columns
// CHECK: arith.constant dense<> : tensor<0x2xf32>
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
func.func @no_columns(%x: tensor<?x0xf32>) -> tensor<?x2xf32> {
  %a = arith.constant dense<> : tensor<0x2xf32>
  %b = arith.constant dense<> : tensor<0x2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x0xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %a : tensor<?x0xf32>, tensor<0x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %q = linalg.matmul ins(%x, %b : tensor<?x0xf32>, tensor<0x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = gnn.update node(%p, %q : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%a0: f32, %a1: f32):
    %s0 = arith.addf %a0, %a1 : f32
    gnn.yield %s0 : f32
  }
  return %s : tensor<?x2xf32>
}
