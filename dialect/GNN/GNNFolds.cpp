//===- GNNFolds.cpp - Folders and canonicalisation --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

LogicalResult GraphPartsOp::fold(FoldAdaptor,
                                 SmallVectorImpl<OpFoldResult> &results) {
  auto make = getGraph().getDefiningOp<MakeGraphOp>();
  if (!make)
    return failure();
  llvm::append_range(results, make.getParts());
  return success();
}

namespace {
/// The number of nodes of a graph just made is one of its parts.
struct NumNodesOfMadeGraph : public OpRewritePattern<NumNodesOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NumNodesOp op,
                                PatternRewriter &rewriter) const override {
    auto make = op.getGraph().getDefiningOp<MakeGraphOp>();
    if (!make)
      return rewriter.notifyMatchFailure(op, "graph is not made here");
    bool isSource = op.getSide() == NodeSide::Source;
    GNNGraphType type = op.getGraph().getType();
    if (type.hasDenseEdges()) {
      rewriter.replaceOp(op, make.getParts()[isSource ? 1 : 0]);
      return success();
    }
    if (type.getTopology() == Topology::COO) {
      rewriter.replaceOp(op, make.getParts()[isSource ? 3 : 2]);
      return success();
    }
    if (type.getTopology() == Topology::CSR && isSource) {
      rewriter.replaceOp(op, make.getParts()[2]);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "the count is not a part");
  }
};

/// Self loops neither add nor remove nodes.
struct NumNodesOfSelfLoops : public OpRewritePattern<NumNodesOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NumNodesOp op,
                                PatternRewriter &rewriter) const override {
    Value graph;
    if (auto add = op.getGraph().getDefiningOp<AddSelfLoopsOp>())
      graph = add.getGraph();
    else if (auto remove = op.getGraph().getDefiningOp<RemoveSelfLoopsOp>())
      graph = remove.getGraph();
    else
      return rewriter.notifyMatchFailure(op, "graph has its own nodes");
    rewriter.modifyOpInPlace(op, [&] { op.getGraphMutable().assign(graph); });
    return success();
  }
};
} // namespace

void NumNodesOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<NumNodesOfMadeGraph, NumNodesOfSelfLoops>(context);
}

LogicalResult AddSelfLoopsOp::fold(FoldAdaptor,
                                   SmallVectorImpl<OpFoldResult> &results) {
  // Where the topology has every loop and no value is replaced, nothing
  // changes.
  GNNGraphType graph = getGraph().getType();
  bool keepsValues = getEdges().empty() || getMode() == SelfLoopMode::Reuse;
  if (!graph.hasContiguousRows() || !keepsValues ||
      graph != getResult().getType())
    return failure();
  results.push_back(getGraph());
  llvm::append_range(results, getEdges());
  return success();
}

/// Whether nothing tells in which order `graph` lists the edges of a row: all
/// that uses it reduces over rows or counts, with edge values made for it.
static bool isEdgeOrderInvisible(Value graph) {
  SmallVector<Value> worklist{graph};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (!isa<MessageOp, EdgeSoftmaxOp, AggregateOp, MessageAggregateOp,
               AttentionOp, NumNodesOp, NumEdgesOp, DegreeOp, PositionOp>(user))
        return false;
      for (Value operand : user->getOperands()) {
        // Another graph may have the same edges in the same order.
        if (isa<GNNGraphType>(operand.getType()) && operand != graph)
          return false;
        if (!isa<EdgesType>(operand.getType()))
          continue;
        auto message = operand.getDefiningOp<MessageOp>();
        auto softmax = operand.getDefiningOp<EdgeSoftmaxOp>();
        if (!(message && message.getGraph() == graph) &&
            !(softmax && softmax.getGraph() == graph))
          return false;
      }
      if (value == graph && isa<MessageOp, EdgeSoftmaxOp>(user))
        worklist.push_back(user->getResult(0));
    }
  }
  return true;
}

namespace {
/// A listed graph that has its loops only sees them move to the end of their
/// row.
struct DropRepeatedSelfLoops : public OpRewritePattern<AddSelfLoopsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddSelfLoopsOp op,
                                PatternRewriter &rewriter) const override {
    GNNGraphType graph = op.getGraph().getType();
    if (!graph.isListed() || !graph.getSelfLoops() ||
        op.getMode() == SelfLoopMode::Keep || graph != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "loops may be missing or doubled");
    if (!op.getEdges().empty())
      return rewriter.notifyMatchFailure(op, "edge values change places");
    if (!isEdgeOrderInvisible(op.getResult()))
      return rewriter.notifyMatchFailure(op, "the order of edges is visible");
    rewriter.replaceOp(op, op.getGraph());
    return success();
  }
};
} // namespace

