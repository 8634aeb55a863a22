//===- AttentionToLinalg.cpp - Attention by tiles ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "../Common/GraphArrays.h"
#include "../Common/ScalarEmitter.h"
#include "../Common/Slices.h"
#include "AttentionTiler.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;

/// Whether scores of a head are one number for a pair that vectors of
/// destinations compute.
static bool canUseLanes(const EdgeFunction &score, const EdgeFunction &value,
                        AffineMap weightMap) {
  if (!value.isSourceRow() || !weightMap.isProjectedPermutation())
    return false;
  // Rows of a table that a pair chooses are read along features.
  return !score.hasReduction() ||
         llvm::none_of(score.getComputation(score.getAccumulated()),
                       llvm::IsaPred<tensor::ExtractOp>);
}

/// Sources of a tile: half as many until as many keys and values take no more
/// than `sizes.bytes`, if keys are as wide as the values of a head.
static int64_t getNumSources(const EdgeFunction &score,
                             const EdgeFunction &value,
                             const AttentionTileSizes &sizes) {
  int64_t width = ShapedType::getNumElements(getResultShape(value)) /
                  ShapedType::getNumElements(getResultShape(score));
  int64_t elementBytes =
      llvm::divideCeil(value.getResultElementType().getIntOrFloatBitWidth(), 8);
  int64_t numSources = sizes.columns;
  constexpr int64_t fewest = 16;
  while (sizes.bytes != 0 && numSources >= 2 * fewest &&
         2 * numSources * width * elementBytes > sizes.bytes)
    numSources /= 2;
  return numSources;
}

/// Destinations side by side in a tile.
static int64_t getNumLanes(GNNGraphType graph,
                           const AttentionTileSizes &sizes) {
  bool isWindow = graph.getTopology() == Topology::Window;
  if (isWindow && sizes.windowLanes != 0 &&
      graph.getWindow() >= 4 * sizes.windowLanes)
    return sizes.windowLanes;
  bool isNarrow = isWindow || graph.getTopology() == Topology::BlockDiagonal;
  return isNarrow && sizes.narrowLanes != 0 ? sizes.narrowLanes : sizes.lanes;
}

AttentionTiler::AttentionTiler(PatternRewriter &rewriter, AttentionOp op,
                               const AttentionTileSizes &sizes)
    : op(op), loc(op.getLoc()), rewriter(rewriter),
      graph(op.getGraph().getType()),
      score(
          withEdgeTensors(rewriter, loc, op.getGraph(), op.getScoreFunction())),
      value(
          withEdgeTensors(rewriter, loc, op.getGraph(), op.getValueFunction())),
      elementType(score.getResultElementType()),
      hasRowValues(value.isSourceRow()),
      useLanes(sizes.lanes && canUseLanes(score, value, op.getWeightMap())),
      isSoftmax(op.getNormalization() == Normalization::Softmax),
      // Segments have few sources: multiplying their destinations' rows takes
      // as long as it saves.
      isBaseTwo(sizes.baseTwo && isSoftmax && useLanes &&
                graph.getTopology() != Topology::BlockDiagonal &&
                elementType.isF32() && score.isDotProduct()),
      leading(useLanes ? LeadingLoops::sourcesFirst()
                       : LeadingLoops::forEdges()),
      rowTile(useLanes ? getNumLanes(graph, sizes) : sizes.rows),
      columnTile(useLanes ? getNumSources(score, value, sizes) : sizes.columns),
      maxSharing(useLanes ? sizes.shared : 1),
      minSegmentIterations(sizes.segmentIterations) {
  auto partsOp = GraphPartsOp::create(rewriter, loc, op.getGraph());
  llvm::append_range(parts, partsOp.getParts());
  if (graph.getTopology() != Topology::BlockDiagonal) {
    numDestinations = parts[0];
    numSources = parts[1];
    return;
  }
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  numSegments = arith::SubIOp::create(
      rewriter, loc, tensor::DimOp::create(rewriter, loc, parts[0], 0), one);
  numDestinations = loadIndex(rewriter, loc, parts[0], numSegments);
  numSources = loadIndex(rewriter, loc, parts[1], numSegments);
}

