//===- ExpToExp2.cpp - Exponentials in powers of two ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace gnn {
#define GEN_PASS_DEF_EXPTOEXP2PASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct ExpAsExp2 : public OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "there is no instruction for it");
    Value factor = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getF32FloatAttr(llvm::numbers::log2ef));
    Value scaled =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getOperand(), factor);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, scaled);
    return success();
  }
};

struct ExpToExp2Pass : public gnn::impl::ExpToExp2PassBase<ExpToExp2Pass> {
  using ExpToExp2PassBase::ExpToExp2PassBase;

  void runOnOperation() override {
    foldDifferences();
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpAsExp2>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  void foldDifferences();
};
} // namespace

/// Is `value` the larger one of `other` and something, or what stands for it
/// where there is no maximum?
static bool isMaximumWith(Value value, Value other) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return isMaximumWith(select.getTrueValue(), other) ||
           isMaximumWith(select.getFalseValue(), other);
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(op) &&
         llvm::is_contained(op->getOperands(), other);
}

/// exp(x - y) for many x is 2^(x / ln 2 - y / ln 2), of which one multiply-add
/// is left for each x.
void ExpToExp2Pass::foldDifferences() {
  llvm::MapVector<Value, SmallVector<math::ExpOp>> differences;
  getOperation()->walk([&](math::ExpOp op) {
    auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
    if (difference && difference->hasOneUse() && op.getType().isF32() &&
        !isMaximumWith(difference.getRhs(), difference.getLhs()))
      differences[difference.getRhs()].push_back(op);
  });
  IRRewriter rewriter(&getContext());
  for (auto &[subtrahend, ops] : differences) {
    if (static_cast<int64_t>(ops.size()) < minDifferences)
      continue;
    Location loc = ops.front().getLoc();
    rewriter.setInsertionPointAfterValue(subtrahend);
    Value factor = arith::ConstantOp::create(
        rewriter, loc, rewriter.getF32FloatAttr(llvm::numbers::log2ef));
    Value negative = arith::NegFOp::create(
        rewriter, loc,
        arith::MulFOp::create(rewriter, loc, subtrahend, factor));
    for (math::ExpOp op : ops) {
      auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
      rewriter.setInsertionPoint(op);
      Value scaled = math::FmaOp::create(rewriter, loc, difference.getLhs(),
                                         factor, negative);
      rewriter.replaceOpWithNewOp<math::Exp2Op>(op, scaled);
      rewriter.eraseOp(difference);
    }
  }
}
