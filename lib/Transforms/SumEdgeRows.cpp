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

namespace {
/// Sums or means of what a linear layer makes of rows of edges.
struct EdgeLayer {
  linalg::MatmulOp layer;
  /// What adds a bias to it, or null.
  UpdateOp bias;
  /// The ops that ask for the number of rows of what goes.
  SmallVector<tensor::DimOp> counts;
  bool isMean;
};
} // namespace

static FailureOr<EdgeLayer> matchEdgeLayer(AggregateOp op) {
  if (op.getAggregators().size() != 1)
    return failure();
  Aggregator aggregator =
      cast<AggregatorAttr>(op.getAggregators()[0]).getValue();
  auto edges = op.getEdges().getDefiningOp<EdgesFromTensorOp>();
  if ((aggregator != Aggregator::Sum && aggregator != Aggregator::Mean) ||
      !edges || !edges->hasOneUse())
    return failure();
  EdgeLayer result;
  result.isMean = aggregator == Aggregator::Mean;
  Operation *reader = edges;
  Value value = edges.getTensor();
  if (auto update = value.getDefiningOp<UpdateOp>()) {
    if (!getBias(update) || !isReadBy(value, reader, result.counts))
      return failure();
    result.bias = update;
    reader = update;
    value = update.getNode().front();
  }
  result.layer = value.getDefiningOp<linalg::MatmulOp>();
  if (!isLinearLayer(result.layer) || !isReadBy(value, reader, result.counts))
    return failure();
  return result;
}

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
struct SumEdgeRowsPass
    : public gnn::impl::SumEdgeRowsPassBase<SumEdgeRowsPass> {
  void runOnOperation() override {
    SmallVector<AggregateOp> ops;
    getOperation()->walk([&](AggregateOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool hasChanged = false;
    for (AggregateOp op : ops) {
      FailureOr<EdgeLayer> match = matchEdgeLayer(op);
      if (failed(match))
        continue;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, emit(rewriter, op, *match));
      for (tensor::DimOp count : match->counts)
        rewriter.modifyOpInPlace(count, [&] {
          count.getSourceMutable().assign(match->layer.getInputs()[0]);
        });
      ++numReordered;
      hasChanged = true;
    }
    if (hasChanged)
      eraseDeadOps(getOperation());
  }

private:
  static Value emit(OpBuilder &builder, AggregateOp op, EdgeLayer &match) {
    Location loc = op.getLoc();
    Value rows = match.layer.getInputs()[0];
    auto type = cast<RankedTensorType>(rows.getType());
    Value edges = EdgesFromTensorOp::create(
        builder, loc,
        EdgesType::get(builder.getContext(), type.getShape().drop_front(),
                       type.getElementType()),
        op.getGraph(), rows);
    auto sums = AggregateOp::create(
        builder, loc,
        RankedTensorType::get({ShapedType::kDynamic, type.getDimSize(1)},
                              type.getElementType()),
        op.getAggregators(), op.getGraph(), edges);
    Value result =
        createLinearLayer(builder, match.layer.getLoc(), sums.getResult(0),
                          match.layer.getInputs()[1]);
    if (!match.bias)
      return result;
    return addBias(builder, match.bias.getLoc(), op.getGraph(), result,
                   match.bias.getUniform().front(), match.isMean);
  }
};
} // namespace
