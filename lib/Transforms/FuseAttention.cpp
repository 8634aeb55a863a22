//===- FuseAttention.cpp - Fuse score, softmax, message and sum -----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A sum of messages weighted by an edge softmax.
struct WeightedSum {
  AggregateOp aggregate;
  MessageOp message;
  EdgeSoftmaxOp softmax;
  /// The region argument that is the weight, and the products from it to the
  /// message's value.
  BlockArgument weight;
  AffineMap weightMap;
  SmallVector<Operation *> products;
};
} // namespace

/// Whether the operands of `function` but `argument` give the extents of all
/// its loops.
static bool givesExtentsWithout(const EdgeFunction &function,
                                BlockArgument argument) {
  llvm::SmallBitVector given(function.getNumLoops());
  for (const EdgeOperand &operand : getEdgeOperands(function))
    if (operand.argument != argument)
      for (AffineExpr expr : operand.map.getResults())
        given.set(cast<AffineDimExpr>(expr).getPosition());
  return given.all();
}

static std::optional<WeightedSum> matchWeightedSum(AggregateOp aggregate) {
  WeightedSum sum;
  sum.aggregate = aggregate;
  if (!isSum(aggregate.getAggregators()))
    return std::nullopt;
  sum.message = aggregate.getEdges().getDefiningOp<MessageOp>();
  if (!sum.message || !sum.message->hasOneUse() ||
      sum.message.getGraph() != aggregate.getGraph())
    return std::nullopt;
  EdgeFunction function = sum.message.getEdgeFunction();
  if (function.hasReduction() ||
      !isa<FloatType>(function.getResultElementType()))
    return std::nullopt;
  for (const EdgeOperand &operand : getEdgeOperands(function)) {
    auto softmax = operand.value.getDefiningOp<EdgeSoftmaxOp>();
    if (!softmax || !softmax->hasOneUse() ||
        softmax.getGraph() != aggregate.getGraph() ||
        llvm::is_contained(softmax.getScores().getType().getShape(), 0) ||
        !givesExtentsWithout(function, operand.argument))
      continue;
    sum.products =
        getProductChain(operand.argument, function.getYieldedValue());
    if (sum.products.empty())
      continue;
    sum.softmax = softmax;
    sum.weight = operand.argument;
    sum.weightMap = operand.map.compose(inversePermutation(function.resultMap));
    return sum;
  }
  return std::nullopt;
}

/// Clones the message's region without the multiplication by the weight.
static void cloneValueRegion(IRRewriter &rewriter, WeightedSum &sum,
                             const GroupedOperands &operands, Region &region) {
  IRMapping mapping;
  OpBuilder::InsertionGuard guard(rewriter);
  operands.createBlock(rewriter, region, mapping);
  Operation *weighting = sum.products.front();
  Value other = weighting->getOperand(0) == sum.weight
                    ? weighting->getOperand(1)
                    : weighting->getOperand(0);
  for (Operation &op : sum.message.getEdgeFunction().body->front()) {
    if (&op == weighting)
      mapping.map(op.getResult(0), mapping.lookupOrDefault(other));
    else
      rewriter.clone(op, mapping);
  }
}

static void fuseAttention(IRRewriter &rewriter, WeightedSum &sum) {
  EdgeFunction value = sum.message.getEdgeFunction();
  SmallVector<EdgeOperand> valueOperands;
  for (const EdgeOperand &operand : getEdgeOperands(value))
    if (operand.argument != sum.weight)
      valueOperands.push_back(operand);
  GroupedOperands valueGroup(valueOperands);

  // The score message, or the stored scores as they are.
  EdgeSoftmaxOp softmax = sum.softmax;
  AggregateOp aggregate = sum.aggregate;
  MessageOp message = sum.message;
  auto score = softmax.getScores().getDefiningOp<MessageOp>();
  if (score && (!score->hasOneUse() || score.getGraph() != softmax.getGraph()))
    score = {};

  EdgesType scores = softmax.getScores().getType();
  unsigned scoreRank = scores.getShape().size();
  AffineMap identity = rewriter.getMultiDimIdentityMap(scoreRank);
  rewriter.setInsertionPoint(aggregate);
  auto fused = AttentionOp::create(
      rewriter, aggregate.getLoc(), aggregate.getResultTypes().front(),
      aggregate.getGraph(), score ? ValueRange(score.getDst()) : ValueRange(),
      score ? ValueRange(score.getSrc()) : ValueRange(),
      score ? ValueRange(score.getEdge()) : ValueRange(softmax.getScores()),
      score ? ValueRange(score.getUniform()) : ValueRange(), valueGroup.dst,
      valueGroup.src, valueGroup.edge, valueGroup.uniform,
      /*bounded=*/Value(),
      score ? score.getIndexingMaps()
            : rewriter.getAffineMapArrayAttr({identity, identity}),
      score ? score.getIteratorTypes()
            : rewriter.getStrArrayAttr(
                  SmallVector<StringRef>(scoreRank, "parallel")),
      valueGroup.getMaps(rewriter, value.resultMap), message.getIteratorTypes(),
      sum.weightMap, Normalization::Softmax);
  cloneValueRegion(rewriter, sum, valueGroup, fused.getValue());
  if (score) {
    rewriter.inlineRegionBefore(score.getBody(), fused.getScore(),
                                fused.getScore().end());
  } else {
    OpBuilder::InsertionGuard guard(rewriter);
    Block *block = rewriter.createBlock(
        &fused.getScore(), {}, {scores.getElementType()}, {softmax.getLoc()});
    YieldOp::create(rewriter, softmax.getLoc(), block->getArgument(0));
  }
  rewriter.replaceOp(aggregate, fused.getResult());
  rewriter.eraseOp(message);
  rewriter.eraseOp(softmax);
  if (score)
    rewriter.eraseOp(score);
}

namespace {
struct FuseAttentionPass
    : public gnn::impl::FuseAttentionPassBase<FuseAttentionPass> {
  void runOnOperation() override {
    SmallVector<AggregateOp> aggregates;
    getOperation()->walk([&](AggregateOp op) { aggregates.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (AggregateOp aggregate : aggregates) {
      if (std::optional<WeightedSum> sum = matchWeightedSum(aggregate)) {
        fuseAttention(rewriter, *sum);
        ++numFused;
      }
    }
  }
};
} // namespace