AttentionFunctions AttentionTiler::getHead(OpBuilder &b, ValueRange head) {
  AttentionFunctions functions{getDenseFunction(score, leading),
                               getDenseFunction(value, leading),
                               op.getWeightMap()};
  if (!useLanes)
    return functions;
  for (auto [scoreLoop, valueLoop, index] :
       llvm::zip(score.resultMap.getResults(), op.getWeightMap().getResults(),
                 head)) {
    functions.score =
        fixFeatureLoop(b, loc, functions.score,
                       cast<AffineDimExpr>(scoreLoop).getPosition(), index);
    functions.value =
        fixFeatureLoop(b, loc, functions.value,
                       cast<AffineDimExpr>(valueLoop).getPosition(), index);
  }
  functions.weightMap =
      AffineMap::get(functions.value.resultShape.size(), 0, b.getContext());
  return functions;
}

DenseFunction AttentionTiler::packQueries(OpBuilder &b,
                                          const DenseFunction &function,
                                          const DenseBlock &block,
                                          ValueRange places) {
  return packDestinations(b, loc, function, block, rowTile, places,
                          isBaseTwo ? llvm::numbers::log2e : 1);
}

Value AttentionTiler::emitRowTile(OpBuilder &b, AttentionFunctions functions,
                                  DenseBlock block,
                                  std::pair<Value, Value> sources) {
  if (useLanes) {
    block.destinationExtent = b.getIndexAttr(rowTile);
    block.maxSources = columnTile;
    functions.score = packQueries(b, functions.score, block);
  }
  OpFoldResult numRows = block.getDestinationExtent();
  Value rows =
      emitEmpty(b, loc, {numRows}, functions.score.resultShape, elementType);
  SmallVector<OpFoldResult> extents =
      getAsIndexOpFoldResult(b.getContext(), functions.value.resultShape);
  extents.insert(useLanes ? extents.end() : extents.begin(), numRows);
  Value sums = tensor::EmptyOp::create(b, loc, extents, elementType);
  SmallVector<Value> places(isSoftmax ? 2 : 1, rows);
  places.push_back(sums);
  SmallVector<Value> init = emitInitialState(b, places);
  Value last = sources.second;
  auto loop = scf::ForOp::create(
      b, loc, sources.first, last,
      arith::ConstantIndexOp::create(b, loc, columnTile), init,
      [&](OpBuilder &bb, Location, Value column, ValueRange state) {
        DenseBlock tile = block;
        tile.firstSource = column;
        tile.numSources = emitTileSize(bb, loc, column, last, columnTile);
        AttentionFunctions step = functions;
        if (useLanes)
          step.score = packDestinations(bb, loc, step.score, tile, rowTile);
        step.score = sliceToBlock(bb, loc, step.score, tile);
        scf::YieldOp::create(bb, loc, emitTileStep(bb, step, tile, state));
      });
  return emitRows(b, functions, numRows, loop.getResults(),
                  /*isStacked=*/false);
}

/// The state (see emitTileStep) before the first tile, in `places`.
SmallVector<Value> AttentionTiler::emitInitialState(OpBuilder &b,
                                                    ValueRange places) {
  TypedAttr lowest =
      b.getFloatAttr(elementType, -std::numeric_limits<double>::infinity());
  auto zero = cast<TypedAttr>(b.getZeroAttr(elementType));
  SmallVector<Value> state;
  if (isSoftmax) {
    state.push_back(emitFill(b, loc, lowest, places.front()));
    places = places.drop_front();
  }
  for (Value place : places)
    state.push_back(emitFill(b, loc, zero, place));
  return state;
}

