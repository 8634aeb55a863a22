// RUN: gnn-opt --gnn-emulate-kernels=check-accesses=false %s | FileCheck %s
// RUN: gnn-opt --gnn-emulate-kernels %s | FileCheck %s --check-prefix=CHECKED

// CHECK-NOT: gpu.
// CHECK-LABEL: func private @kernel
// CHECK-SAME: (%[[THREAD:.*]]: !llvm.ptr, %[[PARAMETERS:.*]]: !llvm.ptr)
// CHECK-SAME: gnn.emulated_kernel
// CHECK: llvm.getelementptr %[[PARAMETERS]][0]
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK: %[[SHARED_PLACE:.*]] = llvm.getelementptr %[[THREAD]][0, 4]
// CHECK: llvm.load %[[SHARED_PLACE]]
// CHECK: %[[SUM:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<64xf32>
// CHECK: %[[NUMBER_PLACE:.*]] = llvm.getelementptr %[[THREAD]][0, 0, 0]
// CHECK: %[[NUMBER:.*]] = llvm.load %[[NUMBER_PLACE]] : !llvm.ptr -> i32
// CHECK: %[[T:.*]] = arith.index_castui %[[NUMBER]]
// CHECK: %[[VALUE:.*]] = memref.load %[[X]][%[[T]]]
// CHECK: memref.store %[[VALUE]], %[[SUM]][%[[T]]]
// CHECK: %[[BARRIER_PLACE:.*]] = llvm.getelementptr %[[THREAD]][0, 5]
// CHECK: %[[BARRIER:.*]] = llvm.load %[[BARRIER_PLACE]]
// CHECK: llvm.call %[[BARRIER]](%[[THREAD]])
// CHECK: %[[SHUFFLE_PLACE:.*]] = llvm.getelementptr %[[THREAD]][0, 6]
// CHECK: %[[SHUFFLE:.*]] = llvm.load %[[SHUFFLE_PLACE]]
// CHECK: llvm.call %[[SHUFFLE]](%[[THREAD]],
// CHECK: %[[VOTE:.*]] = arith.extui %{{.*}} : i1 to i32
// CHECK: %[[VOTE_PLACE:.*]] = llvm.getelementptr %[[THREAD]][0, 14]
// CHECK: %[[CALL:.*]] = llvm.load %[[VOTE_PLACE]]
// CHECK: %[[LANES:.*]] = llvm.call %[[CALL]](%[[THREAD]], %[[VOTE]])
// CHECK: arith.cmpi ne, %[[LANES]],
// CHECK-NOT: gpu.

// Indices are compared with sizes; workgroup memory is the emulator's to watch.
// CHECKED-LABEL: func private @kernel
// CHECKED: %[[T:.*]] = arith.index_castui
// CHECKED: %[[SIZE:.*]] = memref.dim %[[X:.*]], %
// CHECKED: %[[BEYOND:.*]] = arith.cmpi uge, %[[T]], %[[SIZE]]
// CHECKED: scf.if %[[BEYOND]] {
// CHECKED: llvm.getelementptr %{{.*}}[0, 8]
// CHECKED: llvm.call
// CHECKED: }
// CHECKED-NOT: llvm.call
// CHECKED: memref.load %[[X]][%[[T]]]
// CHECKED: %[[ACCESS_PLACE:.*]] = llvm.getelementptr %{{.*}}[0, 7]
// CHECKED: %[[ACCESS:.*]] = llvm.load %[[ACCESS_PLACE]]
// CHECKED: llvm.call %[[ACCESS]](
// CHECKED: memref.store
gpu.module @kernels {
  gpu.func @kernel(%x: memref<?xf32>)
      workgroup(%shared : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %sum = memref.memory_space_cast %shared : memref<64xf32, #gpu.address_space<workgroup>> to memref<64xf32>
    %t = gpu.thread_id x
    %value = memref.load %x[%t] : memref<?xf32>
    memref.store %value, %sum[%t] : memref<64xf32>
    gpu.barrier
    %other, %valid = gpu.shuffle xor %value, %offset, %width : f32
    %any = gpu.subgroup_reduce or %valid uniform : (i1) -> i1
    %result = arith.select %any, %other, %value : f32
    memref.store %result, %x[%t] : memref<?xf32>
    gpu.return
  }

  // What a shuffle wants of the stack is there once, not for each iteration.
  // CHECK-LABEL: func private @in_loop
  // CHECK: llvm.alloca
  // CHECK: scf.for
  // CHECK-NOT: llvm.alloca
  // CHECK: return
  gpu.func @in_loop(%x: memref<f32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    scf.for %i = %c0 to %n step %c1 {
      %value = memref.load %x[] : memref<f32>
      %a, %is_a = gpu.shuffle xor %value, %offset, %width : f32
      %b, %is_b = gpu.shuffle down %a, %offset, %width : f32
      memref.store %b, %x[] : memref<f32>
    }
    gpu.return
  }
}
