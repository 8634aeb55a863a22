//===- AttentionBlocks.cpp - Edges of a row of attention --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"
#include "RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

static constexpr double lowest = -std::numeric_limits<double>::infinity();

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
      isPacked
          ? packed.emitScores(
                builder, loc, rows, row, range,
                emitEmpty(builder, loc, {blockSize * packed.getNumSlots()}),
                PackedScores::Padding::Lowest)
          : emitScores(builder, loc, row, range);
  State state = emitRescaled(builder, loc, before, scores.maximum);
  return emitValues(builder, loc, row, range, scores.values, state);
}

SmallVector<Value> AttentionRows::emitInitial(OpBuilder &builder,
                                              Location loc) const {
  return {emitFilledWith(builder, loc, scoreShape, lowest),
          emitFilledWith(builder, loc, scoreShape, 0),
          emitFilledWith(builder, loc, valueShape, 0)};
}

AttentionRows::State AttentionRows::emitMerged(OpBuilder &builder, Location loc,
                                               State first,
                                               State second) const {
  AffineMap identity = getScoreMap(builder);
  Value empty = emitEmpty(builder, loc, scoreShape);
  // Results take the memory of what they replace. The others are what each
  // state is scaled by.
  SmallVector<Value> merged = emitElementwise(
      builder, loc, scoreShape, {second.maximum, second.sum},
      {identity, identity}, {first.maximum, first.sum, empty, empty},
      [](OpBuilder &b, Location l, ValueRange v) {
        OnlineSoftmaxStep step =
            emitOnlineSoftmaxMerge(b, l, v[2], v[3], v[0], v[1]);
        return SmallVector<Value>{step.maximum, step.sum, step.correction,
                                  step.weight};
      });
  Value values =
      emitElementwise(
          builder, loc, valueShape, {second.values, merged[2], merged[3]},
          {getValueMap(builder), weightMap, weightMap}, first.values,
          [](OpBuilder &b, Location l, ValueRange v) {
            return SmallVector<Value>{emitAdd(b, l, emitMul(b, l, v[3], v[1]),
                                              emitMul(b, l, v[0], v[2]))};
          })
          .front();
  return {merged[0], merged[1], values};
}

AttentionRows::State AttentionRows::emitEdge(OpBuilder &builder, Location loc,
                                             Value row, Value position,
                                             State before) const {
  Value scores = emitEdgeValue(builder, loc, score,
                               rows.getEdge(builder, loc, row, position));
  State state = emitRescaled(builder, loc, before, scores);
  auto [sum, weight] = emitWeight(
      builder, loc, scores, emitShift(builder, loc, state.maximum), state.sum);
  return {state.maximum, sum,
          emitWeighted(builder, loc, row, position, weight, state.values)};
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
        auto [sum, weight] = emitWeight(
            b, l, emitRowSlice(b, l, scores, {slot}), shift, args[0]);
        Value values = emitWeighted(b, l, row, position, weight, args[1]);
        scf::YieldOp::create(b, l, ValueRange{sum, values});
      });
  return {state.maximum, loop.getResult(0), loop.getResult(1)};
}

/// The sum of the weights with that of one edge, and this weight.
std::pair<Value, Value> AttentionRows::emitWeight(OpBuilder &builder,
                                                  Location loc, Value scores,
                                                  Value shift,
                                                  Value sum) const {
  AffineMap identity = getScoreMap(builder);
  SmallVector<Value> results = emitElementwise(
      builder, loc, scoreShape, {scores, shift}, {identity, identity},
      {sum, emitEmpty(builder, loc, scoreShape)},
      [](OpBuilder &b, Location l, ValueRange v) {
        Value weight = emitShiftedExp(b, l, v[0], v[1]);
        return SmallVector<Value>{emitAdd(b, l, v[2], weight), weight};
      });
  return {results[0], results[1]};
}

/// `sum` and `values`, such as the weights of each head.
Value AttentionRows::emitSum(OpBuilder &builder, Location loc, Value values,
                             Value sum) const {
  auto type = cast<RankedTensorType>(sum.getType());
  return emitElementwise(builder, loc, type.getShape(), values,
                         {builder.getMultiDimIdentityMap(type.getRank())}, sum,
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
