// RUN: gnn-opt --gnn-declare-workgroup-memory %s | FileCheck %s

// CHECK-LABEL: func @shared
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[TILE:.*]] : memref<16xf32, #gpu.address_space<workgroup>>)
// CHECK-NOT: memref.alloca() : memref<16xf32
// CHECK: memref.store %{{.*}}, %[[TILE]]
// CHECK: memref.alloca() : memref<2xf32>
func.func @shared(%n: index, %x: f32) {
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %n, %g1 = %n, %g2 = %n)
      threads(%t0, %t1, %t2) in (%s0 = %n, %s1 = %n, %s2 = %n) {
    %tile = memref.alloca() : memref<16xf32, #gpu.address_space<workgroup>>
    memref.store %x, %tile[%t0] : memref<16xf32, #gpu.address_space<workgroup>>
    %own = memref.alloca() : memref<2xf32>
    memref.store %x, %own[%t0] : memref<2xf32>
    gpu.terminator
  }
  return
}
