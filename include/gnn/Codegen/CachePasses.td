//===- CachePasses.td - What caches hold and read ahead ---*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_CACHE_PASSES_TD
#define GNN_CODEGEN_CACHE_PASSES_TD

include "mlir/Pass/PassBase.td"

def StreamRowsPass : Pass<"gnn-stream-rows", "::mlir::func::FuncOp"> {
  let summary = "Store results that no cache holds past the caches";
  let description = [{
    A loop that gathers rows of sources wants those in the caches, but each row of
    its result takes the place of one, and the memory that it overwrites is read
    before. Where the result is too large to stay there until it is read, its rows
    are stored with `nontemporal`: whole lines go to memory, and no cache keeps
    them. How large it is turns out at run time, so both stores are there, in an
    `scf.if` with a condition that does not change. Several results of a loop count
    together.

    Who gathers little for a row has little time to store another: results
    are stored so from `minimum-bytes` on, if a loop gathers at least
    `minimum-gathered-bytes` for them, a row as long as the longest of theirs for each
    edge. Its rows count as one edge each at least: rows of a segment share their edges,
    and a row pointer may not be known before the loop.

    Taken are rows of a buffer that the function allocates, stored at the end of a
    step of a loop whose steps go along edges, tiles of their features, and the same
    columns of all rows, which count as much as all columns. Rows that
    are whole lines of 64 bytes are stored line by line. Others begin within a line,
    the rest of which is another row's: they are stored in pieces of 32, 16 ... bytes,
    the largest at whose multiples all rows begin, if that is `piece-bytes` or more,
    and a processor has to put lines together of what two rows store.
    A product's result stays near for what gathers its rows, and so does what the loop
    itself reads back.

    Before:
    ```mlir
    scf.forall (%i) in (%n) {
      %s = scf.for %p = %begin to %end ...
      vector.transfer_write %s, %y[%i, %c0] : vector<64xf32>, memref<?x64xf32>
    ```
    After:
    ```mlir
    %large = arith.cmpi sge, %bytes, %c16777216 : index
    scf.forall (%i) in (%n) {
      %s = scf.for %p = %begin to %end ...
      scf.if %large {
        vector.store %s, %y[%i, %c0] {alignment = 64, nontemporal = true} ...
      } else {
        vector.transfer_write %s, %y[%i, %c0] ...
      }
    ```
  }];
  let options = [
    Option<"minimumBytes", "minimum-bytes", "int64_t", "16777216",
           "Bytes of a loop's results from which on they are stored so">,
    Option<"minimumGatheredBytes", "minimum-gathered-bytes", "int64_t", "0",
           "Bytes that are gathered for these results, at least">,
    Option<"pieceBytes", "piece-bytes", "int64_t", "64",
           "Bytes that are stored at once, at least, of rows that are no whole "
           "lines">
  ];
  let statistics = [
    Statistic<"numStreamed", "num-streamed", "Number of stores of rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def FenceStreamsPass : Pass<"gnn-fence-streams", "::mlir::func::FuncOp"> {
  let summary = "Make other threads see what went past the caches";
  let description = [{
    Stores with `nontemporal` may become visible after stores that follow them, such
    as the one by which a thread says that it is done. Before a thread leaves a
    parallel region with such stores, and before a function with such stores
    outside of one returns, an `llvm.fence` waits for them, if what decides about
    them at run time says that there are any.

    Before:
    ```mlir
    omp.parallel {
      ...
        scf.if %large {
          vector.store %s, %y[%i, %c0] {nontemporal = true} ...
      ...
      omp.terminator
    ```
    After:
    ```mlir
    omp.parallel {
      ...
      scf.if %large {
        llvm.fence seq_cst
      }
      omp.terminator
    ```
  }];
  let statistics = [
    Statistic<"numFences", "num-fences", "Number of fences">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def OrderStreamsPass
    : Pass<"gnn-order-streams", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Keep stores past the caches in the order of addresses";
  let description = [{
    A store with `nontemporal` waits in one of a few buffers, each of a cache line,
    until the line is complete. LLVM is free to take the registers of a vector in any
    order: where a line has several of them, lines are begun, left, and sent to
    memory in parts. Such a store becomes one store for each register of
    `vector-width` elements of 32 bits, from the first to the last, and `volatile`,
    so that they stay in this order. Where a register is a line, nothing has to be
    done.

    Before:
    ```mlir
    llvm.store %v, %p {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
    ```
    After:
    ```mlir
    %low = llvm.shufflevector %v, %v [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xf32>
    llvm.store volatile %low, %p {alignment = 64 : i64, nontemporal}
      : vector<8xf32>, !llvm.ptr
    %high = llvm.shufflevector %v, %v [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>
    %q = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store volatile %high, %q {alignment = 32 : i64, nontemporal}
      : vector<8xf32>, !llvm.ptr
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "8",
           "Elements of 32 bits in a vector register">
  ];
}

def PrefetchRowsPass
    : Pass<"gnn-prefetch-rows", "::mlir::func::FuncOp"> {
  let summary = "Ask early for the rows that edges name";
  let description = [{
    A loop over edges reads rows of sources at places that only the array of
    columns tells. A processor that looks some hundred instructions ahead sees
    few of them, and waits. Where an `scf.for` reads rows at entries of an array
    along which it runs, each iteration asks for the row that an iteration
    further on will read, which may be one of the next destination's: one
    `memref.prefetch` for each cache line of what is read. Whatever is so near the
    end that nothing lies ahead asks for the last entry's row. Loops that read
    several entries in each step ask for as many rows.

    How far ahead is `rows-ahead`, or fewer where rows are wide: all that has been
    asked for and not read, `bytes-ahead` at most, has to fit into the first
    cache. Rows of buffers with fewer than `minimum-bytes` are in a near cache
    anyway; that is known at run time, so the prefetches are in an `scf.if` with
    a condition that does not change. Where loops read rows of several buffers at
    entries of the same array, as attention does for scores and then for values, all
    of them together count, for those of `wide-minimum-bytes` or more. Rows of 512
    bytes or more are asked for from `wide-minimum-bytes` on: for them finding the
    place is little beside reading them, and other buffers of as many bytes take room
    in the second cache as well. So are rows of which a loop makes vectors of four
    times their bytes or more, as GATv2's scores are made: a processor then sees few
    rows ahead.

    Rows that an earlier loop along the same edges has read are not asked for again.
    Of rows of 512 bytes or more, as those of GATv2, which scores and values are made
    of, either loop asks for half of the lines, where buffers have `minimum-bytes` or
    more: the first alone would have memory busy while it runs and idle while the
    second does. The second asks `bytes-ahead-again` of rows ahead, for what the first
    will read.

    A loop over destinations that reads their own rows finds rows of sources in
    between, so that a processor does not take them for a sequence. It asks for the
    rows of destinations further on, up to half of `bytes-ahead`, where rows have
    256 bytes or more. Where destinations are taken in another order, which an
    `scf.if` finds out (`gnn-cluster-rows`), that tells which rows these are, and no
    processor would: they are asked for where they have a line of 64 bytes, and from
    `wide-minimum-bytes` on. Rows of results of up to 512 bytes together, which are then
    written here and there, are asked for as soon as their numbers are known, but not
    where results are stored past the caches (`gnn-stream-rows`): a line that was asked
    for would be in the way.

    Before:
    ```mlir
    scf.for %p = %begin to %end step %c1 iter_args(...) {
      %j = memref.load %columns[%p] : memref<?xindex>
      %r = vector.transfer_read %x[%j, %c0] ... : memref<?x32xf32>, vector<32xf32>
    ```
    After:
    ```mlir
    %many = arith.cmpi sge, %bytes, %c4194304 : index
    scf.for %p = %begin to %end step %c1 iter_args(...) {
      scf.if %many {
        %a = arith.addi %p, %c16 : index
        %q = arith.minui %a, %last : index
        %k = memref.load %columns[%q] : memref<?xindex>
        memref.prefetch %x[%k, %c0], read, locality<3>, data : memref<?x32xf32>
        memref.prefetch %x[%k, %c16], read, locality<3>, data : memref<?x32xf32>
      }
      %j = memref.load %columns[%p] : memref<?xindex>
      %r = vector.transfer_read %x[%j, %c0] ... : memref<?x32xf32>, vector<32xf32>
    ```
  }];
  let options = [
    Option<"rowsAhead", "rows-ahead", "int64_t", "16",
           "Iterations from the prefetch of a row to its use, at most">,
    Option<"bytesAhead", "bytes-ahead", "int64_t", "8192",
           "Bytes that are asked for and not yet read, at most">,
    Option<"bytesAheadAgain", "bytes-ahead-again", "int64_t", "16384",
           "The same for a loop that reads rows after another one">,
    Option<"maxLines", "max-lines", "int64_t", "32",
           "Cache lines of a row that are asked for, at most">,
    Option<"minimumBytes", "minimum-bytes", "int64_t", "4194304",
           "Size of the buffers from which on rows are asked for">,
    Option<"wideMinimumBytes", "wide-minimum-bytes", "int64_t", "1048576",
           "The same for rows of 512 bytes or more">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops that prefetch rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def PrefetchSegmentsPass
    : Pass<"gnn-prefetch-segments", "::mlir::func::FuncOp"> {
  let summary = "Ask early for the rows of a batch's next graph";
  let description = [{
    Attention within the graphs of a batch takes a graph after the other, and of it one
    head after the other: a part of each row, 32 bytes of 256, of as many rows as the
    graph has nodes. That is too short a sequence for a processor to see, and a graph
    of some dozens of nodes is computed while its rows come from memory. But the rows
    of the next graph lie behind those of this one.

    Where an `scf.forall` over segments and parts of rows has views of the rows from
    one entry of an array to the next, each iteration asks for its share of the lines
    that those of the next segment fill, all of their parts: of matrices with rows of
    the same length, and with `minimum-bytes` together, which is known at run time. Of
    a long segment that are the first `most-bytes` of each matrix. A third loop, over
    shares of a segment's destinations, makes no difference to that.

    A processor waits for a few dozen lines at a time, and computes nothing while there
    are more that it was asked for. So the lines are asked for in small lots: before
    each loop in the body of a loop over tiles of rows, and in that of a loop over tiles
    in it, about as many each time. Without such a loop all are at the start.

    Before:
    ```mlir
    scf.forall (%s, %h) in (%segments, 8) {
      %t = arith.addi %s, %c1 : index
      %begin = memref.load %pointers[%s] : memref<?xindex>
      %end = memref.load %pointers[%t] : memref<?xindex>
      scf.for %i = %begin to %end step %c16 {
        %rows = memref.subview %q[%i, %h, 0] [%n, 1, 8] [1, 1, 1] : memref<?x8x8xf32> to ...
    ```
    After:
    ```mlir
    %flat = memref.collapse_shape %q [[0, 1, 2]] : memref<?x8x8xf32> into memref<?xf32>
    scf.forall (%s, %h) in (%segments, 8) {
      ...
      // %start is where the part of the rows %pointers[%s + 1] to
      // %pointers[%s + 2] begins, %lines how many lines it has, %lot of how many
      // the loop below asks for at once, at place after place.
      %lot = arith.ceildivui %lines, %places : index
      scf.for %i = %begin to %end step %c16 {
        %first = arith.muli %place, %lot : index
        %next = arith.addi %first, %lot : index
        %last = arith.minui %next, %lines : index
        scf.for %line = %first to %last step %c1 {
          %e = arith.muli %line, %c16 : index
          %p = arith.addi %start, %e : index
          memref.prefetch %flat[%p], read, locality<2>, data : memref<?xf32>
        }
        scf.for ...
    ```
  }];
  let options = [
    Option<"minimumBytes", "minimum-bytes", "int64_t", "524288",
           "Size of the matrices from which on rows are asked for">,
    Option<"mostBytes", "most-bytes", "int64_t", "131072",
           "Bytes of a matrix's rows of a segment that are asked for, at most">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops",
              "Number of sets of matrices of which a loop asks for rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def PrefetchWindowsPass
    : Pass<"gnn-prefetch-windows", "::mlir::func::FuncOp"> {
  let summary = "Ask early for the rows that come into a window";
  let description = [{
    Attention over a window takes one head after the other of a tile of rows after the
    other: of each row a part, 256 bytes of 2 KiB, which no processor asks for by
    itself. Of what a tile reads only as many rows are new as it moves on; the others
    are in the caches.

    Where an `scf.forall` steps over parts and rows, and a loop over tiles in it has
    both ends in what the iteration says, lines are asked for in lots between the loops
    of these tiles (as `-gnn-prefetch-segments` does): the parts of the rows that the
    next iteration begins with, and of those that come behind the end of the window.
    Matrices with less than `minimum-bytes` together, which is known at run time, are
    left alone.

    Before:
    ```mlir
    scf.forall (%h, %i) = (0, 0) to (8, %n) step (1, 16) {
      %mine = memref.subview %q[%i, %h, 0] [16, 1, 64] [1, 1, 1] : memref<?x8x64xf32> to ...
      scf.for %j = %begin to %end step %c64 {
        %others = memref.subview %k[%j, %h, 0] [64, 1, 64] [1, 1, 1] : memref<?x8x64xf32> to ...
        scf.for ...
        scf.for ...
    ```
    After:
    ```mlir
    scf.forall (%h, %i) = (0, 0) to (8, %n) step (1, 16) {
      %next = arith.addi %i, %c16 : index
      %lot = arith.ceildivui %rows, %places : index
      scf.for %j = %begin to %end step %c64 {
        scf.for %row = %first to %last step %c1 {
          %r = arith.addi %row, %next : index
          memref.prefetch %q[%r, %h, %c0], read, locality<2>, data : memref<?x8x64xf32>
          %s = arith.addi %row, %end : index
          memref.prefetch %k[%s, %h, %c0], read, locality<2>, data : memref<?x8x64xf32>
          ...
        }
        scf.for ...
    ```
  }];
  let options = [
    Option<"minimumBytes", "minimum-bytes", "int64_t", "524288",
           "Size of the matrices from which on rows are asked for">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops that ask for rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def PrefetchTilesPass
    : Pass<"gnn-prefetch-tiles", "::mlir::func::FuncOp"> {
  let summary = "Ask early for the factors of products";
  let description = [{
    A loop over k of a product reads a row of its second factor in each step, a
    few hundred bytes from the second cache, once for each tile of rows. Products
    leave no time to wait for them. Where an `scf.for` that carries vectors alone
    reads the rows of a matrix one after the other, a *panel* of `minimum-bytes` or
    more, each step asks for the row that is read `bytes-ahead` later: one
    `memref.prefetch` for each cache line.

    The rows of the first factor that a tile of rows multiplies are read at once, a
    few elements of each, and no processor guesses those of the next tile. With
    `first-factors`, each step asks for some elements of these, which lie in one
    piece behind the rows of this tile, if the factor may have `far-bytes`; they
    come from there for the first panel of a block of rows only, so that it would
    be too much for more than `most-panels` of them. Where
    rows are rounded before AMX multiplies them, a block of an iteration of an
    `scf.forall` at a time, its products ask for the rows of the next block: each
    step for its part of them.

    If the buffer of all panels has `far-bytes` or more, the next panel comes from
    farther away. Each tile of rows asks for its part of that, one place in each
    step, some elements after the last one. The last panel of a block of rows asks
    for the first one, with which the next block begins.

    Of panels that AMX reads as tiles (`gnn-use-matrix-tiles`), a range of rows stays
    in the first cache while all tiles of rows meet it, and the range after it is what
    is asked for: an eighth by each tile of rows, some lines in each step. With
    `results`, the lines that AMX's sums are stored to are asked for as well while
    these are added up, where the buffer may have `far-bytes` and nothing was read
    from it before: rows of a tile are far from each other, and all of its stores
    would wait at once. So are those of sums in vectors that begin from constants,
    of tiles of four rows or more: `result-steps` steps for each row, the last ones
    of the loop, become loops of their own, of which each asks for a row first.
    Earlier, these lines would take the place of what is multiplied. In loops of more
    than `most-steps` steps stores have time, and more code is not worth it.

    Before:
    ```mlir
    scf.for %c = %c0 to %c1024 step %c64 {
      %p = arith.divui %c, %c64 : index
      scf.for %r = %c0 to %rows step %c6 {
        %acc:24 = scf.for %k = %c0 to %c1024 step %c1 iter_args(...) {
          %b = vector.transfer_read %panels[%p, %k, %c0] ... : memref<16x1024x64xf32>
    ```
    After:
    ```mlir
        // %next = 65536 * (%p + 1) + 1024 * %few * %r / 6
        %acc:24 = scf.for %k = %c0 to %c1024 step %c1 iter_args(...) {
          %e = arith.muli %k, %few : index
          %f = arith.addi %next, %e : index
          memref.prefetch %flat[%f], read, locality<2>, data : memref<1048576xf32>
          // %after = 1024 * (%r + 6), of a first factor of 1024 columns
          %d = arith.muli %k, %c6 : index
          %g = arith.addi %after, %d : index
          memref.prefetch %first[%g], read, locality<2>, data : memref<?xf32>
          %a = arith.addi %k, %c8 : index
          memref.prefetch %panels[%p, %a, %c0], read, locality<3>, data
          memref.prefetch %panels[%p, %a, %c16], read, locality<3>, data
          %b = vector.transfer_read %panels[%p, %k, %c0] ... : memref<16x1024x64xf32>
    ```

    Results, before:
    ```mlir
    %acc:24 = scf.for %k = %c0 to %c128 step %c1 iter_args(...) { ... }
    vector.transfer_write %acc#0, %y[%r, %c] ...
    ```
    After:
    ```mlir
    %most:24 = scf.for %k = %c0 to %c104 step %c1 iter_args(...) { ... }
    %acc:24 = scf.for %i = %c0 to %c6 step %c1 iter_args(%some = %most) {
      %row = arith.addi %r, %i : index
      memref.prefetch %y[%row, %c], write, locality<3>, data
      ... // of which the loop over k has 4 steps
      %next:24 = scf.for %k = %from to %to step %c1 iter_args(... = %some) { ... }
      scf.yield %next
    }
    vector.transfer_write %acc#0, %y[%r, %c] ...
    ```
  }];
  let options = [
    Option<"bytesAhead", "bytes-ahead", "int64_t", "2048",
           "Bytes of a panel from what is asked for to what is read">,
    Option<"minimumBytes", "minimum-bytes", "int64_t", "65536",
           "Smaller panels stay in the first cache">,
    Option<"minimumRowBytes", "minimum-row-bytes", "int64_t", "128",
           "Panels of shorter rows, of a line or less, are read so slowly that "
           "processors bring them near by themselves">,
    Option<"farBytes", "far-bytes", "int64_t", "1048576",
           "Size of all panels from which on the next one is asked for">,
    Option<"results", "results", "bool", "true",
           "Ask for what sums will be stored to">,
    Option<"resultSteps", "result-steps", "int64_t", "4",
           "Steps of a loop over k for each row of results that it asks for">,
    Option<"mostSteps", "most-steps", "int64_t", "256",
           "Loops over k of more steps do not ask for results in vectors">,
    Option<"firstFactors", "first-factors", "bool", "true",
           "Ask for the rows of the first factor that are read next">,
    Option<"mostPanels", "most-panels", "int64_t", "32",
           "Rows of a first factor that meet more panels are not asked for">
  ];
  let statistics = [
    Statistic<"numPanels", "num-panels", "Number of panels that are asked for">,
    Statistic<"numFirst", "num-first",
              "Number of products that ask for rows of their first factor">,
    Statistic<"numResults", "num-results",
              "Number of products whose results are asked for">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // GNN_CODEGEN_CACHE_PASSES_TD
