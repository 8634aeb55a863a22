//===- UnreadOperands.cpp - Operands that nothing reads ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"
#include <array>

using namespace mlir;
using namespace gnn;

/// Operands of `function` that its region does not read. Every loop keeps one
/// that has its extent.
static SmallVector<unsigned> findUnread(const EdgeFunction &function) {
  SmallVector<unsigned> numOperands(function.getNumLoops(), 0);
  auto count = [&](AffineMap map, int by) {
    for (AffineExpr expr : map.getResults())
      numOperands[cast<AffineDimExpr>(expr).getPosition()] += by;
  };
  for (AffineMap map : function.operandMaps)
    count(map, 1);
  SmallVector<unsigned> unread;
  for (auto [i, map] : llvm::enumerate(function.operandMaps)) {
    if (!function.body->getArgument(i).use_empty() ||
        llvm::any_of(map.getResults(), [&](AffineExpr expr) {
          return numOperands[cast<AffineDimExpr>(expr).getPosition()] == 1;
        }))
      continue;
    count(map, -1);
    unread.push_back(i);
  }
  return unread;
}

static SmallVector<MutableOperandRange> getRoles(UpdateOp op) {
  return {op.getNodeMutable(), op.getUniformMutable()};
}
template <typename Op>
static SmallVector<MutableOperandRange> getRoles(Op op) {
  return {op.getDstMutable(), op.getSrcMutable(), op.getEdgeMutable(),
          op.getUniformMutable()};
}

/// Rows of an update are those of its nodes.
static bool needsOperand(UpdateOp, const MutableOperandRange &role) {
  return role.size() == 1 && role.begin()->getOperandNumber() == 0;
}
template <typename Op>
static bool needsOperand(Op, const MutableOperandRange &) {
  return false;
}

namespace {
/// What is computed for such an operand alone is computed for nothing.
template <typename Op>
struct DropUnreadOperands : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    SmallVector<unsigned> unread = findUnread(op.getEdgeFunction());
    SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
    SmallVector<MutableOperandRange> roles = getRoles(op);
    bool hasChanged = false;
    rewriter.startOpModification(op);
    for (unsigned i : llvm::reverse(unread)) {
      // The role of an operand, and its place there.
      unsigned place = i;
      auto *role = roles.begin();
      for (; place >= role->size(); ++role)
        place -= role->size();
      if (needsOperand(op, *role))
        continue;
      role->erase(place);
      // Ranges know how long the others are from the op.
      roles = getRoles(op);
      op.getBody().eraseArgument(i);
      maps.erase(maps.begin() + i);
      hasChanged = true;
    }
    if (!hasChanged) {
      rewriter.cancelOpModification(op);
      return rewriter.notifyMatchFailure(op, "all operands are needed");
    }
    op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
    rewriter.finalizeOpModification(op);
    return success();
  }
};
} // namespace

namespace {
/// A sum over no features is 0. What is left of the message are the operands
/// that have the extents of its other loops.
struct DropEmptySum : public OpRewritePattern<MessageOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MessageOp op,
                                PatternRewriter &rewriter) const override {
    EdgeFunction function = op.getEdgeFunction();
    SmallVector<int64_t> sizes = function.getLoopSizes();
    auto isSum = [&](unsigned loop) {
      return function.iterators[loop] == utils::IteratorType::reduction;
    };
    auto loops = llvm::seq(function.getNumLoops());
    if (function.getReduced() || llvm::none_of(loops, [&](unsigned loop) {
          return isSum(loop) && sizes[loop] == 0;
        }))
      return rewriter.notifyMatchFailure(op, "no sum is over nothing");

    SmallVector<unsigned> places(sizes.size());
    unsigned numLoops = 0;
    for (unsigned loop : loops)
      if (!isSum(loop))
        places[loop] = numLoops++;
    auto getMap = [&](AffineMap map) {
      SmallVector<AffineExpr> results;
      for (AffineExpr expr : map.getResults())
        results.push_back(rewriter.getAffineDimExpr(
            places[cast<AffineDimExpr>(expr).getPosition()]));
      return AffineMap::get(numLoops, 0, results, rewriter.getContext());
    };
    llvm::SmallBitVector given(sizes.size());
    std::array<SmallVector<Value>, 4> roles;
    SmallVector<AffineMap> maps;
    SmallVector<Type> elements;
    for (auto [i, map] : llvm::enumerate(function.operandMaps)) {
      auto isOfSum = [&](AffineExpr expr) {
        return isSum(cast<AffineDimExpr>(expr).getPosition());
      };
      if (llvm::any_of(map.getResults(), isOfSum))
        continue;
      for (AffineExpr expr : map.getResults())
        given.set(cast<AffineDimExpr>(expr).getPosition());
      roles[unsigned(function.roles[i])].push_back(function.operands[i]);
      maps.push_back(getMap(map));
      elements.push_back(function.body->getArgument(i).getType());
    }
    if (llvm::any_of(loops, [&](unsigned loop) {
          return !isSum(loop) && !given.test(loop);
        }))
      return rewriter.notifyMatchFailure(op, "nothing else has an extent");
    maps.push_back(getMap(function.resultMap));
    SmallVector<StringRef> iterators(
        numLoops, utils::stringifyIteratorType(utils::IteratorType::parallel));
    auto message = MessageOp::create(rewriter, op.getLoc(),
                                     op.getResult().getType(), op.getGraph(),
                                     roles[unsigned(OperandRole::Destination)],
                                     roles[unsigned(OperandRole::Source)],
                                     roles[unsigned(OperandRole::Edge)],
                                     roles[unsigned(OperandRole::Uniform)],
                                     rewriter.getAffineMapArrayAttr(maps),
                                     rewriter.getStrArrayAttr(iterators));
    {
      OpBuilder::InsertionGuard guard(rewriter);
      SmallVector<Location> locations(elements.size(), op.getLoc());
      rewriter.createBlock(&message.getBody(), {}, elements, locations);
      Value zero = arith::ConstantOp::create(
          rewriter, op.getLoc(),
          rewriter.getZeroAttr(function.getResultElementType()));
      YieldOp::create(rewriter, op.getLoc(), zero);
    }
    rewriter.replaceOp(op, message.getResult());
    return success();
  }
};
} // namespace

void MessageOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropUnreadOperands<MessageOp>, DropEmptySum>(context);
}

void MessageAggregateOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropUnreadOperands<MessageAggregateOp>>(context);
}

void TopKGraphOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropUnreadOperands<TopKGraphOp>>(context);
}

void UpdateOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropUnreadOperands<UpdateOp>>(context);
}
