//===- ExpandBFloat16.cpp - Rounding by integer instructions ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "BFloat16.h"
#include "gnn/Codegen/Passes.h"
#include "gnn/Support/FindOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace gnn {
#define GEN_PASS_DEF_EXPANDBFLOAT16PASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// `type` with other elements.
static Type withElements(Type type, Type elementType) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(elementType) : elementType;
}

/// Whether `op` is a named op of linalg that computes with bfloat16: it is what
/// its body computes, which can't become anything else.
static bool isNamedComputation(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && !isa<linalg::GenericOp>(op) &&
         !llvm::hasSingleElement(*structured.getBlock()) &&
         findOp(op, hasBFloat16);
}

/// What ops compute in bfloat16 becomes the same in float32, rounded.
static LogicalResult computeInFloat32(Operation *root) {
  MLIRContext *context = root->getContext();
  Builder b(context);
  TypeConverter converter, functions;
  arith::populateEmulateUnsupportedFloatsConversions(
      converter, {b.getBF16Type()}, b.getF32Type());
  llvm::SetVector<Type> others;
  others.insert_range(
      ArrayRef<Type>{b.getF16Type(), b.getF32Type(), b.getF64Type()});
  math::populateExtendToSupportedTypesTypeConverter(functions, others,
                                                    b.getF32Type());
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  math::populateExtendToSupportedTypesConversionTarget(target, functions);
  // MLIR leaves these, which some targets have for all types.
  target.addDynamicallyLegalOp<math::FmaOp>(
      [&](math::FmaOp op) { return functions.isLegal(op.getType()); });
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  math::populateExtendToSupportedTypesPatterns(patterns, functions);
  return applyPartialConversion(root, target, std::move(patterns));
}

namespace {
/// Constants and casts of numbers or vectors of the shape of `type`.
struct BitsBuilder {
  PatternRewriter &b;
  Location loc;
  Type bits, halves;

  BitsBuilder(PatternRewriter &b, Location loc, Type type)
      : b(b), loc(loc), bits(withElements(type, b.getI32Type())),
        halves(withElements(type, b.getI16Type())) {}

  Value constant(int32_t value) {
    TypedAttr attribute = b.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(bits))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(b, loc, attribute);
  }
};

/// Half of what the last place is worth is added, less a bit where that place
/// is even. The choice for NaN is one of integers, too: few targets have
/// registers for bfloat16.
struct ExpandRounding : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(value).isF32() ||
        !getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "it is another conversion");
    Location loc = op.getLoc();
    BitsBuilder b(rewriter, loc, op.getType());
    Value bits = arith::BitcastOp::create(rewriter, loc, b.bits, value);
    Value sixteen = b.constant(16);
    Value isOdd = arith::AndIOp::create(
        rewriter, loc, arith::ShRUIOp::create(rewriter, loc, bits, sixteen),
        b.constant(1));
    Value half =
        arith::AddIOp::create(rewriter, loc, isOdd, b.constant(0x7fff));
    Value rounded = arith::AddIOp::create(rewriter, loc, bits, half);
    Value isNaN = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNO, value, value);
    Value quiet =
        arith::OrIOp::create(rewriter, loc, bits, b.constant(0x400000));
    rounded = arith::SelectOp::create(rewriter, loc, isNaN, quiet, rounded);
    Value upper = arith::TruncIOp::create(
        rewriter, loc, b.halves,
        arith::ShRUIOp::create(rewriter, loc, rounded, sixteen));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), upper);
    return success();
  }
};

/// Through float32, whose last bit is set where that is not exact: rounded
/// twice, a number that is just beyond the middle of two would become the
/// middle and then the even one.
struct NarrowRounding : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(value).isF64() ||
        !getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "it is another conversion");
    Location loc = op.getLoc();
    BitsBuilder b(rewriter, loc, op.getType());
    Type single = withElements(op.getType(), rewriter.getF32Type());
    Value nearest = arith::TruncFOp::create(rewriter, loc, single, value);
    Value again =
        arith::ExtFOp::create(rewriter, loc, value.getType(), nearest);
    Value bits = arith::BitcastOp::create(rewriter, loc, b.bits, nearest);
    Value one = b.constant(1);
    Value isOdd = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(rewriter, loc, bits, one), b.constant(0));
    Value isExact = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UEQ, again, value);
    Value isLarger =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(rewriter, loc, again),
                              math::AbsFOp::create(rewriter, loc, value));
    Value beside = arith::SelectOp::create(
        rewriter, loc, isLarger,
        arith::SubIOp::create(rewriter, loc, bits, one),
        arith::AddIOp::create(rewriter, loc, bits, one));
    Value odd = arith::SelectOp::create(
        rewriter, loc, arith::OrIOp::create(rewriter, loc, isExact, isOdd),
        bits, beside);
    Value sticky = arith::BitcastOp::create(rewriter, loc, single, odd);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), sticky);
    return success();
  }
};

/// The upper half of the bits of float32, from which wider types are exact.
struct ExpandExtension : public OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(value).isBF16())
      return rewriter.notifyMatchFailure(op, "it is another conversion");
    Location loc = op.getLoc();
    BitsBuilder b(rewriter, loc, op.getType());
    Type single = withElements(op.getType(), rewriter.getF32Type());
    Value half = arith::BitcastOp::create(rewriter, loc, b.halves, value);
    Value bits = arith::ShLIOp::create(
        rewriter, loc, arith::ExtUIOp::create(rewriter, loc, b.bits, half),
        b.constant(16));
    Value extended = arith::BitcastOp::create(rewriter, loc, single, bits);
    if (single != op.getType())
      extended = arith::ExtFOp::create(rewriter, loc, op.getType(), extended);
    rewriter.replaceOp(op, extended);
    return success();
  }
};

struct ExpandBFloat16Pass
    : public gnn::impl::ExpandBFloat16PassBase<ExpandBFloat16Pass> {
  void runOnOperation() override {
    if (!findOp(getOperation(), hasBFloat16))
      return;
    if (Operation *op = findOp(getOperation(), isNamedComputation)) {
      op->emitOpError("computes with bfloat16, which is to be lowered to loops "
                      "before; run convert-linalg-to-loops");
      return signalPassFailure();
    }
    if (failed(computeInFloat32(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<NarrowRounding, ExpandRounding, ExpandExtension>(
        &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
