//===- Pipelines.cpp - From gnn IR to the LLVM dialect ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Pipelines.h"
#include "CacheLine.h"
#include "Cleanup.h"
#include "gnn/Codegen/Passes.h"
#include "gnn/Conversion/Passes.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gnn;

GNNToLLVMOptions::Switch *GNNToLLVMOptions::findSwitch(StringRef name) const {
  const auto *found = llvm::find_if(
      switches, [&](Switch *each) { return each->ArgStr == name; });
  return found == switches.end() ? nullptr : *found;
}

static LowerMatmulPassOptions
getMatmulOptions(const GNNToLLVMOptions &options) {
  LowerMatmulPassOptions matmul;
  matmul.vectorWidth = options.vectorWidth;
  matmul.mixTiles = options.mixTiles;
  matmul.applyEpilogues = options.applyEpilogues;
  // Accumulators fill three quarters of the registers.
  matmul.rowTile = 6;
  matmul.columnVectors = options.vectorRegisters >= 32 ? 4 : 2;
  // 8 x 48 sums read three quarters of what 6 x 64 do from the second cache.
  matmul.narrowVectors = options.vectorRegisters >= 32 ? 3 : 0;
  // Pairs are tiles of 32 columns, as AMX wants them.
  if (options.precision == Precision::BFloat16 &&
      options.vectorRegisters >= 32) {
    matmul.rowTile = 8;
    matmul.columnVectors = 2;
    matmul.narrowVectors = 0;
  }
  return matmul;
}

static int64_t getProductColumns(const GNNToLLVMOptions &options) {
  LowerMatmulPassOptions matmul = getMatmulOptions(options);
  return matmul.columnVectors * matmul.vectorWidth;
}

static int64_t getNarrowColumns(const GNNToLLVMOptions &options) {
  LowerMatmulPassOptions matmul = getMatmulOptions(options);
  return matmul.narrowVectors * matmul.vectorWidth;
}

/// AMX multiplies 16 pairs at a time.
static int64_t getDepthMultiple(const GNNToLLVMOptions &options) {
  return options.matrixTiles ? 32 : 2;
}

/// Other factors than those of the model would be rounded.
static void addWeightPasses(OpPassManager &pm,
                            const GNNToLLVMOptions &options) {
  if (options.precision != Precision::Float32)
    return;
  if (options.foldLookups)
    pm.nest<func::FuncOp>().addPass(createFoldLookupsPass());
  // Without vectors, as for GPUs, rows of sums would be stored.
  if (options.sumOuterProducts && options.vectorize && options.fuseRowProducts)
    pm.nest<func::FuncOp>().addPass(createSumOuterProductsPass());
  if (options.sumEdgeRows)
    pm.nest<func::FuncOp>().addPass(createSumEdgeRowsPass());
  if (options.mergeLinear)
    pm.nest<func::FuncOp>().addPass(createMergeLinearPass());
  if (options.splitConcat)
    pm.nest<func::FuncOp>().addPass(createSplitConcatPass());
  if (options.foldLinear)
    pm.nest<func::FuncOp>().addPass(createFoldLinearPass());
  // Of what layers in a row have become.
  if (options.multiplyEdgeRows && options.vectorize && options.fuseEdgeRows)
    pm.nest<func::FuncOp>().addPass(createMultiplyEdgeRowsPass());
}

/// Products that edges choose are computed for nodes where that is less work,
/// or where edges are not grouped and memory allows it.
static void addTabulateProducts(OpPassManager &pm,
                                const GNNToLLVMOptions &options) {
  if (!options.tabulateProducts)
    return;
  TabulateProductsPassOptions tabulate;
  // Without vectors, as for GPUs, nothing is grouped.
  if (!options.vectorize)
    tabulate.maxColumns = 1024;
  else if (!options.groupEdges)
    tabulate.maxColumns = 8192;
  pm.nest<func::FuncOp>().addPass(createTabulateProductsPass(tabulate));
}

