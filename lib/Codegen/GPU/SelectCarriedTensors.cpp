//===- SelectCarriedTensors.cpp - What loops leave as it was ----*- C++ -*-===//
//-*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ApplyPatterns.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gnn {
#define GEN_PASS_DEF_SELECTCARRIEDTENSORSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// The loop keeps what nobody reads, which folds away.
struct SelectCarriedTensors : public OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    if (loop.getUnsignedCmp())
      return rewriter.notifyMatchFailure(loop, "its bounds have no sign");
    Value runs;
    for (auto [result, yielded, carried, init] :
         llvm::zip_equal(loop.getResults(), loop.getYieldedValues(),
                         loop.getRegionIterArgs(), loop.getInitArgs())) {
      if (!isa<RankedTensorType>(result.getType()) || result.use_empty() ||
          !carried.use_empty() || !loop.isDefinedOutsideOfLoop(yielded))
        continue;
      rewriter.setInsertionPoint(loop);
      if (!runs)
        runs = arith::CmpIOp::create(
            rewriter, loop.getLoc(), arith::CmpIPredicate::slt,
            loop.getLowerBound(), loop.getUpperBound());
      rewriter.replaceAllUsesWith(
          result, arith::SelectOp::create(rewriter, loop.getLoc(), runs,
                                          yielded, init));
    }
    return success(runs != Value());
  }
};

struct SelectCarriedTensorsPass
    : public gnn::impl::SelectCarriedTensorsPassBase<SelectCarriedTensorsPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<SelectCarriedTensors>(context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatterns(getOperation(), patterns)))
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
