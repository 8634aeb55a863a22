//===- Passes.td - From buffers and loops to kernels -------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_GPU_PASSES_TD
#define GNN_CODEGEN_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributeRowsPass
    : Pass<"gnn-distribute-rows", "::mlir::func::FuncOp"> {
  let summary = "Give each row to a few lanes of a warp";
  let description = [{
    What a loop over destinations computes for one of them are tensors of heads
    and of features. Lanes of a warp that lie next to each other, as many as a row
    has elements and 32 at most, share out these two dimensions, and every tensor
    of the body becomes the elements of it that a lane has, in registers: of
    features, every so many or, where they come in fours or pairs, neighbours that a
    lane reads at once; of a value for each head, the same in all lanes of the head.
    Ops on features are done element by element, sums and maxima over a
    dimension by each lane and then by shuffles, from the most distant lane to the
    next one, which is the same order in each run. Of a third dimension of an op,
    such as the terms of a projection to heads, each lane has all. No thread waits
    for others and no memory is used. All lanes of a row run through its edges together; rows that
    share a warp need not have as many.

    This is for loops that read rows from tensors, compute on tensors of known
    shape by linalg ops, carry them through `scf.for` and `scf.if`, and write one
    or more rows. Others stay as they are (and `gnn-map-loops-to-gpu` shares the
    loops in them among the threads of a block), as those do whose lanes would hold
    more than `max-elements` elements of a value.

    Before:
    ```mlir
    scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zeros)
          -> (tensor<64xf32>) {
        ...
        %row = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1]
        %next = linalg.generic ins(%row) outs(%acc) { arith.addf }
        scf.yield %next
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1]
      }
    }
    ```
    After:
    ```mlir
    scf.forall (%i, %lane) in (%n, 32) shared_outs(%out = %empty) -> ... {
      %sum:2 = scf.for %e = %begin to %end step %c1
          iter_args(%a = %zero, %b = %zero) -> (f32, f32) {
        ...
        %x0 = tensor.extract %x[%j, %lane]
        %x1 = tensor.extract %x[%j, %lane_plus_32]
        ... // arith.addf for each
      }
      %own = tensor.extract_slice %out[%i, %lane] [1, 2] [1, 32]
      ... // tensor.insert of each sum
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %own into %out[%i, %lane] [1, 2] [1, 32]
      }
    }
    ```
  }];
  let options = [
    Option<"maxLanes", "max-lanes", "int64_t", /*default=*/"32",
           "Most lanes of a row, a power of two up to 32">,
    Option<"maxElements", "max-elements", "int64_t", /*default=*/"32",
           "Most elements of a value in one lane">,
    Option<"maxVector", "max-vector", "int64_t", /*default=*/"4",
           "Most elements that a lane reads at once: 1, 2 or 4">
  ];
  let statistics = [
    Statistic<"numDistributed", "num-distributed",
              "Number of loops whose rows lanes share">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def AlignVectorReadsPass
    : Pass<"gnn-align-vector-reads", "::mlir::func::FuncOp"> {
  let summary = "Read vectors of a row by one load where it is aligned";
  let description = [{
    Whether a vector of a row begins at a multiple of its size depends on where the
    array begins: allocations, constants and arguments do so at multiples of 16
    bytes, and a part of an array may not. Where that is known of the array and of
    the index, the vector is read by one load (`ld.global.v4.f32` in PTX), and
    element by element otherwise.

    Before:
    ```mlir
    %column = arith.muli %lane, %c4
    %v = vector.transfer_read %x[%j, %column], %pad {in_bounds = [true]}
      : memref<?x64xf32>, vector<4xf32>
    ```
    After:
    ```mlir
    %v = vector.load %x[%j, %column] {alignment = 16 : i64}
      : memref<?x64xf32>, vector<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def ShufflesToNVVMPass
    : Pass<"gnn-shuffles-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Shuffle among some lanes of a warp";
  let description = [{
    A `gpu.shuffle` of fewer than 32 lanes names the lanes next to each other that
    exchange values, as many as its width. Others of the warp may be elsewhere: rows
    that share a warp have different numbers of edges. So the mask of the
    instruction is that of the lanes that take part, wherever in the warp they are.

    Before:
    ```mlir
    %other, %valid = gpu.shuffle xor %x, %offset, %c8 : f32
    ```
    After:
    ```mlir
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %first = llvm.and %lane, %minus8
    %mask = llvm.shl %c255, %first
    %other = nvvm.shfl.sync bfly %mask, %x, %offset, %clamp : f32 -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def SplitReductionsPass
    : Pass<"gnn-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Add up long sums of few results as trees";
  let description = [{
    The score of an edge is a dot product for each head: few results, each a long
    sum, which would keep a few threads of a block busy and all others waiting. In
    parallel loops such a sum becomes the terms, all at once, and then sums of
    halves until one number is left, which all threads work on. Sums of 2^n terms
    are split, in the same order at each run; rounding differs from that of a sum
    from first to last, and is smaller.

    Before (of 8 terms, for 4 heads):
    ```mlir
    %score = linalg.generic {iterator_types = ["parallel", "reduction"]}
        ins(%q, %k) outs(%zero) { ... }
        -> tensor<4xf32>
    ```
    After:
    ```mlir
    %terms = linalg.generic {iterator_types = ["parallel", "parallel"]}
        ins(%q, %k) outs(%empty) { ... } -> tensor<4x8xf32>
    %low = tensor.extract_slice %terms[0, 0] [4, 4] [1, 1]
    %high = tensor.extract_slice %terms[0, 4] [4, 4] [1, 1]
    %fours = linalg.generic ins(%low, %high) ... -> tensor<4x4xf32>
    ... // to tensor<4x2xf32>, to tensor<4x1xf32>
    %score = linalg.generic ins(%sum) outs(%zero) ... -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"maxResults", "max-results", "int64_t", /*default=*/"31",
           "Most results for which sums are split">,
    Option<"minTerms", "min-terms", "int64_t", /*default=*/"8",
           "Fewest terms of a sum that is split">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitLongSumsPass
    : Pass<"gnn-split-long-sums", "::mlir::func::FuncOp"> {
  let summary = "Share sums over all nodes among blocks of threads";
  let description = [{
    A sum, maximum or minimum over all nodes or edges, whose number is not known
    before, and whose results are few, would keep a thread for each result busy and
    the rest of the device waiting. This concerns sums of a pooling, means and
    variances of a norm, and products such as that of keys and values of linear
    attention. The terms are cut into parts, `max-parts` at most and of `min-terms`
    at least, which a parallel loop computes side by side; what they come to is
    then combined in the order of the parts. Where parts begin depends on the number
    of terms alone, so results have the same bits in each run.

    Before:
    ```mlir
    %y = linalg.generic {iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x64xf32>) outs(%init : tensor<64xf32>) { arith.addf }
    ```
    After:
    ```mlir
    %parts = scf.forall (%p) in (%count) shared_outs(%out = %empty)
        -> (tensor<?x64xf32>) {
      %rows = tensor.extract_slice %x[%first, 0] [%step, 64] [1, 1]
      %zeros = linalg.fill ...
      %part = linalg.generic {iterator_types = ["parallel", "reduction"]}
          ins(%rows) outs(%zeros) { arith.addf }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %out[%p, 0] [1, 64] [1, 1]
      }
    }
    %y = linalg.generic {iterator_types = ["parallel", "reduction"]}
        ins(%parts : tensor<?x64xf32>) outs(%init) { arith.addf }
    ```
  }];
  let options = [
    Option<"maxResults", "max-results", "int64_t", /*default=*/"4096",
           "Most results of a sum that is split">,
    Option<"minTerms", "min-terms", "int64_t", /*default=*/"64",
           "Fewest terms of a part">,
    Option<"maxParts", "max-parts", "int64_t", /*default=*/"1024",
           "Most parts of a sum">
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of sums that are split">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def TileProductsPass : Pass<"gnn-tile-products", "::mlir::func::FuncOp"> {
  let summary = "Divide matrix products among blocks of threads";
  let description = [{
    A product of matrices that starts from zero, and is part of no parallel loop,
    becomes a parallel loop over tiles of its result, each of which is the product
    of some rows and some columns. Factors are `f16`, `bf16` or `f32`, and the sum
    is `f32`; the second factor has a known size. It runs before elementwise ops
    are fused, which would compute what rounds a factor for every product.
    `gnn-map-products-to-warps` makes kernels of the loops, after
    `gnn-fuse-epilogues` has made what follows elementwise part of them.

    Tiles are of 128 x 128 elements, or of 64 rows and as many columns as there are
    where these are fewer. Small products stay as they are, and get a thread for
    each element.

    Before:
    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x256xf32>)
           outs(%zero : tensor<?x256xf32>) -> tensor<?x256xf32>
    ```
    After:
    ```mlir
    %y = scf.forall (%i, %j) = (0, 0) to (%n, 256) step (128, 128)
        shared_outs(%all = %empty) -> (tensor<?x256xf32>) {
      %rows = tensor.extract_slice %x[%i, 0] [%m, 64] [1, 1]
      %columns = tensor.extract_slice %w[0, %j] [64, 128] [1, 1]
      %zero = linalg.fill ...
      %tile = linalg.matmul ins(%rows, %columns) outs(%zero)
      scf.forall.in_parallel { ... }
    }
    ```
  }];
  let options = [
    Option<"minRows", "min-rows", "int64_t", /*default=*/"16",
           "Fewest rows of a product that is tiled, where they are known">,
    Option<"minColumns", "min-columns", "int64_t", /*default=*/"16",
           "Fewest columns of a product that is tiled">,
    Option<"minDepth", "min-depth", "int64_t", /*default=*/"16",
           "Fewest terms of a sum of a product that is tiled">,
    Option<"maxTile", "max-tile", "int64_t", /*default=*/"128",
           "Most rows and columns of a tile: 16, 32, 64 or 128">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of products that are tiled">
  ];
}

def MapProductsToWarpsPass
    : Pass<"gnn-map-products-to-warps", "::mlir::func::FuncOp"> {
  let summary = "Make kernels of loops over tiles of matrix products";
  let description = [{
    A parallel loop whose body is a product of matrices that starts from zero, and
    elementwise ops that finish it, becomes a `gpu.launch` with a block for each
    iteration. 64 bytes of each row of the first factor, and the rows of the second
    one that go with them, are in workgroup memory at a time. Some stages of these
    are on their way (`nvgpu.device_async_copy`, `cp.async` in PTX) while one is
    multiplied. Pieces of 16 bytes change places within their rows, so that neither
    writing nor reading them has conflicts of banks. Where rows are no multiples of
    16 bytes, fewer bytes are copied at once, and with odd numbers of elements of 16
    bits these are loaded and stored. What is beyond the ends of the matrices is
    zero there.

    Products of `f16` and of `bf16`, and of `f32` whose factors are rounded to tf32
    first (as `gnn-round-products` has it), are those of tensor cores
    (`nvgpu.mma.sync`), with sums of `f32` in registers. Others of `f32` are fused
    multiply-adds of 8 x 8 elements of each thread. Either way the sum of an element
    belongs to one thread, or one place of a tensor core, and is added up in the
    order of its terms, so that results have the same bits each time. Elementwise
    ops are applied to the sums before they are stored.

    Before:
    ```mlir
    scf.forall (%i, %j) = (0, 0) to (%n, 256) step (128, 128) {
      %tile = memref.subview %y[%i, %j] ...
      linalg.fill ins(%zero) outs(%tile)
      linalg.matmul ins(%rows, %columns) outs(%tile)
      linalg.generic ins(%bias) outs(%tile) { addf, maximumf }
    }
    ```
    After:
    ```mlir
    gpu.launch blocks(%block, ...) in (...) threads(%t, ...) in (%c256, %c1, %c1)
        workgroup(%a : memref<3x128x32xbf16, #gpu.address_space<workgroup>>,
                  %b : memref<3x32x128xbf16, #gpu.address_space<workgroup>>) {
      ... // two stages begin
      %sums:16 = scf.for %k = %c0 to %c2 step %c1
          iter_args(...) -> (vector<2x2xf32>, ...) {
        %group = nvgpu.device_async_create_group
        nvgpu.device_async_wait %group {numGroups = 1 : i32}
        gpu.barrier
        ... // the next stage begins
        %left = nvgpu.ldmatrix %a[...] ...
        %right = nvgpu.ldmatrix %b[...] ...
        %sum = nvgpu.mma.sync (%left, %right, %last) ...
      }
      ... // bias, maximum, store
      gpu.terminator
    }
    ```
  }];
  let options = [
    Option<"maxStages", "max-stages", "int64_t", /*default=*/"4",
           "Most stages that are in workgroup memory, at least 2">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"numMapped", "num-mapped", "Number of loops that became kernels">
  ];
}

def BoundTileBuffersPass
    : Pass<"gnn-bound-tile-buffers", "::mlir::func::FuncOp"> {
  let summary = "Give buffers in parallel loops their largest size";
  let description = [{
    The last tile of a loop may be smaller than the others, and a buffer for a tile
    is then allocated with that size. A kernel's workgroup memory has a size that is
    known when the kernel is compiled. A buffer in an `scf.forall` or `scf.parallel`
    whose sizes have constant upper bounds (as `affine.min` has one) is allocated on
    the stack with these, and the code sees the part that it asked for.

    Before:
    ```mlir
    scf.forall (%tile) = (0) to (%n) step (64) {
      %rows = affine.min affine_map<(d0)[s0] -> (64, s0 - d0)>(%tile)[%n]
      %buffer = memref.alloc(%rows) : memref<?x16xf32>
    ```
    After:
    ```mlir
      %whole = memref.alloca() : memref<1024xf32>
      %buffer = memref.reinterpret_cast %whole
          to offset: [0], sizes: [%rows, 16], strides: [16, 1]
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::memref::MemRefDialect"];
}

def KeepAccumulatorsPass
    : Pass<"gnn-keep-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Keep what a loop of a kernel adds up in a register";
  let description = [{
    Loops of linalg read the element of a result, add to it and write it back in
    every iteration, and LLVM leaves that as it is where it does not know that no
    other array of the kernel is the same. Where a loop reads and writes one element
    of a buffer, the same in every iteration, and touches nothing else of the
    buffer, the element is read before the loop, carried by it, and written after
    it. A loop that then writes nothing needs no barriers; one follows it.

    Before:
    ```mlir
    scf.for %e = %begin to %end step %c1 {
      %a = memref.load %sum[%t] : memref<64xf32>
      %b = memref.load %x[%e, %t] : memref<?x64xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %sum[%t] : memref<64xf32>
      gpu.barrier
    }
    ```
    After:
    ```mlir
    %first = memref.load %sum[%t] : memref<64xf32>
    %last = scf.for %e = %begin to %end step %c1 iter_args(%a = %first) -> (f32) {
      %b = memref.load %x[%e, %t] : memref<?x64xf32>
      %c = arith.addf %a, %b : f32
      scf.yield %c : f32
    }
    memref.store %last, %sum[%t] : memref<64xf32>
    gpu.barrier
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def BatchGathersPass
    : Pass<"gnn-batch-gathers", "::mlir::func::FuncOp"> {
  let summary = "Ask for the rows of several edges at once";
  let description = [{
    A lane waits for its part of a source's row as long as memory takes, and what
    it does with it, shuffles included, is behind that. A loop of a kernel that
    reads elements at places which it has read from another array, and writes none,
    takes `max-edges` iterations at once: all that they read comes first, so that
    the lane waits once for all of them. Fewer where that would be more than
    `max-loads` elements, which all need a register. Iterations are computed in
    their order, as before, and what is left of them at the end is a loop as it
    was.

    Before:
    ```mlir
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%s = %zero) -> (f32) {
      %j = memref.load %columns[%e] : memref<?xindex>
      %x = memref.load %features[%j, %lane] : memref<?x32xf32>
      %next = arith.addf %s, %x : f32
      scf.yield %next : f32
    }
    ```
    After, with two at once:
    ```mlir
    %most = scf.for %e = %begin to %middle step %c2 iter_args(%s = %zero) -> (f32) {
      %j0 = memref.load %columns[%e] : memref<?xindex>
      %x0 = memref.load %features[%j0, %lane] : memref<?x32xf32>
      %e1 = arith.addi %e, %c1 : index
      %j1 = memref.load %columns[%e1] : memref<?xindex>
      %x1 = memref.load %features[%j1, %lane] : memref<?x32xf32>
      %next0 = arith.addf %s, %x0 : f32
      %next1 = arith.addf %next0, %x1 : f32
      scf.yield %next1 : f32
    }
    %sum = scf.for %e = %middle to %end step %c1 iter_args(%s = %most) ...
    ```
  }];
  let options = [
    Option<"maxEdges", "max-edges", "int64_t", /*default=*/"4",
           "Most iterations that are taken at once; 1 leaves loops as they are">,
    Option<"maxLoads", "max-loads", "int64_t", /*default=*/"32",
           "Most elements that are asked for at once">
  ];
  let statistics = [
    Statistic<"numBatched", "num-batched",
              "Number of loops that take several iterations at once">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

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
    and blocks are read from the former; barriers and shuffles become calls of its
    functions, and so do products of matrices by a warp and what brings their
    factors (`nvgpu.mma.sync`, `nvgpu.ldmatrix`, `nvgpu.device_async_copy`). This is
    the last step of a kernel that is the same as for a device:
    after it follow the passes for the CPU.

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

def ExpToExp2Pass : Pass<"gnn-exp-to-exp2", "::mlir::func::FuncOp"> {
  let summary = "Compute exponentials in powers of two";
  let description = [{
    GPUs have an instruction for powers of two (`ex2.approx`, 2 units in the last
    place) and none for those of e: exp(x) is 2 to x / ln 2. The product is rounded,
    which adds a relative error of |x| / 2^24.

    Where one number is subtracted from several others, as a row's maximum from the
    scores that a lane holds, exp(x - y) is 2 to x / ln 2 - y / ln 2: the second
    quotient is computed once, and what is left for each x is a multiply-add. The
    relative error is |y| / 2^24 then.

    Before:
    ```mlir
    %y = math.exp %x : f32
    ```
    After:
    ```mlir
    %0 = arith.mulf %x, %log2e : f32
    %y = math.exp2 %0 : f32
    ```
    Before:
    ```mlir
    %d0 = arith.subf %x0, %y : f32
    %e0 = math.exp %d0 : f32
    ... // three more of them
    ```
    After:
    ```mlir
    %scaled = arith.mulf %y, %log2e : f32
    %negative = arith.negf %scaled : f32
    %d0 = math.fma %x0, %log2e, %negative : f32
    %e0 = math.exp2 %d0 : f32
    ```
  }];
  let options = [
    Option<"minDifferences", "min-differences", "int64_t", /*default=*/"4",
           "Exponentials of differences to one number from which on its quotient "
           "is computed once">
  ];
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

def ProductsToNVVMPass : Pass<"gnn-products-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Products of 16-bit fragments as NVVM has them";
  let description = [{
    `convert-nvgpu-to-nvvm` takes products of matrix fragments, but none of bfloat16,
    and leaves conversions of constant fragments behind, of which nothing gets rid
    later. Here two neighbouring factors are a register of 32 bits from the start.

    Before:
    ```mlir
    %s = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]}
        : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    ```
    After:
    ```mlir
    %s = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
        {multiplicandAPtxType = #nvvm.mma_type<bf16>, ...}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def EmbedDeviceCodePass : Pass<"gnn-embed-device-code", "::mlir::ModuleOp"> {
  let summary = "Keep what a device loads as an attribute";
  let description = [{
    Takes the code that `gpu-module-to-binary` has made out of its `gpu.binary` and
    leaves it as the module's attribute `gnn.device_image`, which `gnn-compile` puts
    into the model's description. Kernels that call functions which are nowhere
    defined, as those of libdevice where there is no CUDA toolkit, are an error
    here, where a name can be given, rather than when a device loads them.

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

def HoistRoundingsPass
    : Pass<"gnn-hoist-roundings", "::mlir::func::FuncOp"> {
  let summary = "Round factors once, outside of the loops that read them";
  let description = [{
    Attention multiplies by the rows of all sources for each tile of destinations,
    and with `--precision=bf16` rounds them each time. Where a loop inside of a
    parallel one reads part of an array and rounds all elements of it, the array is
    rounded ahead of the parallel loop. Linalg's fusion then makes that part of what
    computes the array, which is stored in half of the bytes, as copies to workgroup
    memory want it. Rounding to tf32, which is arithmetic on the bits of float32, is
    done ahead in the same way.

    Before:
    ```mlir
    scf.forall (%tile) in (%n) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
      scf.for %j = %c0 to %m step %c64 iter_args(...) {
        %keys = tensor.extract_slice %k[%j, 0] [%size, 64] [1, 1]
            : tensor<?x64xf32> to tensor<?x64xf32>
        linalg.generic ... ins(%queries, %keys : ...) {
        ^bb0(%a: f32, %b: f32, %sum: f32):
          %rounded = arith.truncf %b : f32 to bf16
    ```
    After:
    ```mlir
    %rounded = linalg.generic ... ins(%k : tensor<?x64xf32>)
        outs(%empty : tensor<?x64xbf16>) { ... arith.truncf ... }
    scf.forall (%tile) in (%n) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
      scf.for %j = %c0 to %m step %c64 iter_args(...) {
        %keys = tensor.extract_slice %rounded[%j, 0] [%size, 64] [1, 1]
            : tensor<?x64xbf16> to tensor<?x64xbf16>
        linalg.generic ... ins(%queries, %keys : ...) {
        ^bb0(%a: f32, %b: bf16, %sum: f32):
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "num-hoisted", "Operands that are read rounded">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DeclareWorkgroupMemoryPass
    : Pass<"gnn-declare-workgroup-memory", "::mlir::func::FuncOp"> {
  let summary = "Declare the workgroup memory that kernels allocate";
  let description = [{
    The memory that the threads of a block share is declared by the kernel, as
    arguments of its body. Passes that make kernels before buffers are deallocated
    allocate it in the body, with its address space: buffer deallocation gives such
    arguments companions, which a kernel cannot have.

    Before:
    ```mlir
    gpu.launch ... {
      %tile = memref.alloca() : memref<64x72xbf16, #gpu.address_space<workgroup>>
    ```
    After:
    ```mlir
    gpu.launch ... workgroup(%tile : memref<64x72xbf16, #gpu.address_space<workgroup>>) {
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PreferRegistersPass
    : Pass<"gnn-prefer-registers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let no register be spilled so that more blocks fit";
  let description = [{
    `ptxas` spills a few registers of a kernel where more blocks would then fit on a
    multiprocessor: 8 bytes to come from 136 registers to 128, say. Memory of a thread
    of its own in a loop costs more than that gives. A kernel that only asks for one
    block on a multiprocessor (`.minnctapersm` in PTX) is compiled without.

    Before:
    ```mlir
    gpu.func @forward_3(...) kernel {
    ```
    After:
    ```mlir
    gpu.func @forward_3(...) kernel attributes {nvvm.minctasm = 1 : i32} {
    ```
  }];
  let options = [
    Option<"blocks", "blocks", "int32_t", /*default=*/"1",
           "Blocks that have to fit on a multiprocessor">
  ];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def DistributeTilesToWarpsPass
    : Pass<"gnn-distribute-tiles-to-warps", "::mlir::func::FuncOp"> {
  let summary = "Keep tiles in the registers of warps";
  let description = [{
    A parallel loop over tiles of rows with products in it, such as attention of one
    head over tiles of sources, becomes a kernel whose tiles never are in memory.
    Nothing is known of attention: every op of the loop's body gets a meaning for the
    part of a tile that a lane holds, and if one has none, the loop is left as it is
    (`remarks` says which one, and why).

    *Who holds what.* The dimension along which loops inside carry vectors, such as
    the running maximum, is that of rows; what ops tie to it is, too, and all other
    dimensions are columns. A warp has 16 rows of each tile, a block as many warps
    as that takes. With factors rounded to 16 bits or tf32, elements lie within a
    warp as the sums of `nvgpu.mma.sync` do: of every eight columns, lane l has two of
    row l / 4 and two of row l / 4 + 8. With factors of float32, lane l has the rows
    l / 8, l / 8 + 4, and so on, and of every 32 columns the four from 4 (l mod 8) on
    (of narrow tiles, of every 16 two or of every eight one). Four or eight lanes hold
    a vector's element each for itself.

    *Ops.* Elementwise ops, with rows or columns broadcast, are done to each element
    that a lane holds. Sums and maxima of rows go over a lane's columns and then by
    two or three shuffles over the lanes of the row, always in the same order. Loops
    carry the elements of tiles. Slices of tiles and transposes cost nothing;
    columns beyond a slice's size are masked where a sum would notice, in the one
    tile that has such. An op on the first columns of a tile only, as masks are, is
    skipped where there are none.

    *Products.* The first factor is a tile, for which two neighbouring fragments of
    sums are a fragment of 16-bit factors as they lie, once rounded; or an array, of
    which each lane loads its part, outside of the loop if it does not change there.
    The second factor is a slice of an array of the factors' type. Threads bring it to
    workgroup memory together by asynchronous copies of up to 16 bytes, while the
    product before it is computed, and warps read it from there by `nvgpu.ldmatrix`.
    Rows in workgroup memory are 16 bytes longer than they would have to be, so that
    eight lanes that read eight rows find them in different banks.

    A fragment of tf32 factors is eight deep, of which a lane has the columns l mod 4
    and l mod 4 + 4, and of sums it has two neighbours. Sums may be taken in any
    order, so the neighbours are factors as they lie, and the second factor's rows are
    read in the order that this gives: 2 (l mod 4) and the one after it.

    Of float32, each lane multiplies by itself. The lanes of a row show each other what
    they have of the first factor by shuffles (`gpu.shuffle idx`), one lane after the
    other in a loop; each multiplies it by what its own columns need of the second
    factor, which it reads 16 bytes at a time. Where these are rows of the factor, rows
    are put into workgroup memory in the order that gives lanes different banks.

    Columns beyond the last one of a width that is no multiple of 16 (of 8 for tf32 and
    float32) are zeros in factors, and are not stored. Where rows of an array begin at
    multiples of 8 or 4 bytes only, copies bring so many.

    Results are stored from registers, rows that count only. The sizes that this
    takes: rows in multiples of 16, up to `max-rows`; second factors that fit into
    `workgroup-bytes` together.

    Before:
    ```mlir
    scf.forall (%i) = (0) to (%n) step (64) shared_outs(%out = %empty) -> ... {
      scf.for %j = %c0 to %m step %c64 iter_args(%max, %sum, %acc) -> ... {
        %scores = linalg.generic ... ins(%queries, %keys : ...)     // product
        %largest = linalg.generic ... ins(%scores : tensor<?x64xf32>)
            outs(%lowest : tensor<64xf32>) { ... arith.maximumf ... }
        ...
        %next = linalg.generic ... ins(%weights, %values : ...)     // product
    ```
    After:
    ```mlir
    gpu.launch blocks(...) in (%tiles, ...) threads(%t, ...) in (%c128, ...) {
      %k = memref.alloca() : memref<1x64x72xbf16, #gpu.address_space<workgroup>>
      scf.for %j = %c0 to %m step %c64 iter_args(%max0, %max1, ...) -> (f32, ...) {
        nvgpu.device_async_wait ...
        gpu.barrier
        nvgpu.device_async_copy %values[...], %v[...], 8, ...
        %b = nvgpu.ldmatrix %k[...] {numTiles = 4 : i32, transpose = false}
        %s = nvgpu.mma.sync (%q0, %b0, %zero) {mmaShape = [16, 8, 16]} ...
        ...
        %other, %valid = gpu.shuffle xor %m0, %c1, %c32 : f32
    ```
  }];
  let options = [
    Option<"maxRows", "max-rows", "int64_t", /*default=*/"128",
           "Most rows of a tile, of which a warp holds 16">,
    Option<"workgroupBytes", "workgroup-bytes", "int64_t", /*default=*/"49152",
           "Most workgroup memory of a block">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say of loops with products that are left why that is">
  ];
  let statistics = [
    Statistic<"numDistributed", "num-distributed", "Loops that became kernels">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // GNN_CODEGEN_GPU_PASSES_TD
