//===- BlockFeatures.cpp - Wide rows by blocks that caches hold -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each source is read once for every edge that leaves it. Where the sources'
// rows do not fit into a cache but a block of their features does, aggregating
// block after block reads from that cache. Blocks have to be laid side by side
// for it: in a wide row, blocks of one column share the few sets of the cache
// that their addresses lead to.
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_BLOCKFEATURESPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether an operand has the features that are divided, and not just one
/// number for all.
static bool hasFeatures(AffineMap map) { return map.getNumResults() != 0; }

/// Why an aggregation is left whole, or nothing.
static StringRef getReasonToStayWhole(MessageAggregateOp op, int64_t block,
                                      int64_t minBlocks) {
  Topology topology = op.getGraph().getType().getTopology();
  if (topology != Topology::CSR)
    return "the graph does not list its edges";
  // A block of each would be written to at once.
  if (op.getNumResults() != 1)
    return "there are several results";
  EdgeFunction function = op.getEdgeFunction();
  if (function.getNumLoops() != 1 || function.hasReduction() ||
      function.resultMap.getNumResults() != 1)
    return "messages are no rows of features";
  int64_t width = function.getLoopSizes().front();
  if (width % block != 0 || width < minBlocks * block)
    return "there are too few blocks of features";
  bool readsSources = false;
  for (auto [role, map, operand] :
       llvm::zip(function.roles, function.operandMaps, function.operands)) {
    readsSources |= role == OperandRole::Source && hasFeatures(map);
    if (role == OperandRole::Edge && hasFeatures(map))
      return "edges have features of their own";
  }
  if (!readsSources)
    return "sources have no features";
  bool readsNumbers = function.body
                          ->walk([](Operation *inner) {
                            return isa<FeatureIndexOp, tensor::ExtractOp>(inner)
                                       ? WalkResult::interrupt()
                                       : WalkResult::advance();
                          })
                          .wasInterrupted();
  return readsNumbers ? "messages depend on the number of a feature" : "";
}

namespace {
/// Builds the blocked form of an aggregation and what decides for it.
class BlockBuilder {
public:
  BlockBuilder(OpBuilder &builder, MessageAggregateOp op, int64_t block)
      : b(builder), loc(op.getLoc()), op(op), function(op.getEdgeFunction()),
        block(block), width(function.getLoopSizes().front()) {}

  /// Whether blocks are worth their copies, and fit where rows do not.
  Value emitDecision(int64_t cacheBytes, int64_t minDegree);
  Value emitBlocks();

private:
  /// The block at `offset` of all rows, one after the other.
  Value emitSideBySide(Value rows, Value offset);
  /// What an operand of `role` has for the block at `offset`.
  Value emitBlock(Value operand, OperandRole role, Value offset);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  OpBuilder &b;
  Location loc;
  MessageAggregateOp op;
  EdgeFunction function;
  int64_t block, width;
};
} // namespace

Value BlockBuilder::emitDecision(int64_t cacheBytes, int64_t minDegree) {
  int64_t bytes = 0;
  for (auto [role, map, operand] :
       llvm::zip(function.roles, function.operandMaps, function.operands))
    if (role == OperandRole::Source && hasFeatures(map))
      bytes += block *
               getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth() /
               8;
  Value sources = NumNodesOp::create(b, loc, NodeSide::Source, op.getGraph());
  Value edges = NumEdgesOp::create(b, loc, op.getGraph());
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(b, loc, predicate, left, right).getResult();
  };
  Value isLarge = compare(arith::CmpIPredicate::ugt, sources,
                          constant(2 * cacheBytes * block / (bytes * width)));
  Value fits = compare(arith::CmpIPredicate::ule, sources,
                       constant(2 * cacheBytes / bytes));
  Value isReused =
      compare(arith::CmpIPredicate::uge, edges,
              arith::MulIOp::create(b, loc, sources, constant(minDegree)));
  return arith::AndIOp::create(
      b, loc, arith::AndIOp::create(b, loc, isLarge, fits), isReused);
}

Value BlockBuilder::emitSideBySide(Value rows, Value offset) {
  auto type = cast<RankedTensorType>(rows.getType());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1),
               size = b.getIndexAttr(block),
               count = tensor::getMixedSize(b, loc, rows, 0);
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<OpFoldResult>{count, size}, type.getElementType());
  auto rowType = RankedTensorType::get({block}, type.getElementType());
  SmallVector<OpFoldResult> sizes{one, size}, strides{one, one};
  auto loop = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{count}, empty, /*mapping=*/std::nullopt,
      [&](OpBuilder &, Location, ValueRange args) {
        Value row = tensor::ExtractSliceOp::create(
            b, loc, rowType, rows, ArrayRef<OpFoldResult>{args[0], offset},
            sizes, strides);
        auto inParallel = scf::InParallelOp::create(b, loc);
        b.setInsertionPointToStart(inParallel.getBody());
        tensor::ParallelInsertSliceOp::create(
            b, loc, row, args[1], ArrayRef<OpFoldResult>{args[0], zero}, sizes,
            strides);
      });
  return loop.getResult(0);
}

