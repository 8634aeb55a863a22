//===- EdgesToSCF.cpp - Row loops for ops over edges ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Aggregation.h"
#include "../Common/StoredMessages.h"
#include "LongRows.h"
#include "RowLoops.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Values per edge
//===----------------------------------------------------------------------===//

namespace {
struct LowerMessage : public OpRewritePattern<MessageOp> {
  LowerMessage(MLIRContext *context, bool sideBySide)
      : OpRewritePattern(context), sideBySide(sideBySide) {}

  LogicalResult matchAndRewrite(MessageOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    RowAccess rows(rewriter, loc, op.getGraph(), sideBySide);
    EdgeFunction function =
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getEdgeFunction());
    Value filled = emitEdgeRows(
        rewriter, loc, rows, graph, op.getResult().getType(), sideBySide,
        [&](OpBuilder &b, Location l, Value row, Value position) {
          return emitEdgeValue(b, l, function,
                               rows.getEdge(b, l, row, position));
        });
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, op.getResult().getType(),
                                                   op.getGraph(), filled);
    return success();
  }

private:
  bool sideBySide;
};

/// The softmax of the scores in each row.
class EdgeSoftmax {
public:
  EdgeSoftmax(const RowAccess &rows, EdgesType edges, Value scores)
      : rows(rows), edges(edges), scores(scores), shape(edges.getShape()) {}

  EdgesType getEdgesType() const { return edges; }
  /// Maximum and sum of rows.
  RowAccumulation getStatistics() const;
  /// The weight of an edge, from those of its row.
  Value emitWeight(OpBuilder &b, Location loc, Value row, Value position,
                   ValueRange statistics) const;

private:
  AffineMap getIdentity(OpBuilder &b) const {
    return b.getMultiDimIdentityMap(shape.size());
  }
  Value readScore(OpBuilder &b, Location loc, Value row, Value position) const {
    return emitRowSlice(b, loc, scores,
                        rows.getEdgeIndices(b, loc, row, position));
  }

  const RowAccess &rows;
  EdgesType edges;
  Value scores;
  ArrayRef<int64_t> shape;
};
} // namespace

RowAccumulation EdgeSoftmax::getStatistics() const {
  RowAccumulation result;
  result.emitInitial = [this](OpBuilder &b, Location l) {
    auto zero = cast<TypedAttr>(b.getZeroAttr(edges.getElementType()));
    auto lowest = b.getFloatAttr(edges.getElementType(),
                                 -std::numeric_limits<double>::infinity());
    return SmallVector<Value>{emitFilled(b, l, shape, lowest),
                              emitFilled(b, l, shape, zero)};
  };
  result.emitStep = [this](OpBuilder &b, Location l, Value row, Value position,
                           ValueRange state) {
    return emitElementwise(b, l, shape, readScore(b, l, row, position),
                           {getIdentity(b)}, state,
                           [](OpBuilder &s, Location sl, ValueRange v) {
                             OnlineSoftmaxStep step =
                                 emitOnlineSoftmaxStep(s, sl, v[1], v[2], v[0]);
                             return SmallVector<Value>{step.maximum, step.sum};
                           });
  };
  result.emitMerged = [this](OpBuilder &b, Location l, ValueRange first,
                             ValueRange second) {
    return emitElementwise(
        b, l, shape, second, {getIdentity(b), getIdentity(b)}, first,
        [](OpBuilder &s, Location sl, ValueRange v) {
          OnlineSoftmaxStep step =
              emitOnlineSoftmaxMerge(s, sl, v[2], v[3], v[0], v[1]);
          return SmallVector<Value>{step.maximum, step.sum};
        });
  };
  return result;
}

Value EdgeSoftmax::emitWeight(OpBuilder &b, Location loc, Value row,
                              Value position, ValueRange statistics) const {
  AffineMap identity = getIdentity(b);
  Value score = readScore(b, loc, row, position);
  Value out = tensor::EmptyOp::create(b, loc, shape, edges.getElementType());
  return emitElementwise(b, loc, shape, {score, statistics[0], statistics[1]},
                         {identity, identity, identity}, out,
                         [](OpBuilder &s, Location sl, ValueRange v) {
                           Value shift = emitSoftmaxShift(s, sl, v[1]);
                           Value weight = emitShiftedExp(s, sl, v[0], shift);
                           return SmallVector<Value>{
                               emitNormalized(s, sl, weight, v[2])};
                         })
      .front();
}

/// Whether what a row loop reads are rows one after the other, not at places
/// that edges name.
static bool isReadInOrder(const RowAccess &rows, const EdgeFunction &function) {
  return !rows.hasRowPointer() ||
         !llvm::is_contained(function.roles, OperandRole::Source);
}

