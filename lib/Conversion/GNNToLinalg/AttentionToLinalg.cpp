//===- AttentionToLinalg.cpp - Tiled attention on dense graphs ------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "../Common/ScalarEmitter.h"
#include "GenericEmitter.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Emits attention over tiles: a loop over tiles of sources that carries
/// running maximum, running sum and accumulator (online softmax, Milakov and
/// Gimelshein 2018), inside a parallel loop over tiles of destinations.
class AttentionTiler {
public:
  AttentionTiler(PatternRewriter &rewriter, AttentionOp op, int64_t rowTile,
                 int64_t columnTile);
  Value emit();

private:
  Value emitRowTile(OpBuilder &b, DenseBlock block, Value numColumns);
  SmallVector<Value> emitTileStep(OpBuilder &b, const DenseBlock &block,
                                  ValueRange state);
  std::pair<Value, Value> getColumns(OpBuilder &b, const DenseBlock &block);
  Value emitScores(OpBuilder &b, const DenseBlock &block);
  /// `values` of the block's pairs, `otherwise` where a pair is no edge.
  Value maskPairs(OpBuilder &b, Value values, const DenseBlock &block,
                  double otherwise);
  Value elementwise(OpBuilder &b, ValueRange inputs, ArrayRef<AffineMap> maps,
                    Value output, AffineMap outputMap,
                    ArrayRef<utils::IteratorType> iterators,
                    llvm::function_ref<Value(OpBuilder &, ValueRange)> body);
  OpFoldResult tileSize(OpBuilder &b, Value first, Value end, int64_t size);

  AttentionOp op;
  Location loc;
  PatternRewriter &rewriter;
  int64_t rowTile, columnTile;
  GNNGraphType graph;
  DenseFunction score, value;
  SmallVector<int64_t> scoreShape, valueShape;
  Type elementType;
  Value numDestinations, numSources;
};
} // namespace

AttentionTiler::AttentionTiler(PatternRewriter &rewriter, AttentionOp op,
                               int64_t rowTile, int64_t columnTile)
    : op(op), loc(op.getLoc()), rewriter(rewriter), rowTile(rowTile),
      columnTile(columnTile), graph(op.getGraph().getType()),
      score(getDenseFunction(
          withEdgeTensors(rewriter, loc, op.getGraph(), op.getScoreFunction()),
          2)),
      value(getDenseFunction(
          withEdgeTensors(rewriter, loc, op.getGraph(), op.getValueFunction()),
          2)),
      scoreShape(getResultShape(score.function)),
      valueShape(getResultShape(value.function)),
      elementType(score.function.getResultElementType()) {
  auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
  numDestinations = parts.getParts()[0];
  numSources = parts.getParts()[1];
}

OpFoldResult AttentionTiler::tileSize(OpBuilder &b, Value first, Value end,
                                      int64_t size) {
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  AffineMap map = AffineMap::get(2, 0, {b.getAffineConstantExpr(size), d1 - d0},
                                 b.getContext());
  return affine::AffineMinOp::create(b, loc, map, ValueRange{first, end})
      .getResult();
}

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

Value AttentionTiler::emitScores(OpBuilder &b, const DenseBlock &block) {
  Value scores =
      emitEdgeValues(b, loc, graph, sliceToBlock(b, loc, score, block), block);
  return maskPairs(b, scores, block, -std::numeric_limits<double>::infinity());
}

