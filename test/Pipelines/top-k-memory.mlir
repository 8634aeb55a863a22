// RUN: gnn-opt --gnn-stage-optimize --gnn-stage-lower --gnn-stage-vectorize \
// RUN:   --gnn-stage-bufferize %s | FileCheck %s

// Attention to the eight largest scores. One buffer has an entry per edge: the
// scores, which are selected where they lie; the list of the largest stays on
// the stack, and a place of it is a vector of all heads.
// CHECK-LABEL: func.func @top_k
// CHECK: %[[SCORES:.*]] = memref.alloc({{.*}}) {{.*}} : memref<?x4xf32>
// CHECK-NOT: memref.alloc(
// CHECK: scf.forall
// CHECK: scf.forall
// CHECK: %[[LIST:.*]] = memref.alloca() {{.*}} : memref<8x4xf32>
// CHECK: arith.cmpf ugt, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[LIST]]
// CHECK: %{{.*}} = memref.alloc(%{{.*}}) {{.*}} : memref<?x4x16xf32>
// CHECK-NOT: memref.alloc(
// CHECK: memref.dealloc %[[SCORES]]

#id = affine_map<(h, d) -> (h, d)>
func.func @top_k(%g: !gnn.graph<csr>, %x: tensor<?x4x16xf32>)
    -> tensor<?x4x16xf32> {
  %score = gnn.message %g
      dst(%x : tensor<?x4x16xf32>) src(%x : tensor<?x4x16xf32>)
      {indexing_maps = [#id, #id, affine_map<(h, d) -> (h)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %sum : f32
    gnn.yield %1 : f32
  }
  %kept = gnn.edge_top_k %g, %score {k = 8}
    : !gnn.graph<csr>, !gnn.edges<4xf32>
  %w = gnn.edge_softmax %g, %kept : !gnn.graph<csr>, !gnn.edges<4xf32>
  %m = gnn.message %g
      src(%x : tensor<?x4x16xf32>) edge(%w : !gnn.edges<4xf32>)
      {indexing_maps = [#id, affine_map<(h, d) -> (h)>, #id],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4x16xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<4x16xf32> -> tensor<?x4x16xf32>
  return %y : tensor<?x4x16xf32>
}
