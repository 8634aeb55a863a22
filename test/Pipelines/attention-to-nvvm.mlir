// RUN: gnn-opt %s --gnn-stage-optimize=vectorize=false \
// RUN:   --gnn-stage-lower=vectorize=false \
// RUN:   --gnn-gpu-stage-tile="precision=bf16" \
// RUN:   --gnn-gpu-stage-bufferize --gnn-gpu-stage-map \
// RUN:   --gnn-gpu-stage-nvvm=chip=sm_80 -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=COUNT
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=NEVER

// Attention over all pairs, with 16-bit factors: a kernel of 128 threads that
// brings rows of keys and values to workgroup memory, multiplies on tensor cores,
// and has nothing on the stack.
// CHECK: module attributes
// CHECK-SAME: gnn.device_image = "
// CHECK-DAG: cp.async.cg.shared.global
// CHECK-DAG: cp.async.commit_group
// CHECK-DAG: cp.async.wait_group
// CHECK-DAG: bar.sync
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-DAG: shfl.sync.bfly.b32
// CHECK-DAG: ex2.approx.f32
// CHECK-DAG: cvt.rn.bf16x2.f32
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: gnn.kernels = [
// CHECK-SAME: shared_bytes = 10240

// NEVER-NOT: .local
// NEVER-NOT: .extern

// 64 columns of scores with a depth of 32, then 32 columns with a depth of 64.
// COUNT-COUNT-32: mma.sync.aligned
// COUNT-NOT: mma.sync.aligned
// COUNT: llvm.func @attention
#head = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @attention(%graph: !gnn.graph<complete>, %q: tensor<?x2x32xf32>, %k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>) -> tensor<?x2x32xf32> {
  %scores = gnn.message %graph dst(%q : tensor<?x2x32xf32>) src(%k : tensor<?x2x32xf32>)
      {indexing_maps = [#all, #all, #head], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<complete> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    gnn.yield %1 : f32
  }
  %weights = gnn.edge_softmax %graph, %scores : !gnn.graph<complete>, !gnn.edges<2xf32>
  %messages = gnn.message %graph src(%v : tensor<?x2x32xf32>) edge(%weights : !gnn.edges<2xf32>)
      {indexing_maps = [#all, #head, #all], iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<complete> -> !gnn.edges<2x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %y = gnn.aggregate [sum] %graph, %messages : !gnn.graph<complete>, !gnn.edges<2x32xf32> -> tensor<?x2x32xf32>
  return %y : tensor<?x2x32xf32>
}