void gnn::buildWeightsPipeline(OpPassManager &pm,
                               const GNNToLLVMOptions &options) {
  // What it leaves is packed, and may be no constants afterwards.
  if (options.hoistNodeProducts)
    pm.nest<func::FuncOp>().addPass(createHoistNodeProductsPass());
  addTabulateProducts(pm, options);
  addWeightPasses(pm, options);
  if (!options.vectorize || !options.pack)
    return;
  PackWeightsPassOptions pack;
  pack.columns = getProductColumns(options);
  pack.narrowColumns = getNarrowColumns(options);
  pack.rounded = options.precision == Precision::BFloat16;
  pack.depthMultiple = getDepthMultiple(options);
  pack.sparseFeatures = options.sparseFeatures;
  pm.nest<func::FuncOp>().addPass(createPackWeightsPass(pack));
}

void gnn::buildOptimizePipeline(OpPassManager &pm,
                                const GNNToLLVMOptions &options) {
  pm.addPass(createCOOToCSRPass());
  pm.addPass(createInlinerPass());
  addCleanup(pm);
  if (options.hoistNodeProducts)
    pm.nest<func::FuncOp>().addPass(createHoistNodeProductsPass());
  addTabulateProducts(pm, options);
  addWeightPasses(pm, options);
  if (options.fuseLookups)
    pm.nest<func::FuncOp>().addPass(createFuseLookupsPass());
  if (options.fuse) {
    OpPassManager &functions = pm.nest<func::FuncOp>();
    functions.addPass(createFuseMessagesPass());
    functions.addPass(createFuseAttentionPass());
    functions.addPass(createFuseAggregationPass());
  }
  if (options.reorderLinear)
    pm.nest<func::FuncOp>().addPass(createReorderLinearPass());
  if (options.sparseFeatures)
    pm.nest<func::FuncOp>().addPass(createFuseSparseFeaturesPass());
  if (options.orderPoints && options.topKTiles && options.vectorize)
    pm.nest<func::FuncOp>().addPass(createOrderPointsPass());
  SpecializeTopologyPassOptions specialize;
  specialize.topology = options.topology;
  pm.nest<func::FuncOp>().addPass(createSpecializeTopologyPass(specialize));
  // GPUs have exponentials enough.
  if (options.factorExponentials && options.vectorize)
    pm.nest<func::FuncOp>().addPass(createFactorExponentialsPass());
  // Other weights than those of a softmax would be rounded to bfloat16.
  if (options.boundDotProducts && options.vectorize &&
      options.precision == Precision::Float32)
    pm.nest<func::FuncOp>().addPass(createBoundDotProductsPass());
  // Tiles of GPUs are warps.
  if (options.specializeReadouts && options.vectorize)
    pm.nest<func::FuncOp>().addPass(createSpecializeReadoutsPass());
  addCleanup(pm);
}

