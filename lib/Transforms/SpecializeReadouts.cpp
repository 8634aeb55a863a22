//===- SpecializeReadouts.cpp - One destination per segment -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/EdgeFunction.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_SPECIALIZEREADOUTSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether tiles of destinations compute it, of which segments may fill few.
static bool hasTiles(AttentionOp op) {
  GNNGraphType graph = op.getGraph().getType();
  return graph.getTopology() == Topology::BlockDiagonal &&
         graph.getBipartite() && op.getScoreEdge().empty() &&
         op.getValueEdge().empty() && op.getValueFunction().isSourceRow() &&
         !op->hasAttr(GNNDialect::kByRowsAttr);
}

/// Whether there are no more destinations than segments.
static Value emitHasSingleRows(OpBuilder &b, Location loc, Value graph) {
  Value offsets = GraphPartsOp::create(b, loc, graph).getParts().front();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value numSegments = arith::SubIOp::create(
      b, loc, tensor::DimOp::create(b, loc, offsets, 0), one);
  Value numDestinations =
      NumNodesOp::create(b, loc, NodeSide::Destination, graph);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                               numDestinations, numSegments);
}

namespace {
struct SpecializeReadoutsPass
    : public gnn::impl::SpecializeReadoutsPassBase<SpecializeReadoutsPass> {
  void runOnOperation() override {
    SmallVector<AttentionOp> candidates;
    getOperation()->walk([&](AttentionOp op) {
      if (hasTiles(op))
        candidates.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : candidates) {
      rewriter.setInsertionPoint(op);
      auto yieldCopy = [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, b.clone(*op)->getResults());
      };
      auto choice = scf::IfOp::create(
          rewriter, op.getLoc(),
          emitHasSingleRows(rewriter, op.getLoc(), op.getGraph()), yieldCopy,
          yieldCopy);
      choice.thenBlock()->front().setAttr(GNNDialect::kByRowsAttr,
                                          rewriter.getUnitAttr());
      rewriter.replaceOp(op, choice);
      ++numSpecialized;
    }
  }
};
} // namespace
