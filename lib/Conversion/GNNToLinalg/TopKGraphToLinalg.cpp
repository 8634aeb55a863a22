//===- TopKGraphToLinalg.cpp - Best of all pairs, by tiles ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "../Common/RankedRows.h"
#include "../Common/ScalarEmitter.h"
#include "../Common/Slices.h"
#include "TopKTiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

TopKTiler::TopKTiler(PatternRewriter &rewriter, TopKGraphOp op,
                     const TopKTileSizes &sizes)
    : rewriter(rewriter), op(op), loc(op.getLoc()),
      graph(op.getGraph().getType()),
      score(
          withEdgeTensors(rewriter, loc, op.getGraph(), op.getEdgeFunction())),
      elementType(score.getResultElementType()),
      sourceType(graph.getIndexType()), k(op.getK()), lanes(sizes.lanes),
      columnTile(sizes.columns) {
  // The order is of no use where a tile of sources has no bound. Smaller ones
  // are near each other.
  if (op.getOrder() && readsOnlySelfLoops(op) &&
      !llvm::is_contained(score.roles, OperandRole::Edge)) {
    bounds.emplace(op.getEdgeFunction());
    if (bounds->exist()) {
      order = op.getOrder();
      lanes = std::max<int64_t>(1, lanes / 2);
      columnTile = std::max<int64_t>(1, columnTile / 2);
    }
  }
  llvm::append_range(
      parts, GraphPartsOp::create(rewriter, loc, op.getGraph()).getParts());
  if (graph.getTopology() == Topology::Complete) {
    numDestinations = parts[0];
    numSources = parts[1];
    return;
  }
  numSegments = arith::SubIOp::create(
      rewriter, loc, tensor::DimOp::create(rewriter, loc, parts[0], 0),
      emitConstant(rewriter, loc, 1));
  numDestinations = loadPointer(rewriter, 0, numSegments);
  numSources = loadPointer(rewriter, 1, numSegments);
}

/// The smallest, or the largest, number of each channel of some rows; NaN where
/// one is.
Value TopKTiler::emitBox(OpBuilder &b, Value rows, bool isHigh) {
  auto type = cast<RankedTensorType>(rows.getType());
  double infinity = std::numeric_limits<double>::infinity();
  Value init = emitFill(
      b, loc,
      b.getFloatAttr(type.getElementType(), isHigh ? -infinity : infinity),
      tensor::EmptyOp::create(b, loc, type.getShape().drop_front(),
                              type.getElementType()));
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             b, loc, TypeRange{init.getType()}, rows, init,
             ArrayRef<AffineMap>{identity, identity.dropResult(0)}, iterators,
             [&](OpBuilder &bb, Location, ValueRange v) {
               linalg::YieldOp::create(bb, loc,
                                       isHigh ? emitMax(bb, loc, v[0], v[1])
                                              : emitMin(bb, loc, v[0], v[1]));
             })
      .getResult(0);
}

/// The number of a segment's first box of `size` sources: each segment has as
/// many of its own as it needs, or one more.
Value TopKTiler::emitFirstBox(OpBuilder &b, int64_t size, Value segment,
                              Value firstSource) {
  Value before =
      arith::DivUIOp::create(b, loc, firstSource, emitConstant(b, loc, size));
  return emitAddIndex(b, loc, before, segment);
}

/// Boxes around the sources from the first of each segment on, of `size` each.
TopKTiler::Level TopKTiler::emitLevel(int64_t size) {
  OpBuilder &b = rewriter;
  Level level{size};
  Value zero = emitConstant(b, loc, 0), one = emitConstant(b, loc, 1);
  Value step = emitConstant(b, loc, size);
  Value segments = numSegments ? numSegments : one;
  Value numBoxes =
      emitAddIndex(b, loc, emitFirstBox(b, size, segments, numSources), one);
  for (auto [operand, role] : llvm::zip(score.operands, score.roles)) {
    if (role != OperandRole::Source)
      continue;
    Value rows = operand;
    auto type = cast<RankedTensorType>(rows.getType());
    SmallVector<Value> empty(2);
    for (Value &array : empty)
      array = emitEmptyRows(b, loc, numBoxes, type);
    OpFoldResult lower = b.getIndexAttr(0), upper = segments,
                 by = b.getIndexAttr(1);
    auto loop = scf::ForallOp::create(
        b, loc, lower, upper, by, empty, /*mapping=*/std::nullopt,
        [&](OpBuilder &bb, Location, ValueRange args) {
          Value segment = args[0], first = zero, end = numSources;
          if (numSegments) {
            first = loadPointer(bb, 1, segment);
            end = loadPointer(bb, 1, emitAddIndex(bb, loc, segment, one));
          }
          OpFoldResult offset = emitFirstBox(bb, size, segment, first);
          Value count = arith::CeilDivUIOp::create(
              bb, loc, arith::SubIOp::create(bb, loc, end, first), step);
          auto fillBox = [&](OpBuilder &tb, Location, Value box,
                             ValueRange state) {
            Value begin = emitAddIndex(
                tb, loc, first, arith::MulIOp::create(tb, loc, box, step));
            Value some = extractRows(tb, loc, rows, begin,
                                     emitTileSize(tb, loc, begin, end, size));
            Value low = emitBox(tb, some, /*isHigh=*/false);
            Value high = emitBox(tb, some, /*isHigh=*/true);
            scf::YieldOp::create(
                tb, loc,
                ValueRange{emitRowWrite(tb, loc, low, state[0], box),
                           emitRowWrite(tb, loc, high, state[1], box)});
          };
          emitParallelRows(bb, loc, args.drop_front(), offset, count,
                           [&](ValueRange parts) {
                             auto loop = scf::ForOp::create(
                                 bb, loc, zero, count, one, parts, fillBox);
                             return SmallVector<Value>(loop.getResults());
                           });
        });
    level.boxes.push_back({loop.getResult(0), loop.getResult(1)});
  }
  return level;
}

