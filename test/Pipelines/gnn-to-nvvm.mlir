// RUN: gnn-opt --gnn-to-nvvm %s | FileCheck %s
// RUN: gnn-opt --gnn-to-nvvm=chip=sm_80 %s | FileCheck %s --check-prefix=SM80

// PTX, as one attribute: kernels that gather rows in vectors of four, take powers
// of two by the instructions for it, with nothing on the stack.
// CHECK: module attributes
// CHECK-SAME: gnn.device_image = "
// CHECK-SAME: .target sm_90
// CHECK-NOT: .local
// CHECK-NOT: .extern
// CHECK-SAME: ld.global{{(.nc)?}}.v4
// CHECK-SAME: ex2.approx
// CHECK-SAME: gnn.kernels = [{name = "attention_0"
// SM80: .target sm_80

// Host code in the LLVM dialect launches them.
// CHECK: llvm.func @attention
// CHECK-SAME: %[[MEMORY:[^ ]*]]: !llvm.ptr)
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[MEMORY]][2]
// CHECK: %[[LAUNCH:.*]] = llvm.load %[[PLACE]]
// CHECK: llvm.call %[[LAUNCH]](%[[MEMORY]],
#head = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @attention(%graph: !gnn.graph<csr>, %x: tensor<?x2x32xf32>) -> tensor<?x2x32xf32> {
  %scores = gnn.message %graph dst(%x : tensor<?x2x32xf32>) src(%x : tensor<?x2x32xf32>)
      {indexing_maps = [#all, #all, #head], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    gnn.yield %1 : f32
  }
  %weights = gnn.edge_softmax %graph, %scores : !gnn.graph<csr>, !gnn.edges<2xf32>
  %messages = gnn.message %graph src(%x : tensor<?x2x32xf32>) edge(%weights : !gnn.edges<2xf32>)
      {indexing_maps = [#all, #head, #all], iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %y = gnn.aggregate [sum] %graph, %messages : !gnn.graph<csr>, !gnn.edges<2x32xf32> -> tensor<?x2x32xf32>
  return %y : tensor<?x2x32xf32>
}
