//===- Pipelines.h - From gnn IR to the LLVM dialect -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The stages of the CPU pipeline. gnn-opt registers each under its own name, so
// that a pipeline can be cut in two anywhere; gnn-compile runs them in a row.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_PIPELINES_H
#define GNN_CODEGEN_PIPELINES_H

#include "gnn/Codegen/Passes.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace gnn {

struct GNNToLLVMOptions : public mlir::PassPipelineOptions<GNNToLLVMOptions> {
  Option<bool> fuse{*this, "fuse",
                    llvm::cl::desc("Fuse messages, attention and aggregations, "
                                   "so that nothing is stored per edge"),
                    llvm::cl::init(true)};
  Option<bool> reorderLinear{
      *this, "reorder-linear",
      llvm::cl::desc("Aggregate on the narrower side of linear layers"),
      llvm::cl::init(true)};
  Option<bool> sparseFeatures{
      *this, "sparse-features",
      llvm::cl::desc("Multiply only the listed entries of sparse inputs"),
      llvm::cl::init(true)};
  Option<TopologyChoice> topology{
      *this, "topology",
      llvm::cl::desc("What attention over listed edges runs on"),
      llvm::cl::init(TopologyChoice::Automatic),
      llvm::cl::values(
          clEnumValN(TopologyChoice::Automatic, "auto",
                     "listed edges or all pairs, by density"),
          clEnumValN(TopologyChoice::Sparse, "sparse", "listed edges"),
          clEnumValN(TopologyChoice::Dense, "dense", "all pairs"))};
  Option<bool> vectorize{*this, "vectorize",
                         llvm::cl::desc("Vectorise loops over features"),
                         llvm::cl::init(true)};
  Option<bool> fuseEpilogues{
      *this, "fuse-epilogues",
      llvm::cl::desc("Apply biases and activations where rows are computed"),
      llvm::cl::init(true)};
  Option<bool> pack{*this, "pack",
                    llvm::cl::desc("Store wide matrices the way that products "
                                   "read them"),
                    llvm::cl::init(true)};
  Option<int64_t> attentionEdges{
      *this, "attention-edges",
      llvm::cl::desc("Edges of a row whose scores attention computes at once"),
      llvm::cl::init(16)};
  Option<int64_t> longRowEdges{
      *this, "long-row-edges",
      llvm::cl::desc("Edges of a part of a long row, 0 to leave rows whole"),
      llvm::cl::init(0)};
  Option<int64_t> featureTile{
      *this, "feature-tile",
      llvm::cl::desc("Features an aggregation accumulates at once"),
      llvm::cl::init(256)};
  Option<bool> parallelGraphs{
      *this, "parallel-graphs",
      llvm::cl::desc("Add and drop self loops, and sort edges, side by side"),
      llvm::cl::init(false)};
  Option<bool> parallelEdges{
      *this, "parallel-edges",
      llvm::cl::desc("Compute what is stored for edges side by side"),
      llvm::cl::init(false)};
  Option<Precision> precision{
      *this, "precision", llvm::cl::desc("Factors of matrix products"),
      llvm::cl::init(Precision::Float32),
      llvm::cl::values(
          clEnumValN(Precision::Float32, "f32", "float32"),
          clEnumValN(Precision::BFloat16, "bf16",
                     "rounded to bfloat16, added up in float32"),
          clEnumValN(Precision::Float16, "f16",
                     "rounded to float16 (GPUs only)"),
          clEnumValN(Precision::TF32, "tf32", "rounded to tf32 (GPUs only)"))};
  Option<bool> tileProducts{
      *this, "tile-products",
      llvm::cl::desc("Multiply matrices by tiles of blocks of threads (GPUs)"),
      llvm::cl::init(true)};
  Option<bool> tileRowReductions{
      *this, "tile-row-reductions",
      llvm::cl::desc("Give rows of norms and of softmax to lanes of warps "
                     "(GPUs)"),
      llvm::cl::init(true)};
  Option<bool> splitLongSums{
      *this, "split-long-sums",
      llvm::cl::desc(
          "Share sums over all nodes among blocks of threads (GPUs)"),
      llvm::cl::init(true)};
  Option<bool> splitPreparation{
      *this, "split-preparation",
      llvm::cl::desc("Functions of their own for what graphs and weights alone "
                     "decide"),
      llvm::cl::init(false)};
  Option<bool> tileAttention{
      *this, "tile-attention",
      llvm::cl::desc("Keep tiles of attention over all pairs in registers of "
                     "warps (GPUs)"),
      llvm::cl::init(true)};
  Option<bool> skipRescaling{
      *this, "skip-rescaling",
      llvm::cl::desc("Vote on whether sums of attention are to be multiplied "
                     "(GPUs)"),
      llvm::cl::init(true)};
  Option<bool> planMemory{
      *this, "plan-memory",
      llvm::cl::desc("Ask for the memory of a run at once (GPUs)"),
      llvm::cl::init(false)};
  Option<int64_t> attentionTileBytes{
      *this, "attention-tile-bytes",
      llvm::cl::desc("Most bytes of a tile's keys and values together, 0 for "
                     "any number"),
      llvm::cl::init(0)};
  Option<int64_t> attentionSharedTiles{
      *this, "attention-shared-tiles",
      llvm::cl::desc("Most tiles of destinations that take each tile of "
                     "sources in turns (CPUs)"),
      llvm::cl::init(8)};
  Option<bool> bfloat16Instructions{
      *this, "bf16-instructions",
      llvm::cl::desc("Use AVX512-BF16's instructions for bfloat16"),
      llvm::cl::init(false)};
  Option<bool> matrixTiles{
      *this, "matrix-tiles",
      llvm::cl::desc("Use AMX's instructions for matrices of bfloat16"),
      llvm::cl::init(false)};
  Option<bool> prefetch{*this, "prefetch",
                        llvm::cl::desc("Ask early for what loops will read"),
                        llvm::cl::init(true)};
  Option<bool> stream{
      *this, "stream",
      llvm::cl::desc("Store results that no cache holds past the caches"),
      llvm::cl::init(true)};
  Option<int64_t> streamBytes{
      *this, "stream-bytes",
      llvm::cl::desc("Bytes of a loop's results from which on they are stored "
                     "past the caches"),
      llvm::cl::init(16 << 20)};
  Option<bool> repeatCostly{
      *this, "repeat-costly",
      llvm::cl::desc("Fuse divisions and their like where each is repeated"),
      llvm::cl::init(false)};
  Option<bool> ignoreNaN{
      *this, "ignore-nan",
      llvm::cl::desc("Compare where a maximum need not keep NaN"),
      llvm::cl::init(true)};
  Option<bool> fuseRowSums{
      *this, "fuse-row-sums",
      llvm::cl::desc("Reduce rows where their elements are computed"),
      llvm::cl::init(true)};
  Option<bool> pairMaxima{
      *this, "pair-maxima",
      llvm::cl::desc("Take maxima of two vectors before that of what is "
                     "carried"),
      llvm::cl::init(true)};
  Option<bool> scalef{
      *this, "scalef",
      llvm::cl::desc("Compute exponentials of softmaxes by AVX-512's scalef"),
      llvm::cl::init(false)};
  Option<bool> deferNaN{
      *this, "defer-nan",
      llvm::cl::desc("Look for NaN after loops of maxima, not in them (x86)"),
      llvm::cl::init(true)};
  Option<bool> relaxZeroSigns{
      *this, "relax-zero-signs",
      llvm::cl::desc("Take either zero as the larger one"),
      llvm::cl::init(true)};
  Option<bool> slopesToMaximum{
      *this, "slopes-to-maximum",
      llvm::cl::desc("Take the larger slope of a leaky ReLU"),
      llvm::cl::init(true)};
  Option<bool> clusterRows{
      *this, "cluster-rows",
      llvm::cl::desc("Take wide rows that share sources one after another"),
      llvm::cl::init(true)};
  Option<bool> orderRows{
      *this, "order-rows",
      llvm::cl::desc("Take narrow rows of as many edges one after another"),
      llvm::cl::init(true)};
  Option<bool> balance{*this, "balance",
                       llvm::cl::desc("Share out rows by their edges"),
                       llvm::cl::init(true)};
  Option<bool> outline{
      *this, "outline",
      llvm::cl::desc("Make functions of parallel regions, equal ones once"),
      llvm::cl::init(true)};
  Option<bool> reduceRows{
      *this, "reduce-rows",
      llvm::cl::desc("Sum the products of several heads up at once"),
      llvm::cl::init(true)};
  Option<bool> fillRegisters{
      *this, "fill-registers",
      llvm::cl::desc("Take rows narrower than a register together"),
      llvm::cl::init(true)};
  Option<bool> parallelize{*this, "parallelize",
                           llvm::cl::desc("Run loops over nodes with OpenMP"),
                           llvm::cl::init(true)};
  Option<int64_t> vectorWidth{
      *this, "vector-width",
      llvm::cl::desc("Elements of 32 bits in a vector register"),
      llvm::cl::init(16)};
  Option<int64_t> vectorRegisters{*this, "vector-registers",
                                  llvm::cl::desc("Vector registers there are"),
                                  llvm::cl::init(32)};
};

