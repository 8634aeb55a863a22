//===- Passes.td - From tensors and loops to vectors -------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_PASSES_TD
#define GNN_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

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
    Columns that fill no vector make a narrower last vector. Rows that fill no
    tile are computed together with some of the tile before them, or one at a
    time where results are added to what is there. A second factor that the
    caches do not hold is read again for each block of rows, so that blocks are
    larger then. One that a `linalg.unpack` of register tiles makes is read
    packed (see `gnn-pack-matmul`).

    Before:
    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) ...
    ```
    After:
    ```mlir
    scf.forall (%i) = (0) to (%rows) step (64) {
      scf.for %r = ... step 8 {
        %acc:16 = scf.for %k = 0 to 64 iter_args(...) -> (vector<16xf32>, ...) {
          %b = vector.transfer_read %w[%k, %c] ... : vector<16xf32>
          %a = tensor.extract %x[%row, %k]
          %s = vector.broadcast %a : f32 to vector<16xf32>
          %n = vector.fma %s, %b, %acc : vector<16xf32>
    ```
  }];
  let options = [
    Option<"rowBlock", "row-block", "int64_t", "64",
           "Rows of an iteration of the parallel loop">,
    Option<"largeRowBlock", "large-row-block", "int64_t", "192",
           "The same, for a large second factor">,
    Option<"largeFactor", "large-factor", "int64_t", "8388608",
           "Bytes from which on a second factor is large">,
    Option<"rowTile", "row-tile", "int64_t", "8", "Rows of a register tile">,
    Option<"columnVectors", "column-vectors", "int64_t", "2",
           "Vectors of a row of a register tile">,
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of a vector">
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
    `minimum-columns` columns or more, all in whole tiles, is copied once into a
    form that has its tiles of `columns` columns one after the other. The
    product reads it through a `linalg.unpack`, which `gnn-lower-matmul` sees
    through. Factors that `gnn-pack-weights` packed are left alone, as is
    whatever is in a parallel loop.

    A second factor of bfloat16 of known shape is always packed, where it is
    computed or what it is rounded from is: in tiles of whose elements two from
    the same column and neighbouring rows lie side by side (see
    `gnn-lower-rounded-products`).

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
    Option<"minimumColumns", "minimum-columns", "int64_t", "1024",
           "Narrower factors of float32 are read as they are">,
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

def PackWeightsPass
    : Pass<"gnn-pack-weights", "::mlir::func::FuncOp"> {
  let summary = "Store weights the way that matrix products read them";
  let description = [{
    A constant that is the second factor of matrix products and nothing else is
    stored with tiles of `columns` columns one after the other; what does not
    fill the last tile is zero. See `gnn-pack-matmul`, which does at run time
    what this pass does to weights once, when a model is compiled.

    With `rounded`, weights of float32 become pairs of bfloat16 (see
    `gnn-lower-rounded-products`), which takes half of the memory, whatever their
    width; rounding is to nearest, ties to even. What reads them as float32 sees
    them extended again. Weights that a sparse input is multiplied by stay.

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
    Option<"minimumColumns", "minimum-columns", "int64_t", "64",
           "Narrower weights stay as they are">,
    Option<"rounded", "rounded", "bool", "false",
           "Round weights to bfloat16 and store them in pairs">,
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
    before.

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
                        "float32 with 10 bits of mantissa"))}]>
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
    `gnn-pack-weights`). A sum of unknown length is taken in blocks.

    With `matrix-tiles`, sums are matrices of 16 x 16 and products those of 16 x 16
    pairs, which `gnn-use-matrix-tiles` makes operations of AMX's. That adds up the
    even and the odd products of 16 pairs apart, so that results differ in their
    last bits. Zeros fill sums up to 32 elements; rows and columns that fill no 32
    are computed with others, and copied.

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
    Option<"depthBlock", "depth-block", "int64_t", "64",
           "Elements at a time of a sum of unknown length">,
    Option<"rowTile", "row-tile", "int64_t", "8", "Rows of a register tile">,
    Option<"columnVectors", "column-vectors", "int64_t", "2",
           "Vectors of a row of a register tile">,
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of a vector of sums">,
    Option<"dotProducts", "dot-products", "bool", "false",
           "Use the instruction for pairs of products">,
    Option<"matrixTiles", "matrix-tiles", "bool", "false",
           "Make products of 16 x 32 and 32 x 16 elements, for AMX">
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
    conversion of branches does not know.

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
    would call a function for each element. Rounding is to nearest, ties to even;
    NaN stays NaN.

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
                           "::mlir::vector::VectorDialect"];
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
    `.prepare_graphs`.

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
    func.func @f.prepare_graphs(%rows: tensor<?xi32>) -> tensor<?xf32> {
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
    together are one vector.

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

def FillRegistersPass : Pass<"gnn-fill-registers", "::mlir::func::FuncOp"> {
  let summary = "Take narrow rows several at a time";
  let description = [{
    With eight heads of eight features each, a row of a matrix of heads and
    features fills half of a register of sixteen elements. Matrices whose rows are
    narrower than a register, and that fill registers as a whole, become one row:
    they are read from and written to memory as such, elementwise ops work on one,
    and a number for each head takes the places of that head's features by a
    shuffle. What has no such form gets the matrix by a `vector.shape_cast`;
    `gnn-reduce-rows` sees through it.

    Before:
    ```mlir
    %v = vector.transfer_read %x[%j, %c0, %c0] ... : memref<?x8x8xf32>, vector<8x8xf32>
    %w = vector.transfer_read %weights[%p] {permutation_map = (d0) -> (d0, 0)} ...
      : memref<?xf32>, vector<8x8xf32>
    %y = arith.mulf %v, %w : vector<8x8xf32>
    ```
    After:
    ```mlir
    %view = memref.collapse_shape %x [[0], [1, 2]] : memref<?x8x8xf32> into memref<?x64xf32>
    %v = vector.transfer_read %view[%j, %c0] ... : memref<?x64xf32>, vector<64xf32>
    %h = vector.transfer_read %weights[%p] ... : memref<?xf32>, vector<8xf32>
    %w = vector.shuffle %h, %h [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, ...] : vector<8xf32>, vector<8xf32>
    %y = arith.mulf %v, %w : vector<64xf32>
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def StreamRowsPass : Pass<"gnn-stream-rows", "::mlir::func::FuncOp"> {
  let summary = "Store results that no cache holds past the caches";
  let description = [{
    A loop that gathers rows of sources wants those in the caches, but each row of
    its result takes the place of one, and the memory that it overwrites is read
    before. Where the result is too large to stay there until it is read, its rows
    are stored with `nontemporal`: whole lines go to memory, and no cache keeps
    them. How large it is turns out at run time, so both stores are there, in an
    `scf.if` with a condition that does not change.

    Taken are rows that are whole lines of 64 bytes of a buffer that the function
    allocates, stored at the end of a step of a loop whose steps go along edges.
    A product's result stays near for what gathers its rows.

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
           "Size of a result from which on it is stored so">
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

def RelaxZeroSignsPass
    : Pass<"gnn-relax-zero-signs", "::mlir::func::FuncOp"> {
  let summary = "Take either zero as the larger one";
  let description = [{
    `arith.maximumf` and `arith.minimumf` keep NaN and say that `-0 < +0`. The
    second is of no use here, where the sign of a zero is undefined if both signs
    are equal (docs/spec.md), but on x86, whose instructions treat zeros as equal,
    it takes half of the six instructions that a maximum becomes. The flag `nsz`
    gives it up, and nothing else: NaN stays.

    Before:
    ```mlir
    %m = arith.maximumf %a, %b : vector<16xf32>
    ```
    After:
    ```mlir
    %m = arith.maximumf %a, %b fastmath<nsz> : vector<16xf32>
    ```
  }];
  let statistics = [
    Statistic<"numExtrema", "num-extrema", "Number of maxima and minima marked">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SlopesToMaximumPass
    : Pass<"gnn-slopes-to-maximum", "::mlir::func::FuncOp"> {
  let summary = "Choose the larger one of both slopes of a leaky ReLU";
  let description = [{
    A leaky ReLU chooses by a comparison with 0, which takes a mask register and an
    instruction that merges. With a slope above 0 and at most 1, it is also the
    larger one of both values, and `a > b ? a : b` is one instruction on x86.
    Results are the same, NaN included.

    Before:
    ```mlir
    %c = arith.cmpf ogt, %x, %zero : vector<16xf32>
    %y = arith.mulf %x, %slope : vector<16xf32>
    %r = arith.select %c, %x, %y : vector<16xi1>, vector<16xf32>
    ```
    After:
    ```mlir
    %y = arith.mulf %x, %slope : vector<16xf32>
    %c = arith.cmpf ogt, %x, %y : vector<16xf32>
    %r = arith.select %c, %x, %y : vector<16xi1>, vector<16xf32>
    ```
  }];
  let statistics = [
    Statistic<"numSlopes", "num-slopes", "Number of leaky ReLUs changed">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ApproximateMathPass
    : Pass<"gnn-approximate-math", "::mlir::func::FuncOp"> {
  let summary = "Compute f32 exp, log, tanh, erf by polynomials";
  let description = [{
    A call of the C library for each element would dominate a softmax or an
    activation. `math.exp`, `math.expm1`, `math.log`, `math.log1p`, `math.tanh`
    and `math.erf` of f32, scalar or vector, become polynomial and rational
    approximations in arithmetic ops; other types are left to the library.
    Exponentials that are marked `gnn.never_positive`, those of softmaxes, need 12
    operations instead of 21: nothing overflows, one fused multiply-add rounds to
    a power of two and makes its exponent, and the polynomial is good to 5e-7.
    With `trigonometric` the same goes for `math.sin` and `math.cos`, for devices
    without a library to call.

    Before:
    ```mlir
    %e = math.exp %x : vector<16xf32>
    ```
    After:
    ```mlir
    %n = math.floor ...
    %p = math.fma ... // the polynomial
    %e = arith.mulf %p, %two_to_the_n : vector<16xf32>
    ```
  }];
  let options = [
    Option<"trigonometric", "trigonometric", "bool", /*default=*/"false",
           "Sine and cosine as well">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def CallMathLibraryPass
    : Pass<"gnn-call-math-library", "::mlir::ModuleOp"> {
  let summary = "Call the C library for functions without an LLVM intrinsic";
  let description = [{
    `math.cbrt`, `math.erf`, `math.erfc`, `math.expm1` and `math.log1p` that
    gnn-approximate-math left become calls, one for each element of a vector.
    The conversion to the LLVM dialect would compute `expm1` and `log1p` with a
    cancellation that loses all digits of small arguments.

    Before:
    ```mlir
    %y = math.log1p %x : f64
    ```
    After:
    ```mlir
    %y = call @log1p(%x) : (f64) -> f64
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
}

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

def ReduceRowsPass : Pass<"gnn-reduce-rows", "::mlir::func::FuncOp"> {
  let summary = "Sum several vectors up at once";
  let description = [{
    The scores of an edge are dot products, one for each head. Summed up one by
    one, each takes log2(width) shuffles and additions of vectors of which less
    and less is used. The sums of several rows are made together: halves of two
    vectors, one after the other, are added to the other halves, which leaves one
    vector for two, until there is one sum per element.

    Before:
    ```mlir
    %s = vector.multi_reduction <add>, %m, %zero [1]
      : vector<4x4xf32> to vector<4xf32>
    ```
    After, of rows `%a` to `%d`:
    ```mlir
    %0 = vector.shuffle %a, %b [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
    %1 = vector.shuffle %a, %b [2, 3, 6, 7] : vector<4xf32>, vector<4xf32>
    %ab = arith.addf %0, %1 : vector<4xf32>
    ...
    %2 = vector.shuffle %ab, %cd [0, 2, 4, 6] : vector<4xf32>, vector<4xf32>
    %3 = vector.shuffle %ab, %cd [1, 3, 5, 7] : vector<4xf32>, vector<4xf32>
    %s = arith.addf %2, %3 : vector<4xf32>
    ```
    Of a product of two matrices the registers of a row are multiplied and added in
    one step. Rows narrower than a register, which `gnn-fill-registers` has made one
    vector of, begin with registers of several rows each.
    Rows and columns have to be powers of two, 4 at least. The order of additions
    is fixed, so results are the same from run to run.
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerVectorsPass
    : Pass<"gnn-lower-vectors", "::mlir::func::FuncOp"> {
  let summary = "Break vector ops down to what LLVM has";
  let description = [{
    Reductions over several dimensions become reductions of one-dimensional
    vectors, transposes and shape casts become shuffles, transfers of several
    dimensions are unrolled.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
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
    a condition that does not change.

    Rows that an earlier loop along the same edges has read are not asked for again.

    A loop over destinations that reads their own rows finds rows of sources in
    between, so that a processor does not take them for a sequence. It asks for the
    rows of destinations further on, up to half of `bytes-ahead`, where rows have
    256 bytes or more.

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
    Option<"maxLines", "max-lines", "int64_t", "32",
           "Cache lines of a row that are asked for, at most">,
    Option<"minimumBytes", "minimum-bytes", "int64_t", "4194304",
           "Size of the buffers from which on rows are asked for">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops that prefetch rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
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

def SerializeSmallLoopsPass
    : Pass<"gnn-serialize-small-loops", "::mlir::func::FuncOp"> {
  let summary = "Start threads only for loops with enough to do";
  let description = [{
    Handing a loop to other threads costs microseconds, more than the whole loop
    takes on a graph of thirty nodes. Each `omp.parallel` with one loop in it gets
    an `if` clause: iterations, which are known at run time, times an estimate of
    the ops in the body must reach `minimum-work`. Where a loop in the body goes
    along the edges of a row, from one entry of a row pointer to the next, what it
    does counts as often as there are edges, which the row pointer tells as well.
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
           "Ops that a loop must have for threads to be started">
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

def HoistStackBuffersPass
    : Pass<"gnn-hoist-stack-buffers", "::mlir::func::FuncOp"> {
  let summary = "Allocate stack buffers once per thread";
  let description = [{
    Moves stack buffers of static size out of loops, to the start of the
    parallel region around them or of the function, and dissolves the
    `memref.alloca_scope` that kept them from piling up.

    Before:
    ```mlir
    omp.parallel {
      omp.wsloop { omp.loop_nest (%i) ... {
        memref.alloca_scope {
          %a = memref.alloca() : memref<64xf32>
    ```
    After:
    ```mlir
    omp.parallel {
      %a = memref.alloca() : memref<64xf32>
      omp.wsloop { omp.loop_nest (%i) ... {
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

#endif // GNN_CODEGEN_PASSES_TD
