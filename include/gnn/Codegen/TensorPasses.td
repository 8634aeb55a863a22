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

def FuseRowProductsPass
    : Pass<"gnn-fuse-row-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply wide rows where they are added up";
  let description = [{
    Where a loop over rows of a graph adds up rows that are wide, as several aggregations
    side by side are (`PNAConv`) or products of features of edges and of nodes
    (`NNConv`), and products with weights make narrow rows of them, all these rows
    are stored, which no cache holds, and read once for each product. The loop becomes one
    over blocks of rows, and an iteration multiplies those that it made.

    Fused are products, which add up along rows, with results of at most half of the
    bytes, and what lies between them and the loop: elementwise ops, reshapes that keep
    rows and concatenations of rows. Nothing else may read the wide rows. Results are
    the same to the bit. Rows are not divided, and threads share blocks.

    Before:
    ```mlir
    %sums = scf.forall (%row) in (%n) shared_outs(%out = %init) {
      %sum = scf.for %edge = %begin to %end ... -> (tensor<2048xf32>)
      tensor.parallel_insert_slice %sum into %out[%row, 0] [1, 2048] [1, 1]
    }
    %y = linalg.matmul ins(%sums, %w : tensor<?x2048xf32>, tensor<2048x64xf32>) ...
    ```
    After:
    ```mlir
    %y = scf.forall (%first) = (0) to (%n) step (24) shared_outs(%out = %init) {
      %last = arith.minsi (%first + 24), %n
      %sums = scf.for %row = %first to %last iter_args(%rows = %empty) ... {
        %sum = scf.for %edge = %begin to %end ... -> (tensor<2048xf32>)
        tensor.insert_slice %sum into %rows[%row - %first, 0] [1, 2048] [1, 1]
      }
      %part = linalg.matmul ins(%sums, %w : tensor<?x2048xf32>, tensor<2048x64xf32>) ...
      tensor.parallel_insert_slice %part into %out[%first, 0] [%last - %first, 64] ...
    }
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", /*default=*/"24",
           "Most rows of a block">,
    Option<"blockBytes", "block-bytes", "int64_t", /*default=*/"1048576",
           "Bytes of the rows that the loop over a block makes">,
    Option<"minRowBytes", "min-row-bytes", "int64_t", /*default=*/"1024",
           "Fewest bytes of a row that are worth it">
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of loops whose rows are multiplied">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseEdgeRowsPass
    : Pass<"gnn-fuse-edge-rows", "::mlir::func::FuncOp"> {
  let summary = "Compute what belongs to edges in the loop that reads it";
  let description = [{
    What a network computes for each edge, as the messages of EdgeConv or the weights
    of NNConv, is a tensor with a row for each edge, larger than any cache, of which
    a loop over rows of the graph reads those of the row's edges. This loop
    becomes one over blocks of rows, and an iteration computes what belongs to
    the edges of its rows, which follow one another, before it reads it.

    Fused are linalg ops that compute a row from the same row of their operands
    (products with weights, elementwise ops), reshapes that keep rows, and parallel
    loops over the same graph that make rows for edges, where nothing but the loop and
    what is fused reads their results, and the loop reads rows of its own edges
    only. What a graph alone decides is left to `gnn-split-preparation`. A loop that
    takes several rows at a time, as attention does, keeps its steps; that over single
    rows takes as many as `block-bytes` hold for eight edges each. Results are the
    same to the bit. Rows are not divided. Where a block has more edges than
    `large-block-bytes` hold and more than one of `many-blocks` equal parts of all
    edges, one thread would have its edges while others wait: then all is computed as
    before. Which it is depends on the graph alone.

    Before:
    ```mlir
    %h = linalg.matmul ins(%e, %w : tensor<?x16xf32>, tensor<16x64xf32>) ...
    %y = scf.forall (%row) in (%n) shared_outs(%out = %init) {
      %begin, %end = ... %pointer[%row], %pointer[%row + 1]
      %sum = scf.for %edge = %begin to %end ... {
        %m = tensor.extract_slice %h[%edge, 0] [1, 64] [1, 1]
        ...
      tensor.parallel_insert_slice %sum into %out[%row, 0] [1, 64] [1, 1]
    ```
    After:
    ```mlir
    %most = ... // edges of the largest block
    %small = arith.cmpi sle, %most, %limit : index
    %y = scf.if %small {
     %blocks = scf.forall (%first) = (0) to (%n) step (32) shared_outs(%out = %init) {
      %last = arith.minsi (%first + 32), %n
      %firstEdge, %endEdge = ... %pointer[%first], %pointer[%last]
      %part = tensor.extract_slice %e[%firstEdge, 0] [%endEdge - %firstEdge, 16] [1, 1]
      %h = linalg.matmul ins(%part, %w : tensor<?x16xf32>, tensor<16x64xf32>) ...
      %rows = scf.for %row = %first to %last ... {
        %sum = scf.for %edge = %begin to %end ... {
          %m = tensor.extract_slice %h[%edge - %firstEdge, 0] [1, 64] [1, 1]
          ...
      tensor.parallel_insert_slice %rows into %out[%first, 0] [%last - %first, 64] ...
     scf.yield %blocks
    } else { ... } // as before
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", /*default=*/"32",
           "Most rows of a block">,
    Option<"blockBytes", "block-bytes", "int64_t", /*default=*/"65536",
           "Bytes of the widest tensor of a block whose rows have eight edges each">,
    Option<"largeBlockBytes", "large-block-bytes", "int64_t", /*default=*/"524288",
           "Bytes that it may have in any graph">,
    Option<"manyBlocks", "many-blocks", "int64_t", /*default=*/"32",
           "Parts of all edges, of which a block may have one">,
    Option<"minRowBytes", "min-row-bytes", "int64_t", /*default=*/"32",
           "Fewest bytes of an edge that are worth it">
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of loops that compute for edges">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def DropEmptyPartsPass : Pass<"gnn-drop-empty-parts", "::mlir::func::FuncOp"> {
  let summary = "Concatenate no parts without elements";
  let description = [{
    A `tensor.concat` of features loses its parts of width zero, such as a layer
    without output channels leaves. Bufferization makes a slice of each part, and
    that of an empty one at the end would begin out of bounds.

    Before:
    ```mlir
    %0 = tensor.concat dim(1) %x, %y, %none
      : (tensor<?x4xf32>, tensor<?x3xf32>, tensor<?x0xf32>) -> tensor<?x7xf32>
    ```
    After:
    ```mlir
    %0 = tensor.concat dim(1) %x, %y : (tensor<?x4xf32>, tensor<?x3xf32>) -> tensor<?x7xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FuseElementwisePass
    : Pass<"gnn-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise ops, except for divisions of what is repeated";
  let description = [{
    An elementwise op that another one alone reads becomes part of it, as
    `linalg-fuse-elementwise-ops` does it. What divides, or calls a function of
    `math`, stays by itself where its reader repeats its elements: one division for
    each head is not to become one for each feature, which on AVX-512 takes 16
    cycles for a register. What overwrites its operand, as a mean does the sum that
    it divides, stays by itself there as well: it would be computed of its own result
    the second time. (`linalg-fuse-elementwise-ops` does not see that.)

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

    Two reductions that go through the same elements, such as the sum of centred rows
    and that of their squares, become one with two results as well, in the place of
    the first. Neither may need the other's result.

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
    Before:
    ```mlir
    %rest = linalg.generic ... ins(%x, %mean) outs(%init) { subf, addf }
    %squares = linalg.generic ... ins(%x, %mean) outs(%init) { subf, mulf, addf }
    ```
    After:
    ```mlir
    %rest, %squares = linalg.generic ... ins(%x, %mean) outs(%init, %init)
      { subf, addf, subf, mulf, addf }
    ```
  }];
  let statistics = [
    Statistic<"numReductions", "num-reductions", "Number of reductions fused">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def FuseRowLoopsPass
    : Pass<"gnn-fuse-row-loops", "::mlir::func::FuncOp"> {
  let summary = "Compute what belongs to a node in one loop over nodes";
  let description = [{
    Layers that look at a node's own row several times, as a softmax or a norm of
    its features does, are several linalg ops, and each would be a loop over all
    nodes that stores rows for the next one. They become one `scf.forall`, in which
    a row is read once and stays in registers or the first cache. Results are the
    same to the bit.

    Fused is, from the last op backwards, whatever makes rows of a known size (of
    `max-row-bytes` at most) for a number of nodes that is not known, and is read by
    fused ops only, each of which makes the same row of it. One of them has to be a
    reduction, and rows of at least `min-elements` elements have to be read by two of
    them, or made by one and read by another.

    Divisions, roots and logarithms of single numbers of a row cost what they cost for
    a register of them. Where there are such, and rows have `max-block-elements` at
    most, an iteration takes as many rows as a register has elements, one op after the
    other; the last rows, if they are fewer, are taken one by one.

    Before:
    ```mlir
    %m = linalg.reduce ins(%x : tensor<?x128xf32>) outs(%lowest : tensor<?xf32>) ...
    %d = linalg.generic ins(%x, %m : ...) outs(%empty : tensor<?x128xf32>) { subf }
    %y = linalg.generic ins(%d, ...) ...
    ```
    After:
    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> tensor<?x128xf32> {
      %row = tensor.extract_slice %x[%i, 0] [1, 128] [1, 1]
      %m = linalg.reduce ins(%row : tensor<1x128xf32>) outs(%filled : tensor<1xf32>) ...
      %d = linalg.generic ins(%row, %m : ...) outs(%own : tensor<1x128xf32>) { subf }
      %done = linalg.generic ins(%d, ...) ...
      tensor.parallel_insert_slice %done into %out[%i, 0] [1, 128] [1, 1]
    }
    ```
    After, where a division of numbers is among them:
    ```mlir
    %y = scf.forall (%i) = (0) to (%n) step (16) ... {
      %rows = scf.if %whole {
        %m = scf.for %row = %c0 to %c16 ... { linalg.reduce ... : tensor<1x64xf32> }
        %f = linalg.generic ins(...) outs(... : tensor<16xf32>) { divf }
        ...
      } else {
        scf.for %row = %c0 to %rest ... { /* a row as above */ }
      }
    ```
  }];
  let options = [
    Option<"minElements", "min-elements", "int64_t", /*default=*/"16",
           "Fewest elements of a row that are worth it">,
    Option<"maxRowBytes", "max-row-bytes", "int64_t", /*default=*/"16384",
           "Most bytes of a row">,
    Option<"maxBlockElements", "max-block-elements", "int64_t", /*default=*/"96",
           "Most elements of rows that are taken several at a time">,
    Option<"vectorWidth", "vector-width", "int64_t", /*default=*/"16",
           "Elements of 32 bits in a vector register">
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of loops that several ops became">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
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
    A `linalg.transpose` of a matrix, or what computes each element of one from an
    element of the transposed matrix, becomes loops over squares, which fit into
    registers and are transposed there. Their side is `vector-width`, or the half
    or a quarter of it where sides of the matrix are multiples of no more. Such
    squares are taken together, as many beside each other as fill vectors, if one
    does not fit into a vector as a whole.

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

def TileNarrowRowsPass : Pass<"gnn-tile-narrow-rows", "::mlir::func::FuncOp"> {
  let summary = "Compute elements of several nodes in a register";
  let description = [{
    Rows of fewer features than a register has elements, such as a number for each
    node or head, leave the rest of it empty. An elementwise op over such rows is
    tiled by as many nodes as fill registers, for `gnn-vectorize-features` and
    `gnn-fill-registers` to make one vector of. The last nodes, which may be fewer,
    are left for `gnn-tile-dynamic-loops`, one by one.

    Before:
    ```mlir
    %y = linalg.generic ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {...}
    ```
    After, for registers of 16 elements:
    ```mlir
    %y = scf.forall (%i) = (0) to (%n) step (2) shared_outs(%o = %e) -> tensor<?x8xf32> {
      %r = scf.if %whole -> tensor<?x8xf32> {
        %s = linalg.generic ins(%two : tensor<2x8xf32>) outs(%out : tensor<2x8xf32>) {...}
        ...
      } else {
        %s = linalg.generic ins(%rows : tensor<?x8xf32>) outs(...) {...}
        ...
      }
    ```

    Left alone are ops whose operands have other shapes than their results, but for
    single numbers.
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of ops tiled">
  ];
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
    Sums over rows of a matrix, as the product of a row and a matrix is, are tiled by one
    as well, some 64 of them at a time (`sum-rows`): a vector for all of it would be
    transposed. Such rows have eight elements at least, those of narrow heads together.
    Rows that were all filled before are filled in the loop that adds to them
    (`fill-rows`). What is left of a row beside its tiles is written to a slice of that
    row, as tiles are, so that bufferization copies neither.

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
           "Features that become one vector at most">,
    Option<"sumRows", "sum-rows", "bool", "true",
           "Add up rows of matrices one after the other">,
    Option<"fillRows", "fill-rows", "bool", "true",
           "Fill rows in the loop that adds to them">
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
    and spills arrays of them. Rows narrower than a register that fill at least
    one together are one vector. Dimensions of one element, as of one head, may be
    missing in vectors, unless `unit-dimensions` is false. What a loop leaves is
    written where its tensor was to be inserted.

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
           "Elements of 32 bits in a vector register, 0: rows stay rows">,
    Option<"unitDimensions", "unit-dimensions", "bool", "true",
           "Carry tensors whose vectors lack dimensions of one element">
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
