// RUN: gnn-opt --gnn-shuffles-to-nvvm %s | FileCheck %s

gpu.module @kernels {
  // The lanes that take part, wherever in the warp they are.
  // CHECK-LABEL: gpu.func @eight
  // CHECK-SAME: (%[[X:.*]]: f32, %[[OUT:.*]]: memref<f32>)
  // CHECK-DAG: %[[OFFSET:.*]] = arith.constant 4 : i32
  // CHECK-DAG: %[[FIRSTS:.*]] = llvm.mlir.constant(-8 : i32)
  // CHECK-DAG: %[[EIGHT:.*]] = llvm.mlir.constant(255 : i32)
  // CHECK-DAG: %[[CLAMP:.*]] = llvm.mlir.constant(6175 : i32)
  // CHECK: %[[LANE:.*]] = nvvm.read.ptx.sreg.laneid : i32
  // CHECK: %[[FIRST:.*]] = llvm.and %[[LANE]], %[[FIRSTS]]
  // CHECK: %[[MASK:.*]] = llvm.shl %[[EIGHT]], %[[FIRST]]
  // CHECK: %[[OTHER:.*]] = nvvm.shfl.sync bfly %[[MASK]], %[[X]], %[[OFFSET]], %[[CLAMP]] : f32 -> f32
  // CHECK: memref.store %[[OTHER]], %[[OUT]]
  gpu.func @eight(%x: f32, %out: memref<f32>) kernel {
    %offset = arith.constant 4 : i32
    %width = arith.constant 8 : i32
    %other, %valid = gpu.shuffle xor %x, %offset, %width : f32
    memref.store %other, %out[] : memref<f32>
    gpu.return
  }

  // A whole warp, and other modes, are left to the conversion of the dialect.
  // CHECK-LABEL: gpu.func @others
  // CHECK: gpu.shuffle xor
  // CHECK: gpu.shuffle down
  // CHECK-NOT: nvvm.shfl
  gpu.func @others(%x: f32, %out: memref<f32>) kernel {
    %offset = arith.constant 4 : i32
    %width = arith.constant 8 : i32
    %warp = arith.constant 32 : i32
    %a, %is_a = gpu.shuffle xor %x, %offset, %warp : f32
    %b, %is_b = gpu.shuffle down %a, %offset, %width : f32
    memref.store %b, %out[] : memref<f32>
    gpu.return
  }
}
