//===- TilePasses.td - Tiles of products and of attention --*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_GPU_TILE_PASSES_TD
#define GNN_CODEGEN_GPU_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

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
    where these are fewer; with 16 terms, which a block multiplies in one step, of 64 x
    64, since larger ones would need more registers than there are. Products of few
    columns have tiles of 16, filled up with zeros, if their sums are long: what counts
    then is that rows are read once, side by side. Small products stay as they are, and
    get a thread for each element.

    There may be several products in one op, of a weight for each head, block of
    features or type: dimensions of the result other than rows (which are those of
    the first factor only) and columns (the last one). Tiles then have one element
    along these. Columns are last in the weights, and terms in the first factor.
    Products of each type of nodes are ops of their own, and a weight for each edge
    is no product of matrices: with numbered relations all weights are multiplied
    side by side, of which edges look up theirs.

    Products with a tile's columns or fewer and 16 times as many terms, such as those
    of bags of words, have few tiles on a graph of few nodes, each with a long sum.
    They are computed in parts, as many as give `min-blocks` blocks for the rows that
    there are, each with `min-part` terms or more. A loop over rows then adds up the
    parts in their order, and `gnn-fuse-epilogues` makes what follows part of that.
    How many parts there are depends on the number of rows alone, and results have the
    same bits each time.

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
    Option<"minLongColumns", "min-long-columns", "int64_t", /*default=*/"4",
           "Fewest columns of one whose sums are long">,
    Option<"longDepth", "long-depth", "int64_t", /*default=*/"64",
           "Fewest terms of sums that are long">,
    Option<"minDepth", "min-depth", "int64_t", /*default=*/"16",
           "Fewest terms of a sum of a product that is tiled">,
    Option<"maxTile", "max-tile", "int64_t", /*default=*/"128",
           "Most rows and columns of a tile: 16, 32, 64 or 128">,
    Option<"minBlocks", "min-blocks", "int64_t", /*default=*/"256",
           "Blocks that sums of narrow products are split for; 0: none are">,
    Option<"minPart", "min-part", "int64_t", /*default=*/"128",
           "Fewest terms of a part of a sum">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of products that are tiled">,
    Statistic<"numSplit", "num-split", "Of these, with sums in parts">
  ];
}

def MapProductsToWarpsPass
    : Pass<"gnn-map-products-to-warps", "::mlir::func::FuncOp"> {
  let summary = "Make kernels of loops over tiles of matrix products";
  let description = [{
    A parallel loop whose body is a product of matrices that starts from zero, and
    elementwise ops that finish it, becomes a `gpu.launch` with a block for each
    iteration. Arrays may have more dimensions than a matrix, with one element along
    each of these. 64 bytes of each row of the first factor, and the rows of the
    second one that go with them, are in workgroup memory at a time. Some stages of
    these are on their way (`nvgpu.device_async_copy`, `cp.async` in PTX) while one
    is multiplied. Pieces of 16 bytes change places within their rows, so that
    neither writing nor reading them has conflicts of banks. Where rows do not begin
    at multiples of 16 bytes, fewer bytes are copied at once, and with odd numbers
    of elements of 16 bits these are loaded and stored. What is beyond the ends of
    the matrices is zero there.

    Products of `f16` and of `bf16`, and of `f32` whose factors are rounded to tf32
    first (as `gnn-round-products` has it), are those of tensor cores
    (`nvgpu.mma.sync`), with sums of `f32` in registers. Others of `f32` are fused
    multiply-adds of 8 x 8 elements of each thread. Either way the sum of an element
    belongs to one thread, or one place of a tensor core, and is added up in the
    order of its terms, so that results have the same bits each time. Elementwise
    ops are applied to the sums before they are stored, two or four neighbours at
    once where rows begin and end at multiples of these.

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

    Results are stored from registers, rows that count only, and neighbours of a row at
    once where rows are aligned. The sizes that this takes: rows in multiples of 16, up
    to `max-rows`; second factors that fit into `workgroup-bytes` together.

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

#endif // GNN_CODEGEN_GPU_TILE_PASSES_TD
