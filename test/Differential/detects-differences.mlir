// RUN: split-file %s %t.d
// RUN: not %differential %t.d/sum.mlir random --oracle %t.d/max.mlir 2>&1 \
// RUN:   | FileCheck %s
// CHECK: the outputs differ from
// CHECK: compiled code and interpreter differ:
// CHECK-NEXT: sum.mlir: default random
// CHECK-NEXT: sum.mlir: unfused random
// CHECK-NEXT: sum.mlir: scalar random

// A comparison that cannot fail would prove nothing.

//--- sum.mlir
func.func @f(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x"})
    -> tensor<?x6xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> tensor<?x6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x6xf32>
}

//--- max.mlir
func.func @f(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x"})
    -> tensor<?x6xf32> {
  %y = gnn.message_aggregate [max] %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> tensor<?x6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x6xf32>
}
