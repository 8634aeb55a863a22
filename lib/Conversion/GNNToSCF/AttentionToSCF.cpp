//===- AttentionToSCF.cpp - Row loops for attention -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is worked off in blocks of edges: scores and their maximum, then
// weights and their sum, then the weighted values. What earlier blocks have
// accumulated is rescaled once for each block.
//
// The weights of a short row wait for its maximum, that for its scores, and
// those for rows of sources. Where some rows in succession have few edges, the
// weights of all are computed before any value is read: a processor finds the
// work of other rows to do while it waits, and exponentials fill registers.
//
//===----------------------------------------------------------------------===//

#include "PackedScores.h"
#include "RowLoops.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

static constexpr double lowest = -std::numeric_limits<double>::infinity();

namespace {
/// Emits the rows of an attention and their blocks.
class AttentionRows {
public:
  AttentionRows(AttentionOp op, const RowAccess &rows,
                const EdgeFunction &score, const EdgeFunction &value,
                int64_t maxEdges, int64_t lanes)
      : rows(rows), score(score), value(value), packed(score, lanes),
        weightMap(op.getWeightMap()), elementType(score.getResultElementType()),
        scoreShape(getResultShape(score)), valueShape(getResultShape(value)),
        blockSize(getBlockSize(maxEdges)) {
    isPacked = packed.getNumEdges() > 1 && packed.getNumEdges() <= blockSize;
    if (isPacked)
      blockSize -= blockSize % packed.getNumEdges();
    hasShortRows =
        isPacked && op.getGraph().getType().getTopology() == Topology::CSR;
  }

  /// Values of all destinations, written into `output`.
  Value emit(OpBuilder &builder, Location loc, Value output) const;

private:
  /// Maximum and sum of each head, and weighted values.
  struct State {
    Value maximum, sum, values;
  };
  /// Destinations in succession.
  struct RowRange {
    Value first, last;
  };

  /// Values for the destination `row`.
  Value emitRow(OpBuilder &builder, Location loc, Value row) const;
  /// Values for the destinations of a range, written into `output`.
  Value emitRows(OpBuilder &builder, Location loc, RowRange range,
                 Value output) const;
  /// The same for rows that have so few edges that all their weights fit into
  /// one tensor.
  Value emitShortRows(OpBuilder &builder, Location loc, RowRange range,
                      EdgeRange edges, Value output) const;

  int64_t getBlockSize(int64_t maxEdges) const;
  int64_t getShortRowEdges() const;
  EdgeRange getBlock(OpBuilder &builder, Location loc, Value first,
                     Value end) const;
  State emitBlock(OpBuilder &builder, Location loc, Value row, EdgeRange range,
                  State before) const;
  ScoreBlock emitScores(OpBuilder &builder, Location loc, Value row,
                        EdgeRange range) const;
  Value emitShift(OpBuilder &builder, Location loc, Value maximum) const;
  /// What was accumulated before, now that there is another maximum.
  State emitRescaled(OpBuilder &builder, Location loc, State before,
                     Value maximum) const;
  /// Adds weights and weighted values of a block to `state`.
  State emitValues(OpBuilder &builder, Location loc, Value row, EdgeRange range,
                   Value scores, State state) const;
  /// Adds the values of some edges, whose weights are known, to `values`.
  Value emitWeightedValues(OpBuilder &builder, Location loc, Value row,
                           EdgeRange range, Value weights, Value values) const;
  /// Sums of the weights and of the weighted values of some edges.
  std::pair<Value, Value> emitWeightedSums(OpBuilder &builder, Location loc,
                                           Value row, EdgeRange range,
                                           Value weights) const;
  Value emitSum(OpBuilder &builder, Location loc, Value weights,
                Value sum) const;
  /// `values` and the weighted value of one edge.
  Value emitWeighted(OpBuilder &builder, Location loc, Value row,
                     Value position, Value weight, Value values) const;
  Value emitNormalized(OpBuilder &builder, Location loc, Value values,
                       Value sum) const;

