//===- ProductPasses.td - Products of matrices -------------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_PRODUCT_PASSES_TD
#define GNN_CODEGEN_PRODUCT_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitBatchesPass
    : Pass<"gnn-split-batches", "::mlir::func::FuncOp"> {
  let summary = "Multiply by one of several matrices at a time";
  let description = [{
    Rows of which each part meets a matrix of its own, those of the towers of `PNAConv`
    or of the heads of `HGTConv`, are a contraction with one more dimension than
    a matrix product has, which `gnn-lower-matmul` does not take. It becomes a loop over
    the matrices, with a product of the part of all rows in it; outside of parallel
    loops, one over blocks of rows around that. Numbers of rows are not known, sizes of
    matrices are, which are multiplied row by row where the first cache holds all of
    them (`min-bytes`). Products are added up in the same order, each by a fused
    multiply-add.

    Before:
    ```mlir
    %y = linalg.generic {...} // y[n, t, c] += x[n, t, k] * w[t, k, c]
      ins(%x, %w : tensor<?x5x300xf32>, tensor<5x300x15xf32>)
      outs(%zeros : tensor<?x5x15xf32>) {...}
    ```
    After:
    ```mlir
    %y = scf.forall (%row) = (0) to (%n) step (96) shared_outs(%all = %empty) {
      %rows = scf.for %t = %c0 to %c5 step %c1 iter_args(%out = ...) {
        %a = tensor.extract_slice %x[%row, %t, 0] ... to tensor<?x300xf32>
        %b = tensor.extract_slice %w[%t, 0, 0] ... to tensor<300x15xf32>
        %c = linalg.generic {...} // c[n, c] += a[n, k] * b[k, c]
        %next = tensor.insert_slice %c into %out[0, %t, 0] ...
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", /*default=*/"96", "Rows of a block">,
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"32768",
           "Fewest bytes of all matrices">
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of contractions that are loops now">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ReduceSingleColumnsPass
    : Pass<"gnn-reduce-single-columns", "::mlir::func::FuncOp"> {
  let summary = "Add up rows for products with one column";
  let description = [{
    A product whose second factor is a single column, as the last layer of a
    regression or the score of a node has it, fills no register with columns:
    `gnn-lower-matmul` would compute numbers one by one. It becomes a sum along each
    row, of vectors of the row's elements, and what follows elementwise works on
    numbers of several rows at a time (`gnn-tile-narrow-rows`). The column is a
    constant, whose elements become a row, and has between `min-depth` and
    `max-depth` of them.

    Before:
    ```mlir
    %w = arith.constant dense_resource<w> : tensor<64x1xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x1xf32>)
      outs(%zero : tensor<?x1xf32>) -> tensor<?x1xf32>
    ```
    After:
    ```mlir
    %v = arith.constant dense_resource<w> : tensor<64xf32>
    %s = linalg.generic {iterator_types = ["parallel", "reduction"]}
      ins(%x, %v : tensor<?x64xf32>, tensor<64xf32>) outs(%zeros : tensor<?xf32>)
      { mulf, addf }
    %y = tensor.insert_slice %s into %empty[0, 0] [%n, 1] [1, 1]
      : tensor<?xf32> into tensor<?x1xf32>
    ```
  }];
  let options = [
    Option<"minDepth", "min-depth", "int64_t", /*default=*/"16",
           "Fewest elements of a row">,
    Option<"maxDepth", "max-depth", "int64_t", /*default=*/"1024",
           "Most elements of a row">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LowerMatmulPass
    : Pass<"gnn-lower-matmul", "::mlir::func::FuncOp"> {
  let summary = "Turn matrix products into vector kernels";
  let description = [{
    A `linalg.matmul`, or any contraction of two matrices that reads contiguous
    rows of the second factor and writes contiguous rows of known length, becomes
    a parallel loop over blocks of rows, loops over register tiles, and a loop
    over k whose accumulators are vectors carried as `iter_args`: they stay in
    registers, while a row of the second factor is loaded and an element of each
    row of the first is broadcast. Inside a parallel loop there is no other one.
    Columns that fill no vector make a narrower last vector, and tiles of fewer
    vectors have more rows. So are all tiles, of `narrow-vectors`, where these leave
    no columns: 8 rows by 48 columns load as often as 6 by 64, but three quarters as
    much from caches farther away. Rows that fill no tile are computed together with some
    of the tile before them, or by smaller tiles where results are added to what
    is there; where the number of rows is known, tiles differ by a row at most. With
    `mix-tiles`, tiles of two thirds or three quarters of the rows come last, where there
    are several panels of columns: 8 rows are two tiles of 4 and 16 are two of 6 and one
    of 4, so that fewer rows are computed twice. A second
    factor that the caches do not hold is read again for each block of rows, so that
    blocks are larger then, if `min-blocks` of them remain for processors to share.
    There is one of them or an even number, and all but the last are of equally many
    whole tiles, so that two threads have equal shares. A second factor that a `linalg.unpack` of register
    tiles makes is read packed (see `gnn-pack-matmul`). Elementwise
    ops that alone read the product, as of a bias and a ReLU, are applied to accumulators
    before these are stored, up to the first that divides or calls a function of
    `math`: that, and what else follows, is left to `gnn-fuse-epilogues`.

    Before:
    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) ...
    ```
    After:
    ```mlir
    scf.forall (%i) = (0) to (%rows) step (%step) { // 36 of 1,000 rows
      scf.for %r = ... step 12 {
        %acc:24 = scf.for %k = 0 to 64 iter_args(...) -> (vector<16xf32>, ...) {
          %b = vector.transfer_read %w[%k, %c] ... : vector<16xf32>
          %a = tensor.extract %x[%row, %k]
          %s = vector.broadcast %a : f32 to vector<16xf32>
          %n = vector.fma %s, %b, %acc : vector<16xf32>
    ```
  }];
  let options = [
    Option<"rowBlock", "row-block", "int64_t", "64",
           "Rows of an iteration of the parallel loop at most, and half of them "
           "where no row is read twice">,
    Option<"largeRowBlock", "large-row-block", "int64_t", "192",
           "The same, for a large second factor">,
    Option<"largeFactor", "large-factor", "int64_t", "4194304",
           "Bytes from which on a second factor is large">,
    Option<"minBlocks", "min-blocks", "int64_t", "16",
           "Blocks that there are at least before they are larger than others">,
    Option<"rowTile", "row-tile", "int64_t", "6",
           "Rows of a register tile of that many vectors of columns">,
    Option<"columnVectors", "column-vectors", "int64_t", "4",
           "Vectors of a row of a register tile">,
    Option<"narrowVectors", "narrow-vectors", "int64_t", "0",
           "The same, where whole tiles of so many are all columns; 0: none">,
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of a vector">,
    Option<"mixTiles", "mix-tiles", "bool", "true",
           "Take tiles of fewer rows as well where that computes fewer rows twice">,
    Option<"applyEpilogues", "apply-epilogues", "bool", "true",
           "Apply elementwise ops to accumulators">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def PackMatmulPass
    : Pass<"gnn-pack-matmul", "::mlir::func::FuncOp"> {
  let summary = "Store register tiles of wide matrices one after the other";
  let description = [{
    The rows of a wide matrix lie pages apart, and lines of a column of tiles
    share few sets of the caches. The second factor of a matrix product with
    `wide-columns` columns or more, all in whole tiles, is copied once into a
    form that has its tiles of `columns` columns, or of `narrow-columns` where these
    leave none, one after the other. So is a
    narrower one, from `minimum-columns` on, whose rows are a multiple of
    `aliased-bytes` long, which leaves lines of a column of tiles few sets of the
    first cache, or of which a column of tiles has `near-bytes` at most, which that
    cache holds if they lie in one piece. The product reads it through a
    `linalg.unpack`, which `gnn-lower-matmul` sees through. Factors that
    `gnn-pack-weights` packed are left alone, as is whatever is in a parallel loop.

    A second factor of bfloat16 of known shape is always packed, where it is
    computed or what it is rounded from is: in tiles of whose elements two from
    the same column and neighbouring rows lie side by side (see
    `gnn-lower-rounded-products`). Where it is a tile of an array, and a serial loop
    goes through the tiles in each iteration of another one, as attention over all
    pairs does with queries, all tiles are packed before the outer loop.

    Before:
    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<?x512xf32>, tensor<512x2048xf32>) ...
    ```
    After:
    ```mlir
    %e = tensor.expand_shape %w [[0], [1, 2]] output_shape [512, 64, 32] ...
    %p = linalg.generic ... ins(%e : tensor<512x64x32xf32>)
           outs(... : tensor<64x512x32xf32>)
    %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [1]
           inner_tiles = [32] into ... -> tensor<512x2048xf32>
    %y = linalg.matmul ins(%x, %u : tensor<?x512xf32>, tensor<512x2048xf32>) ...
    ```
  }];
  let options = [
    Option<"columns", "columns", "int64_t", "32", "Columns of a tile">,
    Option<"narrowColumns", "narrow-columns", "int64_t", "0",
           "The same, of factors of float32 that whole tiles of so many fill; "
           "0: none">,
    Option<"minimumColumns", "minimum-columns", "int64_t", "128",
           "Narrower factors of float32 are read as they are">,
    Option<"wideColumns", "wide-columns", "int64_t", "1024",
           "Wider factors are always packed">,
    Option<"aliasedBytes", "aliased-bytes", "int64_t", "1024",
           "Rows whose length is a multiple of this share few sets of a cache">,
    Option<"nearBytes", "near-bytes", "int64_t", "32768",
           "What of a packed column of tiles stays in the first cache">,
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of a vector that is rounded">,
    Option<"depthMultiple", "depth-multiple", "int64_t", "2",
           "Zeros fill rows in pairs up to a multiple of this">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"numPacked", "num-packed", "Number of factors that are packed">
  ];
}

def CopyTilesPass : Pass<"gnn-copy-tiles", "::mlir::func::FuncOp"> {
  let summary = "Copy the rows of a tile that lie far apart";
  let description = [{
    The rows of one head are as far from each other as all heads are wide. Where that
    is a power of two, the rows of a tile share few sets of the first cache, which
    does not hold them then, and no processor guesses the next one. Where several
    products take the same rows in turns, these are copied once, one after the other,
    into memory that all tiles share.

    It takes first factors of matrix products of float32 (those whose elements are
    read one by one) that are slices inside of an `scf.for` of products in a loop within
    it, of rows that are not next to each other, and of no more than `max-elements`
    elements.

    Before:
    ```mlir
    %head = tensor.extract_slice %k[0, %h, 0] [%n, 1, 64] ...
    scf.for %j = ... {
      %tile = tensor.extract_slice %head[%j, 0] [%size, 64] ...
      scf.for %i = ... {
        %scores = linalg.generic ins(%tile, %q : ...) ...
    ```
    After:
    ```mlir
    scf.for %j = ... {
      %tile = tensor.extract_slice %head[%j, 0] [%size, 64] ...
      %memory = bufferization.alloc_tensor() : tensor<64x64xf32>
      %place = tensor.extract_slice %memory[0, 0] [%size, 64] ...
      %rows = linalg.copy ins(%tile) outs(%place)
      scf.for %i = ... {
        %scores = linalg.generic ins(%rows, %q : ...) ...
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", "16384",
           "Larger tiles are read where they are">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numCopied", "num-copied", "Number of tiles that are copied">
  ];
}

def PackWeightsPass
    : Pass<"gnn-pack-weights", "::mlir::func::FuncOp"> {
  let summary = "Store weights the way that matrix products read them";
  let description = [{
    A constant that is the second factor of matrix products and nothing else is
    stored with tiles of `columns` columns one after the other, or of
    `narrow-columns` where these leave none; what does not fill the last tile is
    zero. See `gnn-pack-matmul`, which does at run time
    what this pass does to weights once, when a model is compiled.

    With `rounded`, weights of float32 become pairs of bfloat16 (see
    `gnn-lower-rounded-products`), which takes half of the memory, whatever their
    width; rounding is to nearest, ties to even. What reads them as float32 sees
    them extended again.

    Weights that a sparse input is multiplied by stay: sums of their rows are what
    such a product becomes (`gnn-fuse-sparse-features`), unless `sparse-features` is
    false.

    Before:
    ```mlir
    %w = arith.constant dense_resource<w> : tensor<384x1536xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x384xf32>, tensor<384x1536xf32>) ...
    ```
    After:
    ```mlir
    %p = arith.constant dense_resource<w_packed> : tensor<48x384x32xf32>
    %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [1]
           inner_tiles = [32] into ... -> tensor<384x1536xf32>
    %y = linalg.matmul ins(%x, %u : tensor<?x384xf32>, tensor<384x1536xf32>) ...
    ```
  }];
  let options = [
    Option<"columns", "columns", "int64_t", "32", "Columns of a tile">,
    Option<"narrowColumns", "narrow-columns", "int64_t", "0",
           "The same, of factors of float32 that whole tiles of so many fill; "
           "0: none">,
    Option<"minimumColumns", "minimum-columns", "int64_t", "64",
           "Narrower weights stay as they are">,
    Option<"rounded", "rounded", "bool", "false",
           "Round weights to bfloat16 and store them in pairs">,
    Option<"sparseFeatures", "sparse-features", "bool", "true",
           "Leave weights that sparse inputs are multiplied by">,
    Option<"depthMultiple", "depth-multiple", "int64_t", "2",
           "Zeros fill rows in pairs up to a multiple of this">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numPacked", "num-packed", "Number of weights that are packed">
  ];
}

def RoundProductsPass
    : Pass<"gnn-round-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply bfloat16, add up float32";
  let description = [{
    The factors of matrix products of float32 are rounded to bfloat16 or float16
    (`factors`), to nearest, ties to even; products are exact and added up in
    float32, as before. These are the products that `gnn-lower-rounded-products` lowers:
    linear layers, and attention's queries times keys and weights times values,
    tile by tile. A sum over all nodes stays as it is. A factor that was extended
    from bfloat16, as weights that `gnn-pack-weights` rounded, is used as it was
    before. With `several-weights`, for GPUs, these are products of a matrix for
    each head, block or type as well.

    Before:
    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) ...
    ```
    After:
    ```mlir
    %a = linalg.generic ins(%x) ... { arith.truncf } -> tensor<?x64xbf16>
    %b = linalg.generic ins(%w) ... { arith.truncf } -> tensor<64x32xbf16>
    %y = linalg.generic ins(%a, %b : tensor<?x64xbf16>, tensor<64x32xbf16>)
           outs(... : tensor<?x32xf32>) { extf, extf, mulf, addf }
    ```

    Factors of tf32, which GPUs know, are stored as float32: only tensor cores read
    no more than 10 bits of the mantissa. They are rounded to nearest, ties away
    from zero, where they are multiplied:
    ```mlir
    %y = linalg.generic ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>)
           outs(... : tensor<?x32xf32>) {
      // for both factors
      %bits = arith.bitcast %a : f32 to i32
      %sum = arith.addi %bits, 0x1000
      %kept = arith.andi %sum, 0xFFFFE000
      %rounded = arith.bitcast %kept : i32 to f32
      %nan = arith.cmpf uno, %a, %a
      %left = arith.select %nan, %a, %rounded
      ... mulf, addf
    }
    ```
  }];
  let options = [
    Option<"factors", "factors", "::gnn::Precision",
           "::gnn::Precision::BFloat16", "What factors are rounded to",
           [{llvm::cl::values(
             clEnumValN(::gnn::Precision::BFloat16, "bf16", "bfloat16"),
             clEnumValN(::gnn::Precision::Float16, "f16", "float16"),
             clEnumValN(::gnn::Precision::TF32, "tf32",
                        "float32 with 10 bits of mantissa"))}]>,
    Option<"severalWeights", "several-weights", "bool", /*default=*/"false",
           "Round factors of products of several weights, too">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numRounded", "num-rounded",
              "Number of products whose factors are rounded">
  ];
}

def LowerRoundedProductsPass
    : Pass<"gnn-lower-rounded-products", "::mlir::func::FuncOp"> {
  let summary = "Turn products of bfloat16 into vector kernels";
  let description = [{
    What `gnn-lower-matmul` does, for factors of bfloat16 and sums of float32.
    Instructions for such products take two elements that follow each other along
    the sum, side by side in 32 bits. A row of the first factor has them like
    that, and is rounded into a buffer for a block of rows; of a first factor
    that is stored transposed, and of a second factor, two rows are rounded and
    interleaved. The second factor may be there in this form: a `linalg.unpack`
    with inner tiles of some columns and of 2 (see `gnn-pack-matmul` and
    `gnn-pack-weights`). A sum of unknown length is taken in blocks. Tiles are of two
    sizes as there (`mix-tiles`).

    Where a parallel loop multiplies the same rows in all of its iterations, as
    attention over all pairs does with keys and values, a serial loop in it counts
    the first of these rows. Then they are rounded and stored as they will be read
    before the parallel loop, tile by tile (`share-factors`, which `gnn-compile
    --pack=false` turns off). What is added up row
    by row is so only if the end of all rows is known there: zeros follow it.

    With `matrix-tiles`, sums are matrices of 16 x 16 and products those of 16 x 16
    pairs, which `gnn-use-matrix-tiles` makes operations of AMX's. That adds up the
    even and the odd products of 16 pairs apart, so that results differ in their
    last bits. Zeros fill sums up to 32 elements; rows and columns that fill no 32
    are computed with others, and copied. Rows of the first factor are rounded into
    matrices of 16 x 32 elements, 1 KiB each. Sums of more than `near-depth`
    elements are taken in blocks, so that 32 columns of the second factor are read
    from the first cache for all but the first 32 of a block of rows; what was
    added up waits in memory, in float32, which changes no bit.

    With `dot-products`, a pair is one `x86vector.avx512.dot`, an instruction of
    CPUs with AVX512-BF16. Without, it is two fused multiply-adds, of the second
    element and then the first, on what the two halves of 32 bits are as float32:
    the same result, except that the instruction takes subnormal numbers for
    zeros.

    Before:
    ```mlir
    %y = linalg.generic ins(%a, %b : tensor<?x64xbf16>, tensor<64x32xbf16>)
           outs(... : tensor<?x32xf32>) { extf, extf, mulf, addf }
    ```
    After:
    ```mlir
    scf.forall (%i) = (0) to (%rows) step (64) {
      %x = ... // tensor<64x64xbf16>, rows of the first factor
      scf.for %r = ... step 8 {
        %sums:16 = scf.for %p = 0 to 32 iter_args(...) -> (vector<16xf32>, ...) {
          %b = vector.transfer_read %pairs[%tile, %p, 0] : vector<32xbf16>
          %a = vector.transfer_read %x[%row, %two_p] : vector<2xbf16>
          %s = ... // its 32 bits in all lanes
          %n = x86vector.avx512.dot %sum, %s, %b : vector<32xbf16> -> vector<16xf32>
    ```
  }];
  let options = [
    Option<"rowBlock", "row-block", "int64_t", "64",
           "Rows that are rounded at a time, and of an iteration of the "
           "parallel loop">,
    Option<"largeRowBlock", "large-row-block", "int64_t", "256",
           "The same, for a large second factor">,
    Option<"largeFactor", "large-factor", "int64_t", "1048576",
           "Bytes from which on a second factor is large">,
    Option<"minBlocks", "min-blocks", "int64_t", "8",
           "Blocks that there are at least before they are larger than others">,
    Option<"depthBlock", "depth-block", "int64_t", "64",
           "Elements at a time of a sum of unknown length">,
    Option<"nearDepth", "near-depth", "int64_t", "512",
           "Elements at a time of a longer sum, with matrix-tiles: 32 columns of "
           "them stay in the first cache">,
    Option<"rowTile", "row-tile", "int64_t", "8", "Rows of a register tile">,
    Option<"columnVectors", "column-vectors", "int64_t", "2",
           "Vectors of a row of a register tile">,
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of a vector of sums">,
    Option<"dotProducts", "dot-products", "bool", "false",
           "Use the instruction for pairs of products">,
    Option<"matrixTiles", "matrix-tiles", "bool", "false",
           "Make products of 16 x 32 and 32 x 16 elements, for AMX">,
    Option<"mixTiles", "mix-tiles", "bool", "true",
           "Take tiles of fewer rows as well where that computes fewer rows twice">,
    Option<"shareFactors", "share-factors", "bool", "true",
           "Round tiles of a first factor that all iterations of a parallel "
           "loop read once">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect",
                           "::mlir::x86vector::X86VectorDialect"];
}

def UseMatrixTilesPass
    : Pass<"gnn-use-matrix-tiles", "::mlir::func::FuncOp"> {
  let summary = "Keep matrices of sums in the registers of AMX";
  let description = [{
    A loop that carries matrices of 16 x 16 sums, each a product of 16 x 16 and 16
    x 16 pairs of bfloat16 that are read from memory, carries tiles instead: what
    `gnn-lower-rounded-products` makes with `matrix-tiles`. Sums come from zero or
    from memory, and go there. LLVM configures the tiles once for each function.

    Where each step of the loop around this one reads other rows of the first
    factor, of a buffer of 32 KiB or more, but the same columns of the second one,
    the latter should stay in the first cache: tiles of the former are loaded past
    it, by `llvm.x86.tileloaddt164.internal`, for which the dialect has no op.

    Before:
    ```mlir
    %s = scf.for %p = ... iter_args(%sum = %zero) -> (vector<16x16xf32>) {
      %x = vector.transfer_read %a[%r, %k] : memref<64x64xbf16>, vector<16x32xbf16>
      %y = vector.transfer_read %b[%p, %c] : memref<32x64xbf16>, vector<16x32xbf16>
      ... // shape casts to vector<16x16x2xbf16>
      %n = vector.contract ... %x2, %y2, %sum
    ```
    After:
    ```mlir
    %s = scf.for %p = ... iter_args(%sum = %zero) -> (!amx.tile<16x16xf32>) {
      %x = amx.tile_load %a[%r, %k] : memref<64x64xbf16> into !amx.tile<16x32xbf16>
      %y = amx.tile_load %b[%p, %c] : memref<32x64xbf16> into !amx.tile<16x32xbf16>
      %n = amx.tile_mulf %x, %y, %sum
    ```
  }];
  let dependentDialects = ["::mlir::amx::AMXDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"numProducts", "num-products",
              "Number of loops of products, and of products, that use tiles">
  ];
}

def CarryMatrixTilesPass : Pass<"gnn-carry-matrix-tiles"> {
  let summary = "Pass tiles of AMX to blocks in LLVM's type";
  let description = [{
    Blocks that loops became take tiles as arguments, whose type MLIR's
    conversion of branches does not know. Loops of scf keep theirs.

    Before:
    ```mlir
    cf.br ^loop(%t : !amx.tile<16x16xf32>)
    ```
    After:
    ```mlir
    %u = builtin.unrealized_conversion_cast %t : !amx.tile<16x16xf32> to !llvm.x86_amx
    cf.br ^loop(%u : !llvm.x86_amx)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExpandBFloat16Pass
    : Pass<"gnn-expand-bfloat16", "::mlir::func::FuncOp"> {
  let summary = "Round to bfloat16 by integer instructions";
  let description = [{
    For CPUs without an instruction that rounds float32 to bfloat16, where LLVM
    would call a function for each element, which not every compiler's library has.
    Rounding is to nearest, ties to even; NaN stays NaN. What ops compute in bfloat16
    becomes the same in float32, rounded. Named ops of linalg that do are an error: they
    are lowered to loops before.

    Before:
    ```mlir
    %b = arith.truncf %a : vector<16xf32> to vector<16xbf16>
    ```
    After:
    ```mlir
    %i = arith.bitcast %a : vector<16xf32> to vector<16xi32>
    ... // half of the last place is added, and the upper 16 bits are taken
    %b = arith.bitcast %h : vector<16xi16> to vector<16xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def StoreBFloat16Pass : Pass<"gnn-store-bfloat16", "::mlir::ModuleOp"> {
  let summary = "Keep numbers of bfloat16 in integers";
  let description = [{
    For CPUs without instructions for bfloat16, of which LLVM keeps single numbers in
    registers of float32, and calls a function, `__truncsfbf2`, to have them back,
    which C libraries before GCC 13's do not have. After `gnn-expand-bfloat16`
    numbers of bfloat16 are loaded, stored and passed on alone; in the LLVM dialect,
    all of them become integers of 16 bits, constants with the same bits. An op
    that does more than move them, or is of another dialect, is an error.

    Before:
    ```mlir
    %b = llvm.bitcast %i : i16 to bf16
    llvm.store %b, %p : bf16, !llvm.ptr
    ```
    After:
    ```mlir
    %b = llvm.bitcast %i : i16 to i16
    llvm.store %b, %p : i16, !llvm.ptr
    ```
  }];
}

def FinishPanelsPass
    : Pass<"gnn-finish-panels", "::mlir::func::FuncOp"> {
  let summary = "Apply activations to a product's panel when it is there";
  let description = [{
    What `gnn-fuse-epilogues` puts behind a product, such as a GELU, goes over all
    columns of a block of rows, of which the first ones have left the first cache by
    then. Where a loop over panels of columns made the block, and accesses columns
    of its own in each iteration, the op is computed for these columns at the end of
    it. The loop is then all that there is of the block, so that threads can share its
    iterations (`gnn-divide-columns`).

    Before:
    ```mlir
    %p = scf.for %c = %c0 to %c256 step %c64 iter_args(%b = %block) { ... }
    %y = linalg.generic ... outs(%p : tensor<?x256xf32>) { /* gelu */ }
    ```
    After:
    ```mlir
    %y = scf.for %c = %c0 to %c256 step %c64 iter_args(%b = %block) {
      %p = ...
      %columns = tensor.extract_slice %p[0, %c] [%rows, 64] [1, 1] ...
      %done = linalg.generic ... outs(%columns : tensor<?x64xf32>) { /* gelu */ }
      %n = tensor.insert_slice %done into %p[0, %c] [%rows, 64] [1, 1] ...
    ```
  }];
  let statistics = [
    Statistic<"numFinished", "num-finished",
              "Number of ops that became part of loops over panels">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DivideColumnsPass
    : Pass<"gnn-divide-columns", "::mlir::func::FuncOp"> {
  let summary = "Have threads share the columns of products as well";
  let description = [{
    A product is a parallel loop over blocks of rows, and in it a loop over panels of
    the second factor, of as many columns as a register tile. Of a sentence of twenty
    tokens there is one block, of one of a hundred there are two, and other threads
    wait, though it is the second factor that takes time to read. Where iterations of
    the inner loop write other columns each, and read nothing that others write, it
    becomes a second dimension of the parallel one: threads have equal parts of all
    panels of all blocks, in the same order. What is left of the columns behind the
    panels is one more iteration. Results are the same bits, for sums are not divided.

    Rows may be prepared before they meet panels, as factors are that are rounded to
    bfloat16: what fills buffers of the iteration's own, element by element and from
    what nothing in the loop writes, runs once for each part of the columns. Such parts
    are two panels or more side by side, as many parts as make `min-iterations` of all
    blocks of rows; where there are that many blocks, columns stay whole. What is left
    behind the panels belongs to the last part.

    It works on buffers, behind all passes that look for loops around panels. Loops
    that have something else in them, such as what is computed from whole rows of
    results, stay.

    Before:
    ```mlir
    scf.forall (%i) = (0) to (%rows) step (%step) {
      %block = memref.subview %y[%i, 0] [%size, 256] [1, 1] ...
      scf.for %c = %c0 to %c256 step %c64 {
        ...
        vector.transfer_write %v, %block[%r, %c] ...
    ```
    After:
    ```mlir
    scf.forall (%i, %c) = (0, 0) to (%rows, 256) step (%step, 64) {
      %block = memref.subview %y[%i, 0] [%size, 256] [1, 1] ...
      ...
      vector.transfer_write %v, %block[%r, %c] ...
    ```
    Where rows are prepared, of parts of `%part` columns:
    ```mlir
    scf.forall (%i, %c) = (0, 0) to (%rows, 256) step (%step, %part) {
      %x = memref.alloc() : memref<64x384xbf16>
      ... // rounds rows into %x
      %end = arith.minui ... // of %c + %part and 256
      scf.for %p = %c to %end step %c64 {
        ...
    ```
  }];
  let options = [
    Option<"minIterations", "min-iterations", "int64_t", "4",
           "Parts of all columns of all rows, where rows are prepared for them">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops whose columns are shared">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PeelProductsPass : Pass<"gnn-peel-products", "::mlir::func::FuncOp"> {
  let summary = "Begin sums of products with the first one";
  let description = [{
    The loop of a register tile carries sums that start from zero. Zen 3 waits for
    units that multiply and add while it stores a tile's sums, but not for a
    multiplication, which has one operand less: the next tile had better begin with
    products, to which nothing is added. The first iteration of such a loop is
    peeled, and a second one where that leaves an even number, of which LLVM makes
    longer bodies without a rest. For loops that carry nothing else, of a known
    number of iterations from 3 to `max-iterations`: sums of many products take so
    long that it does not matter.

    Where all products are -0, their sum is -0 instead of +0 (see "Numbers" in
    docs/spec.md).

    Before:
    ```mlir
    %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (vector<8xf32>) {
      %b = vector.load %y[%k, %c0] : memref<16x8xf32>, vector<8xf32>
      %a = memref.load %x[%k] : memref<16xf32>
      %v = vector.broadcast %a : f32 to vector<8xf32>
      %t = vector.fma %v, %b, %sum : vector<8xf32>
      scf.yield %t : vector<8xf32>
    }
    ```
    After:
    ```mlir
    ... // loads at 0
    %s0 = arith.mulf %v0, %b0 : vector<8xf32>
    ... // loads at 1
    %s1 = vector.fma %v1, %b1, %s0 : vector<8xf32>
    %s = scf.for %k = %c2 to %c16 step %c1 iter_args(%sum = %s1) -> (vector<8xf32>) {
      ... // as before
    }
    ```
  }];
  let options = [
    Option<"maxIterations", "max-iterations", "uint64_t", "64",
           "Most iterations of a loop of which the first ones are peeled">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops peeled">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // GNN_CODEGEN_PRODUCT_PASSES_TD
