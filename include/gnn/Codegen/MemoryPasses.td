//===- MemoryPasses.td - Buffers and who owns them ---------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_MEMORY_PASSES_TD
#define GNN_CODEGEN_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerCopiesPass
    : Pass<"gnn-lower-copies", "::mlir::func::FuncOp"> {
  let summary = "Copy strided buffers by loops";
  let description = [{
    A `memref.copy` with a stride would become a call into MLIR's runtime
    library, which compiled models do without. It becomes a `linalg.generic`;
    contiguous copies stay and become `memcpy`.

    Before:
    ```mlir
    memref.copy %a, %b : memref<?x8xf32> to memref<?x8xf32, strided<[16, 1]>>
    ```
    After:
    ```mlir
    linalg.generic ... ins(%a) outs(%b) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    ```
  }];
  let options = [
    Option<"contiguous", "contiguous", "bool", /*default=*/"false",
           "Contiguous copies as well, for devices that have no memcpy">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def DeclareConstantsPass : Pass<"gnn-declare-constants", "::mlir::ModuleOp"> {
  let summary = "Declare the memory of constants in the order of functions";
  let description = [{
    Bufferization declares a `memref.global` where it first meets a constant, but
    takes functions in an order that changes from run to run: of the same model, it
    would make libraries that differ. Here they are declared before it, and found
    there by it, in the order in which constants come in the module.

    Before:
    ```mlir
    func.func @f() {
      %c = arith.constant dense<1.0> : tensor<4xf32>
    ```
    After:
    ```mlir
    memref.global "private" constant @__constant_4xf32 : memref<4xf32> = dense<1.0>
    func.func @f() {
      %c = arith.constant dense<1.0> : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"alignment", "alignment", "uint64_t", "64",
           "Bytes that constants are aligned to, as bufferization aligns them">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ProtectArgumentsPass
    : Pass<"gnn-protect-arguments", "::mlir::func::FuncOp"> {
  let summary = "Keep bufferization from writing into arguments";
  let description = [{
    The tensors that a caller passes to a public function stay the caller's.
    Without this, bufferization would reuse their memory for results.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) {
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<?x8xf32> {bufferization.writable = false}) {
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def JoinLayoutsPass : Pass<"gnn-join-layouts", "::mlir::func::FuncOp"> {
  let summary = "Choices between buffers keep what both layouts have in common";
  let description = [{
    Where a `arith.select` or a `scf.if` chooses between a buffer and a part of
    another one, bufferization gives the result a layout of which nothing is known,
    even if elements follow each other in both: each load then multiplies by a
    stride that is 1. Here the result has the strides, sizes and the offset that both
    have, and only what differs is left open. Types alone change.

    Before:
    ```mlir
    %a = memref.cast %x : memref<?xi32> to memref<?xi32, strided<[?], offset: ?>>
    %b = memref.cast %y
      : memref<?xi32, strided<[1]>> to memref<?xi32, strided<[?], offset: ?>>
    %z = arith.select %c, %a, %b : memref<?xi32, strided<[?], offset: ?>>
    ```
    After:
    ```mlir
    %b = memref.cast %y : memref<?xi32, strided<[1]>> to memref<?xi32>
    %z = arith.select %c, %x, %b : memref<?xi32>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ForwardRowsPass
    : Pass<"gnn-forward-rows", "::mlir::func::FuncOp"> {
  let summary = "Write rows where they are copied to";
  let description = [{
    A loop that only copies each row of a buffer to a place of its own, and the op
    before it that writes these rows, become one: rows are written where they were
    copied to, and the buffer is gone. Tensors cannot say that an iteration of a
    parallel loop writes several rows that do not lie side by side:
    `-gnn-cluster-rows` adds such a copy to loops that take some destinations at a
    time. The place of a row is found out as soon as it is known which row it is,
    so that `-gnn-prefetch-rows` can ask for it.

    Rows are written by `vector.transfer_write`, to the buffer or to views of some
    rows or of one. Nothing else may use the buffer, and what places are read from
    must not be written meanwhile.

    Before:
    ```mlir
    %sorted = memref.alloc(%n) : memref<?x64xf32>
    scf.forall (%i) = (0) to (%n) step (8) {
      %part = memref.subview %sorted[%i, 0] [%count, 64] [1, 1] ...
      scf.for %p = %i to %last step %c1 {
        %row = ...
        %k = arith.subi %p, %i
        vector.transfer_write %row, %part[%k, %c0] ...
      }
    }
    scf.forall (%p) in (%n) {
      %j = memref.load %order[%p]
      %from = memref.subview %sorted[%p, 0] [1, 64] [1, 1] ...
      %to = memref.subview %y[%j, 0] [1, 64] [1, 1] ...
      memref.copy %from, %to
    }
    ```
    After:
    ```mlir
    scf.forall (%i) = (0) to (%n) step (8) {
      scf.for %p = %i to %last step %c1 {
        %j = memref.load %order[%p]
        %row = ...
        vector.transfer_write %row, %y[%j, %c0] ...
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"numForwarded", "num-forwarded", "Number of buffers that are gone">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def ForwardPartsPass
    : Pass<"gnn-forward-parts", "::mlir::func::FuncOp"> {
  let summary = "Write parts of a buffer where they would be copied to";
  let description = [{
    Rows that are put side by side, as those of several hops or layers are
    (`tensor.concat`), are buffers that are copied to columns of another one. A
    buffer that is filled only to be copied is these columns from the beginning:
    what fills it finds the next row further on.

    Nothing else may read the buffer, unless it fills it as well, as loops do that add
    up: rows that are gathered stay close together. Vectors must be parts of rows, which
    those along a column of single numbers are not. What it is copied to must not be
    used before, except for parts that have no element in common with it, and its sizes
    be known when the buffer is allocated.

    Before:
    ```mlir
    %a = memref.alloc(%n) : memref<?x64xf32>
    scf.forall (%i) in (%n) {
      vector.transfer_write %row, %a[%i, %c0] ...
    }
    %y = memref.alloc(%n) : memref<?x192xf32>
    %part = memref.subview %y[0, 64] [%n, 64] [1, 1]
      : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1], offset: 64>>
    memref.copy %a, %part
    ```
    After:
    ```mlir
    %y = memref.alloc(%n) : memref<?x192xf32>
    %part = memref.subview %y[0, 64] [%n, 64] [1, 1] ...
    scf.forall (%i) in (%n) {
      vector.transfer_write %row, %part[%i, %c0] ...
    }
    ```
  }];
  let statistics = [
    Statistic<"numForwarded", "num-forwarded", "Number of buffers that are gone">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def CopyRowsPass : Pass<"gnn-copy-rows", "::mlir::func::FuncOp"> {
  let summary = "Copy rows by all threads";
  let description = [{
    A copy of rows, of which there may be many, to where others lie between them or
    from there, becomes a loop over rows, which threads share as they do any other.
    Rows have a known size, and each is copied as a whole.

    Before:
    ```mlir
    memref.copy %a, %part
      : memref<?x64xf32> to memref<?x64xf32, strided<[192, 1], offset: 64>>
    ```
    After:
    ```mlir
    scf.forall (%i) in (%n) {
      %from = memref.subview %a[%i, 0] [1, 64] [1, 1] ...
      %to = memref.subview %part[%i, 0] [1, 64] [1, 1] ...
      memref.copy %from, %to
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def FreeEarlyPass
    : Pass<"gnn-free-early", "::mlir::func::FuncOp"> {
  let summary = "Free buffers after their last use";
  let description = [{
    Deallocation is placed at the end of the block that allocates. This moves
    each `memref.dealloc` to after the last op that may read the buffer, so that
    the peak is that of the live values and not the sum of all.

    Before:
    ```mlir
    %a = memref.alloc() ...
    "use"(%a)
    ...
    memref.dealloc %a
    return
    ```
    After:
    ```mlir
    %a = memref.alloc() ...
    "use"(%a)
    memref.dealloc %a
    ...
    return
    ```
  }];
}

def UseSessionMemoryPass
    : Pass<"gnn-use-session-memory", "::mlir::ModuleOp"> {
  let summary = "Take memory from whoever runs the model";
  let description = [{
    The system gives a process memory that it clears page by page, when a loop
    first touches it; on large graphs that takes longer than many of the loops. A
    session keeps memory from one run to the next instead. Every function gets a
    pointer to a `gnn_memory` (`gnn/Runtime/Runtime.h`) as its last argument, and
    calls its functions instead of `malloc` and `free`: code that is told where
    memory comes from needs no global state, and sessions on several threads have
    nothing in common.

    Calls of `gnn_launch` and `gnn_read`, which code for GPUs makes, become calls
    of the other two functions of the `gnn_memory`. Functions that the emulator of
    GPUs calls get no argument.

    Calls in parallel regions stay as they are. What is allocated there is small
    and freed there, `malloc` has a cache for each thread, and the session's
    memory is for one at a time.

    Before:
    ```mlir
    llvm.func @forward(%x: !llvm.ptr) {
      %block = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
    ```
    After:
    ```mlir
    llvm.func @forward(%x: !llvm.ptr, %memory: !llvm.ptr) {
      %place = llvm.getelementptr %memory[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %allocate = llvm.load %place : !llvm.ptr -> !llvm.ptr
      %block = llvm.call %allocate(%memory, %bytes)
          : !llvm.ptr, (!llvm.ptr, i64) -> (!llvm.ptr {llvm.noalias})
    ```
  }];
  let statistics = [
    Statistic<"numAllocations", "num-allocations",
              "Number of allocations that became the session's">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyBufferizedPass
    : Pass<"gnn-verify-bufferized", "::mlir::func::FuncOp"> {
  let summary = "Report tensors that bufferization did not take";
  let description = [{
    Run before what expects buffers: the first op that has a tensor is named, so that
    no later pass fails on it with a worse message, or with none. Nothing changes:
    ```mlir
    func.func @f(%x: memref<4xf32>) {        // as expected
      %0 = tensor.empty() : tensor<4xf32>    // an error
    ```
  }];
}

#endif // GNN_CODEGEN_MEMORY_PASSES_TD
