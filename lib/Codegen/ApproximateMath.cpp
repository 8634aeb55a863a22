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
/// Arithmetic on values of one type of f32.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value number(float value) {
    return constant(type, builder.getF32FloatAttr(value));
  }
  Value multiplyAdd(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  /// The largest coefficient's first.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value sum = number(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      sum = multiplyAdd(sum, x, number(coefficient));
    return sum;
  }
  /// `bound` where `x` is beyond it; NaN is not.
  Value clamp(Value x, arith::CmpFPredicate isBeyond, float bound) {
    Value limit = number(bound);
    Value beyond = arith::CmpFOp::create(builder, loc, isBeyond, limit, x);
    return arith::SelectOp::create(builder, loc, beyond, limit, x);
  }
  /// 2 to what the last eight bits of `sum` say, less 127.
  Value power(Value sum) {
    Type bitsType = builder.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      bitsType = VectorType::get(vector.getShape(), bitsType);
    Value bits = arith::BitcastOp::create(builder, loc, bitsType, sum);
    Value exponent = arith::ShLIOp::create(
        builder, loc, bits, constant(bitsType, builder.getI32IntegerAttr(23)));
    return arith::BitcastOp::create(builder, loc, type, exponent);
  }

private:
  Value constant(Type ofType, TypedAttr value) {
    if (auto shaped = dyn_cast<VectorType>(ofType))
      value = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(builder, loc, value);
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};
} // namespace

/// A sum with this number is so large that its last bit counts ones.
static constexpr float countsOnes = 0x1.8p23f;

/// f32, or vectors of as many of them as is known.
static bool isPlainF32(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return getElementTypeOrSelf(type).isF32() && !(vector && vector.isScalable());
}

namespace {
/// exp(x) of an x that is at most 0 as 2^n * exp(r): no overflow to mind. The
/// relative error is below 5e-7.
struct ExpandExpOfNegative : public OpRewritePattern<math::ExpOp> {
  ExpandExpOfNegative(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasAttr(GNNDialect::kNeverPositiveAttr) ||
        !isPlainF32(op.getType()))
      return rewriter.notifyMatchFailure(op, "it may be positive or is no f32");
    Location loc = op.getLoc();
    Emitter emit(rewriter, loc, op.getType());
    // Below, 2^n is 0.
    Value x = emit.clamp(op.getOperand(), arith::CmpFPredicate::OGT, -88.0f);
    // The fraction of x / ln 2 is rounded away, and n + 127, the exponent of
    // 2^n, is what the last eight bits say.
    Value large = emit.number(countsOnes + 127);
    Value sum = emit.multiplyAdd(x, emit.number(0x1.715476p+0f), large);
    Value n = arith::SubFOp::create(rewriter, loc, sum, large);
    Value r = emit.multiplyAdd(n, emit.number(-0x1.62e430p-1f), x);
    // The polynomial of degree 5 that is nearest to exp on [-ln 2 / 2, ln 2 /
    // 2] among those with exp's value and slope at 0.
    Value exp = emit.polynomial(
        r, {8.31252e-3f, 4.189011e-2f, 0.16667114f, 0.49999232f, 1.0f, 1.0f});
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, exp, emit.power(sum));
    return success();
  }
};

/// exp(x) - 1 as 2^n * (exp(r) - 1) + 2^n - 1, which is exact in its last part
/// and small where the result is. The relative error is below 1.5e-7.
struct ExpandExpM1 : public OpRewritePattern<math::ExpM1Op> {
  ExpandExpM1(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    if (!isPlainF32(op.getType()))
      return rewriter.notifyMatchFailure(op, "it is no f32");
    Location loc = op.getLoc();
    Emitter emit(rewriter, loc, op.getType());
    // Below, the result is -1, above it is infinite.
    Value x = emit.clamp(op.getOperand(), arith::CmpFPredicate::OGT, -20.0f);
    x = emit.clamp(x, arith::CmpFPredicate::OLT, 89.0f);
    // Half of 2^n: 2^128 is no number, but half of it times less than 2 is.
    Value large = emit.number(countsOnes + 126);
    Value sum = emit.multiplyAdd(x, emit.number(0x1.715476p+0f), large);
    Value n = arith::SubFOp::create(rewriter, loc, sum, large);
    // Products with the first part of ln 2 are exact.
    Value r = emit.multiplyAdd(n, emit.number(-0x1.62e4p-1f), x);
    r = emit.multiplyAdd(n, emit.number(-0x1.7f7d1cp-20f), r);
    // (exp(r) - 1 - r) / r^2 at Chebyshev's points of [-ln 2 / 2, ln 2 / 2].
    Value rest = emit.polynomial(r, {0x1.6d110ap-10f, 0x1.120b6ep-7f,
                                     0x1.55551ap-5f, 0x1.5554dcp-3f, 0.5f});
    Value square = arith::MulFOp::create(rewriter, loc, r, r);
    Value less = emit.multiplyAdd(rest, square, r);
    Value power = emit.power(sum);
    Value whole =
        arith::SubFOp::create(rewriter, loc, power, emit.number(0.5f));
    Value half = emit.multiplyAdd(power, less, whole);
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, half, half);
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
    patterns.add<ExpandExpOfNegative, ExpandExpM1>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
