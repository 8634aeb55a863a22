//===- SumEdgeRows.cpp - Sums before linear layers of edges -----*- C++ -*-===//
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
#define GEN_PASS_DEF_SUMEDGEROWSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Adds `bias` to the rows of nodes that have edges, as often as they have for
/// a sum, once for a mean.
static Value addBias(OpBuilder &builder, Location loc, Value graph, Value rows,
                     Value bias, bool isMean) {
  auto type = cast<RankedTensorType>(rows.getType());
  Type element = type.getElementType();
  Value degree = DegreeOp::create(
      builder, loc, RankedTensorType::get({ShapedType::kDynamic}, element),
      NodeSide::Destination, graph);
  return createRowUpdate(
      builder, loc, {rows, degree}, bias,
      [&](OpBuilder &b, Location l, ValueRange args) -> Value {
        Value count = args[1];
        if (isMean) {
          Value one =
              arith::ConstantOp::create(b, l, b.getFloatAttr(element, 1.0));
          count = arith::MinimumFOp::create(b, l, count, one);
        }
        Value product = arith::MulFOp::create(b, l, args[2], count);
        return arith::AddFOp::create(b, l, args[0], product);
      });
}

namespace {
struct SumBeforeLayer : public OpRewritePattern<AggregateOp> {
  SumBeforeLayer(MLIRContext *context,
                 llvm::function_ref<void()> notifyReordered)
      : OpRewritePattern(context), notifyReordered(notifyReordered) {}

  LogicalResult matchAndRewrite(AggregateOp op,
                                PatternRewriter &rewriter) const override {
    auto edges = op.getEdges().getDefiningOp<EdgesFromTensorOp>();
    if (!isSumOrMean(op.getAggregators()) || !edges || !edges->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no sum of rows of edges");
    std::optional<BiasedLayer> match = getBiasedLayer(edges.getTensor(), edges);
    if (!match)
      return rewriter.notifyMatchFailure(op, "they are no linear layer's");
    Location loc = op.getLoc();
    Value rows = match->layer.getInputs()[0];
    auto type = cast<RankedTensorType>(rows.getType());
    Value before = EdgesFromTensorOp::create(
        rewriter, loc,
        EdgesType::get(getContext(), type.getShape().drop_front(),
                       type.getElementType()),
        op.getGraph(), rows);
    auto sums = AggregateOp::create(
        rewriter, loc,
        RankedTensorType::get({ShapedType::kDynamic, type.getDimSize(1)},
                              type.getElementType()),
        op.getAggregators(), op.getGraph(), before);
    Value result =
        createLinearLayer(rewriter, match->layer.getLoc(), sums.getResult(0),
                          match->layer.getInputs()[1]);
    if (UpdateOp bias = match->bias)
      result =
          addBias(rewriter, bias.getLoc(), op.getGraph(), result,
                  bias.getUniform().front(),
                  cast<AggregatorAttr>(op.getAggregators()[0]).getValue() ==
                      Aggregator::Mean);
    rewriter.replaceOp(op, result);
    setCounted(rewriter, match->counts, rows);
    notifyReordered();
    return success();
  }

private:
  llvm::function_ref<void()> notifyReordered;
};

struct SumEdgeRowsPass
    : public gnn::impl::SumEdgeRowsPassBase<SumEdgeRowsPass> {
  void runOnOperation() override {
    numReordered += replaceLinearLayers<SumBeforeLayer>(getOperation());
  }
};
} // namespace
