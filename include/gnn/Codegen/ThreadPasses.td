//===- ThreadPasses.td - Loops that threads share ----------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_THREAD_PASSES_TD
#define GNN_CODEGEN_THREAD_PASSES_TD

include "mlir/Pass/PassBase.td"

def SerializeSmallLoopsPass
    : Pass<"gnn-serialize-small-loops", "::mlir::func::FuncOp"> {
  let summary = "Start threads only for loops with enough to do";
  let description = [{
    Handing a loop to other threads costs microseconds, more than the whole loop
    takes on a graph of thirty nodes. Each `omp.parallel` with one loop in it gets
    an `if` clause: iterations, which are known at run time, times an estimate of
    the ops in the body must reach `minimum-work`. A loop over the rows of a block,
    the smaller of its size and of what is left, counts as one over a whole block. A
    loop in the body whose length is known before the threads start counts as often
    as it runs, any other, or one for each edge, as a loop of eight.
    Where a loop in the body goes along the edges of a row, from one entry of a row
    pointer to the next, what it does counts as often as there are edges, which the
    row pointer tells as well. Other loops from one entry of an array to the next, over the
    destinations and the sources of a segment, count as many as there are on average.
    Loops that compute nothing, those that pack matrices,
    wait for memory: what they read counts as `move-work` ops for each vector.
    Most of what it costs is that threads have to wake up: where a loop before it in
    the same block has enough to do, or the next one, `awake-work` is enough.
    Rows are computed alike on either path, so results do not depend on it.

    Before:
    ```mlir
    omp.parallel {
      omp.wsloop { omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
    ```
    After:
    ```mlir
    %enough = arith.cmpi sge, %n, %c400 : index
    omp.parallel if(%enough) {
      omp.wsloop { omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
    ```
  }];
  let options = [
    Option<"minimumWork", "minimum-work", "int64_t", "300000",
           "Ops that a loop must have for threads to be started">,
    Option<"awakeWork", "awake-work", "int64_t", "100000",
           "The same, where a loop before it, or the next one, starts them">,
    Option<"moveWork", "move-work", "int64_t", "16",
           "Ops that 16 elements count as which are read to be stored elsewhere">
  ];
  let statistics = [
    Statistic<"numConditions", "num-conditions",
              "Number of parallel regions that got a condition">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def BalanceRowsPass : Pass<"gnn-balance-rows", "::mlir::ModuleOp"> {
  let summary = "Give each thread rows with equally many edges";
  let description = [{
    With as many rows for each thread, the one whose rows have the high in-degrees
    works while others wait. In a parallel loop over rows whose inner loop goes
    from one entry of a row pointer to the next, each thread finds the rows of its
    share by bisection of the row pointer: a share is a range of rows with, as
    nearly as whole rows allow, its part of all edges. A row counts as `row-cost`
    edges more than it has. Which thread computes a row makes no difference to it.
    Of a loop that takes several rows in each step, a share has whole steps.

    Before:
    ```mlir
    omp.parallel {
      omp.wsloop { omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %begin = memref.load %rows[%i]
        %end = memref.load %rows[%next]
        scf.for %e = %begin to %end step %c1 {
    ```
    After:
    ```mlir
    omp.parallel {
      %threads = func.call @omp_get_num_threads() ...
      %thread = func.call @omp_get_thread_num() ...
      %share:2 = scf.if %alone { scf.yield %c0, %n } else {
        scf.while ... {  // first row of the share
        scf.while ... {  // that of the next one
      scf.for %i = %share#0 to %share#1 step %c1 {
        %begin = memref.load %rows[%i]
        %end = memref.load %rows[%next]
        scf.for %e = %begin to %end step %c1 {
    ```
  }];
  let options = [
    Option<"rowCost", "row-cost", "int64_t", "2",
           "Edges that the work for a row itself counts as">
  ];
  let statistics = [
    Statistic<"numBalanced", "num-balanced",
              "Number of loops that are shared out so">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def DivideLoopsPass : Pass<"gnn-divide-loops", "::mlir::ModuleOp"> {
  let summary = "Give each thread as many iterations";
  let description = [{
    OpenMP's runtime library tells a thread which iterations of a loop it has, and has
    threads wait at the loop's end as at that of the parallel region behind it. What
    that takes is a good part of a run on a graph of thirty nodes, where one thread
    has all of them, and a runtime that was built for debugging asks for memory each
    time. Threads compute their iterations themselves: as many for each but the last
    ones, of the loops of a nest together, as a `static` schedule has them. Other
    schedules, reductions and loops with something behind them in their region stay.

    Before:
    ```mlir
    omp.parallel {
      omp.wsloop { omp.loop_nest (%i) : index = (%c0) to (%n) step (%c4) {
    ```
    After:
    ```mlir
    omp.parallel {
      %threads = func.call @omp_get_num_threads() ...
      %thread = func.call @omp_get_thread_num() ...
      %first = ...                         // %thread * ceil(%trips / %threads)
      scf.for %k = %first to %last step %c1 {
        %i = arith.muli %k, %c4 : index
    ```
  }];
  let statistics = [
    Statistic<"numDivided", "num-divided",
              "Number of loops that threads divide themselves">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def HoistStackBuffersPass
    : Pass<"gnn-hoist-stack-buffers", "::mlir::func::FuncOp"> {
  let summary = "Allocate buffers of loops once per thread";
  let description = [{
    Moves stack buffers of static size out of loops, to the start of the
    parallel region around them or of the function, and dissolves the
    `memref.alloca_scope` that kept them from piling up. Buffers on the heap that
    each iteration of loops in a parallel region allocates and frees are allocated
    and freed once in it, unless they are larger than `max-bytes`: beyond some KiB
    `malloc` is not free.

    Before:
    ```mlir
    omp.parallel {
      omp.wsloop { omp.loop_nest (%i) ... {
        memref.alloca_scope {
          %a = memref.alloca() : memref<64xf32>
          %b = memref.alloc() : memref<8192xf32>
          ...
          memref.dealloc %b : memref<8192xf32>
    ```
    After:
    ```mlir
    omp.parallel {
      %b = memref.alloc() : memref<8192xf32>
      %a = memref.alloca() : memref<64xf32>
      omp.wsloop { omp.loop_nest (%i) ... {
        ...
      }}
      memref.dealloc %b : memref<8192xf32>
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "1048576",
           "Larger buffers on the heap stay where they are">
  ];
}

def OutlineParallelRegionsPass
    : Pass<"gnn-outline-parallel-regions", "::mlir::ModuleOp"> {
  let summary = "Make functions of parallel regions, equal ones only once";
  let description = [{
    Makes a function of each outermost `omp.parallel`, with what it uses from around
    it as arguments and with constants and globals of its own. Layers of one shape
    have the same regions: equal ones become one function, and the passes that
    follow, the translation to LLVM IR and LLVM see each of them once. The
    translation makes functions of regions, too, but looks at all of the function
    around for each.

    Vectors that a loop uses in each step, such as a bias, have been hoisted out of
    it, and of the region. Threads would be handed them in memory, to which each
    caller would have to copy them. Those of `wide-vector` elements and more are read
    in the region if nothing in the function writes to the argument or the global
    that they come from; what a function writes does not overlap with its arguments.

    LLVM does not inline functions with several callers. Regions of functions that it is
    to make small (`passthrough = ["optsize"]`, see `-gnn-split-preparation`) are made
    small, too, unless others have the same. `-cse` should come before: what is computed
    twice would be two arguments, and nothing would say that they are equal.

    Before:
    ```mlir
    func.func @forward(%b: memref<384xf32>, ...) {
      %bias = vector.load %b[%c0] : memref<384xf32>, vector<384xf32>
      omp.parallel if(%large) {
        ...
          vector.store %sum, %y[%i, %c0] : memref<?x384xf32>, vector<384xf32>
        omp.terminator
      }
    ```
    After:
    ```mlir
    func.func @forward(%b: memref<384xf32>, ...) {
      call @forward.parallel(%large, %b, %n, %y)
    ...
    func.func private @forward.parallel(%large: i1, %b: memref<384xf32>,
                                        %n: index, %y: memref<?x384xf32>) {
      %c0 = arith.constant 0 : index
      omp.parallel if(%large) {
        %bias = vector.load %b[%c0] : memref<384xf32>, vector<384xf32>
        ...
    ```
  }];
  let options = [
    Option<"wideVector", "wide-vector", "int64_t", /*default=*/"128",
           "Elements of vectors from which on threads read them themselves">
  ];
  let statistics = [
    Statistic<"numRegions", "num-regions", "Number of regions outlined">,
    Statistic<"numFunctions", "num-functions",
              "Number of functions that these have become">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // GNN_CODEGEN_THREAD_PASSES_TD
