//===- TopKGraphToLinalg.cpp - Best of all pairs, by tiles ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "../Common/GraphArrays.h"
#include "../Common/RankedRows.h"
#include "../Common/ScalarEmitter.h"
#include "../Common/Slices.h"
#include "GenericEmitter.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Emits the choice of the best edges for `lanes` destinations side by side: a
/// tile of sources has its scores computed, with destinations last, and then
/// each source is put where it belongs in the lists of all of them at once. A
/// list is a column of a matrix [k, lanes], so that every step is a vector of
/// destinations.
class TopKTiler {
public:
  TopKTiler(PatternRewriter &rewriter, TopKGraphOp op,
            const TopKTileSizes &sizes);
  /// Whether destinations can lie side by side.
  static bool canTile(TopKGraphOp op, const TopKTileSizes &sizes);
  void emit();

private:
  /// Columns of the best edges so far.
  struct Lists {
    Value scores, sources;
  };
  /// Parts of the results that belong to some destinations.
  struct Rows {
    Value sources, numbers;
  };

  Rows slice(OpBuilder &b, const Rows &rows, OpFoldResult first,
             OpFoldResult number);
  Rows emitTile(OpBuilder &b, Value first, OpFoldResult number, Rows rows);
  Rows emitPart(OpBuilder &b, const DenseBlock &block, Value firstSource,
                Value endSource, Rows rows);
  Rows emitSegments(OpBuilder &b, Value first, Value end, Rows rows);
  Lists emitColumns(OpBuilder &b, const DenseFunction &score, DenseBlock block,
                    Value endSource, Lists lists);
  Lists emitSource(OpBuilder &b, Value scores, Value source, Lists lists);
  Lists emitInsertion(OpBuilder &b, Value scores, Value source, Lists lists);
  Lists emitPlace(OpBuilder &b, Value scores, Value source, Value place,
                  bool isFirst, Lists lists);
  Value loadPointer(OpBuilder &b, unsigned side, Value segment) {
    return loadIndex(b, loc, parts[side], segment);
  }
  /// The segment of a destination.
  Value findSegment(OpBuilder &b, Value destination);
  /// Row `place` of a list of all lanes.
  Value readPlace(OpBuilder &b, Value list, Value place);
  Value writePlace(OpBuilder &b, Value row, Value list, Value place);
  OpFoldResult getNumber(OpBuilder &b, Value first, Value end, int64_t most);
  SmallVector<Value> emitLanes(
      OpBuilder &b, ValueRange inputs, TypeRange types,
      llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body);

  PatternRewriter &rewriter;
  TopKGraphOp op;
  Location loc;
  GNNGraphType graph;
  EdgeFunction score;
  Type elementType, sourceType;
  int64_t k, lanes, columnTile;
  SmallVector<Value> parts;
  Value numDestinations, numSources;
  /// Of a block-diagonal graph.
  Value numSegments;
};
} // namespace

TopKTiler::TopKTiler(PatternRewriter &rewriter, TopKGraphOp op,
                     const TopKTileSizes &sizes)
    : rewriter(rewriter), op(op), loc(op.getLoc()),
      graph(op.getGraph().getType()),
      score(
          withEdgeTensors(rewriter, loc, op.getGraph(), op.getEdgeFunction())),
      elementType(score.getResultElementType()),
      sourceType(graph.getIndexType()), k(op.getK()), lanes(sizes.lanes),
      columnTile(sizes.columns) {
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

SmallVector<Value> TopKTiler::emitLanes(
    OpBuilder &b, ValueRange inputs, TypeRange types,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  AffineMap identity = b.getMultiDimIdentityMap(1);
  SmallVector<AffineMap> maps(inputs.size() + types.size(), identity);
  SmallVector<Value> outputs;
  for (Type type : types)
    outputs.push_back(tensor::EmptyOp::create(b, loc, {lanes}, type));
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange(ValueRange(outputs)), inputs, outputs, maps,
      utils::IteratorType::parallel,
      [&](OpBuilder &bb, Location l, ValueRange args) {
        linalg::YieldOp::create(bb, l,
                                body(bb, args.take_front(inputs.size())));
      });
  return llvm::to_vector_of<Value>(generic.getResults());
}

OpFoldResult TopKTiler::getNumber(OpBuilder &b, Value first, Value end,
                                  int64_t most) {
  Value left = arith::SubIOp::create(b, loc, end, first);
  return arith::MinSIOp::create(b, loc, left, emitConstant(b, loc, most))
      .getResult();
}

Value TopKTiler::readPlace(OpBuilder &b, Value list, Value place) {
  auto type = cast<RankedTensorType>(list.getType());
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get({lanes}, type.getElementType()), list,
      ArrayRef<OpFoldResult>{place, b.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(lanes)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(1)});
}

Value TopKTiler::writePlace(OpBuilder &b, Value row, Value list, Value place) {
  return tensor::InsertSliceOp::create(
      b, loc, row, list, ArrayRef<OpFoldResult>{place, b.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(lanes)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(1)});
}

