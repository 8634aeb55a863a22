//===- MathToNVVM.cpp - Functions that are instructions ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RoundTF32.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_MATHTONVVMPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// An op of the math dialect as an intrinsic, for scalars of f32 and, unless
/// only that type has an instruction, of f64.
template <typename MathOp>
struct MathAsIntrinsic : public OpRewritePattern<MathOp> {
  MathAsIntrinsic(MLIRContext *context, StringRef intrinsic,
                  bool onlyF32 = false)
      : OpRewritePattern<MathOp>(context), intrinsic(intrinsic),
        onlyF32(onlyF32) {}

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && (onlyF32 || !type.isF64()))
      return rewriter.notifyMatchFailure(op, "there is no instruction for it");
    auto call = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), type,
                                              rewriter.getStringAttr(intrinsic),
                                              op->getOperands());
    rewriter.replaceOp(op, call.getResults());
    return success();
  }

private:
  StringRef intrinsic;
  bool onlyF32;
};

/// The conversion has nothing for an index.
struct ExpandAbsI : public OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AbsIOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getZeroAttr(op.getType()));
    Value negative = arith::SubIOp::create(rewriter, op.getLoc(), zero, x);
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, x, negative);
    return success();
  }
};

/// Integer operations, as gnn-round-products has them.
struct TF32Rounding : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value source = getRoundedToTF32(op);
    if (!source)
      return rewriter.notifyMatchFailure(op, "it chooses something else");
    Value bits = NVVM::ConvertFloatToTF32Op::create(
        rewriter, op.getLoc(), rewriter.getI32Type(), source,
        NVVM::FPRoundingMode::RNA);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

struct MathToNVVMPass : public gnn::impl::MathToNVVMPassBase<MathToNVVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<MathAsIntrinsic<math::Exp2Op>>(context, "llvm.nvvm.ex2.approx",
                                                /*onlyF32=*/true);
    patterns.add<MathAsIntrinsic<math::RsqrtOp>>(
        context, "llvm.nvvm.rsqrt.approx.f", /*onlyF32=*/true);
    patterns.add<MathAsIntrinsic<math::SqrtOp>>(context, "llvm.sqrt");
    patterns.add<MathAsIntrinsic<math::FmaOp>>(context, "llvm.fma");
    patterns.add<MathAsIntrinsic<math::AbsFOp>>(context, "llvm.fabs");
    patterns.add<MathAsIntrinsic<math::FloorOp>>(context, "llvm.floor");
    patterns.add<MathAsIntrinsic<math::CeilOp>>(context, "llvm.ceil");
    patterns.add<MathAsIntrinsic<math::CopySignOp>>(context, "llvm.copysign");
    patterns.add<ExpandAbsI, TF32Rounding>(context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
