// RUN: gnn-opt %s --gnn-fold-lookups -o %t.mlir && FileCheck %s --input-file %t.mlir
// RUN: gnn-opt %s --gnn-fold-lookups=max-bytes=23 | FileCheck %s --check-prefix=SMALL
// What is computed here is what is computed there.
// RUN: gnn-interpret %s --entry=layers | FileCheck %s --check-prefix=LAYERS
// RUN: gnn-interpret %t.mlir --entry=layers | FileCheck %s --check-prefix=LAYERS
// RUN: gnn-interpret %s --entry=messages | FileCheck %s --check-prefix=MESSAGES
// RUN: gnn-interpret %t.mlir --entry=messages | FileCheck %s --check-prefix=MESSAGES
// RUN: gnn-interpret %s --entry=sums | FileCheck %s --check-prefix=SUMS
// RUN: gnn-interpret %t.mlir --entry=sums | FileCheck %s --check-prefix=SUMS
// RUN: gnn-interpret %s --entry=combined | FileCheck %s --check-prefix=COMBINED
// RUN: gnn-interpret %t.mlir --entry=combined | FileCheck %s --check-prefix=COMBINED
// RUN: gnn-opt %s --gnn-fold-lookups=max-combined-bytes=47 | FileCheck %s --check-prefix=APART

#row = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// A linear layer, its bias and an activation: one table.
// CHECK-LABEL: func @layers
// CHECK: %[[N:.*]] = arith.constant dense<[2, 0, 1]> : tensor<3xi64>
// CHECK: %[[NUMBERS:.*]] = tensor.cast %[[N]]
// CHECK: %[[T:.*]] = arith.constant dense_resource<{{.*}}> : tensor<3x2xf32>
// CHECK-NEXT: %[[R:.*]] = gnn.lookup %[[T]][%[[NUMBERS]]] : tensor<3x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
// CHECK-NEXT: return %[[R]]
// SMALL-LABEL: func @layers
// SMALL: linalg.matmul
// SMALL: gnn.update
// LAYERS: result 0: tensor<3x2xf32> = {{\[\[}}0, 3], [0, 2], [0, 2]]
func.func @layers() -> tensor<?x2xf32> {
  %t = arith.constant dense<[[1., 0.], [2., 1.], [3., 1.]]> : tensor<3x2xf32>
  %w = arith.constant dense<[[0., 1.], [1., -1.]]> : tensor<2x2xf32>
  %b = arith.constant dense<[-1., 1.]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %numbers = arith.constant dense<[2, 0, 1]> : tensor<3xi64>
  %n = tensor.cast %numbers : tensor<3xi64> to tensor<?xi64>
  %x = gnn.lookup %t[%n] : tensor<3x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
  %rows = tensor.dim %x, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%rows) : tensor<?x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = gnn.update node(%p : tensor<?x2xf32>) uniform(%b : tensor<2xf32>)
      {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    %r = arith.maximumf %s, %zero : f32
    gnn.yield %r : f32
  }
  return %y : tensor<?x2xf32>
}

#k = affine_map<(h, f, k) -> (k)>
#w = affine_map<(h, f, k) -> (k, h, f)>
#r = affine_map<(h, f, k) -> (h, f)>

