// RUN: gnn-opt --gnn-sum-edge-rows --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>

// The bias of a sum counts once for each edge.
// CHECK-LABEL: func @sum
// CHECK-SAME: %[[G:.*]]: !gnn.graph<csr>, %[[H:.*]]: tensor<?x3xf32>, %[[W:.*]]: tensor<3x2xf32>
// CHECK-NOT: linalg.matmul
// CHECK: %[[E:.*]] = gnn.edges_from_tensor %[[G]], %[[H]] : {{.*}} -> !gnn.edges<3xf32>
// CHECK: %[[SUMS:.*]] = gnn.aggregate [sum] %[[G]], %[[E]] : {{.*}} -> tensor<?x3xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[SUMS]], %[[W]]
// CHECK: %[[D:.*]] = gnn.degree dst %[[G]]
// CHECK: %[[Y:.*]] = gnn.update node(%[[P]], %[[D]] : {{.*}}) uniform(%{{.*}} : tensor<2xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[COUNT:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[BIAS:.*]] = arith.mulf %[[B]], %[[COUNT]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[BIAS]]
// CHECK-NEXT: gnn.yield %[[S]]
// CHECK: return %[[Y]]
func.func @sum(%g: !gnn.graph<csr>, %h: tensor<?x3xf32>, %w: tensor<3x2xf32>)
    -> tensor<?x2xf32> {
  %b = arith.constant dense<[1., 2.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %h, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = linalg.matmul ins(%h, %w : tensor<?x3xf32>, tensor<3x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %lb = gnn.update node(%l : tensor<?x2xf32>) uniform(%b : tensor<2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    gnn.yield %s : f32
  }
  %e = gnn.edges_from_tensor %g, %lb : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %y = gnn.aggregate [sum] %g, %e : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// That of a mean counts for nodes that have an edge.
// CHECK-LABEL: func @mean
// CHECK: gnn.aggregate [mean] {{.*}} -> tensor<?x3xf32>
// CHECK: linalg.matmul
// CHECK: gnn.update
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[COUNT:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT: %[[ANY:.*]] = arith.minimumf %[[COUNT]], %[[ONE]]
// CHECK-NEXT: arith.mulf %[[B]], %[[ANY]]
func.func @mean(%g: !gnn.graph<csr>, %h: tensor<?x3xf32>, %w: tensor<3x2xf32>)
    -> tensor<?x2xf32> {
  %b = arith.constant dense<[1., 2.]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %h, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = linalg.matmul ins(%h, %w : tensor<?x3xf32>, tensor<3x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %lb = gnn.update node(%l : tensor<?x2xf32>) uniform(%b : tensor<2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    gnn.yield %s : f32
  }
  %e = gnn.edges_from_tensor %g, %lb : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %y = gnn.aggregate [mean] %g, %e : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// A maximum is none of sums, and rows that something else reads are computed
// in any case.
// CHECK-LABEL: func @others
// CHECK: %[[L:.*]] = linalg.matmul
// CHECK: gnn.aggregate [max]
// CHECK: %[[M:.*]] = linalg.matmul
// CHECK: gnn.aggregate [sum]
// CHECK: return %{{.*}}, %{{.*}}, %[[M]]
func.func @others(%g: !gnn.graph<csr>, %h: tensor<?x3xf32>, %w: tensor<3x2xf32>)
    -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %h, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = linalg.matmul ins(%h, %w : tensor<?x3xf32>, tensor<3x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %e = gnn.edges_from_tensor %g, %l : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %y = gnn.aggregate [max] %g, %e : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %m = linalg.matmul ins(%h, %w : tensor<?x3xf32>, tensor<3x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %f = gnn.edges_from_tensor %g, %m : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %z = gnn.aggregate [sum] %g, %f : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  return %y, %z, %m : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
