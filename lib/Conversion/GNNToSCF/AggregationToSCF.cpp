//===- AggregationToSCF.cpp - Row loops for aggregations --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Aggregation.h"
#include "../Common/EdgeTensors.h"
#include "../Common/ScalarEmitter.h"
#include "../Common/StoredMessages.h"
#include "LongRows.h"
#include "RowLoops.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

/// Whether values of edges take no more than a few additions and products.
static bool hasFewOps(const EdgeFunction &function) {
  constexpr int64_t mostOps = 4;
  auto ops = function.body->front().without_terminator();
  auto isSimple = [](Operation &op) {
    return isa<arith::ArithDialect>(op.getDialect()) &&
           !isa<arith::DivFOp, arith::RemFOp>(op);
  };
  auto isComputed = [](Operation &op) {
    return !op.hasTrait<OpTrait::ConstantLike>();
  };
  return !function.hasReduction() && llvm::all_of(ops, isSimple) &&
         llvm::count_if(ops, isComputed) <= mostOps;
}

namespace {
/// One aggregation, whose rows are emitted one by one, whole or in tiles of
/// their features.
class RowAggregation {
public:
  RowAggregation(OpBuilder &builder, MessageAggregateOp op,
                 const EdgeLoopOptions &options)
      : op(op), options(options),
        rows(builder, op.getLoc(), op.getGraph(), options.parallelEdges),
        function(withEdgeTensors(builder, op.getLoc(), op.getGraph(),
                                 op.getEdgeFunction())),
        aggregation(op.getAggregators(), function.getResultElementType()),
        tileSize(getTileSize()),
        looksAhead(options.twoPassSoftmax && aggregation.hasSoftmax() &&
                   hasFewOps(function) && !options.longRowEdges) {}

  /// What takes the place of the op's results.
  SmallVector<Value> emit(OpBuilder &builder, Location loc) const;

private:
  bool isReadInOrder() const;
  int64_t getMostFeatures() const;
  int64_t getTileSize() const;
  int64_t getPartEdges() const;

  FeatureTile getTile(Value offset, int64_t size) const;
  SmallVector<int64_t> getShape(std::optional<FeatureTile> tile) const;

  RowAccumulation getAccumulation(const Aggregation &aggregation,
                                  std::optional<FeatureTile> tile,
                                  Value softmaxShift = {}) const;
  SmallVector<Value> emitState(OpBuilder &builder, Location loc, Value row,
                               Value begin, Value end,
                               std::optional<FeatureTile> tile) const;
  Value emitShift(OpBuilder &builder, Location loc, Value row, Value begin,
                  Value end, std::optional<FeatureTile> tile) const;
  SmallVector<Value> emitFinished(OpBuilder &builder, Location loc,
                                  ValueRange accumulators, Value begin,
                                  Value end) const;
  SmallVector<Value> emitTile(OpBuilder &builder, Location loc, Value row,
                              Value begin, Value end, FeatureTile tile) const;
  SmallVector<Value> emitTiledRow(OpBuilder &builder, Location loc, Value row,
                                  Value begin, Value end) const;
  SmallVector<Value> emitTilesAtOnce(OpBuilder &builder, Location loc,
                                     ArrayRef<Value> outputs) const;

  MessageAggregateOp op;
  EdgeLoopOptions options;
  RowAccess rows;
  EdgeFunction function;
  Aggregation aggregation;
  /// Width of a tile of the innermost result loop, 0 to leave rows whole.
  int64_t tileSize;
  /// Whether the maximum of a softmax is known before its exponentials.
  bool looksAhead;
};
} // namespace

SmallVector<Value> RowAggregation::emit(OpBuilder &builder,
                                        Location loc) const {
  SmallVector<Value> outputs;
  for (Type type : op->getResultTypes())
    outputs.push_back(emitNodeTensor(builder, loc, rows, type));
  if (tileSize && options.parallelEdges)
    return emitTilesAtOnce(builder, loc, outputs);
  // Parts would have to be tiled, too.
  RowAccumulation whole = getAccumulation(aggregation, {});
  LongRows longRows(builder, loc, rows, whole, getPartEdges());
  auto emitRow = [&](OpBuilder &b, Location l, Value row, ValueRange targets) {
    auto [begin, end] = rows.getRange(b, l, row);
    SmallVector<Value> values;
    if (tileSize)
      values = emitTiledRow(b, l, row, begin, end);
    else
      values =
          emitFinished(b, l,
                       looksAhead ? emitState(b, l, row, begin, end, {})
                                  : longRows.emitRow(b, l, row, begin, end),
                       begin, end);
    SmallVector<SliceParameters> slices;
    for (Value target : targets)
      slices.push_back(getRowSlice(b, cast<RankedTensorType>(target.getType()),
                                   {row}, {}, {}));
    emitParallelInsert(b, l, values, targets, slices);
  };
  return emitRowLoop(builder, loc, rows, outputs, emitRow);
}

