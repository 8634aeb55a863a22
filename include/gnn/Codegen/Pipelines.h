//===- Pipelines.h - From gnn IR to the LLVM dialect ------------*- C++ -*-===//
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
  /// A pass, or a part of one, that can be left out. `gnn-compile` has a flag
  /// for each.
  class Switch : public Option<bool> {
  public:
    Switch(GNNToLLVMOptions &pipeline, llvm::StringRef name,
           llvm::StringRef description, bool isOn = true)
        : Option<bool>(pipeline, name, llvm::cl::desc(description),
                       llvm::cl::init(isOn)) {
      pipeline.switches.push_back(this);
    }
    using Option<bool>::operator=;
  };

  llvm::ArrayRef<Switch *> getSwitches() const { return switches; }
  /// Null if there is none of that name.
  Switch *findSwitch(llvm::StringRef name) const;

private:
  // Filled by the members that follow.
  llvm::SmallVector<Switch *> switches;

public:
  // Model to model.
  Switch fuse{*this, "fuse",
              "Fuse messages, attention and aggregations, so that nothing is "
              "stored per edge"};
  Switch hoistNodeProducts{*this, "hoist-node-products",
                           "Multiply rows of nodes once, not for each edge"};
  Switch foldLookups{*this, "fold-lookups",
                     "Compute with tables instead of the rows looked up in "
                     "them"};
  Switch fuseLookups{*this, "fuse-lookups",
                     "Look rows of tables up where edges read them"};
  Switch tabulateProducts{*this, "tabulate-products",
                          "Multiply rows of nodes by all of the few matrices "
                          "that edges choose from"};
  Switch sumOuterProducts{*this, "sum-outer-products",
                          "Add up products of two rows, and multiply the sums "
                          "by weights"};
  Switch sumEdgeRows{*this, "sum-edge-rows",
                     "Add up rows of edges before a linear layer of them"};
  Switch multiplyEdgeRows{*this, "multiply-edge-rows",
                          "Multiply rows of edges by large weights together"};
  Switch mergeLinear{*this, "merge-linear",
                     "Make one linear layer of several of the same rows that "
                     "are added up"};
  Switch splitConcat{*this, "split-concat",
                     "Multiply rows that would be copied side by side one by "
                     "one"};
  Switch foldLinear{*this, "fold-linear",
                    "Make one linear layer of two in a row where that is less"};
  Switch factorExponentials{
      *this, "factor-exponentials",
      "Exponentials of GAT's scores for nodes instead of edges"};
  Switch boundDotProducts{
      *this, "bound-dot-products",
      "Softmaxes without maxima, where lengths of rows bound dot products"};
  Switch reorderLinear{*this, "reorder-linear",
                       "Aggregate on the narrower side of linear layers"};
  Switch sparseFeatures{*this, "sparse-features",
                        "Multiply only the listed entries of sparse inputs"};
  Option<TopologyChoice> topology{
      *this, "topology",
      llvm::cl::desc("What attention over listed edges runs on"),
      llvm::cl::init(TopologyChoice::Automatic),
      llvm::cl::values(
          clEnumValN(TopologyChoice::Automatic, "auto",
                     "listed edges or all pairs, by density"),
          clEnumValN(TopologyChoice::Sparse, "sparse", "listed edges"),
          clEnumValN(TopologyChoice::Dense, "dense", "all pairs"))};

  // Loops over rows, edges and tiles of pairs.
  Option<int64_t> attentionEdges{
      *this, "attention-edges",
      llvm::cl::desc("Edges of a row whose scores attention computes at once"),
      llvm::cl::init(16)};
  Option<int64_t> longRowEdges{
      *this, "long-row-edges",
      llvm::cl::desc("Edges of a part of a long row, 0 to leave rows whole"),
      llvm::cl::init(0)};
  Option<int64_t> longSegmentEdges{
      *this, "long-segment-edges",
      llvm::cl::desc("Edges of a part of a long segment of one row, 0 to leave "
                     "segments whole (CPUs)"),
      llvm::cl::init(2048)};
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
  Switch groupEdges{*this, "group-edges",
                    "Multiply the rows of edges that choose the same matrix "
                    "together"};
  Switch copyTiles{*this, "copy-tiles",
                   "Copy rows of one head that several tiles of attention "
                   "read (CPUs)"};
  Switch topKTiles{
      *this, "top-k-tiles",
      "Find the best of all pairs of nodes for several destinations "
      "side by side"};
  Switch orderPoints{*this, "order-points",
                     "Take near nodes side by side where neighbours are found, "
                     "and leave out tiles that are far (CPUs)"};
  Switch narrowTiles{*this, "narrow-tiles",
                     "Take fewer destinations at a time in windows and in the "
                     "graphs of a batch (CPUs)"};

  // What is computed once for a graph.
  Switch splitPreparation{*this, "split-preparation",
                          "Functions of their own for what graphs and weights "
                          "alone decide, which sessions keep",
                          /*isOn=*/false};
  Switch clusterRows{*this, "cluster-rows",
                     "Take wide rows that share sources one after another"};
  Option<int64_t> secondCacheBytes{
      *this, "second-cache-bytes",
      llvm::cl::desc("Bytes of the second cache, for which wide rows are "
                     "ordered"),
      llvm::cl::init(2 << 20)};
  Switch orderRows{*this, "order-rows",
                   "Take narrow rows of as many edges one after another"};

  // Products of matrices.
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
  Switch pack{*this, "pack",
              "Store wide matrices the way that products read them"};
  Option<bool> bfloat16Instructions{
      *this, "bf16-instructions",
      llvm::cl::desc("Use AVX512-BF16's instructions for bfloat16"),
      llvm::cl::init(false)};
  Switch matrixTiles{*this, "matrix-tiles",
                     "Use AMX for matrices of bfloat16, where the processor "
                     "has it",
                     /*isOn=*/false};

  // Vectors.
  Switch vectorize{*this, "vectorize", "Vectorise loops over features"};
  Option<int64_t> vectorWidth{
      *this, "vector-width",
      llvm::cl::desc("Elements of 32 bits in a vector register"),
      llvm::cl::init(16)};
  Option<int64_t> vectorRegisters{*this, "vector-registers",
                                  llvm::cl::desc("Vector registers there are"),
                                  llvm::cl::init(32)};
  Option<bool> maskRegisters{
      *this, "mask-registers",
      llvm::cl::desc("There are registers of a bit for each element of a "
                     "vector"),
      llvm::cl::init(true)};
  Switch hoistMasks{*this, "hoist-masks", "Mask sums once, not in every step"};
  Switch keepCostly{
      *this, "keep-costly",
      "Leave divisions and their like where there are few of them"};
  Switch fuseEdgeRows{
      *this, "fuse-edge-rows",
      "Compute what belongs to edges in the loop that reads it"};
  Switch fuseRowProducts{*this, "fuse-row-products",
                         "Multiply wide rows where they are added up"};
  Switch splitBatches{*this, "split-batches",
                      "Multiply by one of several matrices at a time"};
  Switch reduceSingleColumns{*this, "reduce-single-columns",
                             "Add up rows for products with one column"};
  Switch fuseRowSums{*this, "fuse-row-sums",
                     "Reduce rows where their elements are computed"};
  Switch fuseEpilogues{*this, "fuse-epilogues",
                       "Apply biases and activations where rows are computed"};
  Switch mixTiles{
      *this, "mix-tiles",
      "Divide rows into tiles of two sizes so that few are computed "
      "twice"};
  Switch finishPanels{
      *this, "finish-panels",
      "Apply activations to a product's panel when it is there"};
  Switch fuseRowLoops{*this, "fuse-row-loops",
                      "Compute what belongs to a node in one loop over nodes"};
  Switch applyEpilogues{
      *this, "apply-epilogues",
      "Apply biases and ReLUs to sums before these are stored"};
  Switch tileNarrowRows{*this, "tile-narrow-rows",
                        "Compute elements of several nodes in a register"};
  Switch tileAccumulators{
      *this, "tile-accumulators",
      "Accumulate as many features at once as registers and caches are for"};
  Switch twoPassSoftmax{*this, "two-pass-softmax",
                        "Look for maxima of a softmax in a loop before it"};
  Switch sumRows{*this, "sum-rows",
                 "Add up rows of matrices one after the other"};
  Switch fillRows{*this, "fill-rows",
                  "Fill rows in the loops that add to them"};
  Switch sliceLookups{*this, "slice-lookups",
                      "Read the row that a lookup names as an operand"};
  Switch promoteLoopTensors{*this, "promote-loop-tensors",
                            "Carry accumulators of loops as vectors"};
  Switch promoteUnitDimensions{
      *this, "promote-unit-dimensions",
      "Carry those with dimensions of one element, as of one head, as well"};
  Switch fillRegisters{*this, "fill-registers",
                       "Take rows narrower than a register together"};
  Switch reduceRows{*this, "reduce-rows",
                    "Sum the products of several heads up at once"};
  Switch splitVectors{*this, "split-vectors",
                      "Cut vectors to sizes that registers have"};
  Switch splitAccesses{*this, "split-accesses",
                       "Access buffers by registers that are accessed so "
                       "elsewhere"};

  // Arithmetic.
  Switch peelProducts{*this, "peel-products",
                      "Begin sums of products with the first one, instead of "
                      "adding it to zero, where the processor has no AVX-512",
                      /*isOn=*/false};
  Switch specializeReadouts{*this, "specialize-readouts",
                            "Compute attention of one destination per segment "
                            "by rows instead of tiles"};
  Switch baseTwoSoftmax{*this, "base-two-softmax",
                        "Take softmaxes of dot products over all pairs to the "
                        "base 2"};
  Switch pairMaxima{
      *this, "pair-maxima",
      "Take maxima of two vectors before that of what is carried"};
  Switch ignoreNaN{*this, "ignore-nan",
                   "Compare where a maximum need not keep NaN"};
  Switch relaxZeroSigns{*this, "relax-zero-signs",
                        "Take either zero as the larger one"};
  Switch deferNaN{*this, "defer-nan",
                  "Look for NaN after loops of maxima, not in them (x86)"};
  Switch reduceExtrema{*this, "reduce-extrema",
                       "Look for NaN once for a row's maximum"};
  Switch slopesToMaximum{*this, "slopes-to-maximum",
                         "Take the larger slope of a leaky ReLU"};
  Switch tabulateExponentials{
      *this, "tabulate-exponentials",
      "Look up exponentials of softmaxes in registers, where the processor "
      "has AVX2 or AVX-512",
      /*isOn=*/false};
  Switch approximateMath{
      *this, "approximate-math",
      "Compute exponentials and their relatives by polynomials"};

  // Memory.
  Switch foldDescriptors{*this, "fold-descriptors",
                         "Read what descriptors of buffers are made of"};
  Switch separateOffsets{*this, "separate-offsets",
                         "Take constants out of addresses"};
  Switch joinLayouts{*this, "join-layouts",
                     "Keep what is known of both buffers of a choice"};
  Switch forwardRows{*this, "forward-rows",
                     "Write rows where they would be copied to"};
  Switch forwardParts{*this, "forward-parts",
                      "Write parts of a buffer where they would be copied to"};
  Switch copyRows{*this, "copy-rows", "Share copies of rows among threads"};
  Switch freeEarly{*this, "free-early", "Free buffers after their last use"};
  Switch prefetch{*this, "prefetch", "Ask early for what loops will read"};
  Switch stream{*this, "stream",
                "Store results that no cache holds past the caches"};
  Option<int64_t> streamBytes{
      *this, "stream-bytes",
      llvm::cl::desc("Bytes of a loop's results from which on they are stored "
                     "past the caches"),
      llvm::cl::init(16 << 20)};
  Option<int64_t> streamGatheredBytes{
      *this, "stream-gathered-bytes",
      llvm::cl::desc("Bytes that a loop gathers for results that are stored "
                     "past the caches, at least"),
      llvm::cl::init(0)};
  Option<int64_t> streamPieceBytes{
      *this, "stream-piece-bytes",
      llvm::cl::desc("Bytes that are stored past the caches at once, at least, "
                     "of rows that are no whole lines"),
      llvm::cl::init(64)};

  // Threads.
  Switch parallelize{*this, "parallelize", "Run loops over nodes with OpenMP"};
  Switch serializeSmallLoops{*this, "serialize-small-loops",
                             "Start threads only for loops with enough to do"};
  Switch shareSegments{*this, "share-segments",
                       "Share out attention within few graphs of a batch by "
                       "destinations"};
  Switch balance{*this, "balance", "Share out rows by their edges"};
  Switch divideColumns{*this, "divide-columns",
                       "Have threads share the columns of products as well"};
  Switch divideLoops{*this, "divide-loops",
                     "Have threads find their iterations themselves"};
  Switch callRegions{*this, "call-regions",
                     "Call parallel regions that one thread runs"};
  Switch outline{*this, "outline",
                 "Make functions of parallel regions, equal ones once"};

  // GPUs.
  Switch tileProducts{
      *this, "tile-products",
      "For GPUs: multiply matrices by tiles of blocks of threads"};
  Switch tileRowReductions{
      *this, "tile-row-reductions",
      "For GPUs: give rows of norms and of softmax to lanes of warps"};
  Switch splitLongSums{
      *this, "split-long-sums",
      "For GPUs: share sums over all nodes among blocks of threads"};
  Switch tileAttention{
      *this, "tile-attention",
      "For GPUs: keep tiles of attention over all pairs in registers of warps"};
  Switch skipRescaling{
      *this, "skip-rescaling",
      "For GPUs: multiply sums of attention where a maximum of the warp has "
      "moved, not always"};
  Switch planMemory{*this, "plan-memory",
                    "For GPUs: ask for the memory of a run at once",
                    /*isOn=*/false};
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
void addBufferization(mlir::OpPassManager &pm, const GNNToLLVMOptions &options);

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
