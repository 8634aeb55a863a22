//===- MultiplyEdgeRows.cpp - Products of the rows of edges -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {
#define GEN_PASS_DEF_MULTIPLYEDGEROWSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The weights that `op` multiplies the row of each edge by, if it does
/// nothing else and is the sum over k of e[k] W[k, ...].
static std::optional<Weights> getEdgeWeights(MessageOp op) {
  EdgeFunction function = op.getEdgeFunction();
  if (op.getEdge().size() != 1 || op.getUniform().size() != 1 ||
      function.operands.size() != 2 || !function.hasReduction() ||
      !multipliesArguments(function))
    return std::nullopt;
  // Loops of results in their order, the reduction is the first of the weights.
  unsigned numParallel = function.resultMap.getNumResults();
  AffineMap edge = function.operandMaps[0], uniform = function.operandMaps[1];
  if (function.getNumLoops() != numParallel + 1 || edge.getNumResults() != 1 ||
      uniform.getNumResults() != numParallel + 1 ||
      uniform.getResult(0) != edge.getResult(0) ||
      uniform.getResults().drop_front() != function.resultMap.getResults())
    return std::nullopt;
  return getWeights(op.getUniform().front());
}

namespace {
struct MultiplyRows : public OpRewritePattern<MessageOp> {
  MultiplyRows(MLIRContext *context,
               llvm::function_ref<void()> notifyMultiplied, int64_t minBytes)
      : OpRewritePattern(context), notifyMultiplied(notifyMultiplied),
        minBytes(minBytes) {}

  LogicalResult matchAndRewrite(MessageOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Weights> weights = getEdgeWeights(op);
    if (!weights)
      return rewriter.notifyMatchFailure(op, "no product with weights");
    if (int64_t(weights->data.size() * sizeof(float)) < minBytes)
      return rewriter.notifyMatchFailure(op, "the weights are small");
    Location loc = op.getLoc();
    Value edges = op.getEdge().front();
    auto type = cast<EdgesType>(edges.getType());
    EdgesType resultType = op.getResult().getType();
    Value rows = EdgesToTensorOp::create(
        rewriter, loc, type.getTensorType(op.getGraph().getType()),
        op.getGraph(), edges);
    Value products = createLinearLayer(
        rewriter, loc, rows,
        createWeights(
            rewriter, loc, weights->name,
            {type.getShape().front(), llvm::product_of(resultType.getShape())},
            weights->data));
    products =
        splitColumns(rewriter, loc, products, resultType.getShape(), rows);
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, resultType,
                                                   op.getGraph(), products);
    notifyMultiplied();
    return success();
  }

private:
  llvm::function_ref<void()> notifyMultiplied;
  int64_t minBytes;
};

struct MultiplyEdgeRowsPass
    : public gnn::impl::MultiplyEdgeRowsPassBase<MultiplyEdgeRowsPass> {
  using MultiplyEdgeRowsPassBase::MultiplyEdgeRowsPassBase;

  void runOnOperation() override {
    numMultiplied +=
        replaceLinearLayers<MultiplyRows>(getOperation(), minBytes.getValue());
  }
};
} // namespace