// A message of the rows of edges alone, and a sum that is no product.
// CHECK-LABEL: func @messages
// CHECK: %[[R:.*]] = gnn.lookup %{{.*}}[%[[N:.*]]] : tensor<2x2x1xf32>, tensor<?xi64> -> tensor<?x2x1xf32>
// CHECK: %[[M:.*]] = gnn.edges_from_tensor %[[G:.*]], %[[R]]
// CHECK: %[[S:.*]] = gnn.lookup %{{.*}}[%[[N]]] : tensor<2xf32>, tensor<?xi64> -> tensor<?xf32>
// CHECK: %[[Q:.*]] = gnn.edges_from_tensor %[[G]], %[[S]]
// CHECK: return %[[M]], %[[Q]]
// MESSAGES: result 0: !gnn.edges<2x1xf32> = {{\[\[\[}}0.5], [1]], {{\[\[}}1.25], [-1]], {{\[\[}}0.5], [1]]]
// MESSAGES: result 1: !gnn.edges<f32> = [11.375, 0, 11.375]
func.func @messages() -> (!gnn.edges<2x1xf32>, !gnn.edges<f32>) {
  %g = call @graph() : () -> !gnn.graph<csr>
  %t = arith.constant dense<[[1., 1.], [2.5, -1.]]> : tensor<2x2xf32>
  %w = arith.constant dense<[[[0.5], [0.]], [[0.75], [-1.]]]> : tensor<2x2x1xf32>
  %numbers = arith.constant dense<[1, 0, 1]> : tensor<3xi64>
  %n = tensor.cast %numbers : tensor<3xi64> to tensor<?xi64>
  %x = gnn.lookup %t[%n] : tensor<2x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
  %e = gnn.edges_from_tensor %g, %x : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %m = gnn.message %g edge(%e : !gnn.edges<2xf32>) uniform(%w : tensor<2x2x1xf32>)
      {indexing_maps = [#k, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2x1xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %q = gnn.message %g edge(%e : !gnn.edges<2xf32>)
      {indexing_maps = [#row, #none], iterator_types = ["reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %sum: f32):
    %p = arith.mulf %a, %a : f32
    %one = arith.constant 1.0 : f32
    %d = arith.subf %a, %one : f32
    %square = arith.mulf %d, %p : f32
    %abs = math.absf %square : f32
    %s = arith.addf %sum, %abs : f32
    gnn.yield %s : f32
  }
  return %m, %q : !gnn.edges<2x1xf32>, !gnn.edges<f32>
}

// Rows of two tables by the same numbers in other shapes, and a product that is
// added to something.
// CHECK-LABEL: func @sums
// CHECK-NOT: linalg.matmul
// CHECK: gnn.lookup %{{.*}} : tensor<2x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
// CHECK: %[[P:.*]] = gnn.lookup %{{.*}} : tensor<2x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
// CHECK: gnn.update node(%{{.*}}, %[[P]] : tensor<?x2xf32>, tensor<?x2xf32>)
// CHECK: arith.addf
// SUMS: result 0: tensor<2x2xf32> = {{\[\[}}5, 5], [11, 22]]
func.func @sums() -> tensor<?x2xf32> {
  %t = arith.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %u = arith.constant dense<[[[4.], [3.]], [[8.], [18.]]]> : tensor<2x2x1xf32>
  %w = arith.constant dense<[[1., 0.], [0., 1.]]> : tensor<2x2xf32>
  %numbers = arith.constant dense<[0, 1]> : tensor<2xi32>
  %n = tensor.cast %numbers : tensor<2xi32> to tensor<?xi32>
  %x = gnn.lookup %t[%n] : tensor<2x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %y = gnn.lookup %u[%n] : tensor<2x2x1xf32>, tensor<?xi32> -> tensor<?x2x1xf32>
  %z = tensor.collapse_shape %y [[0], [1, 2]] : tensor<?x2x1xf32> into tensor<?x2xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x2xf32>)
    outs(%z : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %p : tensor<?x2xf32>
}

// Rows of tables by numbers of their own: one for each combination, of which the
// linear layer after the sum is one as well.
// CHECK-LABEL: func @combined
// CHECK: %[[N:.*]] = gnn.update node(%[[A:.*]], %[[B:.*]], %[[C:.*]] : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
// CHECK: ^bb0(%[[I:.*]]: i64, %[[J:.*]]: i64, %[[K:.*]]: i64):
// CHECK: %[[THREE:.*]] = arith.constant 3 : i64
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[THREE]]
// CHECK: %[[IJ:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: %[[ROWS:.*]] = arith.muli %[[IJ]], %[[ONE]]
// CHECK: %[[IJK:.*]] = arith.addi %[[ROWS]], %[[K]]
// CHECK: gnn.yield %[[IJK]]
// CHECK: %[[Y:.*]] = gnn.lookup %{{.*}}[%[[N]]] : tensor<6x1xf32>, tensor<?xi64> -> tensor<?x1xf32>
// CHECK: return %[[Y]]
// APART-LABEL: func @combined
// APART: gnn.update node(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>)
// APART: linalg.matmul
// COMBINED: result 0: tensor<4x1xf32> = {{\[\[}}-49], [-40], [-43], [-40]]
func.func @combined() -> tensor<?x1xf32> {
  %t = arith.constant dense<[[1., 10.], [2., 20.]]> : tensor<2x2xf32>
  %u = arith.constant dense<[[3., 30.], [4., 40.], [5., 50.]]> : tensor<3x2xf32>
  %v = arith.constant dense<[[6., 70.]]> : tensor<1x2xf32>
  %w = arith.constant dense<[[7.], [-1.]]> : tensor<2x1xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %numbers = arith.constant dense<[[1, 2, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]]> : tensor<4x3xi64>
  %n = tensor.cast %numbers : tensor<4x3xi64> to tensor<?x3xi64>
  %rows = tensor.dim %n, %c0 : tensor<?x3xi64>
  %i = tensor.extract_slice %n[0, 0] [%rows, 1] [1, 1] : tensor<?x3xi64> to tensor<?xi64>
  %j = tensor.extract_slice %n[0, 1] [%rows, 1] [1, 1] : tensor<?x3xi64> to tensor<?xi64>
  %k = tensor.extract_slice %n[0, 2] [%rows, 1] [1, 1] : tensor<?x3xi64> to tensor<?xi64>
  %a = gnn.lookup %t[%i] : tensor<2x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
  %b = gnn.lookup %u[%j] : tensor<3x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
  %c = gnn.lookup %v[%k] : tensor<1x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
  %x = gnn.update node(%a, %b, %c : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %p, %q : f32
    %all = arith.addf %s, %r : f32
    gnn.yield %all : f32
  }
  %e = tensor.empty(%rows) : tensor<?x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x1xf32>)
    outs(%f : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// Numbers of different types, numbers of several dimensions, rows of nodes that
// edges read, and tables that are no constants.
// CHECK-LABEL: func @others
// CHECK-COUNT-2: gnn.update
// CHECK: gnn.message
// CHECK: gnn.update
func.func @others(%g: !gnn.graph<csr>, %n: tensor<?xi64>, %i: tensor<?xi32>,
                  %several: tensor<?x3xi64>, %table: tensor<3x2xf32>)
    -> (tensor<?x2xf32>, tensor<?x3x2xf32>, !gnn.edges<2xf32>, tensor<?x2xf32>) {
  %t = arith.constant dense<[[1., 0.], [2., 1.], [3., 1.]]> : tensor<3x2xf32>
  %x = gnn.lookup %t[%n] : tensor<3x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
  %y = gnn.lookup %t[%i] : tensor<3x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %0 = gnn.update node(%x, %y : tensor<?x2xf32>, tensor<?x2xf32>)
      {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    gnn.yield %s : f32
  }
  %z = gnn.lookup %t[%several] : tensor<3x2xf32>, tensor<?x3xi64> -> tensor<?x3x2xf32>
  %1 = gnn.update node(%z : tensor<?x3x2xf32>)
      {indexing_maps = [affine_map<(i, f) -> (i, f)>, affine_map<(i, f) -> (i, f)>],
       iterator_types = ["parallel", "parallel"]} : tensor<?x3x2xf32> {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    gnn.yield %s : f32
  }
  %2 = gnn.message %g src(%x : tensor<?x2xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    gnn.yield %s : f32
  }
  %v = gnn.lookup %table[%n] : tensor<3x2xf32>, tensor<?xi64> -> tensor<?x2xf32>
  %3 = gnn.update node(%v : tensor<?x2xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    gnn.yield %s : f32
  }
  return %0, %1, %2, %3
    : tensor<?x2xf32>, tensor<?x3x2xf32>, !gnn.edges<2xf32>, tensor<?x2xf32>
}

func.func private @graph() -> !gnn.graph<csr> {
  %rows = arith.constant dense<[0, 1, 3]> : tensor<3xi32>
  %columns = arith.constant dense<[1, 0, 1]> : tensor<3xi32>
  %n = arith.constant 2 : index
  %r = tensor.cast %rows : tensor<3xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<3xi32> to tensor<?xi32>
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return %g : !gnn.graph<csr>
}