/// Whether values of edges take no more than a few additions and products.
static bool hasFewOps(const EdgeFunction &function) {
  constexpr int64_t mostOps = 4;
  auto ops = function.body->front().without_terminator();
  return !function.hasReduction() && llvm::all_of(ops, [](Operation &op) {
    return isa<arith::ArithDialect>(op.getDialect()) &&
           !isa<arith::DivFOp, arith::RemFOp>(op);
  }) && llvm::count_if(ops, [](Operation &op) {
          return !op.hasTrait<OpTrait::ConstantLike>();
        }) <= mostOps;
}

namespace {
struct LowerEdgeSoftmax : public OpRewritePattern<EdgeSoftmaxOp> {
  LowerEdgeSoftmax(MLIRContext *context, const EdgeLoopOptions &options)
      : OpRewritePattern(context), options(options) {}

  LogicalResult matchAndRewrite(EdgeSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    EdgesType edges = op.getScores().getType();
    RowAccess rows(rewriter, loc, op.getGraph(), options.parallelEdges);
    Value scores =
        EdgesToTensorOp::create(rewriter, loc, edges.getTensorType(graph),
                                op.getGraph(), op.getScores());
    EdgeSoftmax softmax(rows, edges, scores);
    Value weights = options.parallelEdges
                        ? emitEdgesAtOnce(rewriter, loc, rows, graph, softmax)
                        : emitRows(rewriter, loc, rows, graph, softmax);
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, edges, op.getGraph(),
                                                   weights);
    return success();
  }

private:
  /// Maximum and sum in one pass over each row, weights in a second.
  static Value emitRows(OpBuilder &builder, Location loc, const RowAccess &rows,
                        GNNGraphType graph, const EdgeSoftmax &softmax) {
    Value empty =
        emitEdgeTensor(builder, loc, rows, graph, softmax.getEdgesType());
    auto type = cast<RankedTensorType>(empty.getType());
    RowAccumulation statistics = softmax.getStatistics();
    LongRows wholeRows(builder, loc, rows, statistics, /*edges=*/0);
    auto emitRow = [&](OpBuilder &b, Location l, Value row,
                       ValueRange outputs) {
      auto [begin, end] = rows.getRange(b, l, row);
      SmallVector<Value> state = wholeRows.emitRow(b, l, row, begin, end);
      EdgeRow part =
          getEdgeRow(b, l, rows, type, graph.hasDenseEdges(), row, begin, end);
      Value weights = emitEdgeWrites(
          b, l, part, part.extract(b, l, outputs[0]), begin, end,
          [&](OpBuilder &bb, Location ll, Value position) {
            return softmax.emitWeight(bb, ll, row, position, state);
          });
      part.insert(b, l, weights, outputs[0]);
    };
    return emitRowLoop(builder, loc, rows, empty, emitRow).front();
  }

  /// Maxima and sums of all rows are stored for the weights of all edges.
  Value emitEdgesAtOnce(OpBuilder &builder, Location loc, const RowAccess &rows,
                        GNNGraphType graph, const EdgeSoftmax &softmax) const {
    RowAccumulation accumulation = softmax.getStatistics();
    LongRows longRows(builder, loc, rows, accumulation, options.longRowEdges);
    EdgesType edges = softmax.getEdgesType();
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, edges.getShape());
    auto type = RankedTensorType::get(shape, edges.getElementType());
    SmallVector<Value> outputs{emitNodeTensor(builder, loc, rows, type),
                               emitNodeTensor(builder, loc, rows, type)};
    SmallVector<Value> statistics = emitRowLoop(
        builder, loc, rows, outputs,
        [&](OpBuilder &b, Location l, Value row, ValueRange args) {
          auto [begin, end] = rows.getRange(b, l, row);
          SliceParameters slice = getRowSlice(b, type, {row}, {}, {});
          emitParallelInsert(b, l, longRows.emitRow(b, l, row, begin, end),
                             args, {slice, slice});
        });
    return emitEdgeRows(
        builder, loc, rows, graph, edges, /*sideBySide=*/true,
        [&](OpBuilder &b, Location l, Value row, Value position) {
          SmallVector<Value> ofRow;
          for (Value values : statistics)
            ofRow.push_back(emitRowSlice(b, l, values, {row}));
          return softmax.emitWeight(b, l, row, position, ofRow);
        });
  }

  EdgeLoopOptions options;
};

