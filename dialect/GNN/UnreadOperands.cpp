//===- UnreadOperands.cpp - Operands that no region reads -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptySums.h"
#include "gnn/Dialect/GNN/GNN.h"
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

void MessageOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropUnreadOperands<MessageOp>>(context);
  addEmptySumPatterns(patterns);
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