void gnn::buildLowerPipeline(OpPassManager &pm,
                             const GNNToLLVMOptions &options) {
  ExpandGraphArgumentsPassOptions expand;
  expand.markFixed = options.splitPreparation;
  pm.addPass(createExpandGraphArgumentsPass(expand));
  OpPassManager &functions = pm.nest<func::FuncOp>();
  if (options.groupEdges && options.vectorize)
    functions.addPass(createGroupEdgesPass());
  ConvertGNNToLinalgPassOptions dense;
  dense.tileBytes = options.attentionTileBytes;
  if (options.vectorize && options.vectorRegisters < 32) {
    // Sums, maxima and exponentials of a row of a tile in sixteen registers.
    int64_t tileSize = dense.lanes * dense.columnTile;
    dense.lanes = 4 * options.vectorWidth;
    dense.columnTile = tileSize / dense.lanes;
  }
  if (options.vectorize && options.narrowTiles) {
    if (options.precision == Precision::BFloat16) {
      // Rounded products have tiles of as many columns.
      dense.narrowLanes = getProductColumns(options);
    } else {
      dense.narrowLanes = 16;
      // Two registers multiply what is read of a key or value: processors that
      // multiply twice in a cycle read no more often.
      dense.windowLanes =
          std::max<int64_t>(dense.narrowLanes, 2 * options.vectorWidth);
    }
  }
  if (options.vectorize && options.topKTiles)
    dense.topKLanes = 2 * options.vectorWidth;
  // GPUs have caches that are too small, and threads too many.
  dense.sharedTiles = options.vectorize ? options.attentionSharedTiles : 1;
  // As many as tiles that share sources leave.
  if (options.vectorize && options.parallelize && options.shareSegments)
    dense.segmentIterations = 32;
  // GPUs look for e^x to skip corrections, and have no units for sums alone.
  // What is rounded for products is what the model gives.
  dense.baseTwo = options.vectorize && options.baseTwoSoftmax &&
                  options.precision == Precision::Float32;
  functions.addPass(createConvertGNNToLinalgPass(dense));
  ConvertGNNToSCFPassOptions rows;
  rows.vectorWidth = options.vectorize ? options.vectorWidth : 0;
  rows.attentionEdges = options.attentionEdges;
  rows.longRowEdges = options.longRowEdges;
  // Threads of a GPU are too many for parts of this size.
  if (options.vectorize)
    rows.longSegmentEdges = options.longSegmentEdges;
  rows.featureTile = options.featureTile;
  if (options.vectorize && options.tileAccumulators) {
    // Where there are many registers, half as many again may be in memory,
    // which takes less than reading rows in parts.
    int64_t numRegisters = options.vectorRegisters;
    rows.gatheredElements =
        (numRegisters >= 32 ? 48 : numRegisters) * options.vectorWidth;
    rows.orderedElements = 32 * options.vectorWidth;
  }
  rows.twoPassSoftmax = options.vectorize && options.twoPassSoftmax;
  rows.parallelGraphs = options.parallelGraphs;
  rows.parallelEdges = options.parallelEdges;
  functions.addPass(createConvertGNNToSCFPass(rows));
  addCleanup(pm);
  pm.nest<func::FuncOp>().addPass(createVerifyLoweredPass());
}

static LowerRoundedProductsPassOptions
getRoundedOptions(const GNNToLLVMOptions &options) {
  LowerMatmulPassOptions matmul = getMatmulOptions(options);
  LowerRoundedProductsPassOptions rounded;
  rounded.vectorWidth = matmul.vectorWidth;
  rounded.columnVectors = matmul.columnVectors;
  rounded.rowTile = matmul.rowTile;
  rounded.dotProducts = options.bfloat16Instructions;
  rounded.matrixTiles = options.matrixTiles;
  // AMX is faster than the third cache: each block reads all of a large second
  // factor from there.
  if (options.matrixTiles)
    rounded.minBlocks = 4;
  rounded.mixTiles = options.mixTiles;
  rounded.shareFactors = options.pack;
  return rounded;
}

