// RUN: gnn-opt --gnn-launch-kernels %s | FileCheck %s

// CHECK: module attributes
// CHECK-SAME: gnn.kernels = [{name = "first", shared_bytes = 0 : i64}, {name = "second", shared_bytes = 132 : i64}]
module attributes {gpu.container_module} {
  // CHECK-DAG: llvm.func @gnn_launch(i32, !llvm.ptr, i64, !llvm.ptr)
  // CHECK-DAG: llvm.func @gnn_read(!llvm.ptr, !llvm.ptr, i64)
  gpu.module @kernels {
    gpu.func @first() kernel {
      gpu.return
    }
    // Buffers start at multiples of 64 bytes.
    // CHECK: gpu.func @second
    // CHECK-SAME: %{{.*}} : memref<17xf32, #gpu.address_space<workgroup>> {llvm.align = 64 : i64}
    // CHECK-SAME: %{{.*}} : memref<f32, #gpu.address_space<workgroup>> {llvm.align = 64 : i64}
    gpu.func @second(%x: memref<?xf32>, %n: index)
        workgroup(%a : memref<17xf32, #gpu.address_space<workgroup>>,
                  %b : memref<f32, #gpu.address_space<workgroup>>) kernel {
      gpu.return
    }
  }

  // Five words of the array and a number. Their places are reserved before the
  // loop, which would take more of the stack in each iteration.
  // CHECK-LABEL: func @launch
  // CHECK: %[[WORDS:.*]] = llvm.mlir.constant(6 : i64)
  // CHECK-NEXT: %[[PARAMETERS:.*]] = llvm.alloca %[[WORDS]] x !llvm.ptr
  // CHECK: %[[SIX:.*]] = llvm.mlir.constant(6 : i64)
  // CHECK-NEXT: %[[DIMENSIONS:.*]] = llvm.alloca %[[SIX]] x i64
  // CHECK: scf.for
  // CHECK-NOT: llvm.alloca
  // CHECK-COUNT-6: llvm.store %{{.*}}, %{{.*}} : !llvm.ptr, !llvm.ptr
  // CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @gnn_launch(%[[NUMBER]], %[[DIMENSIONS]], %{{.*}}, %[[PARAMETERS]])
  func.func @launch(%x: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %c1 to %n step %c1 {
      gpu.launch_func @kernels::@second blocks in (%n, %c1, %c1)
          threads in (%c1, %c1, %c1) args(%x : memref<?xf32>, %n : index)
    }
    return
  }

  // CHECK-LABEL: func @read
  // CHECK: %[[SIZE:.*]] = llvm.mlir.constant(4 : i64)
  // CHECK: llvm.call @gnn_read(%{{.*}}, %{{.*}}, %[[SIZE]])
  func.func @read(%host: memref<f32>, %device: memref<f32, strided<[], offset: ?>>) {
    gpu.memcpy %host, %device : memref<f32>, memref<f32, strided<[], offset: ?>>
    return
  }
}