Value BlockBuilder::emitBlock(Value operand, OperandRole role, Value offset) {
  if (role == OperandRole::Source)
    return emitSideBySide(operand, offset);
  OpFoldResult one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets{offset}, sizes{b.getIndexAttr(block)};
  if (role != OperandRole::Uniform) {
    offsets.insert(offsets.begin(), b.getIndexAttr(0));
    sizes.insert(sizes.begin(), tensor::getMixedSize(b, loc, operand, 0));
  }
  SmallVector<OpFoldResult> strides(sizes.size(), one);
  return tensor::ExtractSliceOp::create(b, loc, operand, offsets, sizes,
                                        strides);
}

Value BlockBuilder::emitBlocks() {
  Value destinations =
      NumNodesOp::create(b, loc, NodeSide::Destination, op.getGraph());
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Type partType =
      RankedTensorType::get({type.getDimSize(0), block}, type.getElementType());
  Value empty = tensor::EmptyOp::create(b, loc, type, ValueRange{destinations});
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1),
               size = b.getIndexAttr(block);
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(width), constant(block), empty,
      [&](OpBuilder &, Location, Value offset, ValueRange whole) {
        SmallVector<Value> operands;
        for (auto [role, map, operand] :
             llvm::zip(function.roles, function.operandMaps, function.operands))
          operands.push_back(hasFeatures(map) ? emitBlock(operand, role, offset)
                                              : operand);
        auto part = cast<MessageAggregateOp>(b.clone(*op));
        // The operands of the function follow the graph.
        part->setOperands(1, operands.size(), operands);
        part.getResult(0).setType(partType);
        Value inserted = tensor::InsertSliceOp::create(
            b, loc, part.getResult(0), whole[0],
            ArrayRef<OpFoldResult>{zero, offset},
            ArrayRef<OpFoldResult>{destinations, size},
            ArrayRef<OpFoldResult>{one, one});
        scf::YieldOp::create(b, loc, inserted);
      });
  return loop.getResult(0);
}

/// The updates that alone read what the one before yields, from `op` on: they
/// are computed row by row with whole rows. What else they read is known
/// before `op`.
static SmallVector<UpdateOp> getUpdates(MessageAggregateOp op) {
  DominanceInfo dominance;
  SmallVector<UpdateOp> updates;
  Operation *last = op;
  while (last->hasOneUse()) {
    auto update = dyn_cast<UpdateOp>(*last->user_begin());
    if (!update || update->getBlock() != op->getBlock() ||
        !llvm::all_of(update->getOperands(), [&](Value operand) {
          return operand.getDefiningOp() == last ||
                 dominance.properlyDominates(operand, op);
        }))
      break;
    updates.push_back(update);
    last = update;
  }
  return updates;
}

namespace {
struct BlockFeaturesPass
    : public gnn::impl::BlockFeaturesPassBase<BlockFeaturesPass> {
  using BlockFeaturesPassBase::BlockFeaturesPassBase;

  void runOnOperation() override {
    if (block < 1 || minBlocks < 1 || cacheBytes < 0 || minDegree < 0) {
      getOperation()->emitError()
          << "block and min-blocks must be at least 1, cache-bytes and "
             "min-degree at least 0, got "
          << block.getValue() << ", " << minBlocks.getValue() << ", "
          << cacheBytes.getValue() << " and " << minDegree.getValue();
      return signalPassFailure();
    }
    SmallVector<MessageAggregateOp> candidates;
    getOperation()->walk([&](MessageAggregateOp op) {
      if (getReasonToStayWhole(op, block, minBlocks).empty())
        candidates.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (MessageAggregateOp op : candidates) {
      compileBoth(rewriter, op);
      ++numBlocked;
    }
  }

private:
  void compileBoth(IRRewriter &rewriter, MessageAggregateOp op) {
    Location loc = op.getLoc();
    SmallVector<UpdateOp> updates = getUpdates(op);
    rewriter.setInsertionPoint(op);
    Value isBlocked =
        BlockBuilder(rewriter, op, block).emitDecision(cacheBytes, minDegree);
    auto yieldUpdated = [&](OpBuilder &b, Value result) {
      IRMapping mapping;
      mapping.map(op.getResult(0), result);
      for (UpdateOp update : updates)
        result = b.clone(*update, mapping)->getResult(0);
      scf::YieldOp::create(b, loc, result);
    };
    auto choice = scf::IfOp::create(
        rewriter, loc, isBlocked,
        [&](OpBuilder &b, Location) {
          yieldUpdated(b, BlockBuilder(b, op, block).emitBlocks());
        },
        [&](OpBuilder &b, Location) {
          yieldUpdated(b, b.clone(*op)->getResult(0));
        });
    Operation *last = updates.empty() ? op.getOperation() : updates.back();
    rewriter.replaceAllUsesWith(last->getResults(), choice.getResults());
    for (UpdateOp update : llvm::reverse(updates))
      rewriter.eraseOp(update);
    rewriter.eraseOp(op);
  }
};
} // namespace