//===----------------------------------------------------------------------===//
// Values per destination
//===----------------------------------------------------------------------===//

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
      : OpRewritePattern(context), featureTile(options.featureTile),
        gatheredElements(options.gatheredElements),
        orderedElements(options.orderedElements),
        longRowEdges(options.longRowEdges),
        parallelEdges(options.parallelEdges) {}

  LogicalResult matchAndRewrite(MessageAggregateOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RowAccess rows(rewriter, loc, op.getGraph(), parallelEdges);
    EdgeFunction function =
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getEdgeFunction());
    Aggregation aggregation(op.getAggregators(),
                            function.getResultElementType());
    SmallVector<Value> outputs;
    for (Type type : op.getResultTypes())
      outputs.push_back(emitNodeTensor(rewriter, loc, rows, type));
    int64_t tileSize = getTileSize(rows, function, aggregation);
    if (tileSize && parallelEdges) {
      rewriter.replaceOp(op, emitTilesAtOnce(rewriter, loc, rows, function,
                                             aggregation, outputs, tileSize));
      return success();
    }
    // Parts would have to be tiled, too.
    RowAccumulation whole = getAccumulation(rows, function, aggregation, {});
    LongRows longRows(rewriter, loc, rows, whole, tileSize ? 0 : longRowEdges);

    auto emitRow = [&](OpBuilder &b, Location l, Value row,
                       ValueRange outputs) {
      auto [begin, end] = rows.getRange(b, l, row);
      SmallVector<Value> values;
      if (!tileSize) {
        values =
            emitFinished(b, l, aggregation,
                         longRows.emitRow(b, l, row, begin, end), begin, end);
      } else {
        values = emitTiledRow(b, l, rows, function, aggregation, row, begin,
                              end, op.getResultTypes(), tileSize);
      }
      SmallVector<SliceParameters> slices;
      for (Value output : outputs)
        slices.push_back(getRowSlice(
            b, cast<RankedTensorType>(output.getType()), {row}, {}, {}));
      emitParallelInsert(b, l, values, outputs, slices);
    };
    rewriter.replaceOp(op, emitRowLoop(rewriter, loc, rows, outputs, emitRow));
    return success();
  }

