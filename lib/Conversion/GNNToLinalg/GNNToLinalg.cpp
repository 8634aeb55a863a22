//===- GNNToLinalg.cpp - Lower dense gnn ops to linalg -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "gnn/Conversion/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTOLINALGPASS
#include "gnn/Conversion/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct ConvertGNNToLinalgPass
    : public gnn::impl::ConvertGNNToLinalgPassBase<ConvertGNNToLinalgPass> {
  using ConvertGNNToLinalgPassBase::ConvertGNNToLinalgPassBase;

  void runOnOperation() override {
    if (rowTile < 1 || columnTile < 1) {
      getOperation()->emitError()
          << "attention tiles must be at least 1, got " << rowTile.getValue()
          << " x " << columnTile.getValue();
      return signalPassFailure();
    }
    if (lanes < 0 || narrowLanes < 0 || windowLanes < 0) {
      getOperation()->emitError()
          << "attention lanes must be at least 0, got "
          << std::min({lanes.getValue(), narrowLanes.getValue(),
                       windowLanes.getValue()});
      return signalPassFailure();
    }
    if (sharedTiles < 1) {
      getOperation()->emitError()
          << "tiles of attention must be shared by at least 1, got "
          << sharedTiles.getValue();
      return signalPassFailure();
    }
    if (topKLanes < 0) {
      getOperation()->emitError()
          << "top-k-lanes must be at least 0, got " << topKLanes.getValue();
      return signalPassFailure();
    }
    if (segmentIterations < 0) {
      getOperation()->emitError()
          << "attention-segment-iterations must be at least 0, got "
          << segmentIterations.getValue();
      return signalPassFailure();
    }
    if (failed(verifyRowsHaveElements(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateEdgesToLinalgPatterns(patterns);
    populateAttentionToLinalgPatterns(
        patterns, {rowTile, columnTile, lanes, narrowLanes, windowLanes,
                   tileBytes, sharedTiles, baseTwo, segmentIterations});
    populateTopKGraphToLinalgPatterns(patterns, {topKLanes, columnTile});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};
} // namespace
