//===- FuseElementwise.cpp - Fuse elementwise ops, but not at any cost ----===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether a processor takes much longer for `op` than for a product.
static bool isCostly(Operation &op) {
  if (isa<arith::DivFOp>(op))
    return true;
  return op.getDialect() &&
         op.getDialect()->getNamespace() ==
             math::MathDialect::getDialectNamespace() &&
         !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp>(op);
}

/// Whether each element of `operand` meets several elements of what reads it.
static bool isRepeated(OpOperand *operand) {
  auto reader = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!reader)
    return false;
  AffineMap map = reader.getMatchingIndexingMap(operand);
  SmallVector<int64_t> sizes = reader.getStaticLoopRanges();
  return llvm::any_of(llvm::enumerate(sizes), [&](auto loop) {
    return loop.value() != 1 && !map.isFunctionOfDim(loop.index());
  });
}

/// Whether the op that makes `operand` reads what it overwrites, as what
/// follows a sum does where the sum was stored: fused with what meets an
/// element several times it would change that element each time.
static bool updatesOften(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer && isRepeated(operand) &&
         llvm::any_of(producer.getDpsInitsMutable(), [&](OpOperand &init) {
           return producer.payloadUsesValueFromOperand(&init);
         });
}

static bool computesOften(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer && isRepeated(operand) &&
         llvm::any_of(producer.getBody()->without_terminator(), isCostly);
}

namespace {
struct FuseElementwisePass
    : public gnn::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    auto hasOneReader = [](OpOperand *operand) {
      Operation *producer = operand->get().getDefiningOp();
      return producer && producer->hasOneUse();
    };
    auto isWorthwhile = [this, hasOneReader](OpOperand *operand) {
      return hasOneReader(operand) && !updatesOften(operand) &&
             (repeatCostly || !computesOften(operand));
    };
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, isWorthwhile);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, hasOneReader);
    linalg::populateConstantFoldLinalgOperations(patterns, hasOneReader);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    if (failed(applyPatterns(getOperation(), std::move(patterns),
                             GreedyRewriteConfig().setUseTopDownTraversal())))
      signalPassFailure();
  }
};
} // namespace
