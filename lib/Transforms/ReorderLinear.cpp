//===- ReorderLinear.cpp - Aggregate on the narrower side --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_REORDERLINEARPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// A plain product of rows and a weight matrix: the initial value is zero.
static bool isLinearLayer(linalg::MatmulOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.hasUserDefinedMaps())
    return false;
  auto weights = cast<RankedTensorType>(op.getInputs()[1].getType());
  if (!weights.hasStaticShape())
    return false;
  auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// The number of the one src operand the message scales, if the aggregation is
/// linear in it: a sum or mean of its rows times factors without features.
static std::optional<unsigned> getScaledSource(MessageAggregateOp op) {
  if (op.getAggregators().size() != 1)
    return std::nullopt;
  Aggregator aggregator =
      cast<AggregatorAttr>(op.getAggregators()[0]).getValue();
  if (aggregator != Aggregator::Sum && aggregator != Aggregator::Mean)
    return std::nullopt;
  EdgeFunction function = op.getEdgeFunction();
  if (function.getNumLoops() != 1 || function.hasReduction() ||
      !function.body->front().getOps<FeatureIndexOp>().empty())
    return std::nullopt;
  std::optional<unsigned> source;
  for (auto [i, operand] : llvm::enumerate(getEdgeOperands(function))) {
    if (operand.map.getNumResults() == 0)
      continue;
    if (operand.role != OperandRole::Source || source ||
        (operand.argument != function.getYieldedValue() &&
         getProductChain(operand.argument, function.getYieldedValue()).empty()))
      return std::nullopt;
    source = i - op.getDst().size();
  }
  return source;
}

static Value createMatmul(PatternRewriter &rewriter, Location loc, Value rows,
                          Value weights) {
  auto type = cast<RankedTensorType>(weights.getType());
  Value numRows = rewriter.createOrFold<tensor::DimOp>(loc, rows, 0);
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  SmallVector<OpFoldResult> shape{numRows,
                                  rewriter.getIndexAttr(type.getDimSize(1))};
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  Value filled =
      linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  return linalg::MatmulOp::create(rewriter, loc, ValueRange{rows, weights},
                                  ValueRange{filled})
      .getResult(0);
}

/// The same aggregation of other rows.
static Value createAggregation(PatternRewriter &rewriter, MessageAggregateOp op,
                               unsigned source, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<Value> sources(op.getSrc());
  sources[source] = rows;
  auto result = RankedTensorType::get(
      {ShapedType::kDynamic, type.getDimSize(1)}, type.getElementType());
  auto moved = MessageAggregateOp::create(
      rewriter, op.getLoc(), TypeRange{result}, op.getAggregators(),
      op.getGraph(), op.getDst(), sources, op.getEdge(), op.getUniform(),
      op.getIndexingMaps(), op.getIteratorTypes());
  rewriter.cloneRegionBefore(op.getBody(), moved.getBody(),
                             moved.getBody().end());
  return moved.getResult(0);
}

/// The ops that ask for the number of rows of `value`, if nothing but `reader`
/// reads its elements.
static std::optional<SmallVector<tensor::DimOp>>
getRowCounts(Value value, Operation *reader) {
  SmallVector<tensor::DimOp> counts;
  for (OpOperand &use : value.getUses()) {
    auto dim = dyn_cast<tensor::DimOp>(use.getOwner());
    if (dim && dim.getConstantIndex() == 0)
      counts.push_back(dim);
    else if (use.getOwner() != reader)
      return std::nullopt;
  }
  return counts;
}

namespace {
/// A (X W) to (A X) W where X is narrower than X W.
struct AggregateBeforeLinear : public OpRewritePattern<MessageAggregateOp> {
  AggregateBeforeLinear(MLIRContext *context,
                        llvm::function_ref<void()> notifyReordered)
      : OpRewritePattern(context), notifyReordered(notifyReordered) {}

  LogicalResult matchAndRewrite(MessageAggregateOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<unsigned> source = getScaledSource(op);
    if (!source)
      return rewriter.notifyMatchFailure(op, "not linear in one source");
    auto linear = op.getSrc()[*source].getDefiningOp<linalg::MatmulOp>();
    if (!isLinearLayer(linear))
      return rewriter.notifyMatchFailure(op, "the source is no linear layer");
    auto counts = getRowCounts(linear.getResult(0), op);
    if (!counts)
      return rewriter.notifyMatchFailure(op, "the layer is used elsewhere");
    Value weights = linear.getInputs()[1];
    auto type = cast<RankedTensorType>(weights.getType());
    if (type.getDimSize(0) >= type.getDimSize(1))
      return rewriter.notifyMatchFailure(op, "the layer does not widen");
    Value moved =
        createAggregation(rewriter, op, *source, linear.getInputs()[0]);
    rewriter.replaceOp(op,
                       createMatmul(rewriter, linear.getLoc(), moved, weights));
    for (tensor::DimOp count : *counts)
      rewriter.modifyOpInPlace(count, [&] {
        count.getSourceMutable().assign(linear.getInputs()[0]);
      });
    notifyReordered();
    return success();
  }
  llvm::function_ref<void()> notifyReordered;
};

/// (A X) W to A (X W) where X W is narrower than X.
struct LinearBeforeAggregate : public OpRewritePattern<linalg::MatmulOp> {
  LinearBeforeAggregate(MLIRContext *context,
                        llvm::function_ref<void()> notifyReordered)
      : OpRewritePattern(context), notifyReordered(notifyReordered) {}

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLinearLayer(op))
      return rewriter.notifyMatchFailure(op, "not a linear layer");
    auto aggregation = op.getInputs()[0].getDefiningOp<MessageAggregateOp>();
    if (!aggregation)
      return rewriter.notifyMatchFailure(op, "the rows are no aggregation");
    auto counts = getRowCounts(op.getInputs()[0], op);
    if (!counts)
      return rewriter.notifyMatchFailure(op, "the rows are used elsewhere");
    Value weights = op.getInputs()[1];
    auto type = cast<RankedTensorType>(weights.getType());
    if (type.getDimSize(1) >= type.getDimSize(0))
      return rewriter.notifyMatchFailure(op, "the layer does not narrow");
    std::optional<unsigned> source = getScaledSource(aggregation);
    if (!source)
      return rewriter.notifyMatchFailure(op, "not linear in one source");
    rewriter.setInsertionPoint(aggregation);
    for (tensor::DimOp count : *counts)
      rewriter.replaceOpWithNewOp<NumNodesOp>(count, NodeSide::Destination,
                                              aggregation.getGraph());
    // The weights must be known before the aggregation.
    if (Operation *weightsOp = weights.getDefiningOp())
      if (weightsOp->getBlock() == aggregation->getBlock() &&
          !weightsOp->isBeforeInBlock(aggregation))
        rewriter.setInsertionPoint(op);
    Value narrowed = createMatmul(rewriter, op.getLoc(),
                                  aggregation.getSrc()[*source], weights);
    Value moved = createAggregation(rewriter, aggregation, *source, narrowed);
    rewriter.replaceOp(op, moved);
    rewriter.eraseOp(aggregation);
    notifyReordered();
    return success();
  }
  llvm::function_ref<void()> notifyReordered;
};

struct ReorderLinearPass
    : public gnn::impl::ReorderLinearPassBase<ReorderLinearPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto count = [&] { ++numReordered; };
    patterns.add<AggregateBeforeLinear, LinearBeforeAggregate>(&getContext(),
                                                               count);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