/// Takes nodes in the order given, and finds out in what boxes sources lie
/// then.
void TopKTiler::orderNodes() {
  for (auto [operand, role] : llvm::zip(score.operands, score.roles))
    if (role != OperandRole::Uniform)
      operand = LookupOp::create(rewriter, loc, operand, order);
  constexpr int64_t tilesOfGroup = 32;
  tiles = emitLevel(columnTile);
  groups = emitLevel(columnTile * tilesOfGroup);
}

bool TopKTiler::canTile(TopKGraphOp op, const TopKTileSizes &sizes) {
  Topology topology = op.getGraph().getType().getTopology();
  if (!sizes.lanes ||
      (topology != Topology::Complete && topology != Topology::BlockDiagonal))
    return false;
  EdgeFunction score = op.getEdgeFunction();
  // Lists stay in the first cache.
  constexpr int64_t mostBytes = 32 << 10;
  int64_t bits = score.getResultElementType().getIntOrFloatBitWidth() +
                 op.getGraph().getType().getIndexWidth();
  if (op.getK() * sizes.lanes * bits / 8 > mostBytes)
    return false;
  // Values per edge of segments are no matrix.
  if (topology == Topology::BlockDiagonal &&
      llvm::is_contained(score.roles, OperandRole::Edge))
    return false;
  // Rows of a table that a pair chooses are read along features.
  return !score.hasReduction() ||
         llvm::none_of(score.getComputation(score.getAccumulated()),
                       llvm::IsaPred<tensor::ExtractOp>);
}

/// The best of the sources up to before `endSource`, of the block's
/// destinations.
TopKTiler::Rows TopKTiler::emitPart(OpBuilder &b, const DenseBlock &block,
                                    Value segment, Value firstSource,
                                    Value endSource) {
  DenseBlock whole = block;
  whole.destinationExtent = b.getIndexAttr(lanes);
  whole.maxSources = columnTile;
  DenseFunction function = packDestinations(
      b, loc, getDenseFunction(score, LeadingLoops::sourcesFirst()), whole,
      lanes);
  whole.firstSource = firstSource;
  double none = -std::numeric_limits<double>::infinity();
  auto getEmpty = [&](Type type) -> Value {
    return tensor::EmptyOp::create(b, loc, {k, lanes}, type);
  };
  Lists lists{
      emitFill(b, loc, b.getFloatAttr(elementType, none),
               getEmpty(elementType)),
      emitFill(b, loc, b.getIntegerAttr(sourceType, 0), getEmpty(sourceType))};
  lists = emitColumns(b, function, whole, segment, endSource, lists);

  Value sources = linalg::TransposeOp::create(
                      b, loc, lists.sources,
                      tensor::EmptyOp::create(b, loc, {lanes, k}, sourceType),
                      ArrayRef<int64_t>{1, 0})
                      ->getResult(0);
  AffineMap identity = b.getMultiDimIdentityMap(2);
  Type index = b.getIndexType();
  Value zeros = emitFill(b, loc, b.getIndexAttr(0),
                         tensor::EmptyOp::create(b, loc, {lanes}, index));
  Value numbers =
      linalg::GenericOp::create(
          b, loc, TypeRange{zeros.getType()}, lists.scores, zeros,
          ArrayRef<AffineMap>{identity, identity.getMinorSubMap(1)},
          ArrayRef<utils::IteratorType>{utils::IteratorType::reduction,
                                        utils::IteratorType::parallel},
          [&](OpBuilder &bb, Location, ValueRange v) {
            Value isEdge =
                arith::CmpFOp::create(bb, loc, arith::CmpFPredicate::UNE, v[0],
                                      emitScalar(bb, loc, elementType, none));
            Value step = arith::IndexCastUIOp::create(bb, loc, index, isEdge);
            linalg::YieldOp::create(
                bb, loc,
                arith::AddIOp::create(bb, loc, v[1], step).getResult());
          })
          .getResult(0);
  OpFoldResult first = b.getIndexAttr(0);
  return {extractRows(b, loc, sources, first, block.numDestinations),
          extractRows(b, loc, numbers, first, block.numDestinations)};
}

