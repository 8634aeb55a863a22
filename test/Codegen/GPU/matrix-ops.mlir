// Products of matrices by a warp: calls of the emulator, and PTX.

// RUN: gnn-opt --gnn-emulate-kernels=check-accesses=false %s | FileCheck %s
// RUN: gnn-opt --gnn-emulate-kernels %s | FileCheck %s --check-prefix=CHECKED
// RUN: gnn-opt --gnn-gpu-stage-emulate %s | FileCheck %s --check-prefix=LLVM
// RUN: gnn-opt --gnn-gpu-stage-nvvm=chip=sm_80 %s | sed 's/\\0A/\n/g' \
// RUN:   | sed 's/\\09/ /g' | FileCheck %s --check-prefix=PTX

// LLVM-NOT: unrealized_conversion_cast

// CHECK-NOT: nvgpu.
// CHECK-LABEL: func private @product
// CHECK-SAME: (%[[THREAD:.*]]: !llvm.ptr, %[[PARAMETERS:.*]]: !llvm.ptr)

// One stretch of the stack for each, not one for each use.
// CHECK-COUNT-4: llvm.alloca
// CHECK-NOT: llvm.alloca

// CHECK: %[[COPY_PLACE:.*]] = llvm.getelementptr %[[THREAD]][0, 11]
// CHECK: %[[COPY:.*]] = llvm.load %[[COPY_PLACE]]
// CHECK: llvm.call %[[COPY]](%[[THREAD]], %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) -> ()
// CHECK: llvm.getelementptr %[[THREAD]][0, 12]
// CHECK: llvm.call
// CHECK: %[[GROUPS:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.getelementptr %[[THREAD]][0, 13]
// CHECK: llvm.call %{{.*}}(%[[THREAD]], %[[GROUPS]])
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[STRAIGHT:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.getelementptr %[[THREAD]][0, 10]
// CHECK: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %[[FOUR]], %[[STRAIGHT]], %[[REGISTERS:[0-9a-z]+]])
// CHECK: %[[BITS:.*]] = llvm.load %[[REGISTERS]] : !llvm.ptr -> vector<4xi32>
// CHECK: %[[FLAT:.*]] = vector.bitcast %[[BITS]] : vector<4xi32> to vector<8xf16>
// CHECK: %[[FIRST:.*]] = vector.shape_cast %[[FLAT]] : vector<8xf16> to vector<4x2xf16>
// CHECK: %[[TRANSPOSED:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %{{.*}}, %[[TRANSPOSED]], %[[REGISTERS]])
// CHECK: llvm.getelementptr %[[THREAD]][0, 9]
// CHECK: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %{{.*}}, %{{.*}}, %[[SUMS:[0-9a-z]+]])
// CHECK: llvm.load %[[SUMS]] : !llvm.ptr -> vector<4xi32>

// A copy of no elements reads nowhere.
// CHECKED-LABEL: func private @product
// CHECKED: %[[WANTED:.*]] = arith.cmpi ne, %[[COUNT:.*]], %
// CHECKED: %[[WRONG:.*]] = arith.andi %[[WANTED]], %
// CHECKED: scf.if %[[WRONG]] {

// PTX-LABEL: .entry product
// PTX: .shared .align 64 .b8
// PTX: cp.async.cg.shared.global
// PTX: cp.async.commit_group
// PTX: cp.async.wait_group 1
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-LABEL: .entry tf32
// PTX: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%x: memref<?x8xf16>, %y: memref<?xf32>, %count: index)
        workgroup(%tile : memref<16x16xf16, #gpu.address_space<workgroup>>) kernel {
      %zero = arith.constant 0 : index
      %sums = arith.constant dense<0.0> : vector<2x2xf32>
      %t = gpu.thread_id x
      %copy = nvgpu.device_async_copy %x[%t, %zero], %tile[%t, %zero], 8, %count {bypassL1}
          : memref<?x8xf16> to memref<16x16xf16, #gpu.address_space<workgroup>>
      %group = nvgpu.device_async_create_group %copy
      nvgpu.device_async_wait %group {numGroups = 1 : i32}
      gpu.barrier
      %first = nvgpu.ldmatrix %tile[%t, %zero] {numTiles = 4 : i32, transpose = false}
          : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
      %second = nvgpu.ldmatrix %tile[%t, %zero] {numTiles = 2 : i32, transpose = true}
          : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
      %sum = nvgpu.mma.sync (%first, %second, %sums) {mmaShape = [16, 8, 16]}
          : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %value = vector.extract %sum[1, 0] : f32 from vector<2x2xf32>
      memref.store %value, %y[%t] : memref<?xf32>
      gpu.return
    }
    gpu.func @tf32(%a: vector<4x1xf32>, %b: vector<2x1xf32>, %y: memref<?xf32>) kernel {
      %sums = arith.constant dense<0.0> : vector<2x2xf32>
      %t = gpu.thread_id x
      %sum = nvgpu.mma.sync (%a, %b, %sums) {mmaShape = [16, 8, 8], tf32Enabled}
          : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
      %value = vector.extract %sum[1, 0] : f32 from vector<2x2xf32>
      memref.store %value, %y[%t] : memref<?xf32>
      gpu.return
    }
  }
}
