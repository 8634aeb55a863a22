//===- AttentionToSCF.cpp - Row loops for attention -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"
#include "LongRows.h"
#include "RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static SliceParameters getRow(OpBuilder &builder, Value tensor, Value row) {
  return getRowSlice(builder, cast<RankedTensorType>(tensor.getType()), {row},
                     {}, {});
}

/// Narrower rows take little time to be read from the second cache.
static bool isWide(int64_t rowBytes) { return rowBytes >= 512; }

/// Rows of less bytes than this altogether are in the second cache, or nearly.
static constexpr int64_t largeBytes = 4 << 20;

Value AttentionRows::emit(OpBuilder &builder, Location loc,
                          Value output) const {
  if (normalization == Normalization::Sum)
    return emitAverages(builder, loc, output);
  if (blockSize == 1)
    return emitEdgeByEdge(builder, loc, output);
  if (!hasShortRows)
    return emitRowLoop(
               builder, loc, rows, output,
               [&](OpBuilder &b, Location l, Value row, ValueRange outputs) {
                 emitParallelInsert(b, l, {emitRow(b, l, row)}, outputs,
                                    {getRow(b, outputs[0], row)});
               })
        .front();
  Value shortRowEdges = emitShortRowEdges(builder, loc);
  OpFoldResult zero = builder.getIndexAttr(0);
  OpFoldResult step = builder.getIndexAttr(rowsAtOnce);
  OpFoldResult end = rows.getNumDestinations();
  auto loop = scf::ForallOp::create(
      builder, loc, zero, end, step, output, /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value first = args[0];
        Value next = arith::AddIOp::create(
            b, l, first, arith::ConstantIndexOp::create(b, l, rowsAtOnce));
        Value last =
            arith::MinSIOp::create(b, l, next, rows.getNumDestinations());
        OpFoldResult number =
            arith::SubIOp::create(b, l, last, first).getResult();
        RowRange range{first, last, first, shortRowEdges};
        emitParallelRows(
            b, l, args.drop_front(), first, number, [&](ValueRange parts) {
              Value part = parts.front();
              return SmallVector<Value>{isWide(getRereadBytes())
                                            ? emitGroups(b, l, range, part)
                                            : emitRows(b, l, range, part)};
            });
      });
  loop->setAttr(GNNDialect::kAnyRowOrderAttr, builder.getUnitAttr());
  return loop.getResult(0);
}

/// Rows whose blocks are single edges; long ones are shared.
Value AttentionRows::emitEdgeByEdge(OpBuilder &builder, Location loc,
                                    Value output) const {
  auto toState = [](ValueRange v) { return State{v[0], v[1], v[2]}; };
  auto toValues = [](State state) {
    return SmallVector<Value>{state.maximum, state.sum, state.values};
  };
  RowAccumulation accumulation{
      [&](OpBuilder &b, Location l) { return emitInitial(b, l); },
      [&](OpBuilder &b, Location l, Value row, Value position,
          ValueRange state) {
        return toValues(emitEdge(b, l, row, position, toState(state)));
      },
      [&](OpBuilder &b, Location l, ValueRange first, ValueRange second) {
        return toValues(emitMerged(b, l, toState(first), toState(second)));
      }};
  return emitAccumulated(builder, loc, output, accumulation,
                         [&](OpBuilder &b, Location l, ValueRange v) {
                           State state = toState(v);
                           return emitNormalized(b, l, state.values, state.sum);
                         });
}

Value AttentionRows::emitAverages(OpBuilder &builder, Location loc,
                                  Value output) const {
  RowAccumulation accumulation{
      [&](OpBuilder &b, Location l) {
        return SmallVector<Value>{emitFilledWith(b, l, scoreShape, 0),
                                  emitFilledWith(b, l, valueShape, 0)};
      },
      [&](OpBuilder &b, Location l, Value row, Value position,
          ValueRange state) {
        Value weight =
            emitEdgeValue(b, l, score, rows.getEdge(b, l, row, position));
        return SmallVector<Value>{
            emitSum(b, l, weight, state[0]),
            emitWeighted(b, l, row, position, weight, state[1])};
      },
      [&](OpBuilder &b, Location l, ValueRange first, ValueRange second) {
        return SmallVector<Value>{emitSum(b, l, second[0], first[0]),
                                  emitSum(b, l, second[1], first[1])};
      }};
  return emitAccumulated(builder, loc, output, accumulation,
                         [&](OpBuilder &b, Location l, ValueRange state) {
                           return emitNormalized(b, l, state[1], state[0]);
                         });
}