private:
  /// Features of a row that are accumulated at once.
  int64_t getMostFeatures(const RowAccess &rows, const EdgeFunction &function,
                          const Aggregation &aggregation) const {
    if (!isReadInOrder(rows, function)) {
      // Only whole rows are divided into parts.
      if (!gatheredElements || longRowEdges)
        return featureTile;
      return std::min(featureTile,
                      gatheredElements / aggregation.getNumRegisters());
    }
    if (!orderedElements || !hasFewOps(function))
      return featureTile;
    // Sums that are kept in memory are added up as fast as they are read.
    constexpr int64_t mostSums = 1024;
    int64_t most = (aggregation.hasOnlySums() ? mostSums : orderedElements) /
                   aggregation.getNumAccumulators();
    int64_t numFeatures = ShapedType::getNumElements(getResultShape(function));
    return numFeatures <= most ? std::max(most, featureTile) : featureTile;
  }

  /// Width of a tile of the innermost result loop, 0 to leave rows whole.
  int64_t getTileSize(const RowAccess &rows, const EdgeFunction &function,
                      const Aggregation &aggregation) const {
    SmallVector<int64_t> shape = getResultShape(function);
    int64_t mostFeatures = getMostFeatures(rows, function, aggregation);
    if (shape.empty() || ShapedType::getNumElements(shape) <= mostFeatures)
      return 0;
    int64_t outer =
        ShapedType::getNumElements(ArrayRef<int64_t>(shape).drop_back());
    // As wide as each other, in whole registers.
    constexpr int64_t registerSize = 16;
    int64_t most = std::max<int64_t>(
        registerSize, mostFeatures / std::max<int64_t>(1, outer));
    int64_t numTiles = llvm::divideCeil(shape.back(), most);
    int64_t size =
        llvm::alignTo(llvm::divideCeil(shape.back(), numTiles), registerSize);
    return size < shape.back() ? size : 0;
  }

  static FeatureTile getTile(const EdgeFunction &function, Value offset,
                             int64_t size) {
    AffineExpr last =
        function.resultMap.getResult(function.resultMap.getNumResults() - 1);
    return {cast<AffineDimExpr>(last).getPosition(), offset, size};
  }

  /// How values of edges, or a tile of their features, are aggregated.
  static RowAccumulation getAccumulation(const RowAccess &rows,
                                         const EdgeFunction &function,
                                         const Aggregation &aggregation,
                                         std::optional<FeatureTile> tile) {
    SmallVector<int64_t> shape = getResultShape(function);
    if (tile)
      shape.back() = tile->size;
    RowAccumulation result;
    result.emitInitial = [&aggregation, shape](OpBuilder &b, Location l) {
      SmallVector<Value> init;
      for (TypedAttr value : aggregation.getInitialValues())
        init.push_back(emitFilled(b, l, shape, value));
      return init;
    };
    result.emitStep = [&rows, &function, &aggregation, shape,
                       tile](OpBuilder &b, Location l, Value row,
                             Value position, ValueRange state) {
      EdgePosition edge = rows.getEdge(b, l, row, position);
      Value value = emitEdgeValue(b, l, function, edge, tile);
      return emitElementwise(
          b, l, shape, value, {b.getMultiDimIdentityMap(shape.size())}, state,
          [&](OpBuilder &s, Location sl, ValueRange v) {
            return aggregation.accumulate(s, sl, v.drop_front(), v[0]);
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

  /// The results of a row with the edges `begin` to `end`.
  static SmallVector<Value> emitFinished(OpBuilder &builder, Location loc,
                                         const Aggregation &aggregation,
                                         ValueRange accumulators, Value begin,
                                         Value end) {
    auto type = cast<RankedTensorType>(accumulators.front().getType());
    Value degree = arith::SubIOp::create(builder, loc, end, begin);
    SmallVector<AffineMap> maps(accumulators.size(),
                                builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<Value> empties;
    for (unsigned i = 0; i < aggregation.getNumResults(); ++i)
      empties.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                                type.getElementType()));
    return emitElementwise(
        builder, loc, type.getShape(), accumulators, maps, empties,
        [&](OpBuilder &s, Location sl, ValueRange v) {
          return aggregation.finish(s, sl, v.take_front(accumulators.size()),
                                    degree);
        });
  }

  /// Aggregates a tile of the features of a row's edges.
  static SmallVector<Value> emitTile(OpBuilder &builder, Location loc,
                                     const RowAccess &rows,
                                     const EdgeFunction &function,
                                     const Aggregation &aggregation, Value row,
                                     Value begin, Value end, FeatureTile tile) {
    RowAccumulation accumulation =
        getAccumulation(rows, function, aggregation, tile);
    LongRows wholeRows(builder, loc, rows, accumulation, /*edges=*/0);
    return emitFinished(builder, loc, aggregation,
                        wholeRows.emitRow(builder, loc, row, begin, end), begin,
                        end);
  }

  /// Full tiles in a loop, then what remains; both of static size.
  static SmallVector<Value>
  emitTiledRow(OpBuilder &builder, Location loc, const RowAccess &rows,
               const EdgeFunction &function, const Aggregation &aggregation,
               Value row, Value begin, Value end, TypeRange resultTypes,
               int64_t tileSize) {
    SmallVector<int64_t> shape = getResultShape(function);
    int64_t width = shape.back();
    int64_t whole = width / tileSize * tileSize;
    SmallVector<Value> init;
    for (unsigned i = 0; i < resultTypes.size(); ++i)
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
              emitTile(b, l, rows, function, aggregation, row, begin, end,
                       getTile(function, offset, tileSize));
          scf::YieldOp::create(b, l,
                               insert(b, l, values, args, offset, tileSize));
        });
    if (whole == width)
      return SmallVector<Value>(loop.getResults());
    SmallVector<Value> rest =
        emitTile(builder, loc, rows, function, aggregation, row, begin, end,
                 getTile(function, upper, width - whole));
    return insert(builder, loc, rest, loop.getResults(), upper, width - whole);
  }

  /// A parallel loop over rows and their full tiles, and one over rows for what
  /// remains of each.
  static SmallVector<Value>
  emitTilesAtOnce(OpBuilder &builder, Location loc, const RowAccess &rows,
                  const EdgeFunction &function, const Aggregation &aggregation,
                  ArrayRef<Value> outputs, int64_t tileSize) {
    int64_t width = getResultShape(function).back();
    int64_t whole = width / tileSize * tileSize;
    auto emitPart = [&](OpBuilder &b, Location l, Value row, Value offset,
                        int64_t size, ValueRange targets) {
      auto [begin, end] = rows.getRange(b, l, row);
      SmallVector<Value> values =
          emitTile(b, l, rows, function, aggregation, row, begin, end,
                   getTile(function, offset, size));
      SmallVector<SliceParameters> slices;
      for (Value target : targets) {
        slices.push_back(getRowSlice(
            b, cast<RankedTensorType>(target.getType()), {row}, {}, {}));
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

  int64_t featureTile, gatheredElements, orderedElements, longRowEdges;
  bool parallelEdges;
};
} // namespace

void gnn::populateEdgesToSCFPatterns(RewritePatternSet &patterns,
                                     const EdgeLoopOptions &options) {
  MLIRContext *context = patterns.getContext();
  patterns.add<AggregateToMessageAggregate>(context);
  patterns.add<LowerMessage>(context, options.parallelEdges);
  patterns.add<LowerEdgeSoftmax, LowerMessageAggregate>(context, options);
}
