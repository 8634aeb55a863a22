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

  // Votes.
  // CHECK-LABEL: gpu.func @votes
  // CHECK-SAME: (%[[A:.*]]: i1, %[[OUT:.*]]: memref<2xi1>)
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: nvvm.vote.sync any %[[ALL]], %[[A]] -> i1
  // CHECK: nvvm.vote.sync all %[[ALL]], %[[A]] -> i1
  gpu.func @votes(%a: i1, %out: memref<2xi1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %any = gpu.subgroup_reduce or %a uniform : (i1) -> i1
    %all = gpu.subgroup_reduce and %a uniform : (i1) -> i1
    memref.store %any, %out[%c0] : memref<2xi1>
    memref.store %all, %out[%c1] : memref<2xi1>
    gpu.return
  }

  // Sums of a warp, and what only a part of it does, are something else.
  // CHECK-LABEL: gpu.func @no_votes
  // CHECK-COUNT-3: gpu.subgroup_reduce
  gpu.func @no_votes(%a: i1, %b: i32, %out: memref<2xi1>, %sum: memref<i32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %any = gpu.subgroup_reduce or %a cluster(size = 8) : (i1) -> i1
    %odd = gpu.subgroup_reduce xor %a uniform : (i1) -> i1
    %total = gpu.subgroup_reduce add %b uniform : (i32) -> i32
    memref.store %any, %out[%c0] : memref<2xi1>
    memref.store %odd, %out[%c1] : memref<2xi1>
    memref.store %total, %sum[] : memref<i32>
    gpu.return
  }
}
