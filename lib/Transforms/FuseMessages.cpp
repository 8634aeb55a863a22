//===- FuseMessages.cpp - Compute an edge value where it is used ----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEMESSAGESPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether computing `producer` again for every feature its user adds is
/// cheaper than storing it: only arithmetic and reads, no exponentials.
static bool isCheap(MessageOp producer) {
  return llvm::all_of(
      producer.getBody().front().without_terminator(), [](Operation &op) {
        return op.getName().getDialectNamespace() == "arith" ||
               isa<tensor::ExtractOp, IndexOp, FeatureIndexOp>(op);
      });
}

static MessageOp createLike(MessageOp op, const GroupedOperands &operands,
                            AffineMap resultMap, ArrayAttr iterators,
                            PatternRewriter &rewriter) {
  return MessageOp::create(rewriter, op.getLoc(), op.getResult().getType(),
                           op.getGraph(), operands.dst, operands.src,
                           operands.edge, operands.uniform,
                           operands.getMaps(rewriter, resultMap), iterators);
}

static TopKGraphOp createLike(TopKGraphOp op, const GroupedOperands &operands,
                              AffineMap resultMap, ArrayAttr iterators,
                              PatternRewriter &rewriter) {
  return TopKGraphOp::create(rewriter, op.getLoc(), op.getResult().getType(),
                             op.getGraph(), operands.dst, operands.src,
                             operands.edge, operands.uniform, op.getOrder(),
                             operands.getMaps(rewriter, resultMap), iterators,
                             op.getK());
}

namespace {
/// The operands of a message, one of which another message is to replace.
struct SplitOperands {
  SplitOperands(const EdgeFunction &consumed, Value produced) {
    for (const EdgeOperand &operand : getEdgeOperands(consumed)) {
      if (operand.value == produced) {
        replaced = operand.argument;
        readMap = operand.map;
      } else {
        others.push_back(operand);
      }
    }
  }

  BlockArgument replaced;
  AffineMap readMap;
  SmallVector<EdgeOperand> others;
};

/// What computes with values of a message: a message, or scores.
template <typename Consumer>
struct FuseInto : public OpRewritePattern<Consumer> {
  FuseInto(MLIRContext *context, llvm::function_ref<void()> notifyFused)
      : OpRewritePattern<Consumer>(context), notifyFused(notifyFused) {}

  LogicalResult matchAndRewrite(Consumer consumer,
                                PatternRewriter &rewriter) const override {
    for (Value edge : consumer.getEdge()) {
      auto producer = edge.getDefiningOp<MessageOp>();
      if (!producer || !producer->hasOneUse() ||
          producer.getGraph() != consumer.getGraph())
        continue;
      bool isReduction = producer.getEdgeFunction().hasReduction();
      if (succeeded(isReduction ? fuseReduction(producer, consumer, rewriter)
                                : fuse(producer, consumer, rewriter)))
        return success();
    }
    return rewriter.notifyMatchFailure(
        consumer, "no edge operand is a message on the same graph and used "
                  "once, without reduction unless each of its values is read "
                  "for one value");
  }

private:
  LogicalResult fuse(MessageOp producer, Consumer consumer,
                     PatternRewriter &rewriter) const {
    EdgeFunction produced = producer.getEdgeFunction();
    EdgeFunction consumed = consumer.getEdgeFunction();
    SplitOperands split(consumed, producer.getResult());
    if (split.readMap.getNumResults() != consumed.getNumLoops() &&
        !isCheap(producer))
      return failure();
    // Loops of the consumer to loops of the producer.
    AffineMap loops =
        inversePermutation(produced.resultMap).compose(split.readMap);
    SmallVector<EdgeOperand> operands = std::move(split.others);
    for (EdgeOperand operand : getEdgeOperands(produced)) {
      operand.map = operand.map.compose(loops);
      operands.push_back(operand);
    }

    GroupedOperands grouped(operands);
    Consumer fused = createLike(consumer, grouped, consumed.resultMap,
                                consumer.getIteratorTypes(), rewriter);
    IRMapping mapping;
    OpBuilder::InsertionGuard guard(rewriter);
    Block *block = grouped.createBlock(rewriter, fused.getBody(), mapping);
    if (BlockArgument accumulator = consumed.getAccumulator())
      mapping.map(accumulator, block->addArgument(accumulator.getType(),
                                                  accumulator.getLoc()));
    for (Operation &op : produced.body->front().without_terminator()) {
      Operation *clone = rewriter.clone(op, mapping);
      if (auto index = dyn_cast<FeatureIndexOp>(clone))
        index.setLoop(loops.getDimPosition(index.getLoop()));
    }
    mapping.map(split.replaced,
                mapping.lookupOrDefault(produced.getYieldedValue()));
    for (Operation &op : consumed.body->front())
      rewriter.clone(op, mapping);
    rewriter.replaceOp(consumer, fused.getResult());
    rewriter.eraseOp(producer);
    notifyFused();
    return success();
  }

  /// The consumer follows the reduction of the producer: it reads each reduced
  /// value for one value of its own.
  LogicalResult fuseReduction(MessageOp producer, Consumer consumer,
                              PatternRewriter &rewriter) const {
    EdgeFunction produced = producer.getEdgeFunction();
    EdgeFunction consumed = consumer.getEdgeFunction();
    if (consumed.hasReduction() ||
        produced.getResultElementType() != consumed.getResultElementType())
      return failure();
    SplitOperands split(consumed, producer.getResult());
    if (split.readMap.getNumResults() != consumed.getNumLoops())
      return failure();
    // Loops of the producer to loops of the consumer.
    AffineMap loops =
        inversePermutation(split.readMap).compose(produced.resultMap);
    SmallVector<EdgeOperand> operands = getEdgeOperands(produced);
    for (EdgeOperand operand : split.others) {
      operand.map = operand.map.compose(loops);
      operands.push_back(operand);
    }

    GroupedOperands grouped(operands);
    Consumer fused =
        createLike(consumer, grouped, consumed.resultMap.compose(loops),
                   producer.getIteratorTypes(), rewriter);
    IRMapping mapping;
    OpBuilder::InsertionGuard guard(rewriter);
    Block *block = grouped.createBlock(rewriter, fused.getBody(), mapping);
    BlockArgument accumulator = produced.getAccumulator();
    mapping.map(accumulator, block->addArgument(accumulator.getType(),
                                                accumulator.getLoc()));
    for (Operation &op : produced.body->front().without_terminator())
      rewriter.clone(op, mapping);
    Value value = mapping.lookupOrDefault(produced.getYieldedValue());
    if (!produced.getReduced())
      value = ReducedOp::create(rewriter, producer.getLoc(), value);
    mapping.map(split.replaced, value);
    for (Operation &op : consumed.body->front()) {
      Operation *clone = rewriter.clone(op, mapping);
      if (auto index = dyn_cast<FeatureIndexOp>(clone))
        index.setLoop(loops.getDimPosition(index.getLoop()));
    }
    rewriter.replaceOp(consumer, fused.getResult());
    rewriter.eraseOp(producer);
    notifyFused();
    return success();
  }

  llvm::function_ref<void()> notifyFused;
};

struct FuseMessagesPass
    : public gnn::impl::FuseMessagesPassBase<FuseMessagesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto count = [&] { ++numFused; };
    patterns.add<FuseInto<MessageOp>, FuseInto<TopKGraphOp>>(&getContext(),
                                                             count);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