Value TopKTiler::findSegment(OpBuilder &b, Value destination) {
  Value next = emitBisection(
      b, loc, emitConstant(b, loc, 0), numSegments,
      [&](OpBuilder &bb, Location, Value segment) {
        return arith::CmpIOp::create(bb, loc, arith::CmpIPredicate::ule,
                                     loadPointer(bb, 0, segment), destination)
            .getResult();
      });
  return arith::SubIOp::create(b, loc, next, emitConstant(b, loc, 1));
}

/// Destinations of one tile may be of several segments.
TopKTiler::Rows TopKTiler::emitSegments(OpBuilder &b, Value first, Value end,
                                        Rows rows) {
  Value one = emitConstant(b, loc, 1);
  Value last = arith::SubIOp::create(b, loc, end, one);
  auto loop = scf::ForOp::create(
      b, loc, findSegment(b, first),
      emitAddIndex(b, loc, findSegment(b, last), one), one,
      ValueRange{rows.sources, rows.numbers},
      [&](OpBuilder &bb, Location, Value segment, ValueRange state) {
        Value next = emitAddIndex(bb, loc, segment, one);
        Value begin =
            arith::MaxSIOp::create(bb, loc, first, loadPointer(bb, 0, segment));
        Value stop =
            arith::MinSIOp::create(bb, loc, end, loadPointer(bb, 0, next));
        OpFoldResult offset =
            arith::SubIOp::create(bb, loc, begin, first).getResult();
        DenseBlock block;
        block.firstDestination = begin;
        block.numDestinations =
            arith::SubIOp::create(bb, loc, stop, begin).getResult();
        Rows part = emitPart(bb, block, segment, loadPointer(bb, 1, segment),
                             loadPointer(bb, 1, next));
        Value sources = insertRows(bb, loc, part.sources, state[0], offset,
                                   block.numDestinations);
        Value numbers = insertRows(bb, loc, part.numbers, state[1], offset,
                                   block.numDestinations);
        scf::YieldOp::create(bb, loc, ValueRange{sources, numbers});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// The best of all sources that `number` destinations see, in the place of
/// `rows`.
TopKTiler::Rows TopKTiler::emitTile(OpBuilder &b, Value first,
                                    OpFoldResult number, Rows rows) {
  if (numSegments)
    return emitSegments(b, first,
                        emitAddIndex(b, loc, first, cast<Value>(number)), rows);
  DenseBlock block;
  block.firstDestination = first;
  block.numDestinations = number;
  return emitPart(b, block, Value(), emitConstant(b, loc, 0), numSources);
}

void TopKTiler::emit() {
  OpBuilder &b = rewriter;
  if (order)
    orderNodes();
  RankedRows empty = emitEmptyRanks(b, loc, numDestinations, sourceType, k);
  OpFoldResult lower = b.getIndexAttr(0), upper = numDestinations,
               step = b.getIndexAttr(lanes);
  auto loop = scf::ForallOp::create(
      b, loc, lower, upper, step, ValueRange{empty.sources, empty.numbers},
      /*mapping=*/std::nullopt, [&](OpBuilder &bb, Location, ValueRange args) {
        Value first = args[0];
        OpFoldResult number =
            emitTileSize(bb, loc, first, numDestinations, lanes);
        emitParallelRows(
            bb, loc, args.drop_front(), first, number, [&](ValueRange parts) {
              Rows rows = emitTile(bb, first, number, {parts[0], parts[1]});
              return SmallVector<Value>{rows.sources, rows.numbers};
            });
      });
  replaceByRankedRows(
      rewriter, op, {loop.getResult(0), loop.getResult(1), order}, numSources);
}

namespace {
struct TileTopKGraph : public OpRewritePattern<TopKGraphOp> {
  TileTopKGraph(MLIRContext *context, const TopKTileSizes &sizes)
      : OpRewritePattern(context), sizes(sizes) {}

  LogicalResult matchAndRewrite(TopKGraphOp op,
                                PatternRewriter &rewriter) const override {
    if (!TopKTiler::canTile(op, sizes))
      return rewriter.notifyMatchFailure(
          op, "its pairs are no matrix, or its lists are long");
    TopKTiler(rewriter, op, sizes).emit();
    return success();
  }

  TopKTileSizes sizes;
};
} // namespace

void gnn::populateTopKGraphToLinalgPatterns(RewritePatternSet &patterns,
                                            const TopKTileSizes &sizes) {
  patterns.add<TileTopKGraph>(patterns.getContext(), sizes);
}
