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
struct MultiplyEdgeRowsPass
    : public gnn::impl::MultiplyEdgeRowsPassBase<MultiplyEdgeRowsPass> {
  using MultiplyEdgeRowsPassBase::MultiplyEdgeRowsPassBase;

  void runOnOperation() override {
    SmallVector<MessageOp> ops;
    getOperation().walk([&](MessageOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool hasChanged = false;
    for (MessageOp op : ops) {
      std::optional<Weights> weights = getEdgeWeights(op);
      if (!weights || int64_t(weights->data.size() * sizeof(float)) < minBytes)
        continue;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, emit(rewriter, op, *weights));
      ++numMultiplied;
      hasChanged = true;
    }
    if (hasChanged)
      eraseDeadOps(getOperation());
  }

private:
  static Value emit(OpBuilder &builder, MessageOp op, const Weights &weights) {
    Location loc = op.getLoc();
    Value edges = op.getEdge().front();
    auto type = cast<EdgesType>(edges.getType());
    auto resultType = op.getResult().getType();
    int64_t depth = type.getShape().front(),
            width = llvm::product_of(resultType.getShape());
    Value rows = EdgesToTensorOp::create(
        builder, loc, type.getTensorType(op.getGraph().getType()),
        op.getGraph(), edges);
    Value result =
        createLinearLayer(builder, loc, rows,
                          createWeights(builder, loc, weights.name,
                                        {depth, width}, weights.data));
    result = splitColumns(builder, loc, result, resultType.getShape(), rows);
    return EdgesFromTensorOp::create(builder, loc, resultType, op.getGraph(),
                                     result);
  }
};
} // namespace
