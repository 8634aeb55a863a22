// Nearest neighbours of two registers of destinations at a time.
// DEFINE: %{compile} = gnn-compile %s --target=x86_64-linux-gnu --emit=linalg -o -
// RUN: %{compile} --target-cpu=x86-64-v4 | FileCheck %s
// RUN: %{compile} --target-cpu=x86-64-v4 --order-points=false | FileCheck %s --check-prefix=PLAIN
// RUN: %{compile} --target-cpu=x86-64-v3 | FileCheck %s --check-prefix=NARROW
// RUN: %{compile} --target-cpu=x86-64-v4 --top-k-tiles=false | FileCheck %s --check-prefix=ROWS
// RUN: gnn-opt --gnn-stage-optimize=order-points=false --gnn-stage-lower --gnn-stage-vectorize \
// RUN:   --gnn-stage-bufferize %s | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @nearest
// Large clouds by half as many, and small ones.
// CHECK: scf.if
// CHECK: scf.forall {{.*}} step (16)
// CHECK: tensor<16x16xf32>
// CHECK: } else {
// CHECK: scf.forall {{.*}} step (32)
// CHECK: tensor<16x32xf32>
// PLAIN-LABEL: func.func @nearest
// PLAIN-NOT: tensor<16x16xf32>
// PLAIN: tensor<16x32xf32>
// NARROW-LABEL: func.func @nearest
// NARROW: } else {
// NARROW: scf.forall {{.*}} step (16)
// NARROW: tensor<16x16xf32>
// ROWS-LABEL: func.func @nearest
// ROWS-NOT: tensor<16x32xf32>
// ROWS: scf.forall (%{{.*}}) in (%{{.*}})

// Nothing is stored for pairs of nodes. Lists of a tile stay on the stack, and are
// changed where they lie.
// BUFFERS-LABEL: func.func @nearest
// BUFFERS-NOT: memref<?x?xf32>
// BUFFERS: scf.forall
// BUFFERS: %[[SCORES:.*]] = memref.alloca() {{.*}} : memref<16x[[LANES:.*]]xf32>
// BUFFERS: scf.if
// BUFFERS: scf.for
// BUFFERS-NOT: memref.alloc
// BUFFERS: arith.cmpf ugt, %{{.*}}, %{{.*}} : vector<[[LANES]]xf32>
// BUFFERS-NOT: memref.copy
// BUFFERS: vector.transfer_write %{{.*}} : vector<[[LANES]]xf32>, memref<
// BUFFERS-NOT: memref<?x?xf32>
#d = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>
func.func @nearest(%g: !gnn.graph<block_diagonal>,
                   %x: tensor<?x3xf32> {gnn.name = "x", gnn.axis = "source",
                                        gnn.graph = 0 : i64})
    -> tensor<?xf32> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 16}
      : !gnn.graph<block_diagonal> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.subf %b, %a : f32
    %1 = arith.mulf %0, %0 : f32
    %s = arith.subf %sum, %1 : f32
    gnn.yield %s : f32
  }
  %y = gnn.degree src %h : !gnn.graph<csr> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
