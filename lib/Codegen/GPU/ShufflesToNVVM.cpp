//===- ShufflesToNVVM.cpp - Shuffles among some lanes, and votes ----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warp.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_SHUFFLESTONVVMPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct LowerShuffle : public OpRewritePattern<gpu::ShuffleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::ShuffleOp op,
                                PatternRewriter &rewriter) const override;
};

struct LowerVote : public OpRewritePattern<gpu::SubgroupReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::SubgroupReduceOp op,
                                PatternRewriter &rewriter) const override;
};

struct ShufflesToNVVMPass
    : public gnn::impl::ShufflesToNVVMPassBase<ShufflesToNVVMPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerShuffle, LowerVote>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

LogicalResult LowerShuffle::matchAndRewrite(gpu::ShuffleOp op,
                                            PatternRewriter &rewriter) const {
  APInt constantWidth;
  if (!matchPattern(op.getWidth(), m_ConstantInt(&constantWidth)))
    return rewriter.notifyMatchFailure(op, "the width is not known");
  int64_t width = constantWidth.getSExtValue();
  Type type = op.getValue().getType();
  if (op.getMode() != gpu::ShuffleMode::XOR || width >= kWarp ||
      !llvm::isPowerOf2_64(width) || !op.getValid().use_empty() ||
      !(type.isF32() || type.isInteger(32)))
    return rewriter.notifyMatchFailure(op, "the conversion of the gpu dialect "
                                           "is for this one");
  Location loc = op.getLoc();
  Type i32 = rewriter.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(
        rewriter, loc, i32,
        rewriter.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  Value lane = NVVM::LaneIdOp::create(rewriter, loc, i32);
  Value first = LLVM::AndOp::create(rewriter, loc, lane, constant(-width));
  Value mask = LLVM::ShlOp::create(rewriter, loc,
                                   constant((int64_t(1) << width) - 1), first);
  // The PTX ISA, shfl.sync: lanes whose numbers agree in the bits of a mask are
  // a segment; the lower bits are the last lane of one.
  Value clamp = constant((kWarp - width) << 8 | (kWarp - 1));
  Value result = NVVM::ShflOp::create(rewriter, loc, type, mask, op.getValue(),
                                      op.getOffset(), clamp,
                                      NVVM::ShflKind::bfly, UnitAttr());
  Value unused = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(),
                                          rewriter.getBoolAttr(true));
  rewriter.replaceOp(op, {result, unused});
  return success();
}

LogicalResult LowerVote::matchAndRewrite(gpu::SubgroupReduceOp op,
                                         PatternRewriter &rewriter) const {
  bool isAny = op.getOp() == gpu::AllReduceOperation::OR;
  if (!op.getType().isInteger(1) || !op.getUniform() || op.getClusterSize() ||
      (!isAny && op.getOp() != gpu::AllReduceOperation::AND))
    return rewriter.notifyMatchFailure(op, "no vote of a whole warp");
  Value lanes =
      LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(),
                               rewriter.getI32IntegerAttr(-1));
  rewriter.replaceOpWithNewOp<NVVM::VoteSyncOp>(
      op, op.getType(), lanes, op.getValue(),
      isAny ? NVVM::VoteSyncKind::any : NVVM::VoteSyncKind::all);
  return success();
}