  AffineMap getScoreMap(OpBuilder &builder) const {
    return builder.getMultiDimIdentityMap(scoreShape.size());
  }
  AffineMap getValueMap(OpBuilder &builder) const {
    return builder.getMultiDimIdentityMap(valueShape.size());
  }
  Value emitEmpty(OpBuilder &builder, Location loc,
                  ArrayRef<int64_t> shape) const {
    return tensor::EmptyOp::create(builder, loc, shape, elementType);
  }
  Value emitFilledWith(OpBuilder &builder, Location loc,
                       ArrayRef<int64_t> shape, double fill) const {
    return emitFilled(builder, loc, shape,
                      builder.getFloatAttr(elementType, fill));
  }

  /// Rows that are short together if they have few edges.
  static constexpr int64_t rowsAtOnce = 8;

  const RowAccess &rows;
  const EdgeFunction &score, &value;
  PackedScores packed;
  bool isPacked = false, hasShortRows = false;
  AffineMap weightMap;
  Type elementType;
  SmallVector<int64_t> scoreShape, valueShape;
  int64_t blockSize;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static SliceParameters getRow(OpBuilder &builder, Value tensor, Value row) {
  return getRowSlice(builder, cast<RankedTensorType>(tensor.getType()), {row},
                     {}, {});
}

/// Replaces row number `row` of a tensor.
static Value emitRowWrite(OpBuilder &builder, Location loc, Value value,
                          Value tensor, Value row) {
  SliceParameters slice = getRow(builder, tensor, row);
  return tensor::InsertSliceOp::create(
      builder, loc, value, tensor, slice.offsets, slice.sizes, slice.strides);
}

Value AttentionRows::emit(OpBuilder &builder, Location loc,
                          Value output) const {
  if (!hasShortRows)
    return emitRowLoop(
               builder, loc, rows, output,
               [&](OpBuilder &b, Location l, Value row, ValueRange outputs) {
                 emitParallelInsert(b, l, {emitRow(b, l, row)}, outputs,
                                    {getRow(b, outputs[0], row)});
               })
        .front();
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
        SliceParameters slice = getRow(b, args[1], first);
        slice.sizes.front() =
            arith::SubIOp::create(b, l, last, first).getResult();
        SmallVector<int64_t> shape{ShapedType::kDynamic};
        llvm::append_range(shape, valueShape);
        Value part = tensor::ExtractSliceOp::create(
            b, l, RankedTensorType::get(shape, elementType), args[1],
            slice.offsets, slice.sizes, slice.strides);
        Value values = emitRows(b, l, {first, last}, part);
        emitParallelInsert(b, l, values, args.drop_front(), slice);
      });
  return loop.getResult(0);
}

Value AttentionRows::emitRows(OpBuilder &builder, Location loc, RowRange range,
                              Value output) const {
  Value one = emitOne(builder, loc);
  Value lastRow = arith::SubIOp::create(builder, loc, range.last, one);
  Value begin = rows.getRange(builder, loc, range.first).first;
  Value end = rows.getRange(builder, loc, lastRow).second;
  Value count = arith::SubIOp::create(builder, loc, end, begin);
  Value enough =
      arith::ConstantIndexOp::create(builder, loc, getShortRowEdges());
  Value areShort = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, count, enough);
  // One of two loops has all rows.
  Value middle =
      arith::SelectOp::create(builder, loc, areShort, range.last, range.first);
  Value last = arith::SelectOp::create(builder, loc, areShort, end, begin);
  output = emitShortRows(builder, loc, {range.first, middle},
                         {begin, last, begin}, output);
  auto loop = scf::ForOp::create(
      builder, loc, middle, range.last, one, output,
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        Value slot = arith::SubIOp::create(b, l, row, range.first);
        Value values = emitRow(b, l, row);
        scf::YieldOp::create(b, l, emitRowWrite(b, l, values, args[0], slot));
      });
  return loop.getResult(0);
}

