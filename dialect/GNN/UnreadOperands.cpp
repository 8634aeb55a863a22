//===- UnreadOperands.cpp - Operands that no region reads -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptySums.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

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

namespace {
/// Where an operand is among those of its role.
struct Place {
  MutableOperandRange role;
  unsigned number;
};
} // namespace

template <typename Op>
static Place getPlace(Op op, unsigned operand) {
  SmallVector<MutableOperandRange> roles = getRoles(op);
  auto *role = roles.begin();
  for (; operand >= role->size(); ++role)
    operand -= role->size();
  return {*role, operand};
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
    bool hasChanged = false;
    rewriter.startOpModification(op);
    for (unsigned i : llvm::reverse(unread)) {
      Place place = getPlace(op, i);
      if (needsOperand(op, place.role))
        continue;
      place.role.erase(place.number);
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

/// Nothing need be computed to say how many features there are: a tensor
/// without contents, the same for all edges, says it as well.
template <typename Op>
struct KeepExtentOnly : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    EdgeFunction function = op.getEdgeFunction();
    for (unsigned i = 0, e = function.operands.size(); i < e; ++i) {
      Place place = getPlace(op, i);
      BlockArgument argument = function.body->getArgument(i);
      if (!argument.use_empty() || !function.operands[i].getDefiningOp() ||
          function.roles[i] == OperandRole::Uniform ||
          needsOperand(op, place.role))
        continue;
      Value extent = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          *getFeatureShape(function.operands[i].getType(), function.roles[i]),
          argument.getType());
      SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
      rewriter.modifyOpInPlace(op, [&] {
        place.role.erase(place.number);
        op.getUniformMutable().append(extent);
        op.getBody().insertArgument(e, argument.getType(), argument.getLoc());
        op.getBody().eraseArgument(i);
        std::rotate(maps.begin() + i, maps.begin() + i + 1, maps.begin() + e);
        op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "all that is computed is read");
  }
};

} // namespace

template <typename Op>
static void addPatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnreadOperands<Op>, KeepExtentOnly<Op>>(
      patterns.getContext());
}

void MessageOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  addPatterns<MessageOp>(patterns);
  addEmptySumPatterns(patterns);
}

void MessageAggregateOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *) {
  addPatterns<MessageAggregateOp>(patterns);
}

void TopKGraphOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  addPatterns<TopKGraphOp>(patterns);
}

void UpdateOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  addPatterns<UpdateOp>(patterns);
}