/// The results of the state after the last tile, a row for each destination.
Value AttentionTiler::emitRows(OpBuilder &b,
                               const AttentionFunctions &functions,
                               OpFoldResult numRows, ValueRange state,
                               bool isStacked) {
  Value rowSums = state.drop_back().back(), sums = state.back();
  if (!useLanes)
    return updateAccumulator(b, functions, rowSums, sums,
                             [&](OpBuilder &bb, ValueRange v) {
                               return emitNormalized(bb, loc, v[1], v[0]);
                             });
  ArrayRef<int64_t> valueShape = functions.value.resultShape;
  // A division is as slow as a dozen products: one for each destination.
  AffineMap identity = b.getMultiDimIdentityMap(1);
  Value factors = elementwise(
      b, rowSums, identity, emitEmpty(b, loc, {numRows}, {}, elementType),
      identity, utils::IteratorType::parallel,
      [&](OpBuilder &bb, ValueRange v) {
        return emitNormalized(bb, loc, emitScalar(bb, loc, elementType, 1),
                              v[0]);
      });
  AffineMap all = b.getMultiDimIdentityMap(valueShape.size() + 1);
  SmallVector<utils::IteratorType> parallel(valueShape.size() + 1,
                                            utils::IteratorType::parallel);
  SmallVector<Value> inputs{factors};
  SmallVector<AffineMap> maps{all.getMinorSubMap(1)};
  if (isStacked) {
    // Written in its place, all of the stack would be copied.
    inputs.push_back(sums);
    maps.push_back(all);
    sums = tensor::EmptyOp::create(
        b, loc, cast<RankedTensorType>(sums.getType()).getShape(), elementType);
  }
  sums = elementwise(
      b, inputs, maps, sums, all, parallel, [&](OpBuilder &bb, ValueRange v) {
        // A row without weight is 0, whatever its values.
        Value zero = emitScalar(bb, loc, elementType, 0);
        Value isNone = arith::CmpFOp::create(bb, loc, arith::CmpFPredicate::OEQ,
                                             v[0], zero);
        return arith::SelectOp::create(bb, loc, isNone, zero,
                                       emitMul(bb, loc, v[1], v[0]));
      });
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, valueShape.size()));
  permutation.insert(permutation.begin(), valueShape.size());
  Value empty = emitEmpty(b, loc, {numRows}, valueShape, elementType);
  return linalg::TransposeOp::create(b, loc, sums, empty, permutation)
      ->getResult(0);
}

AttentionTiler::ResultSlice
AttentionTiler::getResultSlice(OpBuilder &b, OpFoldResult firstRow,
                               OpFoldResult numRows, ValueRange head) {
  ResultSlice slice;
  slice.sizes = {numRows};
  llvm::append_range(slice.sizes, getAsIndexOpFoldResult(
                                      b.getContext(), getResultShape(value)));
  slice.offsets.assign(slice.sizes.size(), b.getIndexAttr(0));
  slice.strides.assign(slice.sizes.size(), b.getIndexAttr(1));
  slice.offsets[0] = firstRow;
  if (!head.empty())
    for (auto [expr, index] : llvm::zip(op.getWeightMap().getResults(), head)) {
      unsigned dimension = cast<AffineDimExpr>(expr).getPosition() + 1;
      slice.offsets[dimension] = index;
      slice.sizes[dimension] = b.getIndexAttr(1);
    }
  return slice;
}

Value AttentionTiler::emit() {
  OpBuilder &b = rewriter;
  SmallVector<int64_t> valueShape = getResultShape(value);
  Value output = emitEmpty(b, loc, {OpFoldResult(numDestinations)}, valueShape,
                           elementType);
  // Heads are outside, because all tiles of a head read the same sources. Those
  // of a segment are read by no other one, and a line of them has several
  // heads: heads are inside there.
  SmallVector<int64_t> heads;
  if (useLanes)
    heads = getResultShape(score);
  SmallVector<OpFoldResult> begins(heads.size() + 1, b.getIndexAttr(0));
  SmallVector<OpFoldResult> ends =
      getAsIndexOpFoldResult(b.getContext(), heads);
  SmallVector<OpFoldResult> steps(heads.size(), b.getIndexAttr(1));
  unsigned rowLoop = numSegments ? 0 : heads.size();
  unsigned firstHead = numSegments ? 1 : 0;
  ends.insert(ends.begin() + rowLoop,
              numSegments ? numSegments : numDestinations);
  OpFoldResult step = b.getIndexAttr(numSegments ? 1 : rowTile);
  Value sharingRows = emitSharingRows(b, heads);
  if (sharingRows)
    step = sharingRows;
  steps.insert(steps.begin() + rowLoop, step);
  SegmentShares shares = emitSegmentShares(b, heads);
  if (shares.number) {
    begins.push_back(b.getIndexAttr(0));
    ends.push_back(shares.number);
    steps.push_back(b.getIndexAttr(1));
  }
  auto loop = scf::ForallOp::create(
      b, loc, begins, ends, steps, ValueRange{output},
      /*mapping=*/std::nullopt, [&](OpBuilder &bb, Location, ValueRange args) {
        ValueRange head = args.slice(firstHead, heads.size());
        Value index = args[rowLoop], shared = args.back();
        AttentionFunctions functions = getHead(bb, head);
        if (numSegments) {
          Value number = shares.number ? args[1 + heads.size()] : Value();
          emitSegment(bb, functions, index, {shares.rows, number}, shared,
                      head);
          return;
        }
        if (sharingRows) {
          Value end = arith::MinSIOp::create(
              bb, loc, numDestinations,
              arith::AddIOp::create(bb, loc, index, sharingRows));
          emitSharingTiles(bb, functions, index, end, shared, head);
          return;
        }
        DenseBlock block;
        block.firstDestination = index;
        block.numDestinations =
            emitTileSize(bb, loc, index, numDestinations, rowTile);
        Value tile = emitRowTile(bb, functions, block, getColumns(bb, block));
        if (useLanes)
          tile = extractRows(bb, loc, tile, bb.getIndexAttr(0),
                             block.numDestinations);
        emitInsertion(bb, tile, shared,
                      getResultSlice(bb, block.firstDestination,
                                     block.numDestinations, head));
      });
  return loop.getResult(0);
}