/// Edges of short rows: their weights are to stay in the first cache.
int64_t AttentionRows::getShortRowEdges() const {
  constexpr int64_t maxEdges = 256, maxBytes = 8192;
  int64_t bytes = scoreShape.front() * elementType.getIntOrFloatBitWidth() / 8;
  return std::min(maxEdges, maxBytes / bytes);
}

Value AttentionRows::emitShortRows(OpBuilder &builder, Location loc,
                                   RowRange range, EdgeRange edges,
                                   Value output) const {
  int64_t numHeads = scoreShape.front();
  int64_t numEdges = getShortRowEdges() + packed.getPadding();
  Value one = emitOne(builder, loc);
  auto scores = scf::ForOp::create(
      builder, loc, range.first, range.last, one,
      emitEmpty(builder, loc, {numEdges * numHeads}),
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        auto [begin, end] = rows.getRange(b, l, row);
        EdgeRange part{begin, end, edges.first};
        ScoreBlock block = packed.emitScores(b, l, rows, row, part, args[0]);
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
        Value slot = arith::SubIOp::create(b, l, row, range.first);
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
  SmallVector<Value> init{emitFilledWith(builder, loc, scoreShape, lowest),
                          emitFilledWith(builder, loc, scoreShape, 0),
                          emitFilledWith(builder, loc, valueShape, 0)};
  Value size = arith::ConstantIndexOp::create(builder, loc, blockSize);
  auto loop = scf::ForOp::create(
      builder, loc, edges.first, edges.second, size, init,
      [&](OpBuilder &b, Location l, Value first, ValueRange args) {
        State next = emitBlock(b, l, row, getBlock(b, l, first, edges.second),
                               {args[0], args[1], args[2]});
        scf::YieldOp::create(b, l,
                             ValueRange{next.maximum, next.sum, next.values});
      });
  return emitNormalized(builder, loc, loop.getResult(2), loop.getResult(1));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Edges of a block: their scores are to fit on the stack.
int64_t AttentionRows::getBlockSize(int64_t maxEdges) const {
  constexpr int64_t maxBytes = 1024;
  int64_t bytes = ShapedType::getNumElements(scoreShape) *
                  elementType.getIntOrFloatBitWidth() / 8;
  return std::clamp<int64_t>(maxBytes / std::max<int64_t>(1, bytes), 1,
                             maxEdges);
}

EdgeRange AttentionRows::getBlock(OpBuilder &builder, Location loc, Value first,
                                  Value end) const {
  Value size = arith::ConstantIndexOp::create(builder, loc, blockSize);
  Value next = arith::AddIOp::create(builder, loc, first, size);
  return {first, arith::MinSIOp::create(builder, loc, next, end), first};
}

AttentionRows::State AttentionRows::emitBlock(OpBuilder &builder, Location loc,
                                              Value row, EdgeRange range,
                                              State before) const {
  ScoreBlock scores =
      isPacked ? packed.emitScores(
                     builder, loc, rows, row, range,
                     emitEmpty(builder, loc, {blockSize * scoreShape.front()}))
               : emitScores(builder, loc, row, range);
  State state = emitRescaled(builder, loc, before, scores.maximum);
  return emitValues(builder, loc, row, range, scores.values, state);
}

ScoreBlock AttentionRows::emitScores(OpBuilder &builder, Location loc,
                                     Value row, EdgeRange range) const {
  SmallVector<int64_t> shape{blockSize};
  llvm::append_range(shape, scoreShape);
  Value empty = emitEmpty(builder, loc, shape);
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, emitOne(builder, loc),
      ValueRange{emitFilledWith(builder, loc, scoreShape, lowest), empty},
      [&](OpBuilder &b, Location l, Value position, ValueRange args) {
        Value scores =
            emitEdgeValue(b, l, score, rows.getEdge(b, l, row, position));
        Value maximum =
            emitElementwise(b, l, scoreShape, scores, {getScoreMap(b)}, args[0],
                            [](OpBuilder &s, Location sl, ValueRange v) {
                              return SmallVector<Value>{
                                  emitMax(s, sl, v[1], v[0])};
                            })
                .front();
        Value slot = arith::SubIOp::create(b, l, position, range.origin);
        Value stored = emitRowWrite(b, l, scores, args[1], slot);
        scf::YieldOp::create(b, l, ValueRange{maximum, stored});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

Value AttentionRows::emitShift(OpBuilder &builder, Location loc,
                               Value maximum) const {
  return emitElementwise(
             builder, loc, scoreShape, maximum, {getScoreMap(builder)},
             emitEmpty(builder, loc, scoreShape),
             [](OpBuilder &b, Location l, ValueRange v) {
               return SmallVector<Value>{emitSoftmaxShift(b, l, v[0])};
             })
      .front();
}

AttentionRows::State AttentionRows::emitRescaled(OpBuilder &builder,
                                                 Location loc, State before,
                                                 Value maximum) const {
  // One op, so that each result takes the memory of what it replaces.
  SmallVector<Value> scaled = emitElementwise(
      builder, loc, scoreShape, maximum, {getScoreMap(builder)},
      {before.maximum, before.sum, emitEmpty(builder, loc, scoreShape)},
      [](OpBuilder &b, Location l, ValueRange v) {
        Value larger = emitMax(b, l, v[1], v[0]);
        Value shift = emitSoftmaxShift(b, l, larger);
        Value factor = emitShiftedExp(b, l, v[1], shift);
        return SmallVector<Value>{larger, emitMul(b, l, v[2], factor), factor};
      });
  Value values =
      emitElementwise(builder, loc, valueShape, scaled[2], {weightMap},
                      before.values,
                      [](OpBuilder &b, Location l, ValueRange v) {
                        return SmallVector<Value>{emitMul(b, l, v[1], v[0])};
                      })
          .front();
  return {scaled[0], scaled[1], values};
}

AttentionRows::State AttentionRows::emitValues(OpBuilder &builder, Location loc,
                                               Value row, EdgeRange range,
                                               Value scores,
                                               State state) const {
  AffineMap identity = getScoreMap(builder);
  Value shift = emitShift(builder, loc, state.maximum);
  if (isPacked) {
    Value sum = packed.emitWeights(builder, loc, range, shift, scores);
    return {state.maximum, emitSum(builder, loc, sum, state.sum),
            emitWeightedValues(builder, loc, row, range, scores, state.values)};
  }
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, emitOne(builder, loc),
      ValueRange{state.sum, state.values},
      [&](OpBuilder &b, Location l, Value position, ValueRange args) {
        Value slot = arith::SubIOp::create(b, l, position, range.origin);
        SmallVector<Value> weighted = emitElementwise(
            b, l, scoreShape, {emitRowSlice(b, l, scores, {slot}), shift},
            {identity, identity}, {args[0], emitEmpty(b, l, scoreShape)},
            [](OpBuilder &s, Location sl, ValueRange v) {
              Value weight = emitShiftedExp(s, sl, v[0], v[1]);
              return SmallVector<Value>{emitAdd(s, sl, v[2], weight), weight};
            });
        Value values = emitWeighted(b, l, row, position, weighted[1], args[1]);
        scf::YieldOp::create(b, l, ValueRange{weighted[0], values});
      });
  return {state.maximum, loop.getResult(0), loop.getResult(1)};
}

/// `sum` and the weights of each head.
Value AttentionRows::emitSum(OpBuilder &builder, Location loc, Value weights,
                             Value sum) const {
  return emitElementwise(builder, loc, scoreShape, weights,
                         {getScoreMap(builder)}, sum,
                         [](OpBuilder &b, Location l, ValueRange v) {
                           return SmallVector<Value>{emitAdd(b, l, v[1], v[0])};
                         })
      .front();
}

Value AttentionRows::emitWeightedValues(OpBuilder &builder, Location loc,
                                        Value row, EdgeRange range,
                                        Value weights, Value values) const {
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, emitOne(builder, loc), values,
      [&](OpBuilder &b, Location l, Value position, ValueRange args) {
        Value weight = packed.emitEntry(b, l, range, weights, position);
        scf::YieldOp::create(
            b, l, emitWeighted(b, l, row, position, weight, args[0]));
      });
  return loop.getResult(0);
}

std::pair<Value, Value> AttentionRows::emitWeightedSums(OpBuilder &builder,
                                                        Location loc, Value row,
                                                        EdgeRange range,
                                                        Value weights) const {
  SmallVector<Value> init{emitFilledWith(builder, loc, scoreShape, 0),
                          emitFilledWith(builder, loc, valueShape, 0)};
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, emitOne(builder, loc), init,
      [&](OpBuilder &b, Location l, Value position, ValueRange args) {
        Value weight = packed.emitEntry(b, l, range, weights, position);
        Value sum = emitSum(b, l, weight, args[0]);
        Value values = emitWeighted(b, l, row, position, weight, args[1]);
        scf::YieldOp::create(b, l, ValueRange{sum, values});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

Value AttentionRows::emitWeighted(OpBuilder &builder, Location loc, Value row,
                                  Value position, Value weight,
                                  Value values) const {
  Value added = emitEdgeValue(builder, loc, value,
                              rows.getEdge(builder, loc, row, position));
  return emitElementwise(builder, loc, valueShape, {added, weight},
                         {getValueMap(builder), weightMap}, values,
                         [](OpBuilder &b, Location l, ValueRange v) {
                           return SmallVector<Value>{
                               emitMultiplyAdd(b, l, v[0], v[1], v[2])};
                         })
      .front();
}

/// One division for each head, not for each feature. The sum is 0 where nothing
/// has a weight.
Value AttentionRows::emitNormalized(OpBuilder &builder, Location loc,
                                    Value values, Value sum) const {
  Value inverse =
      emitElementwise(builder, loc, scoreShape, sum, {getScoreMap(builder)},
                      emitEmpty(builder, loc, scoreShape),
                      [](OpBuilder &b, Location l, ValueRange v) {
                        Value one = emitScalar(b, l, v[0].getType(), 1);
                        return SmallVector<Value>{
                            gnn::emitNormalized(b, l, one, v[0])};
                      })
          .front();
  return emitElementwise(builder, loc, valueShape, {values, inverse},
                         {getValueMap(builder), weightMap},
                         emitEmpty(builder, loc, valueShape),
                         [](OpBuilder &b, Location l, ValueRange v) {
                           Value zero = emitScalar(b, l, v[1].getType(), 0);
                           Value isEmpty = arith::CmpFOp::create(
                               b, l, arith::CmpFPredicate::OEQ, v[1], zero);
                           return SmallVector<Value>{arith::SelectOp::create(
                               b, l, isEmpty, zero, emitMul(b, l, v[0], v[1]))};
                         })
      .front();
}

namespace {
struct LowerAttention : public OpRewritePattern<AttentionOp> {
  LowerAttention(MLIRContext *context, int64_t maxEdges, int64_t lanes)
      : OpRewritePattern(context), maxEdges(maxEdges), lanes(lanes) {}

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RowAccess rows(rewriter, loc, op.getGraph());
    EdgeFunction score =
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getScoreFunction());
    EdgeFunction value =
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getValueFunction());
    AttentionRows attention(op, rows, score, value, maxEdges, lanes);
    Value output = emitNodeTensor(rewriter, loc, rows, op.getType());
    rewriter.replaceOp(op, attention.emit(rewriter, loc, output));
    return success();
  }

private:
  int64_t maxEdges, lanes;
};
} // namespace

void gnn::populateAttentionToSCFPatterns(RewritePatternSet &patterns,
                                         int64_t attentionEdges,
                                         int64_t vectorWidth) {
  patterns.add<LowerAttention>(patterns.getContext(), attentionEdges,
                               vectorWidth);
}
