// RUN: gnn-opt --pass-pipeline='builtin.module(gpu.module(gnn-math-to-nvvm))' \
// RUN:   %s | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @functions
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%{{.*}}) : (f32) -> f32
  // CHECK: llvm.call_intrinsic "llvm.sqrt"(%{{.*}}) : (f32) -> f32
  // CHECK: llvm.call_intrinsic "llvm.fma"(
  // CHECK: llvm.call_intrinsic "llvm.sqrt"(%{{.*}}) : (f64) -> f64
  // CHECK: math.exp2 %{{.*}} : f64
  // CHECK: math.powf
  gpu.func @functions(%x: f32, %d: f64, %y: memref<?xf32>, %z: memref<?xf64>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.exp2 %x : f32
    %1 = math.sqrt %0 : f32
    %2 = math.fma %0, %1, %x : f32
    %3 = math.sqrt %d : f64
    %4 = math.exp2 %3 : f64
    %5 = math.powf %2, %x : f32
    // CHECK: %[[MINUS:.*]] = arith.subi %{{.*}}, %[[I:.*]] : index
    // CHECK: arith.maxsi %[[I]], %[[MINUS]]
    %i = gpu.thread_id x
    %6 = math.absi %i : index
    memref.store %5, %y[%6] : memref<?xf32>
    memref.store %4, %z[%c0] : memref<?xf64>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @round
  // CHECK: %[[X:.*]] = memref.load
  // CHECK: %[[BITS:.*]] = nvvm.convert.float.to.tf32 %[[X]] {rnd = #nvvm.fp_rnd_mode<rna>}
  // CHECK: %[[ROUNDED:.*]] = arith.bitcast %[[BITS]] : i32 to f32
  // CHECK: memref.store %[[ROUNDED]]
  gpu.func @round(%y: memref<f32>) kernel {
    %x = memref.load %y[] : memref<f32>
    %half = arith.constant 0x1000 : i32
    %mask = arith.constant 0xFFFFE000 : i32
    %bits = arith.bitcast %x : f32 to i32
    %sum = arith.addi %bits, %half : i32
    %kept = arith.andi %sum, %mask : i32
    %rounded = arith.bitcast %kept : i32 to f32
    %nan = arith.cmpf uno, %x, %x : f32
    %result = arith.select %nan, %x, %rounded : f32
    memref.store %result, %y[] : memref<f32>
    gpu.return
  }

  // Rounding to fewer bits is something else.
  // CHECK-LABEL: gpu.func @other
  // CHECK-NOT: nvvm.convert
  // CHECK: arith.select
  gpu.func @other(%y: memref<f32>) kernel {
    %x = memref.load %y[] : memref<f32>
    %half = arith.constant 0x1000 : i32
    %mask = arith.constant 0xFFFFC000 : i32
    %bits = arith.bitcast %x : f32 to i32
    %sum = arith.addi %bits, %half : i32
    %kept = arith.andi %sum, %mask : i32
    %rounded = arith.bitcast %kept : i32 to f32
    %nan = arith.cmpf uno, %x, %x : f32
    %result = arith.select %nan, %x, %rounded : f32
    memref.store %result, %y[] : memref<f32>
    gpu.return
  }
}