void gnn::buildVectorizePipeline(OpPassManager &pm,
                                 const GNNToLLVMOptions &options) {
  if (options.fuseRowProducts && options.vectorize)
    pm.nest<func::FuncOp>().addPass(createFuseRowProductsPass());
  // While loops follow the row pointers of the graph.
  if (options.fuseEdgeRows && options.vectorize)
    pm.nest<func::FuncOp>().addPass(createFuseEdgeRowsPass());
  // Before fusion, which would take values apart again.
  if (options.splitPreparation) {
    if (options.clusterRows && options.vectorize) {
      ClusterRowsPassOptions cluster;
      cluster.cacheBytes = options.secondCacheBytes;
      pm.nest<func::FuncOp>().addPass(createClusterRowsPass(cluster));
    }
    if (options.orderRows && options.vectorize)
      pm.nest<func::FuncOp>().addPass(createOrderRowsPass());
    pm.addPass(createSplitPreparationPass());
  }
  bool isRounded = options.precision == Precision::BFloat16;
  if (options.hoistMasks && (options.vectorize || isRounded))
    pm.nest<func::FuncOp>().addPass(createHoistMasksPass());
  if (isRounded)
    pm.nest<func::FuncOp>().addPass(createRoundProductsPass());
  if (options.vectorize) {
    if (options.splitBatches)
      pm.nest<func::FuncOp>().addPass(createSplitBatchesPass());
    // Rounded factors are products of pairs.
    if (options.reduceSingleColumns && !isRounded)
      pm.nest<func::FuncOp>().addPass(createReduceSingleColumnsPass());
    // Before fusion, which would fold the reshape to heads into the product.
    PackMatmulPassOptions pack;
    pack.columns = getProductColumns(options);
    pack.narrowColumns = getNarrowColumns(options);
    pack.vectorWidth = options.vectorWidth;
    pack.depthMultiple = getDepthMultiple(options);
    // Rows so far apart leave a column of tiles a quarter of the sets.
    pack.aliasedBytes = 4 * sizeof(float) * pack.columns;
    if (options.pack)
      pm.nest<func::FuncOp>().addPass(createPackMatmulPass(pack));
    if (isRounded)
      pm.nest<func::FuncOp>().addPass(
          createLowerRoundedProductsPass(getRoundedOptions(options)));
    if (options.copyTiles)
      pm.nest<func::FuncOp>().addPass(createCopyTilesPass());
    pm.nest<func::FuncOp>().addPass(
        createLowerMatmulPass(getMatmulOptions(options)));
  }
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.nest<func::FuncOp>().addPass(createDropEmptyPartsPass());
  FuseElementwisePassOptions elementwise;
  elementwise.repeatCostly = !options.keepCostly;
  pm.nest<func::FuncOp>().addPass(createFuseElementwisePass(elementwise));
  addCleanup(pm);
  if (options.vectorize) {
    OpPassManager &functions = pm.nest<func::FuncOp>();
    if (options.fuseRowSums)
      functions.addPass(createFuseRowSumsPass());
    if (options.fuseEpilogues)
      functions.addPass(createFuseEpiloguesPass());
    if (options.finishPanels)
      functions.addPass(createFinishPanelsPass());
    if (options.fuseRowLoops) {
      FuseRowLoopsPassOptions rows;
      rows.vectorWidth = options.vectorWidth;
      functions.addPass(createFuseRowLoopsPass(rows));
    }
    TileTransposesPassOptions transposes;
    transposes.vectorWidth = options.vectorWidth;
    functions.addPass(createTileTransposesPass(transposes));
    if (options.tileNarrowRows && options.fillRegisters) {
      TileNarrowRowsPassOptions narrow;
      narrow.vectorWidth = options.vectorWidth;
      functions.addPass(createTileNarrowRowsPass(narrow));
    }
    TileDynamicLoopsPassOptions loops;
    loops.sumRows = options.sumRows;
    loops.fillRows = options.fillRows;
    functions.addPass(createTileDynamicLoopsPass(loops));
    if (options.sliceLookups)
      functions.addPass(createSliceLookupsPass());
    functions.addPass(createVectorizeFeaturesPass());
    functions.addPass(createLoopCanonicalizerPass());
    PromoteLoopTensorsPassOptions promote;
    promote.vectorWidth = options.fillRegisters ? options.vectorWidth : 0;
    promote.unitDimensions = options.promoteUnitDimensions;
    if (options.promoteLoopTensors)
      functions.addPass(createPromoteLoopTensorsPass(promote));
  }
  addCleanup(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCSEPass());
}