Value AttentionRows::emitAccumulated(
    OpBuilder &builder, Location loc, Value output,
    const RowAccumulation &accumulation,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> finish) const {
  LongRows longRows(builder, loc, rows, accumulation,
                    getPartSize(rows, options.longRowEdges));
  return emitRowLoop(
             builder, loc, rows, output,
             [&](OpBuilder &b, Location l, Value row, ValueRange outputs) {
               auto [begin, end] = rows.getRange(b, l, row);
               Value values =
                   finish(b, l, longRows.emitRow(b, l, row, begin, end));
               emitParallelInsert(b, l, values, outputs,
                                  {getRow(b, outputs[0], row)});
             })
      .front();
}

std::pair<Value, Value> AttentionRows::emitEdges(OpBuilder &builder,
                                                 Location loc,
                                                 RowRange range) const {
  Value one = emitOne(builder, loc);
  Value lastRow = arith::SubIOp::create(builder, loc, range.last, one);
  return {rows.getRange(builder, loc, range.first).first,
          rows.getRange(builder, loc, lastRow).second};
}

Value AttentionRows::emitGroups(OpBuilder &builder, Location loc,
                                RowRange range, Value output) const {
  auto [begin, end] = emitEdges(builder, loc, range);
  Value count = arith::SubIOp::create(builder, loc, end, begin);
  Value size = arith::ConstantIndexOp::create(builder, loc, rowsAtOnce);
  Value enough = range.shortRowEdges;
  for (int64_t rows = rowsAtOnce; rows > 1; rows /= 2) {
    Value areMany = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sgt, count, enough);
    enough = arith::AddIOp::create(builder, loc, enough, enough);
    Value half = arith::ConstantIndexOp::create(builder, loc, rows / 2);
    size = arith::SelectOp::create(builder, loc, areMany, half, size);
  }
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, size, output,
      [&](OpBuilder &b, Location l, Value first, ValueRange args) {
        Value next = arith::AddIOp::create(b, l, first, size);
        Value last = arith::MinSIOp::create(b, l, next, range.last);
        scf::YieldOp::create(
            b, l,
            emitRows(b, l, {first, last, range.origin, range.shortRowEdges},
                     args[0]));
      });
  return loop.getResult(0);
}

Value AttentionRows::emitRows(OpBuilder &builder, Location loc, RowRange range,
                              Value output) const {
  Value one = emitOne(builder, loc);
  auto [begin, end] = emitEdges(builder, loc, range);
  Value count = arith::SubIOp::create(builder, loc, end, begin);
  Value areShort = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, count, range.shortRowEdges);
  // One of two loops has all rows.
  Value middle =
      arith::SelectOp::create(builder, loc, areShort, range.last, range.first);
  Value last = arith::SelectOp::create(builder, loc, areShort, end, begin);
  output = emitShortRows(
      builder, loc, {range.first, middle, range.origin, range.shortRowEdges},
      {begin, last, begin}, output);
  auto loop = scf::ForOp::create(
      builder, loc, middle, range.last, one, output,
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        Value slot = arith::SubIOp::create(b, l, row, range.origin);
        Value values = emitRow(b, l, row);
        scf::YieldOp::create(b, l, emitRowWrite(b, l, values, args[0], slot));
      });
  return loop.getResult(0);
}

/// Bytes of a source's rows that its values are made of, after its scores.
int64_t AttentionRows::getRereadBytes() const {
  int64_t bytes = 0;
  for (auto [operand, role] : llvm::zip(value.operands, value.roles)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || role != OperandRole::Source ||
        !llvm::is_contained(score.operands, operand))
      continue;
    int64_t bits = type.getElementType().isIndex()
                       ? IndexType::kInternalStorageBitWidth
                       : type.getElementTypeBitWidth();
    bytes +=
        ShapedType::getNumElements(type.getShape().drop_front()) * bits / 8;
  }
  return bytes;
}

