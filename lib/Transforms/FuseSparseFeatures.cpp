//===- FuseSparseFeatures.cpp - Products of what is not zero ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "gnn/Transforms/SparseMatrix.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_FUSESPARSEFEATURESPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// X W, where X lists its entries, to the sum over the entries of a row of the
/// rows of W that they are in the columns of.
struct SumWeightRows : public OpRewritePattern<linalg::MatmulOp> {
  SumWeightRows(MLIRContext *context, llvm::function_ref<void()> notifyFused)
      : OpRewritePattern(context), notifyFused(notifyFused) {}

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLinearLayer(op))
      return rewriter.notifyMatchFailure(op, "not a linear layer");
    std::optional<SparseMatrix> rows = getSparseMatrix(op.getInputs()[0]);
    if (!rows)
      return rewriter.notifyMatchFailure(op, "the rows are not sparse");
    Value weights = op.getInputs()[1];
    Type elementType = getElementTypeOrSelf(weights.getType());
    if (cast<EdgesType>(rows->edges.getType()).getElementType() !=
            elementType ||
        getElementTypeOrSelf(op.getType(0)) != elementType)
      return rewriter.notifyMatchFailure(op, "element types differ");

    Location loc = op.getLoc();
    AffineMap features = rewriter.getMultiDimIdentityMap(1);
    AffineMap none = AffineMap::get(1, 0, rewriter.getContext());
    auto sum = AggregatorAttr::get(rewriter.getContext(), Aggregator::Sum);
    auto product = MessageAggregateOp::create(
        rewriter, loc, op.getResultTypes(), rewriter.getArrayAttr(sum),
        rows->graph, /*dst=*/ValueRange(), /*src=*/weights,
        /*edge=*/rows->edges, /*uniform=*/ValueRange(),
        rewriter.getAffineMapArrayAttr({features, none, features}),
        rewriter.getStrArrayAttr({StringRef("parallel")}));
    OpBuilder::InsertionGuard guard(rewriter);
    Block *body = rewriter.createBlock(&product.getBody(), {},
                                       {elementType, elementType}, {loc, loc});
    Value term = arith::MulFOp::create(rewriter, loc, body->getArgument(0),
                                       body->getArgument(1));
    YieldOp::create(rewriter, loc, term);
    rewriter.replaceOp(op, product.getResults());
    notifyFused();
    return success();
  }
  llvm::function_ref<void()> notifyFused;
};

/// The number of rows is known without the matrix, which then need not exist.
struct CountRows : public OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SparseMatrix> rows = getSparseMatrix(op.getSource());
    if (!rows || op.getConstantIndex() != 0)
      return rewriter.notifyMatchFailure(op, "not the rows of a sparse matrix");
    rewriter.replaceOpWithNewOp<NumNodesOp>(op, NodeSide::Destination,
                                            rows->graph);
    return success();
  }
};

struct FuseSparseFeaturesPass
    : public gnn::impl::FuseSparseFeaturesPassBase<FuseSparseFeaturesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto count = [&] { ++numFused; };
    patterns.add<SumWeightRows>(&getContext(), count);
    patterns.add<CountRows>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