/// Edges of a part of a row, 0 where rows stay whole.
int64_t RowAggregation::getPartEdges() const {
  if (tileSize || looksAhead)
    return 0;
  // Among nodes of one kind, a segment of one row has one source, and what
  // graphs send to their nodes, by a reversed graph that is lowered later,
  // comes from one source each.
  MessageAggregateOp aggregate = op;
  TypedValue<GNNGraphType> graph = aggregate.getGraph();
  bool isLong = graph.getType().getBipartite() &&
                graph.getDefiningOp<ReverseOp>() == nullptr;
  return getPartSize(rows, options.longRowEdges,
                     isLong ? options.longSegmentEdges : 0);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Whether what a row loop reads are rows one after the other, not at places
/// that edges name.
bool RowAggregation::isReadInOrder() const {
  return !rows.hasRowPointer() ||
         !llvm::is_contained(function.roles, OperandRole::Source);
}

/// Features of a row that are accumulated at once.
int64_t RowAggregation::getMostFeatures() const {
  if (!isReadInOrder()) {
    // Only whole rows are divided into parts.
    if (!options.gatheredElements || options.longRowEdges)
      return options.featureTile;
    return std::min(options.featureTile,
                    options.gatheredElements / aggregation.getNumRegisters());
  }
  if (!options.orderedElements || !hasFewOps(function))
    return options.featureTile;
  // Sums that are kept in memory are added up as fast as they are read.
  constexpr int64_t mostSums = 1024;
  int64_t most =
      (aggregation.hasOnlySums() ? mostSums : options.orderedElements) /
      aggregation.getNumAccumulators();
  int64_t numFeatures = ShapedType::getNumElements(getResultShape(function));
  return numFeatures <= most ? numFeatures : options.featureTile;
}

int64_t RowAggregation::getTileSize() const {
  SmallVector<int64_t> shape = getResultShape(function);
  int64_t mostFeatures = getMostFeatures();
  if (shape.empty() || ShapedType::getNumElements(shape) <= mostFeatures)
    return 0;
  int64_t outer =
      ShapedType::getNumElements(ArrayRef<int64_t>(shape).drop_back());
  // As wide as each other, in whole registers.
  constexpr int64_t registerSize = 16;
  int64_t most = std::max<int64_t>(registerSize,
                                   mostFeatures / std::max<int64_t>(1, outer));
  int64_t numTiles = llvm::divideCeil(shape.back(), most);
  int64_t size =
      llvm::alignTo(llvm::divideCeil(shape.back(), numTiles), registerSize);
  return size < shape.back() ? size : 0;
}

FeatureTile RowAggregation::getTile(Value offset, int64_t size) const {
  AffineExpr last =
      function.resultMap.getResult(function.resultMap.getNumResults() - 1);
  return {cast<AffineDimExpr>(last).getPosition(), offset, size};
}

/// Shape of the values of edges, or of a tile of their features.
SmallVector<int64_t>
RowAggregation::getShape(std::optional<FeatureTile> tile) const {
  SmallVector<int64_t> shape = getResultShape(function);
  if (tile)
    shape.back() = tile->size;
  return shape;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// How values of edges, or a tile of their features, are aggregated.
RowAccumulation RowAggregation::getAccumulation(const Aggregation &aggregation,
                                                std::optional<FeatureTile> tile,
                                                Value softmaxShift) const {
  SmallVector<int64_t> shape = getShape(tile);
  RowAccumulation result;
  result.emitInitial = [&aggregation, shape](OpBuilder &b, Location l) {
    SmallVector<Value> init;
    for (TypedAttr value : aggregation.getInitialValues())
      init.push_back(emitFilled(b, l, shape, value));
    return init;
  };
  result.emitStep = [this, &aggregation, shape, tile,
                     softmaxShift](OpBuilder &b, Location l, Value row,
                                   Value position, ValueRange state) {
    EdgePosition edge = rows.getEdge(b, l, row, position);
    SmallVector<Value> inputs{emitEdgeValue(b, l, function, edge, tile)};
    if (softmaxShift)
      inputs.push_back(softmaxShift);
    SmallVector<AffineMap> maps(inputs.size(),
                                b.getMultiDimIdentityMap(shape.size()));
    return emitElementwise(b, l, shape, inputs, maps, state,
                           [&](OpBuilder &s, Location sl, ValueRange v) {
                             return aggregation.accumulate(
                                 s, sl, v.take_back(state.size()), v[0],
                                 softmaxShift ? v[1] : Value());
                           });
  };
  result.emitMerged = [&aggregation, shape](OpBuilder &b, Location l,
                                            ValueRange first,
                                            ValueRange second) {
    SmallVector<AffineMap> maps(second.size(),
                                b.getMultiDimIdentityMap(shape.size()));
    return emitElementwise(b, l, shape, second, maps, first,
                           [&](OpBuilder &s, Location sl, ValueRange v) {
                             return aggregation.merge(
                                 s, sl, v.take_back(second.size()),
                                 v.take_front(second.size()));
                           });
  };
  return result;
}

/// Accumulators of a row's edges, or of a tile of its features.
SmallVector<Value>
RowAggregation::emitState(OpBuilder &builder, Location loc, Value row,
                          Value begin, Value end,
                          std::optional<FeatureTile> tile) const {
  Value shift;
  if (looksAhead)
    shift = emitShift(builder, loc, row, begin, end, tile);
  RowAccumulation accumulation = getAccumulation(aggregation, tile, shift);
  return LongRows(builder, loc, rows, accumulation, /*edges=*/0)
      .emitRow(builder, loc, row, begin, end);
}

/// What exponentials of a softmax are shifted by, from a loop of its own.
Value RowAggregation::emitShift(OpBuilder &builder, Location loc, Value row,
                                Value begin, Value end,
                                std::optional<FeatureTile> tile) const {
  Type element = function.getResultElementType();
  Aggregation maximum(builder.getArrayAttr(AggregatorAttr::get(
                          builder.getContext(), Aggregator::Max)),
                      element);
  RowAccumulation accumulation = getAccumulation(maximum, tile);
  SmallVector<Value> largest =
      LongRows(builder, loc, rows, accumulation, /*edges=*/0)
          .emitRow(builder, loc, row, begin, end);
  SmallVector<int64_t> shape = getShape(tile);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
  return emitElementwise(builder, loc, shape, largest,
                         {builder.getMultiDimIdentityMap(shape.size())}, empty,
                         [](OpBuilder &s, Location sl, ValueRange v) {
                           return SmallVector<Value>{
                               emitSoftmaxShift(s, sl, v[0])};
                         })
      .front();
}

/// The results of a row with the edges `begin` to `end`.
SmallVector<Value> RowAggregation::emitFinished(OpBuilder &builder,
                                                Location loc,
                                                ValueRange accumulators,
                                                Value begin, Value end) const {
  auto type = cast<RankedTensorType>(accumulators.front().getType());
  Value degree = arith::SubIOp::create(builder, loc, end, begin);
  SmallVector<AffineMap> maps(accumulators.size(),
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<Value> empties;
  for (unsigned i = 0; i < aggregation.getNumResults(); ++i)
    empties.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                              type.getElementType()));
  return emitElementwise(builder, loc, type.getShape(), accumulators, maps,
                         empties, [&](OpBuilder &s, Location sl, ValueRange v) {
                           return aggregation.finish(
                               s, sl, v.take_front(accumulators.size()),
                               degree);
                         });
}

/// Aggregates a tile of the features of a row's edges.
SmallVector<Value> RowAggregation::emitTile(OpBuilder &builder, Location loc,
                                            Value row, Value begin, Value end,
                                            FeatureTile tile) const {
  return emitFinished(
      builder, loc, emitState(builder, loc, row, begin, end, tile), begin, end);
}

/// Full tiles in a loop, then what remains; both of static size.
SmallVector<Value> RowAggregation::emitTiledRow(OpBuilder &builder,
                                                Location loc, Value row,
                                                Value begin, Value end) const {
  SmallVector<int64_t> shape = getResultShape(function);
  int64_t width = shape.back();
  int64_t whole = width / tileSize * tileSize;
  SmallVector<Value> init;
  for (unsigned i = 0; i < aggregation.getNumResults(); ++i)
    init.push_back(tensor::EmptyOp::create(builder, loc, shape,
                                           function.getResultElementType()));
  auto insert = [&](OpBuilder &b, Location l, ArrayRef<Value> values,
                    ValueRange targets, Value offset,
                    int64_t size) -> SmallVector<Value> {
    SmallVector<Value> inserted;
    for (auto [value, target] : llvm::zip(values, targets)) {
      unsigned rank = shape.size();
      SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
          strides(rank, b.getIndexAttr(1));
      offsets.back() = offset;
      for (int64_t extent : shape)
        sizes.push_back(b.getIndexAttr(extent));
      sizes.back() = b.getIndexAttr(size);
      inserted.push_back(tensor::InsertSliceOp::create(
          b, l, value, target, offsets, sizes, strides));
    }
    return inserted;
  };
  Value lower = arith::ConstantIndexOp::create(builder, loc, 0);
  Value upper = arith::ConstantIndexOp::create(builder, loc, whole);
  Value step = arith::ConstantIndexOp::create(builder, loc, tileSize);
  auto loop = scf::ForOp::create(
      builder, loc, lower, upper, step, init,
      [&](OpBuilder &b, Location l, Value offset, ValueRange args) {
        SmallVector<Value> values =
            emitTile(b, l, row, begin, end, getTile(offset, tileSize));
        scf::YieldOp::create(b, l,
                             insert(b, l, values, args, offset, tileSize));
      });
  if (whole == width)
    return SmallVector<Value>(loop.getResults());
  SmallVector<Value> rest =
      emitTile(builder, loc, row, begin, end, getTile(upper, width - whole));
  return insert(builder, loc, rest, loop.getResults(), upper, width - whole);
}

/// A parallel loop over rows and their full tiles, and one over rows for what
/// remains of each.
SmallVector<Value>
RowAggregation::emitTilesAtOnce(OpBuilder &builder, Location loc,
                                ArrayRef<Value> outputs) const {
  int64_t width = getResultShape(function).back();
  int64_t whole = width / tileSize * tileSize;
  auto emitPart = [&](OpBuilder &b, Location l, Value row, Value offset,
                      int64_t size, ValueRange targets) {
    auto [begin, end] = rows.getRange(b, l, row);
    SmallVector<Value> values =
        emitTile(b, l, row, begin, end, getTile(offset, size));
    SmallVector<SliceParameters> slices;
    for (Value target : targets) {
      slices.push_back(getRowSlice(b, cast<RankedTensorType>(target.getType()),
                                   {row}, {}, {}));
      slices.back().offsets.back() = offset;
      slices.back().sizes.back() = b.getIndexAttr(size);
    }
    emitParallelInsert(b, l, values, targets, slices);
  };
  SmallVector<OpFoldResult> bounds{rows.getNumDestinations(),
                                   builder.getIndexAttr(whole / tileSize)};
  auto tiles = scf::ForallOp::create(
      builder, loc, bounds, outputs, /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value size = arith::ConstantIndexOp::create(b, l, tileSize);
        Value offset = arith::MulIOp::create(b, l, args[1], size);
        emitPart(b, l, args[0], offset, tileSize, args.drop_front(2));
      });
  if (whole == width)
    return tiles.getResults();
  return emitRowLoop(
      builder, loc, rows, tiles.getResults(),
      [&](OpBuilder &b, Location l, Value row, ValueRange targets) {
        Value offset = arith::ConstantIndexOp::create(b, l, whole);
        emitPart(b, l, row, offset, width - whole, targets);
      });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// An aggregation of stored edge values is one of messages that pass them on.
struct AggregateToMessageAggregate : public OpRewritePattern<AggregateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AggregateOp op,
                                PatternRewriter &rewriter) const override {
    replaceByMessageAggregate(rewriter, op);
    return success();
  }
};

struct LowerMessageAggregate : public OpRewritePattern<MessageAggregateOp> {
  LowerMessageAggregate(MLIRContext *context, const EdgeLoopOptions &options)
      : OpRewritePattern(context), options(options) {}

  LogicalResult matchAndRewrite(MessageAggregateOp op,
                                PatternRewriter &rewriter) const override {
    RowAggregation rows(rewriter, op, options);
    rewriter.replaceOp(op, rows.emit(rewriter, op.getLoc()));
    return success();
  }

private:
  EdgeLoopOptions options;
};
} // namespace

void gnn::populateAggregationToSCFPatterns(RewritePatternSet &patterns,
                                           const EdgeLoopOptions &options) {
  MLIRContext *context = patterns.getContext();
  patterns.add<AggregateToMessageAggregate>(context);
  patterns.add<LowerMessageAggregate>(context, options);
}
