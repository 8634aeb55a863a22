//===- ApproximateMath.cpp - Polynomials for transcendental functions -----===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// exp(x) of an x that is at most 0 as 2^n * exp(r): no overflow to mind. The
/// relative error is below 5e-7.
struct ExpandExpOfNegative : public OpRewritePattern<math::ExpOp> {
  ExpandExpOfNegative(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!op->hasAttr(GNNDialect::kNeverPositiveAttr) ||
        !getElementTypeOrSelf(type).isF32() || (vector && vector.isScalable()))
      return rewriter.notifyMatchFailure(op, "it may be positive or is no f32");
    Location loc = op.getLoc();
    auto constant = [&](Type ofType, TypedAttr value) -> Value {
      if (auto shaped = dyn_cast<VectorType>(ofType))
        value = DenseElementsAttr::get(shaped, value);
      return arith::ConstantOp::create(rewriter, loc, value);
    };
    auto number = [&](float value) {
      return constant(type, rewriter.getF32FloatAttr(value));
    };
    auto multiplyAdd = [&](Value a, Value b, Value c) -> Value {
      return math::FmaOp::create(rewriter, loc, a, b, c);
    };
    // Below, 2^n is 0. NaN is not below.
    Value lowest = number(-88.0f);
    Value isBelow = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OGT, lowest, op.getOperand());
    Value x = arith::SelectOp::create(rewriter, loc, isBelow, lowest,
                                      op.getOperand());
    // The sum is so large that its last bit counts ones: the fraction of
    // x / ln 2 is rounded away, and n + 127, the exponent of 2^n, is what the
    // last eight bits say.
    Value large = number(0x1.8p23f + 127);
    Value sum = multiplyAdd(x, number(0x1.715476p+0f), large);
    Value n = arith::SubFOp::create(rewriter, loc, sum, large);
    Value r = multiplyAdd(n, number(-0x1.62e430p-1f), x);
    // The polynomial of degree 5 that is nearest to exp on [-ln 2 / 2, ln 2 /
    // 2] among those with exp's value and slope at 0.
    Value exp = number(8.31252e-3f);
    for (float coefficient :
         {4.189011e-2f, 0.16667114f, 0.49999232f, 1.0f, 1.0f})
      exp = multiplyAdd(exp, r, number(coefficient));
    Type bitsType = rewriter.getI32Type();
    if (vector)
      bitsType = VectorType::get(vector.getShape(), bitsType);
    Value bits = arith::BitcastOp::create(rewriter, loc, bitsType, sum);
    Value exponent = arith::ShLIOp::create(
        rewriter, loc, bits,
        constant(bitsType, rewriter.getI32IntegerAttr(23)));
    Value power = arith::BitcastOp::create(rewriter, loc, type, exponent);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, exp, power);
    return success();
  }
};

struct ApproximateMathPass
    : public gnn::impl::ApproximateMathPassBase<ApproximateMathPass> {
  using ApproximateMathPassBase::ApproximateMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    // What a forward pass computes per element. test/EndToEnd/Math bounds the
    // errors of each.
    auto isWanted = [&](StringRef name) {
      if (trigonometric && (name == math::SinOp::getOperationName() ||
                            name == math::CosOp::getOperationName()))
        return true;
      return llvm::is_contained(
          {math::ExpOp::getOperationName(), math::ExpM1Op::getOperationName(),
           math::LogOp::getOperationName(), math::Log1pOp::getOperationName(),
           math::TanhOp::getOperationName(), math::ErfOp::getOperationName()},
          name);
    };
    populateMathPolynomialApproximationPatterns(patterns, isWanted);
    patterns.add<ExpandExpOfNegative>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
