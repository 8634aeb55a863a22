//===- TensorPasses.td - Loops over tensors ----------------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_TENSOR_PASSES_TD
#define GNN_CODEGEN_TENSOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def ClusterRowsPass : Pass<"gnn-cluster-rows", "::mlir::func::FuncOp"> {
  let summary = "Take rows that share sources one after another";
  let description = [{
    Rows of sources that caches do not hold are read from far away as often as
    there are edges, even if the next rows read the same sources: nodes of a
    community have numbers that tell nothing of it. Here rows that share sources
    are taken one after the other, so that these are still in the second cache.
    Where rows begin and the sources of their edges are copied in that order and
    read one after the other; results, what is read of a destination and what
    edges have are where they were. Edges of a row stay in their order, so that
    results are the same to the bit.

    Communities are found by label propagation: each node takes the label that
    most of its sources have, `sweeps` times, one node after the other; rows are
    sorted by their labels. That takes time in proportion to the edges, once for a
    graph: taken are loops over graphs that do not change from run to run, and
    `gnn-split-preparation`, which follows, has the order computed once. Loops over
    the same graph share it. Which graphs have such an order turns out at run time.
    Rows stay where they are

    * if rows have less than `min-row-edges` edges on average, as molecules, whose
      graphs often come once;
    * if twice `cache-bytes` hold all rows of sources;
    * if less than a quarter of all edges read a source that was read before, but so
      many edges ago that rows of `cache-bytes` were read since: there is little to
      gain;
    * if in the new order more than three quarters as many edges do: there are no
      communities.

    Loops that read less than `min-row-bytes` of a source are left to
    `gnn-order-rows`.

    Attention takes eight destinations at a time, which then are others: values are
    rounded differently where these have their weights computed together or not.
    Loops that say so (`gnn.any_row_order`) are taken in the new order, too. Their
    results are in that order at first, and a second loop copies each row to where
    it belongs, which `gnn-forward-rows` makes undone once there are buffers: a
    parallel loop over tensors cannot insert several rows that do not lie side by
    side. Where an elementwise op is to finish the results, the loop stays as it is.

    Before:
    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) ... {
      %begin = tensor.extract %pointer[%i]
      %end = tensor.extract %pointer[%next]
      %sum = scf.for %e = %begin to %end ... {
        %j = tensor.extract %columns[%e]
        %row = tensor.extract_slice %x[%j, 0] ...
        %weight = tensor.extract %weights[%e]
        ...
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] ...
    ```
    After:
    ```mlir
    scf.for ...                              // how many edges read from far away
    %labels = scf.for ... {                  // for each sweep
      scf.for ... }                          //   and each node
    %order = scf.for ...                     // rows, sorted by labels
    scf.for ...                              // how many edges read from far away
    %sorted = arith.andi ...                 // whether that is less
    %copies:3 = scf.for ...                  // in that order
    %ordered_pointer = scf.if %sorted ... { %copies#0 } else { %pointer }
    %ordered_columns = scf.if %sorted ... { %copies#1 } else { %columns }
    %y = scf.forall (%p) in (%n) shared_outs(%out = %empty) ... {
      %i = scf.if %sorted -> (index) { ... %order[%p] } else { ... %p }
      %begin = tensor.extract %ordered_pointer[%p]
      %end = tensor.extract %ordered_pointer[%next]
      %sum = scf.for %q = %begin to %end ... {
        %e = scf.if %sorted -> (index) { ... %copies#2[%q] } else { ... %q }
        %j = tensor.extract %ordered_columns[%q]
        %row = tensor.extract_slice %x[%j, 0] ...
        %weight = tensor.extract %weights[%e]
        ...
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] ...
    ```
  }];
  let options = [
    Option<"minRowBytes", "min-row-bytes", "int64_t", "128",
           "Bytes read of a source from which on rows are ordered">,
    Option<"minRowEdges", "min-row-edges", "int64_t", "4",
           "Edges of a row on average from which on an order is looked for">,
    Option<"cacheBytes", "cache-bytes", "int64_t", "2097152",
           "Bytes of rows of sources that the second cache holds">,
    Option<"sweeps", "sweeps", "int64_t", "2",
           "How often each node takes the label of most of its sources">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops whose rows have an order">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def OrderRowsPass : Pass<"gnn-order-rows", "::mlir::func::FuncOp"> {
  let summary = "Take rows of as many edges one after another";
  let description = [{
    A processor that adds up narrow rows of sources waits most for the ends of
    rows: it guesses wrong where a row has other than as many edges as the one
    before. Here rows are sorted by the number of their edges, `window` rows at a
    time, so that what is read and written stays near. Where rows begin and the
    sources of their edges are copied in that order and still read one after the
    other; results, and what is read of a destination, are where they were. Edges
    of a row stay in their order, so that results are the same to the bit.

    Taken are loops over rows whose results have at most `max-row-bytes`, which
    read sources of edges and nothing that is stored for edges, of graphs that do
    not change from run to run: `gnn-split-preparation`, which follows, has the
    order computed once for a graph. Reading wider rows takes longer than a wrong
    guess, and writing them out of order costs more. Loops over the same graph
    share the order. If rows have less than `min-row-edges` edges on average or are
    more than `max-rows`, which turns out at run time, they stay where they are and
    nothing is copied.

    Before:
    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) ... {
      %begin = tensor.extract %pointer[%i]
      %end = tensor.extract %pointer[%next]
      %sum = scf.for %e = %begin to %end ... {
        %j = tensor.extract %columns[%e]
        ...
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] ...
    ```
    After:
    ```mlir
    %order, %copied_pointer, %copied_columns =
      scf.forall (%first) = (0) to (%n_or_0) step (256) ... {
        scf.for ...              // how many rows have how many edges
        scf.for ...              // where rows of so many edges begin
        scf.for ...              // each row to its place
        scf.for ...              // columns of the rows in their order
      }
    %ordered_pointer = scf.if %sorted ... { %copied_pointer } else { %pointer }
    %ordered_columns = scf.if %sorted ... { %copied_columns } else { %columns }
    %y = scf.forall (%p) in (%n) shared_outs(%out = %empty) ... {
      %i = scf.if %sorted -> (index) { ... %order[%p] } else { ... %p }
      %begin = tensor.extract %ordered_pointer[%p]
      %end = tensor.extract %ordered_pointer[%next]
      %sum = scf.for %e = %begin to %end ... {
        %j = tensor.extract %ordered_columns[%e]
        ...
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] ...
    ```
  }];
  let options = [
    Option<"window", "window", "int64_t", "256",
           "Rows that are sorted together">,
    Option<"maxRowBytes", "max-row-bytes", "int64_t", "64",
           "Bytes that the results of a row have at most">,
    Option<"minRowEdges", "min-row-edges", "int64_t", "3",
           "Edges of a row on average from which on rows are sorted">,
    Option<"maxRows", "max-rows", "int64_t", "65536",
           "Rows up to which they are sorted: results of more are best written "
           "one after the other">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops whose rows have an order">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitPreparationPass
    : Pass<"gnn-split-preparation", "::mlir::ModuleOp"> {
  let summary = "Divide a model into what graphs decide and what inputs decide";
  let description = [{
    Self loops, degrees and their inverse roots are the same in all runs on a
    graph, and weights that are rounded the same in all runs. Of each public
    function, what computes such values becomes functions of its own; the function
    takes the values as further arguments and computes the rest. Its caller may keep
    them.

    Arguments with `gnn.fixed = "graph"` are parts of graphs, those with
    `gnn.fixed = "weight"` weights. An op depends on weights alone if all that it
    reads, in its regions as well, are weights, constants and results of such ops,
    and it has no side effects; on graphs and weights likewise. Of these ops' results,
    those are passed on which the rest reads and which are

    * results of loops, of `linalg` ops with reductions, of copies, and of
      conditionals with such ops inside;
    * results of elementwise ops that divide, call functions of `math` or look
      elements up;
    * results of other elementwise ops if a loop, a product or a caller reads them,
      so that they would be stored in any case, and they take no more memory than
      what they are made of;
    * scalars that are read from a tensor, and sizes of what is not passed on itself.

    All else is cheaper than to read what was kept, or becomes part of the op that
    reads it, and is computed where it is needed: arithmetic of scalars, views,
    constant tensors, elementwise ops that only elementwise ops read. If nothing is
    worth it, the function stays as it is.

    The attribute `gnn.preparations` of the function names the new ones, what they
    take and what they return (see `gnn/Dialect/GNN/Preparation.h`). The one for
    weights ends in `.prepare_weights` and comes first, that for graphs in
    `.prepare_graphs`. LLVM is to make the latter small (`optsize`): it runs once for a
    graph, and unrolled loops take longer to compile than they save.

    Before:
    ```mlir
    func.func @f(%rows: tensor<?xi32> {gnn.fixed = "graph"}, %x: tensor<?x8xf32>) {
      %degree = linalg.generic ... { tensor.extract %rows[%i] ... }
      %norm = linalg.generic ins(%degree : ...) { math.rsqrt }
      %y = scf.forall ... { /* reads %rows, %norm and %x */ }
      return %y
    ```
    After:
    ```mlir
    func.func @f.prepare_graphs(%rows: tensor<?xi32>) -> tensor<?xf32>
        attributes {passthrough = ["noinline", "optsize"]} {
      %degree = linalg.generic ...
      %norm = linalg.generic ...
      return %norm
    }
    func.func @f(%rows: tensor<?xi32>, %x: tensor<?x8xf32>, %norm: tensor<?xf32>) {
      %y = scf.forall ...
      return %y
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numValues", "num-values", "Number of values that are passed on">
  ];
}

def HoistMasksPass
    : Pass<"gnn-hoist-masks", "::mlir::func::FuncOp"> {
  let summary = "Mask a sum once, not in every step";
  let description = [{
    A sum whose steps all choose between the next partial sum and -inf, by a
    condition that is the same in every step, becomes the plain sum and one
    choice per result. So does a sum from zero on whose terms are all masked so. The
    sum is then a contraction that later passes know. It stays as it is if it may be
    empty: nothing would be masked.

    Before:
    ```mlir
    %s = linalg.generic ins(%q, %k, %mask) outs(%zero) {   // reduces d
    ^bb0(%a: f32, %b: f32, %m: f32, %acc: f32):
      %p = arith.mulf %a, %b
      %t = arith.addf %acc, %p
      %c = arith.cmpf ogt, %m, %cst
      %r = arith.select %c, %t, %lowest
      linalg.yield %r
    }
    ```
    After:
    ```mlir
    %t = linalg.generic ins(%q, %k) outs(%zero) {...}      // mulf, addf
    %s = linalg.generic ins(%mask) outs(%t) {...}          // cmpf, select
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def FuseElementwisePass
    : Pass<"gnn-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise ops, except for divisions of what is repeated";
  let description = [{
    An elementwise op that another one alone reads becomes part of it, as
    `linalg-fuse-elementwise-ops` does it. What divides, or calls a function of
    `math`, stays by itself where its reader repeats its elements: one division for
    each head is not to become one for each feature, which on AVX-512 takes 16
    cycles for a register.

    Before:
    ```mlir
    %inverse = linalg.generic ... ins(%sum : tensor<4xf32>) { divf 1.0, %in }
    %shifted = linalg.generic ... ins(%x : tensor<4x32xf32>) { addf }
    %y = linalg.generic {indexing_maps = [(h, f) -> (h, f), (h, f) -> (h), ...]}
      ins(%shifted, %inverse : tensor<4x32xf32>, tensor<4xf32>) { mulf }
    ```
    After:
    ```mlir
    %inverse = linalg.generic ... ins(%sum : tensor<4xf32>) { divf 1.0, %in }
    %y = linalg.generic ... ins(%x, %inverse : ...) { addf, mulf }
    ```
  }];
  let options = [
    Option<"repeatCostly", "repeat-costly", "bool", /*default=*/"false",
           "Fuse these as well">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseRowSumsPass
    : Pass<"gnn-fuse-row-sums", "::mlir::func::FuncOp"> {
  let summary = "Reduce rows where their elements are computed";
  let description = [{
    A reduction of elements that other ops read as well, such as the sum of a
    softmax's weights, becomes a second result of the elementwise op that computes
    them: it adds up what is in registers, and the processor has other work while one
    addition waits for the one before. Whatever else reads the elements has to come
    after the reduction, and the op must not ask for its indices (`linalg.index`).

    Before:
    ```mlir
    %w = linalg.generic ... ins(%maximum) outs(%scores) { subf, math.exp }
    %sum = linalg.generic {iterator_types = ["reduction", "parallel"]}
      ins(%w) outs(%init) { addf }
    %y = linalg.generic ... ins(%w, %values) ...
    ```
    After:
    ```mlir
    %w, %sum = linalg.generic {iterator_types = ["reduction", "parallel"]}
      ins(%maximum) outs(%scores, %init) { subf, math.exp, addf }
    %y = linalg.generic ... ins(%w, %values) ...
    ```
  }];
  let statistics = [
    Statistic<"numReductions", "num-reductions", "Number of reductions fused">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def FuseEpiloguesPass
    : Pass<"gnn-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Apply biases and activations where rows are computed";
  let description = [{
    An elementwise op whose operand is what a parallel loop made, and which alone
    uses it, becomes part of that loop: rows of a matrix product or of an
    aggregation are finished while they are in registers or in the first cache,
    instead of being written, read and written again. It overwrites the tile.
    What else the op reads must be there before the loop.

    Before:
    ```mlir
    %p = scf.forall (%i) = (0) to (%n) step (64) ... { /* a product's rows */ }
    %y = linalg.generic ... ins(%p, %bias : ...) { addf, maximumf }
    ```
    After:
    ```mlir
    %y = scf.forall (%i) = (0) to (%n) step (64) ... {
      %tile = ...
      %done = linalg.generic ... ins(%bias : ...) outs(%tile : ...) { addf, maximumf }
    ```
  }];
  let options = [
    Option<"onlyProducts", "only-products", "bool", /*default=*/"false",
           "Only loops with a matrix product in them. What follows may have other "
           "types, as it has where it rounds the factors of the next product">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of ops that became part of loops">
  ];
}

def TileTransposesPass
    : Pass<"gnn-tile-transposes", "::mlir::func::FuncOp"> {
  let summary = "Transpose matrices by squares of vectors";
  let description = [{
    A `linalg.transpose` of a matrix becomes loops over squares, which fit into
    registers and are transposed there. Their side is `vector-width`, or the half
    or a quarter of it where sides of the matrix are multiples of no more.

    Before:
    ```mlir
    %t = linalg.transpose ins(%x : tensor<64x32xf32>)
      outs(%e : tensor<32x64xf32>) permutation = [1, 0]
    ```
    After:
    ```mlir
    %t = scf.for %i = 0 to 32 step 16 iter_args(...) {
      scf.for %j = 0 to 64 step 16 iter_args(...) {
        %s = linalg.transpose ins(%square : tensor<16x16xf32>) ...
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of a vector">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def TileDynamicLoopsPass
    : Pass<"gnn-tile-dynamic-loops", "::mlir::func::FuncOp"> {
  let summary = "Leave linalg ops of static shape inside loops over nodes";
  let description = [{
    Loops whose extent is dynamic run over nodes, the others over features. Each
    dynamic loop of a linalg op is tiled by one: the outermost, if it is
    parallel and no parallel loop surrounds it, as `scf.forall`, the others as
    `scf.for`. What remains has static shape and can be vectorised. The innermost
    feature loop is split at a multiple of 64 and tiled if there are more
    iterations than `max-elements`, or more of this loop than make one vector;
    where that is not enough, loops around the innermost parallel one are tiled by one.
    Rows that were all filled before are filled in the loop that adds to them.

    Before:
    ```mlir
    %y = linalg.generic ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {...}
    ```
    After:
    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%o = %e) -> tensor<?x64xf32> {
      %r = linalg.generic ins(%row : tensor<64xf32>) outs(%out : tensor<64xf32>) {...}
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", "1024",
           "Iterations a linalg op is left with at most">,
    Option<"maxWidth", "max-width", "int64_t", "256",
           "Features that become one vector at most, half as many where they "
           "are no power of two">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SliceLookupsPass : Pass<"gnn-slice-lookups", "::mlir::func::FuncOp"> {
  let summary = "Read the row that a lookup names as an operand";
  let description = [{
    What the body of a `linalg.generic` computes from outside of its loops alone
    moves out. A `tensor.extract` whose indices then are from outside, or walk
    along a loop of known extent, becomes an operand: a slice of the table. So
    a lookup along features is vectorised like any row.

    Before:
    ```mlir
    %y = linalg.generic ins(%row : tensor<64xf32>) outs(%acc : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.minsi %distance, %c8 : index
      %f = linalg.index 0 : index
      %t = tensor.extract %table[%r, %f] : tensor<9x64xf32>
    ```
    After:
    ```mlir
    %r = arith.minsi %distance, %c8 : index
    %t = tensor.extract_slice %table[%r, 0] [1, 64] [1, 1]
      : tensor<9x64xf32> to tensor<64xf32>
    %y = linalg.generic ins(%row, %t : tensor<64xf32>, tensor<64xf32>)
      outs(%acc : tensor<64xf32>) {
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def VectorizeFeaturesPass
    : Pass<"gnn-vectorize-features", "::mlir::func::FuncOp"> {
  let summary = "Turn small linalg ops of static shape into vector ops";
  let description = [{
    Every linalg op of static shape with at most `max-elements` iterations is
    vectorised whole, and slices are folded into the transfers. A transpose is
    vectorised only where it fits into registers.

    Before:
    ```mlir
    %y = linalg.generic ins(%row : tensor<64xf32>) outs(%acc : tensor<64xf32>) {
      %s = arith.addf ...
    ```
    After:
    ```mlir
    %a = vector.transfer_read %x[%j, %c0] ... : tensor<?x64xf32>, vector<64xf32>
    %b = vector.transfer_read %acc[%c0] ... : tensor<64xf32>, vector<64xf32>
    %s = arith.addf %b, %a : vector<64xf32>
    %y = vector.transfer_write %s, %acc[%c0] ...
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", "2048",
           "Iterations of an op that is vectorised, at most">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def PromoteLoopTensorsPass
    : Pass<"gnn-promote-loop-tensors", "::mlir::func::FuncOp"> {
  let summary = "Carry accumulators of loops as vectors";
  let description = [{
    A tensor that a `scf.for` carries and that each iteration overwrites with a
    vector becomes vectors carried by the loop: one for each row of its
    innermost dimension, since LLVM keeps one-dimensional vectors in registers
    and spills arrays of them. Rows narrower than a register that fill registers
    together are one vector. Dimensions of one element, as of one head, may be
    missing in vectors.

    Before:
    ```mlir
    %t = scf.for ... iter_args(%acc = %zero) -> (tensor<64xf32>) {
      %b = vector.transfer_read %acc[%c0] ...
      %n = vector.transfer_write %s, %acc[%c0] ...
      scf.yield %n
    ```
    After:
    ```mlir
    %v = scf.for ... iter_args(%acc = %zeros) -> (vector<64xf32>) {
      scf.yield %s
    }
    %t = vector.transfer_write %v, %empty[%c0] ...
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register, 0: rows stay rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerDynamicReshapesPass
    : Pass<"gnn-lower-dynamic-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Split a dimension into several of unknown size";
  let description = [{
    A `memref.expand_shape` that splits one dimension into two or more dynamic
    ones becomes a `memref.reinterpret_cast` with the strides worked out;
    `expand-strided-metadata` of MLIR 22 takes one dynamic size in a group only.

    Before:
    ```mlir
    %e = memref.expand_shape %x [[0, 1]] output_shape [%a, %b]
      : memref<?xf32> into memref<?x?xf32>
    ```
    After:
    ```mlir
    %base, %offset, %size, %stride = memref.extract_strided_metadata %x ...
    %e = memref.reinterpret_cast %base to offset: [0], sizes: [%a, %b],
      strides: [%b, 1] : memref<f32> to memref<?x?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ResolveLoopDimsPass
    : Pass<"gnn-resolve-loop-dims", "::mlir::func::FuncOp"> {
  let summary = "Take sizes of what loops carry from what they begin with";
  let description = [{
    The size of a tensor that an `scf.for` carries, asked of the loop's result or of
    its argument, is that of the tensor which it begins with, if all that an
    iteration does to it is to write into it: ops with a destination, and loops of
    these. `tensor.dim` is asked of that tensor then, which often is a slice of
    known size.

    Bufferization compares slices, and what it knows of an offset is what bounds
    the loop that counts it. Where that is a size of another loop's result, it has to
    show first that each iteration of that loop, and of all loops inside, keeps the
    size, again for each comparison.

    Before:
    ```mlir
    %c = scf.for %i = %c0 to %n step %c1 iter_args(%t = %slice) -> (tensor<?x64xf32>) {
      %u = vector.transfer_write %v, %t[%i, %c0] : vector<64xf32>, tensor<?x64xf32>
      scf.yield %u
    }
    %rows = tensor.dim %c, %c0 : tensor<?x64xf32>
    ```
    After:
    ```mlir
    %c = scf.for %i = %c0 to %n step %c1 iter_args(%t = %slice) -> (tensor<?x64xf32>) ...
    %rows = tensor.dim %slice, %c0 : tensor<?x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // GNN_CODEGEN_TENSOR_PASSES_TD
