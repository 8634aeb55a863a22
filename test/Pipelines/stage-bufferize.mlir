// RUN: gnn-opt --gnn-stage-optimize --gnn-stage-lower --gnn-stage-vectorize \
// RUN:   --gnn-stage-bufferize %s | FileCheck %s

// No tensor is left, and what the function does not return is freed, before
// the result is made if it is used no more.
// CHECK-LABEL: func.func @gcn
// CHECK-NOT: tensor
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x16xf32>
// CHECK-NOT: tensor
// CHECK: %[[Y:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x24xf32>
// CHECK-NOT: tensor
// CHECK: memref.dealloc %[[A]]
// CHECK-NOT: memref.dealloc %[[Y]]
// CHECK: return %[[Y]]

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// A GCN layer as the frontend writes it, with its weights as an argument.
func.func @gcn(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
               %weight: tensor<16x24xf32>, %norm: tensor<?xf32>)
    -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x24xf32>)
    -> tensor<?x24xf32>
  %h = linalg.matmul ins(%x, %weight : tensor<?x16xf32>, tensor<16x24xf32>)
    outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
  %m = gnn.message %g dst(%norm : tensor<?xf32>)
      src(%h, %norm : tensor<?x24xf32>, tensor<?xf32>)
      {indexing_maps = [#none, #id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<24xf32> {
  ^bb0(%d: f32, %a: f32, %s: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.mulf %0, %d : f32
    gnn.yield %1 : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<24xf32> -> tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}