void gnn::addBufferization(OpPassManager &pm, const GNNToLLVMOptions &options) {
  pm.nest<func::FuncOp>().addPass(createProtectArgumentsPass());
  pm.nest<func::FuncOp>().addPass(createResolveLoopDimsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // A loop over layers makes other rows of those it has.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // What both branches of an scf.if yield; a layout that nothing is known of
  // would have no vector loads.
  bufferize.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(createDeclareConstantsPass());
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  if (options.joinLayouts)
    pm.nest<func::FuncOp>().addPass(createJoinLayoutsPass());
  addCleanup(pm);
}

void gnn::buildBufferizePipeline(OpPassManager &pm,
                                 const GNNToLLVMOptions &options) {
  addBufferization(pm, options);
  // A tile's memory serves all tiles of a loop.
  pm.nest<func::FuncOp>().addPass(
      bufferization::createBufferLoopHoistingPass());
  // Tiles of attention are 16 KiB; more would be much for a thread's stack.
  bufferization::PromoteBuffersToStackPassOptions stack;
  stack.maxAllocSizeInBytes = 16384;
  pm.nest<func::FuncOp>().addPass(
      bufferization::createPromoteBuffersToStackPass(stack));
  bufferization::buildBufferDeallocationPipeline(pm);
  addCleanup(pm);
  // What is left are copies of arguments and constants that are returned.
  pm.addPass(createConvertBufferizationToMemRefPass());
  if (options.forwardRows)
    pm.nest<func::FuncOp>().addPass(createForwardRowsPass());
  if (options.forwardParts)
    pm.nest<func::FuncOp>().addPass(createForwardPartsPass());
  if (options.copyRows)
    pm.nest<func::FuncOp>().addPass(createCopyRowsPass());
  if (options.freeEarly)
    pm.nest<func::FuncOp>().addPass(createFreeEarlyPass());
  pm.nest<func::FuncOp>().addPass(createLowerCopiesPass());
  pm.nest<func::FuncOp>().addPass(createConvertLinalgToLoopsPass());
}

void gnn::buildToLLVMDialectPipeline(OpPassManager &pm,
                                     const GNNToLLVMOptions &options) {
  pm.nest<func::FuncOp>().addPass(createVerifyBufferizedPass());
  if (options.matrixTiles)
    pm.nest<func::FuncOp>().addPass(createUseMatrixTilesPass());
  if (options.vectorize && options.fillRegisters) {
    FillRegistersPassOptions fill;
    fill.vectorWidth = options.vectorWidth;
    pm.nest<func::FuncOp>().addPass(createFillRegistersPass(fill));
  }
  if (options.stream) {
    StreamRowsPassOptions stream;
    stream.minimumBytes = options.streamBytes;
    stream.minimumGatheredBytes = options.streamGatheredBytes;
    stream.pieceBytes = options.streamPieceBytes;
    pm.nest<func::FuncOp>().addPass(createStreamRowsPass(stream));
  }
  // While what is read of a row can be seen in indices and sizes.
  if (options.prefetch) {
    pm.nest<func::FuncOp>().addPass(createPrefetchRowsPass());
    pm.nest<func::FuncOp>().addPass(createPrefetchSegmentsPass());
    pm.nest<func::FuncOp>().addPass(createPrefetchWindowsPass());
    pm.nest<func::FuncOp>().addPass(createPrefetchTilesPass());
  }
  if (options.parallelize && options.divideColumns)
    pm.nest<func::FuncOp>().addPass(createDivideColumnsPass());
  if (options.vectorize && options.pairMaxima)
    pm.nest<func::FuncOp>().addPass(createPairMaximaPass());
  if (options.ignoreNaN)
    pm.nest<func::FuncOp>().addPass(createIgnoreNaNPass());
  if (options.relaxZeroSigns)
    pm.nest<func::FuncOp>().addPass(createRelaxZeroSignsPass());
  if (options.slopesToMaximum)
    pm.nest<func::FuncOp>().addPass(createSlopesToMaximumPass());
  if (options.tabulateExponentials)
    pm.nest<func::FuncOp>().addPass(createTabulateExponentialsPass(
        TabulateExponentialsPassOptions{options.vectorWidth}));
  if (options.approximateMath)
    pm.nest<func::FuncOp>().addPass(createApproximateMathPass());
  pm.nest<func::FuncOp>().addPass(createLowerDynamicReshapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  addCleanup(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.nest<func::FuncOp>().addPass(createForallToParallelLoopPass());
  if (options.parallelize) {
    pm.addPass(createConvertSCFToOpenMPPass());
    if (options.serializeSmallLoops)
      pm.nest<func::FuncOp>().addPass(createSerializeSmallLoopsPass());
    if (options.balance)
      pm.addPass(createBalanceRowsPass());
    if (options.divideLoops)
      pm.addPass(createDivideLoopsPass());
  }
  if (options.stream)
    pm.nest<func::FuncOp>().addPass(createFenceStreamsPass());
  pm.nest<func::FuncOp>().addPass(createHoistStackBuffersPass());
  if (options.parallelize && options.outline) {
    // What is computed twice would be two arguments.
    pm.addPass(createCSEPass());
    pm.addPass(createOutlineParallelRegionsPass());
  }
  if (options.deferNaN) {
    DeferNaNPassOptions defer;
    defer.vectorWidth = options.vectorWidth;
    defer.maskRegisters = options.maskRegisters;
    pm.nest<func::FuncOp>().addPass(createDeferNaNPass(defer));
  }
  if (options.reduceExtrema) {
    ReduceExtremaPassOptions reduce;
    reduce.vectorWidth = options.vectorWidth;
    pm.nest<func::FuncOp>().addPass(createReduceExtremaPass(reduce));
  }
  // From here on nothing is canonicalised: it would turn vectors that are put
  // together from rows into single elements.
  if (options.reduceRows) {
    ReduceRowsPassOptions reduce;
    reduce.vectorWidth = options.vectorWidth;
    pm.nest<func::FuncOp>().addPass(createReduceRowsPass(reduce));
  }
  if (!options.bfloat16Instructions)
    pm.nest<func::FuncOp>().addPass(createExpandBFloat16Pass());
  LowerVectorsPassOptions lower;
  lower.vectorWidth = options.vectorWidth;
  pm.nest<func::FuncOp>().addPass(createLowerVectorsPass(lower));
  if (options.splitVectors) {
    SplitVectorsPassOptions split;
    split.vectorWidth = options.vectorWidth;
    pm.nest<func::FuncOp>().addPass(createSplitVectorsPass(split));
  }
  if (options.splitAccesses) {
    SplitAccessesPassOptions split;
    split.vectorWidth = options.vectorWidth;
    pm.nest<func::FuncOp>().addPass(createSplitAccessesPass(split));
  }
  if (options.peelProducts)
    pm.nest<func::FuncOp>().addPass(createPeelProductsPass());
  pm.addPass(createSCFToControlFlowPass());
  if (options.matrixTiles)
    pm.addPass(createCarryMatrixTilesPass());
  pm.addPass(createCallMathLibraryPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  ConvertVectorToLLVMPassOptions vectorToLLVM;
  // A reduction over features adds in a tree; the order is fixed, so results
  // are the same from run to run.
  vectorToLLVM.reassociateFPReductions = true;
  vectorToLLVM.x86Vector = options.bfloat16Instructions;
  vectorToLLVM.amx = options.matrixTiles;
  pm.addPass(createConvertVectorToLLVMPass(vectorToLLVM));
  pm.addPass(createLowerToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (options.foldDescriptors)
    pm.nest<LLVM::LLVMFuncOp>().addPass(createFoldDescriptorsPass());
  if (options.stream && options.vectorWidth * 4 < lineBytes) {
    OrderStreamsPassOptions order;
    order.vectorWidth = options.vectorWidth;
    pm.nest<LLVM::LLVMFuncOp>().addPass(createOrderStreamsPass(order));
  }
  if (!options.bfloat16Instructions)
    pm.addPass(createStoreBFloat16Pass());
  pm.addPass(createUseSessionMemoryPass());
  if (options.separateOffsets)
    pm.nest<LLVM::LLVMFuncOp>().addPass(createSeparateOffsetsPass());
  pm.addPass(createCSEPass());
}

void gnn::buildGNNToLLVMPipeline(OpPassManager &pm,
                                 const GNNToLLVMOptions &options) {
  buildOptimizePipeline(pm, options);
  buildLowerPipeline(pm, options);
  buildVectorizePipeline(pm, options);
  buildBufferizePipeline(pm, options);
  buildToLLVMDialectPipeline(pm, options);
}

void gnn::registerPipelines() {
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-to-llvm", "Lower gnn IR to the LLVM dialect for the CPU",
      buildGNNToLLVMPipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-stage-optimize", "Stage 1 of gnn-to-llvm: gnn to gnn",
      buildOptimizePipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-stage-lower", "Stage 2 of gnn-to-llvm: gnn to linalg and scf",
      buildLowerPipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-stage-vectorize", "Stage 3 of gnn-to-llvm: linalg to vector",
      buildVectorizePipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-stage-bufferize", "Stage 4 of gnn-to-llvm: tensors to buffers",
      buildBufferizePipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-stage-to-llvm-dialect",
      "Stage 5 of gnn-to-llvm: buffers and loops to the LLVM dialect",
      buildToLLVMDialectPipeline);
}