/// Edges of short rows at most: their weights are to stay in the first cache.
int64_t AttentionRows::getMaxShortRowEdges() const {
  constexpr int64_t maxEdges = 256, maxBytes = 8192;
  int64_t bytes =
      packed.getNumSlots() * elementType.getIntOrFloatBitWidth() / 8;
  return std::max(std::min(maxEdges, maxBytes / bytes), packed.getNumEdges());
}

/// The same, where wide rows of sources stay there as well until values are
/// made of them. Those of a small graph need not, they are near anyway.
Value AttentionRows::emitShortRowEdges(OpBuilder &builder, Location loc) const {
  constexpr int64_t maxRereadBytes = 16384;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t most = getMaxShortRowEdges();
  int64_t reread = getRereadBytes();
  if (!isWide(reread))
    return constant(most);
  int64_t fewer =
      std::max(std::min(most, maxRereadBytes / reread), packed.getNumEdges());
  Value isLarge = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::uge, rows.getNumSources(),
      constant(llvm::divideCeil(largeBytes, reread)));
  return arith::SelectOp::create(builder, loc, isLarge, constant(fewer),
                                 constant(most));
}

Value AttentionRows::emitShortRows(OpBuilder &builder, Location loc,
                                   RowRange range, EdgeRange edges,
                                   Value output) const {
  int64_t numEdges = getMaxShortRowEdges() + packed.getPadding();
  Value one = emitOne(builder, loc);
  auto scores = scf::ForOp::create(
      builder, loc, range.first, range.last, one,
      emitEmpty(builder, loc, {numEdges * packed.getNumSlots()}),
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        auto [begin, end] = rows.getRange(b, l, row);
        EdgeRange part{begin, end, edges.first};
        // No row reads the weights of others, so that padding does not matter.
        ScoreBlock block = packed.emitScores(b, l, rows, row, part, args[0],
                                             PackedScores::Padding::Repeated);
        Value shift = emitShift(b, l, block.maximum);
        scf::YieldOp::create(
            b, l, packed.emitShifted(b, l, part, shift, block.values));
      });
  // Edges of these rows are consecutive, so that rows do not matter here.
  Value weights =
      packed.emitExponentials(builder, loc, edges, scores.getResult(0));
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, one, output,
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        auto [begin, end] = rows.getRange(b, l, row);
        Value slot = arith::SubIOp::create(b, l, row, range.origin);
        auto [sum, values] =
            emitWeightedSums(b, l, row, {begin, end, edges.first}, weights);
        values = emitNormalized(b, l, values, sum);
        scf::YieldOp::create(b, l, emitRowWrite(b, l, values, args[0], slot));
      });
  return loop.getResult(0);
}

Value AttentionRows::emitRow(OpBuilder &builder, Location loc,
                             Value row) const {
  std::pair<Value, Value> edges = rows.getRange(builder, loc, row);
  Value size = arith::ConstantIndexOp::create(builder, loc, blockSize);
  auto loop = scf::ForOp::create(
      builder, loc, edges.first, edges.second, size, emitInitial(builder, loc),
      [&](OpBuilder &b, Location l, Value first, ValueRange args) {
        State next = emitBlock(b, l, row, getBlock(b, l, first, edges.second),
                               {args[0], args[1], args[2]});
        scf::YieldOp::create(b, l,
                             ValueRange{next.maximum, next.sum, next.values});
      });
  return emitNormalized(builder, loc, loop.getResult(2), loop.getResult(1));
}

namespace {
struct LowerAttention : public OpRewritePattern<AttentionOp> {
  LowerAttention(MLIRContext *context, const AttentionRowOptions &options)
      : OpRewritePattern(context), options(options) {}

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RowAccess rows(rewriter, loc, op.getGraph(), options.parallelEdges);
    EdgeFunction score =
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getScoreFunction());
    EdgeFunction value =
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getValueFunction());
    AttentionRows attention(op, rows, score, value, options);
    Value output = emitNodeTensor(rewriter, loc, rows, op.getType());
    rewriter.replaceOp(op, attention.emit(rewriter, loc, output));
    return success();
  }

private:
  AttentionRowOptions options;
};
} // namespace

void gnn::populateAttentionToSCFPatterns(RewritePatternSet &patterns,
                                         const AttentionRowOptions &options) {
  patterns.add<LowerAttention>(patterns.getContext(), options);
}
