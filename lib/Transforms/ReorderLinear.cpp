//===- ReorderLinear.cpp - Aggregate on the narrower side --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "gnn/Transforms/SparseMatrix.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_REORDERLINEARPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The number of the one src operand the message scales, if the aggregation is
/// linear in it: a sum or mean of its rows times factors without features.
static std::optional<unsigned> getScaledSource(MessageAggregateOp op) {
  if (!isSumOrMean(op.getAggregators()))
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

/// Whether `rows` are those of a sparse matrix or sums of these.
static bool areSumsOfSparseRows(Value rows) {
  while (!getSparseMatrix(rows)) {
    auto aggregation = rows.getDefiningOp<MessageAggregateOp>();
    std::optional<unsigned> source =
        aggregation ? getScaledSource(aggregation) : std::nullopt;
    if (!source)
      return false;
    rows = aggregation.getSrc()[*source];
  }
  return true;
}

/// Whether a linear layer of `rows` comes before what else adds them up: its
/// results are narrower, or the rows sparse, which their sums are not.
static bool isCheaperBefore(Value weights, Value rows) {
  auto type = cast<RankedTensorType>(weights.getType());
  return type.getDimSize(1) < type.getDimSize(0) || areSumsOfSparseRows(rows);
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
    if (!isLinearLayer(linear) || linear->getBlock() != op->getBlock())
      return rewriter.notifyMatchFailure(op, "the source is no linear layer");
    auto counts = getRowCounts(linear.getResult(0), op);
    if (!counts)
      return rewriter.notifyMatchFailure(op, "the layer is used elsewhere");
    Value weights = linear.getInputs()[1];
    auto type = cast<RankedTensorType>(weights.getType());
    if (type.getDimSize(0) >= type.getDimSize(1))
      return rewriter.notifyMatchFailure(op, "the layer does not widen");
    if (areSumsOfSparseRows(linear.getInputs()[0]))
      return rewriter.notifyMatchFailure(op, "the rows are sparse");
    Value moved =
        createAggregation(rewriter, op, *source, linear.getInputs()[0]);
    rewriter.replaceOp(
        op, createLinearLayer(rewriter, linear.getLoc(), moved, weights));
    setCounted(rewriter, *counts, linear.getInputs()[0]);
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
    if (!aggregation || aggregation->getBlock() != op->getBlock())
      return rewriter.notifyMatchFailure(op, "the rows are no aggregation");
    auto counts = getRowCounts(op.getInputs()[0], op);
    if (!counts)
      return rewriter.notifyMatchFailure(op, "the rows are used elsewhere");
    Value weights = op.getInputs()[1];
    std::optional<unsigned> source = getScaledSource(aggregation);
    if (!source)
      return rewriter.notifyMatchFailure(op, "not linear in one source");
    if (!isCheaperBefore(weights, aggregation.getSrc()[*source]))
      return rewriter.notifyMatchFailure(op, "the layer does not narrow");
    rewriter.setInsertionPoint(aggregation);
    for (tensor::DimOp count : *counts)
      rewriter.replaceOpWithNewOp<NumNodesOp>(count, NodeSide::Destination,
                                              aggregation.getGraph());
    // The weights must be known before the aggregation.
    if (Operation *weightsOp = weights.getDefiningOp())
      if (weightsOp->getBlock() == aggregation->getBlock() &&
          !weightsOp->isBeforeInBlock(aggregation))
        rewriter.setInsertionPoint(op);
    Value narrowed = createLinearLayer(rewriter, op.getLoc(),
                                       aggregation.getSrc()[*source], weights);
    Value moved = createAggregation(rewriter, aggregation, *source, narrowed);
    rewriter.replaceOp(op, moved);
    rewriter.eraseOp(aggregation);
    notifyReordered();
    return success();
  }
  llvm::function_ref<void()> notifyReordered;
};