/// A place takes what is before it if the source comes before that, the source
/// if it comes before what is here, or stays.
TopKTiler::Lists TopKTiler::emitPlace(OpBuilder &b, Value scores, Value source,
                                      Value place, bool isFirst, Lists lists) {
  SmallVector<Value> inputs{scores, readPlace(b, lists.scores, place),
                            readPlace(b, lists.sources, place)};
  if (!isFirst) {
    Value before =
        arith::SubIOp::create(b, loc, place, emitConstant(b, loc, 1));
    inputs.push_back(readPlace(b, lists.scores, before));
    inputs.push_back(readPlace(b, lists.sources, before));
  }
  SmallVector<Value> next = emitLanes(
      b, inputs, {elementType, sourceType}, [&](OpBuilder &bb, ValueRange v) {
        Value takes = emitRanksBefore(bb, loc, v[0], v[1]);
        SmallVector<Value> chosen{
            arith::SelectOp::create(bb, loc, takes, v[0], v[1]),
            arith::SelectOp::create(bb, loc, takes, source, v[2])};
        if (isFirst)
          return chosen;
        Value moves = emitRanksBefore(bb, loc, v[0], v[3]);
        for (auto [value, before] : llvm::zip(chosen, v.drop_front(3)))
          value = arith::SelectOp::create(bb, loc, moves, before, value);
        return chosen;
      });
  return {writePlace(b, next[0], lists.scores, place),
          writePlace(b, next[1], lists.sources, place)};
}

TopKTiler::Lists TopKTiler::emitInsertion(OpBuilder &b, Value scores,
                                          Value source, Lists lists) {
  Value number = arith::IndexCastOp::create(b, loc, sourceType, source);
  Value zero = emitConstant(b, loc, 0), last = emitConstant(b, loc, k - 1);
  auto loop = scf::ForOp::create(
      b, loc, zero, last, emitConstant(b, loc, 1),
      ValueRange{lists.scores, lists.sources},
      [&](OpBuilder &bb, Location, Value step, ValueRange state) {
        Value place = arith::SubIOp::create(bb, loc, last, step);
        Lists next = emitPlace(bb, scores, number, place, /*isFirst=*/false,
                               {state[0], state[1]});
        scf::YieldOp::create(bb, loc, ValueRange{next.scores, next.sources});
      });
  return emitPlace(b, scores, number, zero, /*isFirst=*/true,
                   {loop.getResult(0), loop.getResult(1)});
}

/// The lists with a source for the destinations of which it is one of the best.
TopKTiler::Lists TopKTiler::emitSource(OpBuilder &b, Value scores, Value source,
                                       Lists lists) {
  Value worst = readPlace(b, lists.scores, emitConstant(b, loc, k - 1));
  AffineMap identity = b.getMultiDimIdentityMap(1);
  AffineMap scalar = AffineMap::get(1, 0, b.getContext());
  Type i1 = b.getI1Type();
  Value none =
      emitFill(b, loc, b.getBoolAttr(false),
               tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), i1));
  Value any =
      linalg::GenericOp::create(
          b, loc, TypeRange{none.getType()}, ValueRange{scores, worst},
          ValueRange{none}, ArrayRef<AffineMap>{identity, identity, scalar},
          utils::IteratorType::reduction,
          [&](OpBuilder &bb, Location, ValueRange v) {
            Value isBetter = emitRanksBefore(bb, loc, v[0], v[1]);
            linalg::YieldOp::create(
                bb, loc,
                arith::OrIOp::create(bb, loc, v[2], isBetter).getResult());
          })
          .getResult(0);
  Value isOneBetter = tensor::ExtractOp::create(b, loc, any, ValueRange());
  auto choice = scf::IfOp::create(
      b, loc, isOneBetter,
      [&](OpBuilder &bb, Location) {
        Lists next = emitInsertion(bb, scores, source, lists);
        scf::YieldOp::create(bb, loc, ValueRange{next.scores, next.sources});
      },
      [&](OpBuilder &bb, Location) {
        scf::YieldOp::create(bb, loc, ValueRange{lists.scores, lists.sources});
      });
  return {choice.getResult(0), choice.getResult(1)};
}

/// The lists after all sources of the block, up to before `endSource`.
TopKTiler::Lists TopKTiler::emitColumns(OpBuilder &b,
                                        const DenseFunction &score,
                                        DenseBlock block, Value endSource,
                                        Lists lists) {
  Value one = emitConstant(b, loc, 1);
  auto loop = scf::ForOp::create(
      b, loc, cast<Value>(block.firstSource), endSource,
      emitConstant(b, loc, columnTile), ValueRange{lists.scores, lists.sources},
      [&](OpBuilder &bb, Location, Value column, ValueRange state) {
        DenseBlock tile = block;
        tile.firstSource = column;
        tile.numSources = getNumber(bb, column, endSource, columnTile);
        DenseFunction ofTile = packDestinations(bb, loc, score, tile, lanes);
        ofTile = sliceToBlock(bb, loc, ofTile, tile);
        Value scores = emitEdgeValues(bb, loc, ofTile, tile);
        auto sources = scf::ForOp::create(
            bb, loc, emitConstant(bb, loc, 0), cast<Value>(tile.numSources),
            one, state,
            [&](OpBuilder &sb, Location, Value place, ValueRange inner) {
              Value source = emitAddIndex(sb, loc, column, place);
              Lists next = emitSource(sb, readPlace(sb, scores, place), source,
                                      {inner[0], inner[1]});
              scf::YieldOp::create(sb, loc,
                                   ValueRange{next.scores, next.sources});
            });
        scf::YieldOp::create(bb, loc, sources.getResults());
      });
  return {loop.getResult(0), loop.getResult(1)};
}

