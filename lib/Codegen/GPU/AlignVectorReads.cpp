//===- AlignVectorReads.cpp - Vectors of a row in one load ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_ALIGNVECTORREADSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct AlignVectorRead : public OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    VectorType type = read.getVectorType();
    if (!isa<MemRefType>(read.getBase().getType()) || type.getRank() != 1 ||
        !read.getPermutationMap().isMinorIdentity() || read.getMask() ||
        read.hasOutOfBoundsDim())
      return rewriter.notifyMatchFailure(
          read, "is no vector of elements that are there, next to each other");
    Location loc = read.getLoc();
    int64_t size = type.getDimSize(0);
    if (isMultiple(read.getIndices().back(), size) &&
        getAlignment(read.getBase(), size) == size) {
      int64_t bytes = size * type.getElementTypeBitWidth() / 8;
      rewriter.replaceOpWithNewOp<vector::LoadOp>(
          read, type, read.getBase(), read.getIndices(),
          /*nontemporal=*/false, llvm::Align(bytes));
      return success();
    }
    SmallVector<Value> elements, place(read.getIndices());
    for (int64_t i = 0; i < size; ++i) {
      Value offset = arith::ConstantIndexOp::create(rewriter, loc, i);
      place.back() = arith::AddIOp::create(rewriter, loc,
                                           read.getIndices().back(), offset);
      elements.push_back(
          memref::LoadOp::create(rewriter, loc, read.getBase(), place));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(read, type, elements);
    return success();
  }
};

struct AlignVectorReadsPass
    : public gnn::impl::AlignVectorReadsPassBase<AlignVectorReadsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AlignVectorRead>(&getContext());
    vector::ExtractOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