/// Weights into the layout that the code reads, while they are constants.
void buildWeightsPipeline(mlir::OpPassManager &pm,
                          const GNNToLLVMOptions &options);

/// gnn to gnn: fusion and reordering.
void buildOptimizePipeline(mlir::OpPassManager &pm,
                           const GNNToLLVMOptions &options);

/// gnn to linalg and scf on tensors.
void buildLowerPipeline(mlir::OpPassManager &pm,
                        const GNNToLLVMOptions &options);

/// linalg to vector.
void buildVectorizePipeline(mlir::OpPassManager &pm,
                            const GNNToLLVMOptions &options);

/// Tensors to buffers, which whatever runs the code still has to place.
void addBufferization(mlir::OpPassManager &pm);

/// Tensors to buffers.
void buildBufferizePipeline(mlir::OpPassManager &pm,
                            const GNNToLLVMOptions &options);

/// Buffers and loops to the LLVM dialect.
void buildToLLVMDialectPipeline(mlir::OpPassManager &pm,
                                const GNNToLLVMOptions &options);

/// All of the above.
void buildGNNToLLVMPipeline(mlir::OpPassManager &pm,
                            const GNNToLLVMOptions &options);

/// Registers `gnn-to-llvm` and its stages `gnn-stage-*`.
void registerPipelines();

} // namespace gnn

#endif // GNN_CODEGEN_PIPELINES_H
