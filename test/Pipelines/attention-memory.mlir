// RUN: sed s/TOPOLOGY/csr/ %s \
// RUN:   | gnn-opt --gnn-stage-optimize=topology=sparse \
// RUN:   --gnn-stage-lower --gnn-stage-vectorize --gnn-stage-bufferize \
// RUN:   | FileCheck %s --check-prefix=SPARSE
// RUN: sed s/TOPOLOGY/csr/ %s | gnn-opt --gnn-stage-optimize=fuse=false \
// RUN:   --gnn-stage-lower --gnn-stage-vectorize --gnn-stage-bufferize \
// RUN:   | FileCheck %s --check-prefix=UNFUSED
// RUN: sed s/TOPOLOGY/complete/ %s | gnn-opt --gnn-stage-optimize \
// RUN:   --gnn-stage-lower --gnn-stage-vectorize --gnn-stage-bufferize \
// RUN:   | FileCheck %s --check-prefix=DENSE
// RUN: sed s/TOPOLOGY/complete/ %s | gnn-opt --gnn-stage-optimize=fuse=false \
// RUN:   --gnn-stage-lower --gnn-stage-vectorize --gnn-stage-bufferize \
// RUN:   | FileCheck %s --check-prefix=SQUARE

// The result is the only buffer but for the scores of so many edges, on the
// stack: of some short rows, or a part of a long one. Nothing is stored per edge.
// SPARSE-LABEL: func.func @attention
// SPARSE-SAME: (%{{[^:]*}}: memref<?xi32>, %[[COLUMNS:[^:]*]]: memref<?xi32>
// SPARSE-NOT: memref.dim %[[COLUMNS]]
// SPARSE: memref.alloc(%{{.*}}) {{.*}} : memref<?x2x8xf32>
// SPARSE-NOT: memref.dim %[[COLUMNS]]
// SPARSE-NOT: memref.alloc
// SPARSE: memref.alloca() {{.*}} : memref<528xf32>
// SPARSE-NOT: memref.alloc(
// SPARSE: memref.alloca() {{.*}} : memref<32xf32>
// SPARSE-NOT: memref.alloc
// SPARSE-NOT: memref.copy
// SPARSE: return

// UNFUSED-LABEL: func.func @attention
// UNFUSED-SAME: (%{{[^:]*}}: memref<?xi32>, %[[COLUMNS:[^:]*]]: memref<?xi32>
// UNFUSED: %[[E:.*]] = memref.dim %[[COLUMNS]]
// UNFUSED: memref.alloc(%[[E]]) {{.*}} : memref<?x2xf32>
// UNFUSED: memref.alloc(%[[E]]) {{.*}} : memref<?x2x8xf32>

// On a complete graph too: buffers of the parallel loop are those of eight tiles
// at most, whose extents are bounded.
// DENSE-LABEL: func.func @attention
// DENSE-SAME: (%[[D:[^:]*]]: index, %[[S:[^:]*]]: index
// DENSE-NOT: memref.alloc(%[[D]], %[[S]])
// DENSE: memref.alloc(%[[D]]) {{.*}} : memref<?x2x8xf32>
// DENSE: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (2, %[[D]]) step (1, %{{.*}})
// DENSE-NOT: memref.alloc(
// DENSE: memref.alloca() {{.*}} : memref<8x8x64xf32>
// DENSE: scf.for %[[J:[^ ]*]] = %{{.*}} to %[[S]]
// DENSE: %[[COLUMNS:.*]] = affine.min #{{.*}}(%[[J]])[%[[S]]]
// DENSE: memref.alloc(%[[COLUMNS]]) {{.*}} : memref<?x64xf32>
// DENSE-NOT: memref.alloc({{[^)]}}
// DENSE: return

// SQUARE-LABEL: func.func @attention
// SQUARE-SAME: (%[[D:[^:]*]]: index, %[[S:[^:]*]]: index
// SQUARE: memref.alloc(%[[D]], %[[S]]) {{.*}} : memref<?x?x2xf32>

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#head = affine_map<(h, f) -> (h)>

// Two heads of eight features: additive scores, softmax, weighted sum.
func.func @attention(%g: !gnn.graph<TOPOLOGY>, %l: tensor<?x2xf32>,
                     %r: tensor<?x2xf32>, %v: tensor<?x2x8xf32>)
    -> tensor<?x2x8xf32> {
  %s = gnn.message %g dst(%l : tensor<?x2xf32>) src(%r : tensor<?x2xf32>)
      {indexing_maps = [#h, #h, #h], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %slope = arith.constant 0.2 : f32
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %slope : f32
    %2 = arith.maximumf %0, %1 : f32
    gnn.yield %2 : f32
  }
  %w = gnn.edge_softmax %g, %s : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32>
  %m = gnn.message %g src(%v : tensor<?x2x8xf32>) edge(%w : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #head, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2x8xf32> {
  ^bb0(%a: f32, %e: f32):
    %0 = arith.mulf %a, %e : f32
    gnn.yield %0 : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2x8xf32> -> tensor<?x2x8xf32>
  return %y : tensor<?x2x8xf32>
}
