//===- AttentionTile.cpp - One tile of attention ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "../Common/ScalarEmitter.h"
#include "AttentionTiler.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

Value AttentionTiler::elementwise(
    OpBuilder &b, ValueRange inputs, ArrayRef<AffineMap> maps, Value output,
    AffineMap outputMap, ArrayRef<utils::IteratorType> iterators,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
  SmallVector<AffineMap> all(maps);
  all.push_back(outputMap);
  return linalg::GenericOp::create(
             b, loc, TypeRange{output.getType()}, inputs, ValueRange{output},
             all, iterators,
             [&](OpBuilder &bb, Location l, ValueRange args) {
               linalg::YieldOp::create(bb, l, body(bb, args));
             })
      .getResult(0);
}

/// The sources that destinations of the tile may see: tiles that hold no edge
/// are skipped.
std::pair<Value, Value> AttentionTiler::getColumns(OpBuilder &b,
                                                   const DenseBlock &block) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  if (graph.getTopology() == Topology::Complete)
    return {zero, numSources};
  Value first = cast<Value>(block.firstDestination);
  Value end =
      arith::AddIOp::create(b, loc, first, cast<Value>(block.numDestinations));
  if (graph.getTopology() == Topology::Causal)
    return {zero, arith::MinSIOp::create(b, loc, end, numSources)};
  Value window = arith::ConstantIndexOp::create(b, loc, graph.getWindow());
  Value begin = arith::MaxSIOp::create(
      b, loc, zero, arith::SubIOp::create(b, loc, first, window));
  end = arith::MinSIOp::create(b, loc, numSources,
                               arith::AddIOp::create(b, loc, end, window));
  return {begin, end};
}

SmallVector<AttentionTiler::UnseenSources>
AttentionTiler::emitUnseenSources(OpBuilder &b, const DenseBlock &block) {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  auto toValue = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, loc, number);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  };
  auto subtract = [&](Value lhs, Value rhs) -> Value {
    return arith::SubIOp::create(b, loc, lhs, rhs);
  };
  Value numSources = toValue(block.numSources);
  auto limit = [&](Value number) -> Value {
    number = arith::MaxSIOp::create(b, loc, number, constant(0));
    return arith::MinSIOp::create(b, loc, number, numSources);
  };
  bool isWindow = graph.getTopology() == Topology::Window;
  Value window = constant(isWindow ? graph.getWindow() : 0);
  Value one = constant(1);
  // Sources are numbered from the block's first one.
  Value diagonal =
      subtract(toValue(block.firstDestination), toValue(block.firstSource));

  Value last = add(diagonal, window);
  Value numSeen = limit(add(last, one));
  SmallVector<UnseenSources> unseen{
      {numSeen, subtract(numSources, numSeen), last, /*isBehind=*/true}};
  if (!isWindow)
    return unseen;
  Value first = subtract(diagonal, window);
  Value lastRow = subtract(toValue(block.numDestinations), one);
  unseen.push_back(
      {constant(0), limit(add(first, lastRow)), first, /*isBehind=*/false});
  return unseen;
}

Value AttentionTiler::maskUnseen(OpBuilder &b, Value values,
                                 const UnseenSources &unseen,
                                 double otherwise) {
  // Whole registers of numbers that are as wide as values.
  Type numberType = b.getI32Type();
  Value begin = arith::SubIOp::create(b, loc, unseen.first, unseen.diagonal);
  return elementwise(
      b, {}, {}, values, b.getMultiDimIdentityMap(2),
      {utils::IteratorType::parallel, utils::IteratorType::parallel},
      [&](OpBuilder &bb, ValueRange args) -> Value {
        Value source = linalg::IndexOp::create(bb, loc, leading.source);
        source = arith::IndexCastOp::create(
            bb, loc, numberType, arith::AddIOp::create(bb, loc, source, begin));
        Value destination = arith::IndexCastOp::create(
            bb, loc, numberType,
            linalg::IndexOp::create(bb, loc, leading.destination));
        auto predicate = unseen.isBehind ? arith::CmpIPredicate::sle
                                         : arith::CmpIPredicate::sge;
        Value isEdge =
            arith::CmpIOp::create(bb, loc, predicate, source, destination);
        Value other = emitScalar(bb, loc, elementType, otherwise);
        return arith::SelectOp::create(bb, loc, isEdge, args[0], other);
      });
}