TopKTiler::Rows TopKTiler::slice(OpBuilder &b, const Rows &rows,
                                 OpFoldResult first, OpFoldResult number) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  return {
      tensor::ExtractSliceOp::create(
          b, loc, rows.sources, ArrayRef<OpFoldResult>{first, zero},
          ArrayRef<OpFoldResult>{number, b.getIndexAttr(k)},
          ArrayRef<OpFoldResult>{one, one}),
      tensor::ExtractSliceOp::create(b, loc, rows.numbers, first, number, one)};
}

/// `rows`, of the block's destinations, with the best of the sources up to
/// before `endSource`.
TopKTiler::Rows TopKTiler::emitPart(OpBuilder &b, const DenseBlock &block,
                                    Value firstSource, Value endSource,
                                    Rows rows) {
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
  lists = emitColumns(b, function, whole, endSource, lists);

  Rows found;
  found.sources = linalg::TransposeOp::create(
                      b, loc, lists.sources,
                      tensor::EmptyOp::create(b, loc, {lanes, k}, sourceType),
                      ArrayRef<int64_t>{1, 0})
                      ->getResult(0);
  AffineMap identity = b.getMultiDimIdentityMap(2);
  Type index = b.getIndexType();
  Value zeros = emitFill(b, loc, b.getIndexAttr(0),
                         tensor::EmptyOp::create(b, loc, {lanes}, index));
  found.numbers =
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
  found = slice(b, found, b.getIndexAttr(0), block.numDestinations);
  // In the place of what was there.
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  return {tensor::InsertSliceOp::create(
              b, loc, found.sources, rows.sources,
              ArrayRef<OpFoldResult>{zero, zero},
              ArrayRef<OpFoldResult>{block.numDestinations, b.getIndexAttr(k)},
              ArrayRef<OpFoldResult>{one, one}),
          tensor::InsertSliceOp::create(b, loc, found.numbers, rows.numbers,
                                        zero, block.numDestinations, one)};
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
        Rows all{state[0], state[1]};
        Rows part = emitPart(bb, block, loadPointer(bb, 1, segment),
                             loadPointer(bb, 1, next),
                             slice(bb, all, offset, block.numDestinations));
        OpFoldResult zero = bb.getIndexAttr(0), unit = bb.getIndexAttr(1);
        Value sources = tensor::InsertSliceOp::create(
            bb, loc, part.sources, all.sources,
            ArrayRef<OpFoldResult>{offset, zero},
            ArrayRef<OpFoldResult>{block.numDestinations, bb.getIndexAttr(k)},
            ArrayRef<OpFoldResult>{unit, unit});
        Value numbers =
            tensor::InsertSliceOp::create(bb, loc, part.numbers, all.numbers,
                                          offset, block.numDestinations, unit);
        scf::YieldOp::create(bb, loc, ValueRange{sources, numbers});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

TopKTiler::Rows TopKTiler::emitTile(OpBuilder &b, Value first,
                                    OpFoldResult number, Rows rows) {
  if (numSegments)
    return emitSegments(b, first,
                        emitAddIndex(b, loc, first, cast<Value>(number)), rows);
  DenseBlock block;
  block.firstDestination = first;
  block.numDestinations = number;
  return emitPart(b, block, emitConstant(b, loc, 0), numSources, rows);
}

void TopKTiler::emit() {
  OpBuilder &b = rewriter;
  RankedRows empty = emitEmptyRanks(b, loc, numDestinations, sourceType, k);
  OpFoldResult lower = b.getIndexAttr(0), upper = numDestinations,
               step = b.getIndexAttr(lanes);
  auto loop = scf::ForallOp::create(
      b, loc, lower, upper, step, ValueRange{empty.sources, empty.numbers},
      /*mapping=*/std::nullopt, [&](OpBuilder &bb, Location, ValueRange args) {
        Value first = args[0];
        OpFoldResult number = getNumber(bb, first, numDestinations, lanes);
        Rows rows = emitTile(bb, first, number,
                             slice(bb, {args[1], args[2]}, first, number));
        OpFoldResult zero = bb.getIndexAttr(0), one = bb.getIndexAttr(1);
        SliceParameters sources{
            {first, zero}, {number, bb.getIndexAttr(k)}, {one, one}, {}};
        SliceParameters numbers{{first}, {number}, {one}, {}};
        emitParallelInsert(bb, loc, {rows.sources, rows.numbers},
                           args.drop_front(), {sources, numbers});
      });
  replaceByRankedRows(rewriter, op, {loop.getResult(0), loop.getResult(1)},
                      numSources);
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
