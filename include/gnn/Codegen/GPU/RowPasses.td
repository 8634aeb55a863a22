//===- RowPasses.td - Rows of sparse graphs ----------------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_GPU_ROW_PASSES_TD
#define GNN_CODEGEN_GPU_ROW_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileRowReductionsPass
    : Pass<"gnn-tile-row-reductions", "::mlir::func::FuncOp"> {
  let summary = "Compute norms and softmax row by row";
  let description = [{
    Layer norm, softmax and the like are sums and maxima of rows, and elementwise ops
    that read these. Each would be a kernel of its own, of which a thread sums up a row,
    far from what its neighbours read. They become one loop over the rows, for
    `gnn-distribute-rows` to share among lanes, which read a row together and keep it in
    registers.

    A loop ends with an op that nothing else of the rows needs, and takes in what
    only it and others of the loop read: sums, maxima and minima of rows of known
    shape, of up to `max-elements`, and elementwise ops of the same rows. What else
    they read are rows or, without a row, one dimension at most (weights of a norm, not
    those of a product). What does not sum up rows is left.

    Before:
    ```mlir
    %mean = linalg.generic ins(%x : tensor<?x64xf32>) outs(%zeros : tensor<?xf32>)
    %y = linalg.generic ins(%x, %mean : tensor<?x64xf32>, tensor<?xf32>)
    ```
    After:
    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) {
      %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1]
      %zero = linalg.fill ... -> tensor<1xf32>
      %mean = linalg.generic ins(%row) outs(%zero : tensor<1xf32>)
      %done = linalg.generic ins(%row, %mean) ... -> tensor<1x64xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %done into %out[%i, 0] [1, 64] [1, 1]
      }
    }
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", /*default=*/"1024",
           "Most elements of a row">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of loops over rows">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

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

def AlignVectorAccessesPass
    : Pass<"gnn-align-vector-accesses", "::mlir::func::FuncOp"> {
  let summary = "Access vectors of a row at once where they are aligned";
  let description = [{
    Whether a vector of a row begins at a multiple of its size depends on where the
    array begins: allocations, constants and arguments do so at multiples of 16
    bytes, and a part of an array may not. Where that is known of the array and of
    the index, the vector is read by one load and written by one store
    (`ld.global.v4.f32` and `st.global.v4.f32` in PTX), and element by element
    otherwise.

    Before:
    ```mlir
    %column = arith.muli %lane, %c4
    %v = vector.transfer_read %x[%j, %column], %pad {in_bounds = [true]}
      : memref<?x64xf32>, vector<4xf32>
    vector.transfer_write %v, %y[%j, %column] {in_bounds = [true]}
      : vector<4xf32>, memref<?x64xf32>
    ```
    After:
    ```mlir
    %v = vector.load %x[%j, %column] {alignment = 16 : i64}
      : memref<?x64xf32>, vector<4xf32>
    vector.store %v, %y[%j, %column] {alignment = 16 : i64}
      : memref<?x64xf32>, vector<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def ShufflesToNVVMPass
    : Pass<"gnn-shuffles-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Shuffle among some lanes of a warp, and vote";
  let description = [{
    A `gpu.shuffle` of fewer than 32 lanes names the lanes next to each other that
    exchange values, as many as its width. Others of the warp may be elsewhere: rows
    that share a warp have different numbers of edges. So the mask of the
    instruction is that of the lanes that take part, wherever in the warp they are.
    A `gpu.subgroup_reduce` of booleans, by `or` or `and`, is a vote of the warp.

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
    Before:
    ```mlir
    %any = gpu.subgroup_reduce or %mine uniform : (i1) -> i1
    ```
    After:
    ```mlir
    %any = nvvm.vote.sync any %all_lanes, %mine -> i1
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def SelectCarriedTensorsPass
    : Pass<"gnn-select-carried-tensors", "::mlir::func::FuncOp"> {
  let summary = "Choose a tensor instead of carrying it through a loop";
  let description = [{
    What an aggregation adds may not depend on the edge: a minimum with `false` is
    `false`. Its loop over edges then leaves a tensor from before it, or where it
    does not run, the one that it began with. Bufferized, it would allocate a copy in
    each iteration, which a kernel cannot. Where a `scf.for` yields a tensor from
    outside of it in place of one that its body does not read, the result is chosen
    by whether the loop runs.

    Before:
    ```mlir
    %least = scf.for %e = %begin to %end step %c1 iter_args(%acc = %true) -> (tensor<i1>) {
      scf.yield %false : tensor<i1>
    }
    ```
    After:
    ```mlir
    %runs = arith.cmpi slt, %begin, %end : index
    %least = arith.select %runs, %false, %true : tensor<i1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
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

#endif // GNN_CODEGEN_GPU_ROW_PASSES_TD
