//===- KernelPasses.td - Kernels and what launches them ----*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_GPU_KERNEL_PASSES_TD
#define GNN_CODEGEN_GPU_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def OffloadSerialCodePass
    : Pass<"gnn-offload-serial-code", "::mlir::func::FuncOp"> {
  let summary = "Run serial code that touches arrays as kernels of one thread";
  let description = [{
    Arrays lie in the memory of the device, where host code cannot reach them.
    Loops and conditionals outside of parallel loops that touch arrays, and stores,
    become kernels of one thread. Those that contain parallel loops stay host code,
    which launches the kernels inside. Numbers that a kernel computes return
    through an array of one element, and host code that loads an element from an
    array does so by a copy from the device (`gpu.memcpy`), which waits for it.

    Before:
    ```mlir
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
      %x = memref.load %a[%i] : memref<?xi32>
      ...
    }
    ```
    After:
    ```mlir
    %result = memref.alloc() : memref<i32>
    gpu.launch blocks(...) in (%c1, %c1, %c1) threads(...) in (%c1, %c1, %c1) {
      %s = scf.for ...
      memref.store %s, %result[] : memref<i32>
      gpu.terminator
    }
    %host = memref.alloca() : memref<i32>
    gpu.memcpy %host, %result : memref<i32>, memref<i32>
    %sum = memref.load %host[] : memref<i32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

def MapLoopsToGPUPass
    : Pass<"gnn-map-loops-to-gpu", "::mlir::func::FuncOp"> {
  let summary = "Make kernels of parallel loops";
  let description = [{
    Every parallel loop (`scf.forall`, `scf.parallel`) that is in no other one
    becomes a `gpu.launch`.

    A loop that holds no other parallel loop, or only short ones, gets a thread for
    each iteration, numbered so that neighbours in the last dimension are
    neighbours in a warp.

    Any other loop gets a block of threads for each iteration. All threads of a
    block walk through its serial code together. Parallel loops inside are shared
    out among them, thread t taking iterations t, t + T, t + 2T and so on; where
    serial code stores, the first thread does. Buffers that the loop allocates lie
    in workgroup memory. A barrier follows whatever writes, and precedes it if
    something that all threads have read since the last one may be overwritten.
    Loops whose serial parts depend on what other blocks do cannot be parallel in
    the first place, so blocks need not know of each other.

    Before:
    ```mlir
    scf.forall (%row) in (%n) {
      %sum = memref.alloca() : memref<64xf32>
      scf.parallel (%f) = (%c0) to (%c64) step (%c1) {
        memref.store %zero, %sum[%f] : memref<64xf32>
      }
      scf.for %e = %begin to %end step %c1 {
        scf.parallel (%f) = (%c0) to (%c64) step (%c1) { ... }
      }
    }
    ```
    After:
    ```mlir
    gpu.launch blocks(%row, ...) in (%n, %c1, %c1)
               threads(%t, ...) in (%c64, %c1, %c1)
               workgroup(%sum : memref<64xf32, #gpu.address_space<workgroup>>) {
      memref.store %zero, %sum[%t]
      gpu.barrier
      scf.for %e = %begin to %end step %c1 { ... gpu.barrier }
      gpu.terminator
    }
    ```
  }];
  let options = [
    Option<"threadBlock", "thread-block", "int64_t", /*default=*/"128",
           "Threads of a block where an iteration is a thread">,
    Option<"maxTileThreads", "max-tile-threads", "int64_t", /*default=*/"256",
           "Most threads of a block where an iteration is a block">,
    Option<"workgroupBytes", "workgroup-bytes", "int64_t", /*default=*/"49152",
           "Most workgroup memory of a block; what does not fit is allocated on "
           "the device">,
    Option<"minTile", "min-tile", "int64_t", /*default=*/"8",
           "Iterations of an inner loop from which on threads share it">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def SinkConstantsPass : Pass<"gnn-sink-constants", "::mlir::func::FuncOp"> {
  let summary = "Look constant arrays up in kernels";
  let description = [{
    A constant that host code looks up (`memref.get_global`) lies in the memory of
    the host. Kernels look theirs up themselves, with the views that they have of
    them, and `gpu-kernel-outlining` puts the constants beside them.

    Before:
    ```mlir
    %table = memref.get_global @table : memref<4xf32>
    gpu.launch ... { %x = memref.load %table[%i] : memref<4xf32> ... }
    ```
    After:
    ```mlir
    gpu.launch ... {
      %table = memref.get_global @table : memref<4xf32>
      %x = memref.load %table[%i] : memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def NameKernelsPass : Pass<"gnn-name-kernels", "::mlir::ModuleOp"> {
  let summary = "Give kernels numbers and one module";
  let description = [{
    A device loads one module with all kernels of a model. Kernels are called
    `FUNCTION_N` there, in the order in which the code comes to them.

    Before:
    ```mlir
    gpu.launch blocks(...) in (...) threads(...) in (...) { ... }
    ```
    After:
    ```mlir
    gpu.launch module(@kernels) function(@forward_0) blocks(...) in (...) ... { ... }
    ```
  }];
}

def PlanDeviceMemoryPass
    : Pass<"gnn-plan-device-memory", "::mlir::func::FuncOp"> {
  let summary = "Ask for the memory of a run at once";
  let description = [{
    Host code allocates a buffer of the device for each intermediate result. The sizes
    of most are functions of numbers that are known when a run starts (of nodes, edges
    and features), and when each is in use is known to the compiler. So they become
    parts of one allocation. Buffers that are not in use at the same time have the same
    part, which is as large as the largest of them: preferably those whose sizes are
    products of the same numbers, else of others, which may turn out to be the same (a
    graph's nodes and the rows of its features). Parts begin at multiples of 256 bytes,
    as allocations do.

    Buffers whose sizes are found in between, such as the number of edges with self
    loops, share an allocation of their own, and so do those of a branch or a loop,
    which a run may not come to; small ones of a known size (4 KiB) are parts of what
    is around. A buffer that both branches of a conditional return is allocated before
    these. Results of the function, and buffers that are not freed where they are
    allocated, are as before.

    Before:
    ```mlir
    %a = memref.alloc(%n) : memref<?x4xf32>
    gpu.launch_func @kernels::@first ... args(%a : memref<?x4xf32>)
    %b = memref.alloc(%n) : memref<?x8xf32>
    gpu.launch_func @kernels::@second ... args(%a : ..., %b : ...)
    memref.dealloc %a : memref<?x4xf32>
    ...
    memref.dealloc %b : memref<?x8xf32>
    ```
    After:
    ```mlir
    %bytes_a = ... // 16 n, rounded up to 256
    %bytes = ... // bytes_a + 32 n, rounded up to 256
    %memory = memref.alloc(%bytes) : memref<?xi8>
    %a = memref.view %memory[%c0][%n] : memref<?xi8> to memref<?x4xf32>
    gpu.launch_func @kernels::@first ... args(%a : memref<?x4xf32>)
    %b = memref.view %memory[%bytes_a][%n] : memref<?xi8> to memref<?x8xf32>
    gpu.launch_func @kernels::@second ... args(%a : ..., %b : ...)
    ...
    memref.dealloc %memory : memref<?xi8>
    ```
  }];
  let statistics = [Statistic<"numBuffers", "buffers",
                              "Buffers that became parts of an allocation">,
                    Statistic<"numBlocks", "allocations",
                              "Allocations that have parts">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LaunchKernelsPass : Pass<"gnn-launch-kernels", "::mlir::ModuleOp"> {
  let summary = "Launch kernels through the runtime";
  let description = [{
    Host code asks the runtime for everything that happens on a device, through the
    `gnn_memory` that it is given (`gnn/Runtime/Runtime.h`). A `gpu.launch_func`
    becomes a call of `gnn_launch` with the kernel's number, the sizes of grid and
    block and an array of pointers to the arguments; arrays are passed as the words
    of their descriptors. A `gpu.memcpy` to the host becomes a call of `gnn_read`.
    `gnn-use-session-memory` makes both calls of the functions behind the pointer.

    The names of the kernels, in the order of their numbers, and the bytes of
    workgroup memory that each declares become the module's attribute
    `gnn.kernels`.

    Before:
    ```mlir
    gpu.launch_func @kernels::@forward_kernel blocks in (%n, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%x : memref<?xf32>)
    ```
    After:
    ```mlir
    llvm.call @gnn_launch(%number, %dimensions, %shared, %parameters)
        : (i32, !llvm.ptr, i64, !llvm.ptr) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect"];
}

def EmulateKernelsPass : Pass<"gnn-emulate-kernels", "::mlir::ModuleOp"> {
  let summary = "Make functions for the CPU of kernels";
  let description = [{
    Every kernel becomes a function that the runtime's emulator calls once for each
    thread, with a `gnn_emulated_thread` (`gnn/Runtime/Runtime.h`), which knows the
    thread's number, the memory of its block and how to wait for others, and the
    array of pointers to arguments that the launch has passed. Numbers of threads
    and blocks are read from the former; barriers, shuffles and votes become calls of its
    functions, and so do products of matrices by a warp and what brings their
    factors (`nvgpu.mma.sync`, `nvgpu.ldmatrix`, `nvgpu.device_async_copy`). This is
    the last step of a kernel that is the same as for a device:
    after it follow the passes for the CPU. Launches that `gnn-launch-kernels` has
    not taken are an error.

    With `check-accesses`, loads and stores compare their indices with the array's
    sizes first, and tell the emulator which bytes of workgroup memory they touch:
    it finds bytes that are read and were never written, and threads that do not
    wait for each other.

    Before:
    ```mlir
    gpu.module @kernels {
      gpu.func @kernel(%x: memref<?xf32>)
          workgroup(%sum : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
        %t = gpu.thread_id x
        gpu.barrier
    ```
    After:
    ```mlir
    func.func private @kernel(%thread: !llvm.ptr, %parameters: !llvm.ptr) {
      %0 = llvm.load %thread : !llvm.ptr -> i32
      %t = arith.index_castui %0 : i32 to index
      llvm.call %barrier(%thread) : !llvm.ptr, (!llvm.ptr) -> ()
    ```
  }];
  let options = [
    Option<"checkAccesses", "check-accesses", "bool", /*default=*/"true",
           "Find accesses that are out of bounds, to memory that was not written, "
           "or at the same time as others">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def SkipRescalingPass : Pass<"gnn-skip-rescaling", "::mlir::func::FuncOp"> {
  let summary = "Leave sums alone whose factor is one for a whole warp";
  let description = [{
    An online softmax multiplies its sums by exp(old maximum - new maximum) for each
    tile of sources. After the first tiles maxima seldom move, and a factor of one
    changes nothing. In a loop of a kernel that carries the maxima and the sums, whose
    iterations all lanes of a warp do together (there is a `gpu.shuffle` among all 32),
    the lanes vote: where no maximum has moved, the warp goes past the products.
    Results have the same bits.

    Loops with fewer than `min-products` of these products are left: a vote and a
    jump take about as long as a dozen instructions.

    Before:
    ```mlir
    %move = arith.subf %max, %new : f32
    %factor = math.exp %move : f32
    %sa = arith.mulf %a, %factor : f32
    %sb = arith.mulf %b, %factor : f32
    ```
    After:
    ```mlir
    %move = arith.subf %max, %new : f32
    %factor = math.exp %move : f32
    %mine = arith.cmpf une, %move, %zero : f32
    %any = gpu.subgroup_reduce or %mine uniform : (i1) -> i1
    %sums:2 = scf.if %any -> (f32, f32) {
      %sa = arith.mulf %a, %factor : f32
      %sb = arith.mulf %b, %factor : f32
      scf.yield %sa, %sb : f32, f32
    } else {
      scf.yield %a, %b : f32, f32
    }
    ```
  }];
  let options = [Option<"minProducts", "min-products", "int64_t", "18",
                        "Fewest products that are worth a vote">];
  let statistics = [Statistic<"numProducts", "products",
                              "Products that can be left out">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpToExp2Pass : Pass<"gnn-exp-to-exp2", "::mlir::func::FuncOp"> {
  let summary = "Compute exponentials in powers of two";
  let description = [{
    GPUs have an instruction for powers of two (`ex2.approx`, 2 units in the last
    place) and none for those of e: exp(x) is 2 to x / ln 2. The product is rounded,
    which adds a relative error of |x| / 2^24.

    A maximum that is subtracted first stays so, whatever is taken from it: in one
    multiply-add, x / ln 2 - y / ln 2, a y of -1e10, as masks make it, would be rounded
    by more than any exponent can be.

    Before:
    ```mlir
    %y = math.exp %x : f32
    ```
    After:
    ```mlir
    %0 = arith.mulf %x, %log2e : f32
    %y = math.exp2 %0 : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def MathToNVVMPass : Pass<"gnn-math-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Use the instructions that a GPU has for functions";
  let description = [{
    `convert-gpu-to-nvvm` calls libdevice, a library that comes with the CUDA
    toolkit, for all of the math dialect. Square roots, powers of two, absolute
    values, rounding and fused multiply-adds need no library: they become
    intrinsics, and these instructions. Absolute values of integers become maxima.
    Rounding to tf32, integer operations as `gnn-round-products` has them, is one
    instruction, too (`cvt.rna.tf32.f32`).
    What else there may be is left to libdevice.

    Before:
    ```mlir
    %y = math.exp2 %x : f32
    ```
    After:
    ```mlir
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect"];
}

def EmbedDeviceCodePass : Pass<"gnn-embed-device-code", "::mlir::ModuleOp"> {
  let summary = "Keep what a device loads as an attribute";
  let description = [{
    Takes the code that `gpu-module-to-binary` has made out of its `gpu.binary` and
    leaves it as the module's attribute `gnn.device_image`, which `gnn-compile` puts
    into the model's description. Kernels that call functions which are nowhere
    defined, as those of libdevice where there is no CUDA toolkit, are an error
    here, where a name can be given, rather than when a device loads them. So are
    launches that `gnn-launch-kernels` has not taken.

    Before:
    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, "...">]
    ```
    After:
    ```mlir
    module attributes {gnn.device_image = "..."}
    ```
  }];
}

#endif // GNN_CODEGEN_GPU_KERNEL_PASSES_TD
