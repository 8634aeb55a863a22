//===- GNNToSCF.cpp - Lower gnn ops to row loops ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "gnn/Conversion/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTOSCFPASS
#include "gnn/Conversion/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct ConvertGNNToSCFPass
    : public gnn::impl::ConvertGNNToSCFPassBase<ConvertGNNToSCFPass> {
  using ConvertGNNToSCFPassBase::ConvertGNNToSCFPassBase;

  void runOnOperation() override {
    if (featureTile < 1) {
      getOperation()->emitError()
          << "feature-tile must be at least 1, got " << featureTile.getValue();
      return signalPassFailure();
    }
    if (gatheredElements < 0 || orderedElements < 0) {
      getOperation()->emitError()
          << "gathered-elements and ordered-elements must be at least 0, got "
          << gatheredElements.getValue() << " and "
          << orderedElements.getValue();
      return signalPassFailure();
    }
    if (attentionEdges < 1) {
      getOperation()->emitError() << "attention-edges must be at least 1, got "
                                  << attentionEdges.getValue();
      return signalPassFailure();
    }
    if (vectorWidth < 0) {
      getOperation()->emitError()
          << "vector-width must be at least 0, got " << vectorWidth.getValue();
      return signalPassFailure();
    }
    if (longRowEdges < 0) {
      getOperation()->emitError() << "long-row-edges must be at least 0, got "
                                  << longRowEdges.getValue();
      return signalPassFailure();
    }
    if (longSegmentEdges < 0) {
      getOperation()->emitError()
          << "long-segment-edges must be at least 0, got "
          << longSegmentEdges.getValue();
      return signalPassFailure();
    }
    if (failed(verifyRowsHaveElements(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    EdgeLoopOptions loops{featureTile,  gatheredElements, orderedElements,
                          longRowEdges, longSegmentEdges, twoPassSoftmax,
                          parallelEdges};
    populateEdgesToSCFPatterns(patterns, loops);
    populateAggregationToSCFPatterns(patterns, loops);
    populateAttentionToSCFPatterns(
        patterns, {attentionEdges, vectorWidth, longRowEdges, parallelEdges});
    populateSelfLoopsToSCFPatterns(patterns, parallelGraphs);
    populateSortToSCFPatterns(patterns, parallelGraphs, parallelEdges);
    populateCountsToSCFPatterns(patterns, parallelGraphs);
    populateSpreadToSCFPatterns(patterns, parallelEdges);
    populateTopKToSCFPatterns(patterns, parallelEdges);
    populateTopKGraphToSCFPatterns(patterns, parallelEdges);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};
} // namespace