/// (a X + A X) W to a (X W) + A (X W), a sum of rows and what neighbours sent.
struct LinearBeforeSum : public OpRewritePattern<linalg::MatmulOp> {
  LinearBeforeSum(MLIRContext *context,
                  llvm::function_ref<void()> notifyReordered)
      : OpRewritePattern(context), notifyReordered(notifyReordered) {}

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLinearLayer(op))
      return rewriter.notifyMatchFailure(op, "not a linear layer");
    auto sum = op.getInputs()[0].getDefiningOp<UpdateOp>();
    if (!sum || sum->getBlock() != op->getBlock() || !isLinearInNodes(sum))
      return rewriter.notifyMatchFailure(op, "the rows are no weighted sum");
    auto counts = getRowCounts(op.getInputs()[0], op);
    if (!counts)
      return rewriter.notifyMatchFailure(op, "the rows are used elsewhere");
    // One product more than before is made for each further kind of rows.
    Value weights = op.getInputs()[1];
    SmallVector<Term> terms;
    llvm::SmallSetVector<Value, 2> kinds;
    bool hasAggregation = false, hasSparseRows = false;
    for (Value node : sum.getNode()) {
      Term term = getTerm(node, sum);
      hasAggregation |= term.aggregation != nullptr;
      hasSparseRows |= getSparseMatrix(term.rows).has_value();
      kinds.insert(term.rows);
      terms.push_back(term);
    }
    if (!hasSparseRows && (!hasAggregation || kinds.size() > 1 ||
                           !isCheaperBefore(weights, terms.front().rows)))
      return rewriter.notifyMatchFailure(op, "the layer does not narrow");

    for (tensor::DimOp count : *counts) {
      Term &first = terms.front();
      if (first.aggregation) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(count);
        rewriter.replaceOpWithNewOp<NumNodesOp>(count, NodeSide::Destination,
                                                first.aggregation.getGraph());
      } else {
        rewriter.modifyOpInPlace(
            count, [&] { count.getSourceMutable().assign(first.rows); });
      }
    }
    rewriter.setInsertionPoint(op);
    llvm::SmallDenseMap<Value, Value> products;
    SmallVector<Value> nodes;
    for (const Term &term : terms) {
      Value &product = products[term.rows];
      if (!product)
        product = createLinearLayer(rewriter, op.getLoc(), term.rows, weights);
      nodes.push_back(term.aggregation
                          ? createAggregation(rewriter, term.aggregation,
                                              term.source, product)
                          : product);
    }
    auto moved = UpdateOp::create(rewriter, sum.getLoc(), op.getType(0), nodes,
                                  sum.getUniform(), sum.getIndexingMaps(),
                                  sum.getIteratorTypes());
    rewriter.cloneRegionBefore(sum.getBody(), moved.getBody(),
                               moved.getBody().end());
    rewriter.replaceOp(op, moved.getResult());
    notifyReordered();
    return success();
  }

private:
  /// Rows that are added up, or what an aggregation that nothing else reads
  /// makes of them.
  struct Term {
    Value rows;
    MessageAggregateOp aggregation;
    unsigned source = 0;
  };

  static Term getTerm(Value node, UpdateOp sum) {
    auto aggregation = node.getDefiningOp<MessageAggregateOp>();
    if (aggregation && getRowCounts(node, sum))
      if (std::optional<unsigned> source = getScaledSource(aggregation))
        return {aggregation.getSrc()[*source], aggregation, *source};
    return {node, nullptr, 0};
  }

  /// Is the result a sum of the nodes' rows, each times a factor that is the
  /// same for all features?
  static bool isLinearInNodes(UpdateOp op) {
    EdgeFunction function = op.getEdgeFunction();
    if (function.getNumLoops() != 1 || function.hasReduction() ||
        !function.resultMap.isIdentity() ||
        !function.body->front().getOps<FeatureIndexOp>().empty())
      return false;
    SmallPtrSet<Value, 4> rows;
    for (const EdgeOperand &operand : getEdgeOperands(function)) {
      bool isNode = operand.role == OperandRole::Destination;
      bool isRow = operand.map.getNumResults() == 1;
      if (isNode != isRow)
        return false;
      if (isNode)
        rows.insert(operand.argument);
    }
    return isSumOf(rows, function.getYieldedValue(), function.body);
  }

  static bool isSumOf(const SmallPtrSetImpl<Value> &rows, Value value,
                      Region *body) {
    if (rows.contains(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AddFOp, arith::SubFOp>(op))
      return isSumOf(rows, op->getOperand(0), body) &&
             isSumOf(rows, op->getOperand(1), body);
    if (isa_and_nonnull<arith::NegFOp>(op))
      return isSumOf(rows, op->getOperand(0), body);
    if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
      return false;
    Value a = op->getOperand(0), b = op->getOperand(1);
    return (isFactor(rows, b, body) && isSumOf(rows, a, body)) ||
           (isa<arith::MulFOp>(op) && isFactor(rows, a, body) &&
            isSumOf(rows, b, body));
  }

  /// Constants, values from above and arguments without features.
  static bool isFactor(const SmallPtrSetImpl<Value> &rows, Value value,
                       Region *body) {
    if (value.getParentRegion() != body)
      return true;
    if (isa<BlockArgument>(value))
      return !rows.contains(value);
    Operation *op = value.getDefiningOp();
    return op->hasTrait<OpTrait::ConstantLike>() ||
           (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
                arith::NegFOp>(op) &&
            llvm::all_of(op->getOperands(), [&](Value operand) {
              return isFactor(rows, operand, body);
            }));
  }

  llvm::function_ref<void()> notifyReordered;
};

struct ReorderLinearPass
    : public gnn::impl::ReorderLinearPassBase<ReorderLinearPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto count = [&] { ++numReordered; };
    patterns.add<AggregateBeforeLinear, LinearBeforeAggregate, LinearBeforeSum>(
        &getContext(), count);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
