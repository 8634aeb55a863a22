//===- VectorizeFeatures.cpp - Small linalg ops as vector ops --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "VectorParts.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace gnn {
#define GEN_PASS_DEF_VECTORIZEFEATURESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Loads of single elements in the body would become gathers of one lane.
static bool readsElements(linalg::LinalgOp op) {
  return !op.getBlock()->getOps<tensor::ExtractOp>().empty();
}

/// Vectors longer than registers are transposed element by element.
static bool isWideTranspose(linalg::LinalgOp op) {
  constexpr int64_t maxSide = 16;
  return isa<linalg::TransposeOp>(op.getOperation()) &&
         llvm::any_of(op.getStaticLoopRanges(),
                      [](int64_t size) { return size > maxSide; });
}

/// Whether a reduction runs along a loop along which nothing differs that it
/// reads: linalg::vectorize would take such a value once, however long the
/// loop.
static bool repeatsValues(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  return llvm::any_of(loops, [&](unsigned loop) {
    return llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      return !op.getMatchingBlockArgument(input).use_empty() &&
             op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
    });
  });
}

/// Whether a row of `op` is one of elements that are no whole bytes.
static bool hasPackedRows(linalg::LinalgOp op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto row = dyn_cast<RankedTensorType>(type);
    return row && row.getRank() > 0 && !hasWholeBytes(row.getElementType());
  });
}

namespace {
struct VectorizeFeaturesPass
    : public gnn::impl::VectorizeFeaturesPassBase<VectorizeFeaturesPass> {
  using VectorizeFeaturesPassBase::VectorizeFeaturesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      SmallVector<int64_t> ranges = op.getStaticLoopRanges();
      if (op.hasPureTensorSemantics() && !readsElements(op) &&
          !isWideTranspose(op) && !repeatsValues(op) && !hasPackedRows(op) &&
          !llvm::any_of(ranges, ShapedType::isDynamic) &&
          ShapedType::getNumElements(ranges) <= maxElements)
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      // An op that cannot be vectorised becomes loops after bufferisation.
      FailureOr<linalg::VectorizationResult> result =
          linalg::vectorize(rewriter, op);
      if (succeeded(result))
        rewriter.replaceOp(op, result->replacements);
    }
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorSubsetIntoVectorTransferPatterns(patterns);
    vector::TransferReadOp::getCanonicalizationPatterns(patterns,
                                                        &getContext());
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