Value AttentionTiler::maskPairs(OpBuilder &b, Value values,
                                const DenseBlock &block, double otherwise) {
  if (graph.getTopology() == Topology::Complete)
    return values;
  unsigned rank = cast<RankedTensorType>(values.getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  return elementwise(
      b, {}, {}, values, identity, parallel,
      [&](OpBuilder &bb, ValueRange args) -> Value {
        Value i = emitIndex(bb, loc, 0, block.firstDestination);
        Value j = emitIndex(bb, loc, 1, block.firstSource);
        Value isEdge = emitIsEdge(bb, loc, graph, i, j);
        Value other = emitScalar(bb, loc, elementType, otherwise);
        return arith::SelectOp::create(bb, loc, isEdge, args[0], other);
      });
}

/// One tile of sources: state is (maximum, sum, accumulator).
SmallVector<Value> AttentionTiler::emitTileStep(OpBuilder &b,
                                                const DenseBlock &block,
                                                ValueRange state) {
  MLIRContext *context = b.getContext();
  unsigned scoreRank = scoreShape.size(), valueRank = valueShape.size();
  AffineMap scoreFeatures = b.getMultiDimIdentityMap(scoreRank);
  AffineMap valueFeatures = b.getMultiDimIdentityMap(valueRank);
  // Over (i, j, score features).
  AffineMap edgeMap = b.getMultiDimIdentityMap(scoreRank + 2);
  AffineMap nodeMap = getLeadingMap(context, 2, {0}, scoreFeatures);
  SmallVector<utils::IteratorType> parallel(scoreRank + 2,
                                            utils::IteratorType::parallel);
  SmallVector<utils::IteratorType> reduction(parallel);
  reduction[1] = utils::IteratorType::reduction;
  // Over (i, score features).
  AffineMap rowMap = b.getMultiDimIdentityMap(scoreRank + 1);
  SmallVector<utils::IteratorType> rowParallel(scoreRank + 1,
                                               utils::IteratorType::parallel);

  Value scores = emitScores(b, block);
  auto lowest =
      b.getFloatAttr(elementType, -std::numeric_limits<double>::infinity());
  Value tileMaximum =
      elementwise(b, scores, {edgeMap},
                  emitFill(b, loc, lowest,
                           emitEmpty(b, loc, {block.numDestinations},
                                     scoreShape, elementType)),
                  nodeMap, reduction, [&](OpBuilder &bb, ValueRange v) {
                    return emitMax(bb, loc, v[1], v[0]);
                  });
  // The correction reads the old maximum, so it comes before the new one takes
  // its place: every part of the state is updated where it lies.
  Value correction = elementwise(
      b, {state[0], tileMaximum}, {rowMap, rowMap},
      emitEmpty(b, loc, {block.numDestinations}, scoreShape, elementType),
      rowMap, rowParallel, [&](OpBuilder &bb, ValueRange v) -> Value {
        Value shift = emitSoftmaxShift(bb, loc, emitMax(bb, loc, v[0], v[1]));
        return math::ExpOp::create(bb, loc,
                                   arith::SubFOp::create(bb, loc, v[0], shift));
      });
  Value maximum = elementwise(b, tileMaximum, {rowMap}, state[0], rowMap,
                              rowParallel, [&](OpBuilder &bb, ValueRange v) {
                                return emitMax(bb, loc, v[1], v[0]);
                              });
  Value weights =
      elementwise(b, {maximum}, {nodeMap}, scores, edgeMap, parallel,
                  [&](OpBuilder &bb, ValueRange v) -> Value {
                    Value shift = emitSoftmaxShift(bb, loc, v[0]);
                    return math::ExpOp::create(
                        bb, loc, arith::SubFOp::create(bb, loc, v[1], shift));
                  });
  Value sum = elementwise(b, correction, {rowMap}, state[1], rowMap,
                          rowParallel, [&](OpBuilder &bb, ValueRange v) {
                            return emitMul(bb, loc, v[1], v[0]);
                          });
  sum = elementwise(b, weights, {edgeMap}, sum, nodeMap, reduction,
                    [&](OpBuilder &bb, ValueRange v) {
                      return emitAdd(bb, loc, v[1], v[0]);
                    });

  // Over (i, value features).
  AffineMap weightMap = op.getWeightMap();
  AffineMap valueRowMap = b.getMultiDimIdentityMap(valueRank + 1);
  SmallVector<utils::IteratorType> valueRowParallel(
      valueRank + 1, utils::IteratorType::parallel);
  Value accumulator = elementwise(
      b, correction, {getLeadingMap(context, 1, {0}, weightMap)}, state[2],
      valueRowMap, valueRowParallel, [&](OpBuilder &bb, ValueRange v) {
        return emitMul(bb, loc, v[1], v[0]);
      });

  // Over (i, j, value features). A value that needs only its source is used
  // in place, any other is computed for the tile.
  DenseFunction tileValue = sliceToBlock(b, loc, value, block);
  SmallVector<utils::IteratorType> valueReduction(
      valueRank + 2, utils::IteratorType::parallel);
  valueReduction[1] = utils::IteratorType::reduction;
  AffineMap weightEdgeMap = getLeadingMap(context, 2, {0, 1}, weightMap);
  AffineMap valueNodeMap = getLeadingMap(context, 2, {0}, valueFeatures);
  const EdgeFunction &function = value.function;
  bool isRow = function.operands.size() == 1 &&
               function.roles[0] == OperandRole::Source &&
               function.getYieldedValue() == function.body->getArgument(0) &&
               function.operandMaps[0].isIdentity() &&
               function.resultMap.isIdentity();
  Value values;
  AffineMap valueMap;
  if (isRow) {
    values = tileValue.inputs[0];
    valueMap = getLeadingMap(context, 2, {1}, valueFeatures);
  } else {
    // Stored values of pairs that are no edges may be anything, so that a
    // weight of zero is not enough.
    values =
        maskPairs(b, emitEdgeValues(b, loc, graph, tileValue, block), block, 0);
    valueMap = getLeadingMap(context, 2, {0, 1}, valueFeatures);
  }
  accumulator = elementwise(
      b, {weights, values}, {weightEdgeMap, valueMap}, accumulator,
      valueNodeMap, valueReduction, [&](OpBuilder &bb, ValueRange v) {
        return emitAdd(bb, loc, v[2], emitMul(bb, loc, v[0], v[1]));
      });
  return {maximum, sum, accumulator};
}

Value AttentionTiler::emitRowTile(OpBuilder &b, DenseBlock block,
                                  Value columnStep) {
  auto zero = cast<TypedAttr>(b.getZeroAttr(elementType));
  auto lowest =
      b.getFloatAttr(elementType, -std::numeric_limits<double>::infinity());
  auto filled = [&](ArrayRef<int64_t> shape, TypedAttr init) {
    return emitFill(
        b, loc, init,
        emitEmpty(b, loc, {block.numDestinations}, shape, elementType));
  };
  SmallVector<Value> init{filled(scoreShape, lowest), filled(scoreShape, zero),
                          filled(valueShape, zero)};
  auto [begin, end] = getColumns(b, block);
  Value last = end;
  auto loop = scf::ForOp::create(
      b, loc, begin, end, columnStep, init,
      [&](OpBuilder &bb, Location, Value column, ValueRange state) {
        DenseBlock tile = block;
        tile.firstSource = column;
        tile.numSources = tileSize(bb, column, last, columnTile);
        scf::YieldOp::create(bb, loc, emitTileStep(bb, tile, state));
      });
  unsigned valueRank = valueShape.size();
  AffineMap rowMap = b.getMultiDimIdentityMap(valueRank + 1);
  SmallVector<utils::IteratorType> parallel(valueRank + 1,
                                            utils::IteratorType::parallel);
  return elementwise(b, loop.getResult(1),
                     {getLeadingMap(b.getContext(), 1, {0}, op.getWeightMap())},
                     loop.getResult(2), rowMap, parallel,
                     [&](OpBuilder &bb, ValueRange v) {
                       return emitNormalized(bb, loc, v[1], v[0]);
                     });
}

Value AttentionTiler::emit() {
  OpBuilder &b = rewriter;
  Value output = emitEmpty(b, loc, {OpFoldResult(numDestinations)}, valueShape,
                           elementType);
  Value columnStep = arith::ConstantIndexOp::create(b, loc, columnTile);
  auto loop = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{OpFoldResult(numDestinations)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(rowTile)}, ValueRange{output},
      /*mapping=*/std::nullopt, [&](OpBuilder &bb, Location, ValueRange args) {
        DenseBlock block;
        block.firstDestination = args[0];
        block.numDestinations = tileSize(bb, args[0], numDestinations, rowTile);
        Value tile = emitRowTile(bb, block, columnStep);
        SmallVector<OpFoldResult> offsets{args[0]};
        SmallVector<OpFoldResult> sizes{block.numDestinations};
        for (int64_t size : valueShape) {
          offsets.push_back(bb.getIndexAttr(0));
          sizes.push_back(bb.getIndexAttr(size));
        }
        SmallVector<OpFoldResult> strides(sizes.size(), bb.getIndexAttr(1));
        auto inParallel = scf::InParallelOp::create(bb, loc);
        bb.setInsertionPointToStart(inParallel.getBody());
        tensor::ParallelInsertSliceOp::create(bb, loc, tile, args[1], offsets,
                                              sizes, strides);
      });
  return loop.getResult(0);
}

namespace {
struct TileAttention : public OpRewritePattern<AttentionOp> {
  TileAttention(MLIRContext *context, int64_t rowTile, int64_t columnTile)
      : OpRewritePattern(context), rowTile(rowTile), columnTile(columnTile) {}

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getGraph().getType().hasDenseEdges())
      return rewriter.notifyMatchFailure(op, "the topology is not dense");
    AttentionTiler tiler(rewriter, op, rowTile, columnTile);
    rewriter.replaceOp(op, tiler.emit());
    return success();
  }

  int64_t rowTile, columnTile;
};
} // namespace

void gnn::populateAttentionToLinalgPatterns(RewritePatternSet &patterns,
                                            int64_t rowTile,
                                            int64_t columnTile) {
  patterns.add<TileAttention>(patterns.getContext(), rowTile, columnTile);
}
