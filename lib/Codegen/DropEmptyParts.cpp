//===- DropEmptyParts.cpp - Concatenations without empty parts --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {
#define GEN_PASS_DEF_DROPEMPTYPARTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct DropEmptyParts : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts =
        llvm::filter_to_vector(op.getInputs(), [&](Value part) {
          return cast<ShapedType>(part.getType()).getDimSize(op.getDim()) != 0;
        });
    if (parts.empty() || parts.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(op, "no part is known to be empty");
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, op.getType(), op.getDim(),
                                                  parts);
    return success();
  }
};

struct DropEmptyPartsPass
    : public gnn::impl::DropEmptyPartsPassBase<DropEmptyPartsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DropEmptyParts>(&getContext());
    // One part alone is no concatenation.
    tensor::ConcatOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