Value AttentionTiler::maskPairs(OpBuilder &b, Value values,
                                const DenseBlock &block, double otherwise) {
  if (graph.getTopology() == Topology::Complete || numSegments)
    return values;
  auto type = cast<RankedTensorType>(values.getType());
  if (!useLanes) {
    SmallVector<utils::IteratorType> parallel(type.getRank(),
                                              utils::IteratorType::parallel);
    return elementwise(
        b, {}, {}, values, b.getMultiDimIdentityMap(type.getRank()), parallel,
        [&](OpBuilder &bb, ValueRange args) -> Value {
          auto [i, j] = emitNodes(bb, loc, leading, block);
          Value isEdge = emitIsEdge(bb, loc, graph, i, j);
          Value other = emitScalar(bb, loc, elementType, otherwise);
          return arith::SelectOp::create(bb, loc, isEdge, args[0], other);
        });
  }
  // All destinations see most of the sources: of these, no row is masked.
  SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
  for (const UnseenSources &unseen : emitUnseenSources(b, block)) {
    SmallVector<OpFoldResult> offsets{unseen.first, b.getIndexAttr(0)};
    SmallVector<OpFoldResult> sizes{unseen.number,
                                    block.getDestinationExtent()};
    Value rows =
        tensor::ExtractSliceOp::create(b, loc, values, offsets, sizes, ones);
    rows = maskUnseen(b, rows, unseen, otherwise);
    values = tensor::InsertSliceOp::create(b, loc, rows, values, offsets, sizes,
                                           ones);
  }
  return values;
}

/// The values of a tile times their weights, added up.
Value AttentionTiler::emitAccumulation(OpBuilder &b,
                                       const AttentionFunctions &functions,
                                       const DenseBlock &block, Value weights,
                                       Value accumulator) {
  // Over (i, j, value features), or with destinations last (j, value features,
  // i).
  MLIRContext *context = b.getContext();
  unsigned valueRank = functions.value.resultShape.size();
  AffineMap features = b.getMultiDimIdentityMap(valueRank);
  SmallVector<utils::IteratorType> iterators(valueRank + 2,
                                             utils::IteratorType::parallel);
  iterators[useLanes ? 0 : 1] = utils::IteratorType::reduction;
  // A value that needs only its source is used in place, any other is computed
  // for the tile.
  DenseFunction tileValue = sliceToBlock(b, loc, functions.value, block);
  auto accumulate = [&](OpBuilder &bb, ValueRange v) {
    return emitAdd(bb, loc, v[2], emitMul(bb, loc, v[0], v[1]));
  };
  if (useLanes) {
    AffineMap all = b.getMultiDimIdentityMap(valueRank + 2);
    AffineMap pairs = AffineMap::get(
        valueRank + 2, 0, {all.getResults().front(), all.getResults().back()},
        context);
    return elementwise(b, {weights, tileValue.inputs[0]},
                       {pairs, all.dropResult(valueRank + 1)}, accumulator,
                       all.dropResult(0), iterators, accumulate);
  }
  AffineMap weightMap = getLeadingMap(context, 2, {0, 1}, functions.weightMap);
  Value values;
  AffineMap valueMap;
  if (hasRowValues) {
    values = tileValue.inputs[0];
    valueMap = getLeadingMap(context, 2, {1}, features);
  } else {
    // Stored values of pairs that are no edges may be anything, so that a
    // weight of zero is not enough.
    values = maskPairs(b, emitEdgeValues(b, loc, tileValue, block), block, 0);
    valueMap = getLeadingMap(context, 2, {0, 1}, features);
  }
  return elementwise(b, {weights, values}, {weightMap, valueMap}, accumulator,
                     getLeadingMap(context, 2, {0}, features), iterators,
                     accumulate);
}

