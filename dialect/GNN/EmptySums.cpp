//===- EmptySums.cpp - Messages that sum over nothing -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptySums.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"
#include <array>

using namespace mlir;
using namespace gnn;

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

void gnn::addEmptySumPatterns(RewritePatternSet &patterns) {
  patterns.add<DropEmptySum>(patterns.getContext());
}