/// Writes the rows from `first` to before `end` of a head, tile by tile.
void AttentionTiler::emitRowTiles(
    OpBuilder &b, const AttentionFunctions &functions, Value first, Value end,
    Value shared, ValueRange head,
    llvm::function_ref<Value(OpBuilder &, const DenseBlock &)> emitTile) {
  Value numRows = arith::SubIOp::create(b, loc, end, first);
  ResultSlice slice = getResultSlice(b, first, numRows, head);
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, functions.value.resultShape);
  Value rows = tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, elementType), shared, slice.offsets,
      slice.sizes, slice.strides);
  auto loop = scf::ForOp::create(
      b, loc, first, end, arith::ConstantIndexOp::create(b, loc, rowTile),
      ValueRange{rows},
      [&](OpBuilder &bb, Location, Value row, ValueRange args) {
        DenseBlock block;
        block.firstDestination = row;
        block.numDestinations = emitTileSize(bb, loc, row, end, rowTile);
        Value tile = extractRows(bb, loc, emitTile(bb, block),
                                 bb.getIndexAttr(0), block.numDestinations);
        SmallVector<OpFoldResult> offsets(shape.size(), bb.getIndexAttr(0));
        SmallVector<OpFoldResult> strides(shape.size(), bb.getIndexAttr(1));
        SmallVector<OpFoldResult> sizes =
            getAsIndexOpFoldResult(bb.getContext(), shape);
        offsets[0] = arith::SubIOp::create(bb, loc, row, first).getResult();
        sizes[0] = block.numDestinations;
        Value whole = tensor::InsertSliceOp::create(bb, loc, tile, args[0],
                                                    offsets, sizes, strides);
        scf::YieldOp::create(bb, loc, whole);
      });
  emitInsertion(b, loop.getResult(0), shared, slice);
}

void AttentionTiler::emitInsertion(OpBuilder &b, Value rows, Value shared,
                                   const ResultSlice &slice) {
  auto inParallel = scf::InParallelOp::create(b, loc);
  b.setInsertionPointToStart(inParallel.getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, rows, shared, slice.offsets,
                                        slice.sizes, slice.strides);
}

bool AttentionTiler::canTile(AttentionOp op, const AttentionTileSizes &sizes) {
  if (op.getGraph().getType().hasDenseEdges())
    return true;
  // Values per edge of segments are no matrix.
  auto readsEdges = [](const EdgeFunction &function) {
    return llvm::is_contained(function.roles, OperandRole::Edge);
  };
  return op.getGraph().getType().getTopology() == Topology::BlockDiagonal &&
         sizes.lanes && !op->hasAttr(GNNDialect::kByRowsAttr) &&
         !readsEdges(op.getScoreFunction()) &&
         !readsEdges(op.getValueFunction()) &&
         canUseLanes(op.getScoreFunction(), op.getValueFunction(),
                     op.getWeightMap());
}

namespace {
struct TileAttention : public OpRewritePattern<AttentionOp> {
  TileAttention(MLIRContext *context, const AttentionTileSizes &sizes)
      : OpRewritePattern(context), sizes(sizes) {}

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!AttentionTiler::canTile(op, sizes))
      return rewriter.notifyMatchFailure(op, "its pairs are no matrix");
    AttentionTiler tiler(rewriter, op, sizes);
    rewriter.replaceOp(op, tiler.emit());
    return success();
  }

  AttentionTileSizes sizes;
};
} // namespace

void gnn::populateAttentionToLinalgPatterns(RewritePatternSet &patterns,
                                            const AttentionTileSizes &sizes) {
  patterns.add<TileAttention>(patterns.getContext(), sizes);
}