Value AttentionTiler::updateAccumulator(
    OpBuilder &b, const AttentionFunctions &functions, Value rows,
    Value accumulator,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
  unsigned rank = functions.value.resultShape.size() + 1;
  AffineMap all = b.getMultiDimIdentityMap(rank);
  AffineMap rowMap =
      useLanes ? all.getMinorSubMap(1)
               : getLeadingMap(b.getContext(), 1, {0}, functions.weightMap);
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  return elementwise(b, rows, {rowMap}, accumulator, all, parallel, body);
}

/// The weight of a score that is NaN is NaN: the maximum may be without it.
static Value emitMaxScore(OpBuilder &b, Location loc, Value maximum,
                          Value score) {
  Value next = emitMax(b, loc, maximum, score);
  next.getDefiningOp()->setAttr(GNNDialect::kIgnoresNaNAttr, b.getUnitAttr());
  return next;
}

/// The sum of each destination's weights, added to `sum`.
Value AttentionTiler::emitRowSums(OpBuilder &b,
                                  const AttentionFunctions &functions,
                                  Value weights, Value sum) {
  unsigned scoreRank = functions.score.resultShape.size();
  // Over (pair, score features).
  AffineMap edgeMap = b.getMultiDimIdentityMap(scoreRank + 2);
  AffineMap nodeMap = getLeadingMap(b.getContext(), 2, {leading.destination},
                                    b.getMultiDimIdentityMap(scoreRank));
  SmallVector<utils::IteratorType> reduction(scoreRank + 2,
                                             utils::IteratorType::parallel);
  reduction[leading.source] = utils::IteratorType::reduction;
  return elementwise(b, weights, {edgeMap}, sum, nodeMap, reduction,
                     [&](OpBuilder &bb, ValueRange v) {
                       return emitAdd(bb, loc, v[1], v[0]);
                     });
}

AttentionTiler::WeightedTile
AttentionTiler::emitPlainTile(OpBuilder &b, const AttentionFunctions &functions,
                              const DenseBlock &block, Value weights,
                              ValueRange state) {
  weights = maskPairs(b, weights, block, 0);
  SmallVector<Value> next(state);
  Value &sum = next[next.size() - 2];
  sum = emitRowSums(b, functions, weights, sum);
  return {weights, next};
}

Value AttentionTiler::emitWeight(OpBuilder &b, Value exponent,
                                 StringRef attribute) {
  Value weight;
  if (isBaseTwo)
    weight = math::Exp2Op::create(b, loc, exponent);
  else
    weight = math::ExpOp::create(b, loc, exponent);
  weight.getDefiningOp()->setAttr(attribute, b.getUnitAttr());
  return weight;
}

Value AttentionTiler::emitShiftedWeight(OpBuilder &b, Value score,
                                        Value shift) {
  return emitWeight(b, arith::SubFOp::create(b, loc, score, shift),
                    GNNDialect::kNeverPositiveAttr);
}

Value AttentionTiler::emitExponentials(OpBuilder &b, Value scores) {
  unsigned rank = cast<RankedTensorType>(scores.getType()).getRank();
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  return elementwise(b, {}, {}, scores, b.getMultiDimIdentityMap(rank),
                     parallel, [&](OpBuilder &bb, ValueRange v) {
                       return emitWeight(bb, v[0], GNNDialect::kBoundedAttr);
                     });
}

