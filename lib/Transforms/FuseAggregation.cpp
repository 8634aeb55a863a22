//===- FuseAggregation.cpp - Aggregate without storing messages -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEAGGREGATIONPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct FuseAggregationPass
    : public gnn::impl::FuseAggregationPassBase<FuseAggregationPass> {
  void runOnOperation() override {
    SmallVector<AggregateOp> aggregates;
    getOperation()->walk([&](AggregateOp op) { aggregates.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (AggregateOp aggregate : aggregates) {
      auto message = aggregate.getEdges().getDefiningOp<MessageOp>();
      if (!message || !message->hasOneUse() ||
          message.getGraph() != aggregate.getGraph())
        continue;
      rewriter.setInsertionPoint(aggregate);
      auto fused = MessageAggregateOp::create(
          rewriter, aggregate.getLoc(), aggregate.getResultTypes(),
          aggregate.getAggregators(), message.getGraph(), message.getDst(),
          message.getSrc(), message.getEdge(), message.getUniform(),
          message.getIndexingMaps(), message.getIteratorTypes());
      rewriter.inlineRegionBefore(message.getBody(), fused.getBody(),
                                  fused.getBody().end());
      rewriter.replaceOp(aggregate, fused.getResults());
      rewriter.eraseOp(message);
      ++numFused;
    }
  }
};
} // namespace
