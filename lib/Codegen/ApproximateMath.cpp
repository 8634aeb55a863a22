//===- ApproximateMath.cpp - Polynomials for transcendental functions -----===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Support/FindOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  /// exp(x) of an x in [-88, 88] as 2^n * exp(r). The relative error is below
  /// 5e-7.
  Value expInRange(Value x);
  /// 2^x of an x in [-127, 127] as 2^n * 2^r. The relative error is below 2e-7.
  Value exp2InRange(Value x);

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

Value Emitter::expInRange(Value x) {
  // The fraction of x / ln 2 is rounded away, and n + 127, the exponent of
  // 2^n, is what the last eight bits say.
  Value large = number(countsOnes + 127);
  Value sum = multiplyAdd(x, number(0x1.715476p+0f), large);
  Value n = arith::SubFOp::create(builder, loc, sum, large);
  Value r = multiplyAdd(n, number(-0x1.62e430p-1f), x);
  // The polynomial of degree 5 that is nearest to exp on [-ln 2 / 2, ln 2 /
  // 2] among those with exp's value and slope at 0.
  Value exp = polynomial(
      r, {8.31252e-3f, 4.189011e-2f, 0.16667114f, 0.49999232f, 1.0f, 1.0f});
  return arith::MulFOp::create(builder, loc, exp, power(sum));
}

Value Emitter::exp2InRange(Value x) {
  // As above, but nothing is rounded before the polynomial: that of degree 5
  // with the least relative error on [-1/2, 1/2] among those that are 1 at 0.
  Value large = number(countsOnes + 127);
  Value sum = arith::AddFOp::create(builder, loc, x, large);
  Value n = arith::SubFOp::create(builder, loc, sum, large);
  Value r = arith::SubFOp::create(builder, loc, x, n);
  Value exp2 = polynomial(r, {0x1.5bba14p-10f, 0x1.3cea88p-7f, 0x1.c6b752p-5f,
                              0x1.ebf9bcp-3f, 0x1.62e42ap-1f, 1.0f});
  return arith::MulFOp::create(builder, loc, exp2, power(sum));
}

/// f32, or vectors of as many of them as is known.
static bool isPlainF32(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return getElementTypeOrSelf(type).isF32() && !(vector && vector.isScalable());
}

namespace {
/// exp(x) or 2^x of an x that is at most 0, or bounded: no overflow to mind.
template <typename ExpOp>
struct ExpandBoundedExp : public OpRewritePattern<ExpOp> {
  ExpandBoundedExp(MLIRContext *context)
      : OpRewritePattern<ExpOp>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ExpOp op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isBaseTwo = std::is_same_v<ExpOp, math::Exp2Op>;
    bool isBounded = op->hasAttr(GNNDialect::kBoundedAttr);
    if ((!isBounded && !op->hasAttr(GNNDialect::kNeverPositiveAttr)) ||
        !isPlainF32(op.getType()))
      return rewriter.notifyMatchFailure(op, "it may be infinite or is no f32");
    Location loc = op.getLoc();
    Emitter emit(rewriter, loc, op.getType());
    Value x = op.getOperand();
    // Below, 2^n is 0.
    if (!isBounded)
      x = emit.clamp(x, arith::CmpFPredicate::OGT,
                     isBaseTwo ? -127.0f : -88.0f);
    rewriter.replaceOp(op,
                       isBaseTwo ? emit.exp2InRange(x) : emit.expInRange(x));
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

/// log(1 + x) of an x from 0 to 1 as x P(x). The relative error is
/// below 1.6e-7.
struct ExpandUnitLog1p : public OpRewritePattern<math::Log1pOp> {
  ExpandUnitLog1p(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasAttr(GNNDialect::kUnitIntervalAttr) ||
        !isPlainF32(op.getType()))
      return rewriter.notifyMatchFailure(op, "it may be above 1 or is no f32");
    Emitter emit(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    // The polynomial of degree 8 with the least relative error of log(1 + x) /
    // x on [0, 1] among those that are 1 at 0.
    Value factor =
        emit.polynomial(x, {0x1.5f96d2p-8f, -0x1.ec9912p-6f, 0x1.446bfap-4f,
                            -0x1.19ad8ap-3f, 0x1.88445p-3f, -0x1.fd132p-3f,
                            0x1.5535dap-2f, -0x1.ffff14p-2f, 1.0f});
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, x, factor);
    return success();
  }
};

/// erf(x) as x + x P(x^2) near 0 and 1 - exp(Q(|x|)) with the sign of x from
/// 3/4 on, both without divisions. The relative error is below 2e-7.
struct ExpandErf : public OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!isPlainF32(op.getType()))
      return rewriter.notifyMatchFailure(op, "it is no f32");
    Location loc = op.getLoc();
    Emitter emit(rewriter, loc, op.getType());
    Value x = op.getOperand();
    // Both polynomials are those of their degree with the least relative error
    // of erf: (erf(x) - x) / x over x^2 in [0, 9/16] ...
    Value square = arith::MulFOp::create(rewriter, loc, x, x);
    Value inner = emit.polynomial(square, {4.15882129e-3f, -2.63602453e-2f,
                                           1.12737354e-1f, -3.76119296e-1f,
                                           1.28379086e-1f});
    Value near = emit.multiplyAdd(x, inner, x);
    // ... and log(1 - erf(x)) over [3/4, 4], beyond which erf is 1.
    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    Value limited = emit.clamp(magnitude, arith::CmpFPredicate::OLT, 4.0f);
    Value logarithm = emit.polynomial(
        limited, {-1.42656449e-3f, 1.68682269e-2f, -9.47951211e-2f,
                  -6.45637329e-1f, -1.12364640f, -9.68599261e-4f});
    Value positive = arith::SubFOp::create(rewriter, loc, emit.number(1.0f),
                                           emit.expInRange(logarithm));
    Value far = math::CopySignOp::create(rewriter, loc, positive, x);
    // NaN is near.
    Value isFar =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT,
                              magnitude, emit.number(0.75f));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isFar, far, near);
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
           math::TanhOp::getOperationName()},
          name);
    };
    // MLIR's patterns would mix tensors and numbers.
    Operation *onTensors = findOp(getOperation(), [&](Operation *op) {
      bool isReplaced =
          isa<math::ErfOp>(op) || isWanted(op->getName().getStringRef());
      return isReplaced && isa<TensorType>(op->getResult(0).getType());
    });
    if (onTensors) {
      onTensors->emitOpError(
          "computes a tensor, whose elements must be computed one "
          "by one before; run convert-elementwise-to-linalg");
      return signalPassFailure();
    }
    populateMathPolynomialApproximationPatterns(patterns, isWanted);
    patterns.add<ExpandBoundedExp<math::ExpOp>, ExpandBoundedExp<math::Exp2Op>,
                 ExpandExpM1, ExpandUnitLog1p, ExpandErf>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