AttentionTiler::WeightedTile AttentionTiler::emitSoftmaxTile(
    OpBuilder &b, const AttentionFunctions &functions, const DenseBlock &block,
    Value scores, ValueRange state) {
  MLIRContext *context = b.getContext();
  ArrayRef<int64_t> scoreShape = functions.score.resultShape;
  unsigned scoreRank = scoreShape.size();
  AffineMap scoreFeatures = b.getMultiDimIdentityMap(scoreRank);
  // Over (pair, score features).
  AffineMap edgeMap = b.getMultiDimIdentityMap(scoreRank + 2);
  AffineMap nodeMap =
      getLeadingMap(context, 2, {leading.destination}, scoreFeatures);
  SmallVector<utils::IteratorType> parallel(scoreRank + 2,
                                            utils::IteratorType::parallel);
  SmallVector<utils::IteratorType> reduction(parallel);
  reduction[leading.source] = utils::IteratorType::reduction;
  // Over (i, score features).
  AffineMap rowMap = b.getMultiDimIdentityMap(scoreRank + 1);
  SmallVector<utils::IteratorType> rowParallel(scoreRank + 1,
                                               utils::IteratorType::parallel);

  constexpr double lowest = -std::numeric_limits<double>::infinity();
  OpFoldResult numRows = block.getDestinationExtent();
  scores = maskPairs(b, scores, block, lowest);
  Value tileMaximum = elementwise(
      b, scores, {edgeMap},
      emitFill(b, loc, b.getFloatAttr(elementType, lowest),
               emitEmpty(b, loc, {numRows}, scoreShape, elementType)),
      nodeMap, reduction, [&](OpBuilder &bb, ValueRange v) {
        return emitMaxScore(bb, loc, v[1], v[0]);
      });
  // The correction reads the old maximum, so it comes before the new one takes
  // its place: every part of the state is updated where it lies.
  Value correction =
      elementwise(b, {state[0], tileMaximum}, {rowMap, rowMap},
                  emitEmpty(b, loc, {numRows}, scoreShape, elementType), rowMap,
                  rowParallel, [&](OpBuilder &bb, ValueRange v) -> Value {
                    Value shift = emitSoftmaxShift(
                        bb, loc, emitMaxScore(bb, loc, v[0], v[1]));
                    return emitShiftedWeight(bb, v[0], shift);
                  });
  Value maximum = elementwise(b, tileMaximum, {rowMap}, state[0], rowMap,
                              rowParallel, [&](OpBuilder &bb, ValueRange v) {
                                return emitMaxScore(bb, loc, v[1], v[0]);
                              });
  Value weights =
      elementwise(b, {maximum}, {nodeMap}, scores, edgeMap, parallel,
                  [&](OpBuilder &bb, ValueRange v) -> Value {
                    Value shift = emitSoftmaxShift(bb, loc, v[0]);
                    return emitShiftedWeight(bb, v[1], shift);
                  });
  auto correct = [&](OpBuilder &bb, ValueRange v) {
    return emitMul(bb, loc, v[1], v[0]);
  };
  Value sum = elementwise(b, correction, {rowMap}, state[1], rowMap,
                          rowParallel, correct);
  sum = emitRowSums(b, functions, weights, sum);
  Value accumulator =
      updateAccumulator(b, functions, correction, state[2], correct);
  return {weights, {maximum, sum, accumulator}};
}

AttentionTiler::WeightedTile
AttentionTiler::emitWeights(OpBuilder &b, const AttentionFunctions &functions,
                            const DenseBlock &block, Value scores,
                            ValueRange state) {
  if (!isSoftmax)
    return emitPlainTile(b, functions, block, scores, state);
  Value bounded = op.getBounded();
  if (!bounded)
    return emitSoftmaxTile(b, functions, block, scores, state);
  auto yield = [&](OpBuilder &bb, const WeightedTile &tile) {
    SmallVector<Value> results(tile.state);
    results.push_back(tile.weights);
    scf::YieldOp::create(bb, loc, results);
  };
  auto choice = scf::IfOp::create(
      b, loc, bounded,
      [&](OpBuilder &bb, Location) {
        Value weights = emitExponentials(bb, scores);
        yield(bb, emitPlainTile(bb, functions, block, weights, state));
      },
      [&](OpBuilder &bb, Location) {
        yield(bb, emitSoftmaxTile(bb, functions, block, scores, state));
      });
  SmallVector<Value> results(choice.getResults());
  Value weights = results.pop_back_val();
  return {weights, results};
}

/// One tile of sources: state is (maximum, sum, accumulator), without a maximum
/// where scores are weights.
SmallVector<Value>
AttentionTiler::emitTileStep(OpBuilder &b, const AttentionFunctions &functions,
                             const DenseBlock &block, ValueRange state) {
  Value scores = emitEdgeValues(b, loc, functions.score, block);
  WeightedTile tile = emitWeights(b, functions, block, scores, state);
  Value &accumulator = tile.state.back();
  accumulator =
      emitAccumulation(b, functions, block, tile.weights, accumulator);
  return tile.state;
}