namespace {
/// On a dense topology a replaced loop value is a choice per edge.
struct ReplaceLoopValuesOnDense : public OpRewritePattern<AddSelfLoopsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddSelfLoopsOp op,
                                PatternRewriter &rewriter) const override {
    GNNGraphType graph = op.getGraph().getType();
    if (!graph.hasDenseEdges() || op.getMode() != SelfLoopMode::Replace ||
        op.getEdges().empty())
      return rewriter.notifyMatchFailure(
          op, "not a replacement of values on a dense topology");
    if (op.getResult().getType() != graph)
      return rewriter.notifyMatchFailure(op, "the graph's type changes");
    SmallVector<Value> replacements{op.getGraph()};
    for (auto [edges, fill] : llvm::zip(op.getEdges(), op.getFill())) {
      auto type = cast<EdgesType>(edges.getType());
      unsigned rank = type.getShape().size();
      Attribute map = AffineMapAttr::get(rewriter.getMultiDimIdentityMap(rank));
      auto message = MessageOp::create(
          rewriter, op.getLoc(), type, op.getGraph(), /*dst=*/fill,
          /*src=*/ValueRange{}, /*edge=*/edges, /*uniform=*/ValueRange{},
          rewriter.getArrayAttr({map, map, map}),
          rewriter.getStrArrayAttr(SmallVector<StringRef>(rank, "parallel")));
      OpBuilder::InsertionGuard guard(rewriter);
      Block *block =
          rewriter.createBlock(&message.getBody(), {},
                               {type.getElementType(), type.getElementType()},
                               {op.getLoc(), op.getLoc()});
      Value i = IndexOp::create(rewriter, op.getLoc(), NodeSide::Destination);
      Value j = IndexOp::create(rewriter, op.getLoc(), NodeSide::Source);
      Value isLoop = arith::CmpIOp::create(rewriter, op.getLoc(),
                                           arith::CmpIPredicate::eq, i, j);
      Value chosen =
          arith::SelectOp::create(rewriter, op.getLoc(), isLoop,
                                  block->getArgument(0), block->getArgument(1));
      YieldOp::create(rewriter, op.getLoc(), chosen);
      replacements.push_back(message.getResult());
    }
    rewriter.replaceOp(op, replacements);
    return success();
  }
};

/// Values of edges that nothing reads do not follow to another graph.
template <typename OpT>
struct DropUnreadEdges : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<Value> edges, fills;
    for (auto [i, result] : llvm::enumerate(op.getResultEdges())) {
      if (result.use_empty())
        continue;
      types.push_back(result.getType());
      edges.push_back(op.getEdges()[i]);
      if constexpr (std::is_same_v<OpT, AddSelfLoopsOp>)
        fills.push_back(op.getFill()[i]);
    }
    if (edges.size() == op.getEdges().size())
      return rewriter.notifyMatchFailure(op, "all edge values are read");
    OpT fewer;
    if constexpr (std::is_same_v<OpT, AddSelfLoopsOp>)
      fewer = OpT::create(rewriter, op.getLoc(), op.getResult().getType(),
                          types, op.getMode(), op.getGraph(), edges, fills);
    else
      fewer = OpT::create(rewriter, op.getLoc(), op.getResult().getType(),
                          types, op.getGraph(), edges);
    rewriter.replaceAllUsesWith(op.getResult(), fewer.getResult());
    ValueRange kept = fewer.getResultEdges();
    for (Value result : op.getResultEdges()) {
      if (result.use_empty())
        continue;
      rewriter.replaceAllUsesWith(result, kept.front());
      kept = kept.drop_front();
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void AddSelfLoopsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<DropRepeatedSelfLoops, ReplaceLoopValuesOnDense,
               DropUnreadEdges<AddSelfLoopsOp>>(context);
}

void RemoveSelfLoopsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns.add<DropUnreadEdges<RemoveSelfLoopsOp>>(context);
}

void ReverseOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropUnreadEdges<ReverseOp>>(context);
}

void ToCSROp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DropUnreadEdges<ToCSROp>>(context);
}

LogicalResult ReverseOp::fold(FoldAdaptor,
                              SmallVectorImpl<OpFoldResult> &results) {
  GNNGraphType graph = getGraph().getType();
  bool isOwnReverse = !graph.isListed() && !graph.getBipartite();
  // A symmetric graph of sorted rows has the same rows again. A list of edges
  // keeps their order, so that another edge is at each place of it.
  if (graph.getTopology() == Topology::CSR && graph.getSymmetric() &&
      graph.getSorted())
    isOwnReverse = true;
  // Edge values change places, even where edges do not.
  if (!isOwnReverse || !getEdges().empty() || graph != getResult().getType())
    return failure();
  results.push_back(getGraph());
  return success();
}

OpFoldResult EdgesFromTensorOp::fold(FoldAdaptor) {
  auto toTensor = getTensor().getDefiningOp<EdgesToTensorOp>();
  if (toTensor && toTensor.getGraph() == getGraph())
    return toTensor.getEdges();
  return {};
}

OpFoldResult EdgesToTensorOp::fold(FoldAdaptor) {
  auto fromTensor = getEdges().getDefiningOp<EdgesFromTensorOp>();
  if (fromTensor && fromTensor.getGraph() == getGraph())
    return fromTensor.getTensor();
  return {};
}
