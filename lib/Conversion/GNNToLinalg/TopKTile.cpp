//===- TopKTile.cpp - Best of one tile of pairs -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/ScalarEmitter.h"
#include "../Common/Slices.h"
#include "TopKTiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

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

/// Whether a source ranks before another. Where nodes are not taken in their
/// own order, that decides between equal scores.
Value TopKTiler::emitRanks(OpBuilder &b, Value score, Value source,
                           Value otherScore, Value otherSource) {
  Value isBefore = emitRanksBefore(b, loc, score, otherScore);
  if (!order)
    return isBefore;
  Value isAfter = emitRanksBefore(b, loc, otherScore, score);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        source, otherSource);
  Value no = emitScalar(b, loc, isAfter.getType(), 0);
  Value isFirstTie = arith::SelectOp::create(b, loc, isAfter, no, isFirst);
  return arith::OrIOp::create(b, loc, isBefore, isFirstTie);
}

/// A place takes what is before it if the source comes before that, the source
/// if it comes before what is here, or stays.
TopKTiler::Lists TopKTiler::emitPlace(OpBuilder &b, Value scores, Value source,
                                      Value place, bool isFirst, Lists lists) {
  SmallVector<Value> inputs{scores, emitRowRead(b, loc, lists.scores, place),
                            emitRowRead(b, loc, lists.sources, place)};
  if (!isFirst) {
    Value before =
        arith::SubIOp::create(b, loc, place, emitConstant(b, loc, 1));
    inputs.push_back(emitRowRead(b, loc, lists.scores, before));
    inputs.push_back(emitRowRead(b, loc, lists.sources, before));
  }
  SmallVector<Value> next = emitLanes(
      b, inputs, {elementType, sourceType}, [&](OpBuilder &bb, ValueRange v) {
        Value takes = emitRanks(bb, v[0], source, v[1], v[2]);
        SmallVector<Value> chosen{
            arith::SelectOp::create(bb, loc, takes, v[0], v[1]),
            arith::SelectOp::create(bb, loc, takes, source, v[2])};
        if (isFirst)
          return chosen;
        Value moves = emitRanks(bb, v[0], source, v[3], v[4]);
        for (auto [value, before] : llvm::zip(chosen, v.drop_front(3)))
          value = arith::SelectOp::create(bb, loc, moves, before, value);
        return chosen;
      });
  return {emitRowWrite(b, loc, next[0], lists.scores, place),
          emitRowWrite(b, loc, next[1], lists.sources, place)};
}

TopKTiler::Lists TopKTiler::emitInsertion(OpBuilder &b, Value scores,
                                          Value source, Lists lists) {
  Value zero = emitConstant(b, loc, 0), last = emitConstant(b, loc, k - 1);
  auto loop = scf::ForOp::create(
      b, loc, zero, last, emitConstant(b, loc, 1),
      ValueRange{lists.scores, lists.sources},
      [&](OpBuilder &bb, Location, Value step, ValueRange state) {
        Value place = arith::SubIOp::create(bb, loc, last, step);
        Lists next = emitPlace(bb, scores, source, place, /*isFirst=*/false,
                               {state[0], state[1]});
        scf::YieldOp::create(bb, loc, ValueRange{next.scores, next.sources});
      });
  return emitPlace(b, scores, source, zero, /*isFirst=*/true,
                   {loop.getResult(0), loop.getResult(1)});
}

/// Whether `body` holds of any destination.
Value TopKTiler::emitAny(
    OpBuilder &b, ValueRange inputs,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(1));
  maps.push_back(AffineMap::get(1, 0, b.getContext()));
  Value none = emitFill(
      b, loc, b.getBoolAttr(false),
      tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), b.getI1Type()));
  Value any =
      linalg::GenericOp::create(
          b, loc, TypeRange{none.getType()}, inputs, ValueRange{none}, maps,
          utils::IteratorType::reduction,
          [&](OpBuilder &bb, Location, ValueRange v) {
            Value holds = body(bb, v.drop_back());
            linalg::YieldOp::create(
                bb, loc,
                arith::OrIOp::create(bb, loc, v.back(), holds).getResult());
          })
          .getResult(0);
  return tensor::ExtractOp::create(b, loc, any, ValueRange());
}

/// What `body` makes of the lists if `condition` holds.
TopKTiler::Lists
TopKTiler::emitIf(OpBuilder &b, Value condition, Lists lists,
                  llvm::function_ref<Lists(OpBuilder &)> body) {
  auto choice = scf::IfOp::create(
      b, loc, condition,
      [&](OpBuilder &bb, Location) {
        Lists next = body(bb);
        scf::YieldOp::create(bb, loc, ValueRange{next.scores, next.sources});
      },
      [&](OpBuilder &bb, Location) {
        scf::YieldOp::create(bb, loc, ValueRange{lists.scores, lists.sources});
      });
  return {choice.getResult(0), choice.getResult(1)};
}

/// The lists with a source for the destinations of which it is one of the best.
TopKTiler::Lists TopKTiler::emitSource(OpBuilder &b, Value scores,
                                       Value position, Lists lists) {
  Value source =
      order ? tensor::ExtractOp::create(b, loc, order, position).getResult()
            : arith::IndexCastOp::create(b, loc, sourceType, position)
                  .getResult();
  Value last = emitConstant(b, loc, k - 1);
  SmallVector<Value> inputs{scores, emitRowRead(b, loc, lists.scores, last)};
  if (order)
    inputs.push_back(emitRowRead(b, loc, lists.sources, last));
  Value isOneBetter = emitAny(b, inputs, [&](OpBuilder &bb, ValueRange v) {
    return emitRanks(bb, v[0], source, v[1], v.back());
  });
  return emitIf(b, isOneBetter, lists, [&](OpBuilder &bb) {
    return emitInsertion(bb, scores, source, lists);
  });
}

/// The lists after the tile of sources that begins with the block's first one,
/// up to before `endSource`.
TopKTiler::Lists TopKTiler::emitColumn(OpBuilder &b, const DenseFunction &score,
                                       DenseBlock block, Value endSource,
                                       Lists lists) {
  Value first = cast<Value>(block.firstSource);
  block.numSources = emitTileSize(b, loc, first, endSource, columnTile);
  DenseFunction ofTile = packDestinations(b, loc, score, block, lanes);
  ofTile = sliceToBlock(b, loc, ofTile, block);
  Value scores = emitEdgeValues(b, loc, ofTile, block);
  auto loop = scf::ForOp::create(
      b, loc, emitConstant(b, loc, 0), cast<Value>(block.numSources),
      emitConstant(b, loc, 1), ValueRange{lists.scores, lists.sources},
      [&](OpBuilder &bb, Location, Value place, ValueRange state) {
        Value position = emitAddIndex(bb, loc, first, place);
        Lists next = emitSource(bb, emitRowRead(bb, loc, scores, place),
                                position, {state[0], state[1]});
        scf::YieldOp::create(bb, loc, ValueRange{next.scores, next.sources});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// What each destination can score at most with the sources of a tile.
Value TopKTiler::emitBounds(OpBuilder &b, const DenseFunction &score,
                            ArrayRef<Box> boxes, Value box) {
  const EdgeFunction &function = score.function;
  MLIRContext *context = b.getContext();
  unsigned numLoops = function.getNumLoops();
  AffineMap outputMap =
      AffineMap::get(numLoops + 1, 0, getAffineDimExpr(0, context), context);
  // The loop over sources is gone.
  SmallVector<AffineExpr> dims(2, getAffineDimExpr(0, context));
  for (unsigned i = 0; i < numLoops; ++i)
    dims.push_back(getAffineDimExpr(i + 1, context));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  // Where the range of each argument of the region is among the inputs.
  llvm::DenseMap<BlockArgument, std::pair<unsigned, unsigned>> places;
  const Box *nextBox = boxes.begin();
  for (auto [input, map, argument] :
       llvm::zip(score.inputs, score.maps, score.arguments)) {
    unsigned first = inputs.size();
    if (function.roles[argument.getArgNumber()] == OperandRole::Source) {
      AffineMap features =
          map.dropResult(0).replaceDimsAndSymbols(dims, {}, numLoops + 1, 0);
      for (Value rows : {nextBox->low, nextBox->high}) {
        inputs.push_back(emitRowRead(b, loc, rows, box));
        maps.push_back(features);
      }
      ++nextBox;
      places[argument] = {first, first + 1};
      continue;
    }
    inputs.push_back(input);
    maps.push_back(map.replaceDimsAndSymbols(dims, {}, numLoops + 1, 0));
    places[argument] = {first, first};
  }
  maps.push_back(outputMap);
  SmallVector<utils::IteratorType> iterators{utils::IteratorType::parallel};
  llvm::append_range(iterators, function.iterators);
  auto getRange = [&](ValueRange values) {
    return [&, values](BlockArgument argument) -> Interval {
      auto place = places.find(argument);
      if (place != places.end())
        return {values[place->second.first], values[place->second.second]};
      Value scalar = function.operands[argument.getArgNumber()];
      return {scalar, scalar};
    };
  };
  Value init = tensor::EmptyOp::create(b, loc, {lanes}, elementType);
  if (function.hasReduction())
    init = emitFill(b, loc, cast<TypedAttr>(b.getZeroAttr(elementType)), init);
  Value result =
      linalg::GenericOp::create(
          b, loc, TypeRange{init.getType()}, inputs, init, maps, iterators,
          [&](OpBuilder &bb, Location, ValueRange v) {
            linalg::YieldOp::create(
                bb, loc,
                bounds->emitStep(bb, loc, getRange(v.drop_back()), v.back()));
          })
          .getResult(0);
  if (!function.getReduced())
    return result;
  // What follows the reduction reads what stays the same along it.
  SmallVector<Value> finishInputs;
  SmallVector<unsigned> kept(inputs.size(), 0);
  for (auto [i, input] : llvm::enumerate(inputs))
    if (llvm::all_of(maps[i].getResults(), [](AffineExpr expr) {
          return cast<AffineDimExpr>(expr).getPosition() == 0;
        })) {
      kept[i] = finishInputs.size();
      finishInputs.push_back(input);
    }
  for (auto &[argument, place] : places)
    place = {kept[place.first], kept[place.second]};
  SmallVector<AffineMap> finishMaps;
  for (Value input : finishInputs)
    finishMaps.push_back(cast<RankedTensorType>(input.getType()).getRank() == 0
                             ? AffineMap::get(1, 0, context)
                             : b.getMultiDimIdentityMap(1));
  finishMaps.append(2, b.getMultiDimIdentityMap(1));
  finishInputs.push_back(result);
  return linalg::GenericOp::create(
             b, loc, TypeRange{init.getType()}, finishInputs,
             tensor::EmptyOp::create(b, loc, {lanes}, elementType).getResult(),
             finishMaps, utils::IteratorType::parallel,
             [&](OpBuilder &bb, Location, ValueRange v) {
               linalg::YieldOp::create(
                   bb, loc,
                   bounds->emitFinish(bb, loc, getRange(v.drop_back(2)),
                                      v.drop_back().back()));
             })
      .getResult(0);
}

/// What `body` makes of the lists for one box after the other, but for those of
/// which no source can be one of the best.
TopKTiler::Lists TopKTiler::emitNearBoxes(
    OpBuilder &b, const DenseFunction &score, const Level &level,
    BoxRange range, Lists lists,
    llvm::function_ref<Lists(OpBuilder &, Value, Lists)> body) {
  Value zero = emitConstant(b, loc, 0);
  auto loop = scf::ForOp::create(
      b, loc, zero, range.number, emitConstant(b, loc, 1),
      ValueRange{lists.scores, lists.sources},
      [&](OpBuilder &bb, Location, Value step, ValueRange state) {
        Value next = emitAddIndex(bb, loc, range.own, step);
        Value isBehind = arith::CmpIOp::create(
            bb, loc, arith::CmpIPredicate::uge, next, range.number);
        Value back =
            arith::SelectOp::create(bb, loc, isBehind, range.number, zero);
        Value number = arith::SubIOp::create(bb, loc, next, back);
        Lists before{state[0], state[1]};
        Value most = emitBounds(bb, score, level.boxes,
                                emitAddIndex(bb, loc, range.first, number));
        Value worst =
            emitRowRead(bb, loc, before.scores, emitConstant(bb, loc, k - 1));
        Value isNear = emitAny(
            bb, {most, worst}, [&](OpBuilder &ib, ValueRange v) -> Value {
              double none = -std::numeric_limits<double>::infinity();
              Value isEnough = arith::CmpFOp::create(
                  ib, loc, arith::CmpFPredicate::UGE, v[0], v[1]);
              Value isScore = arith::CmpFOp::create(
                  ib, loc, arith::CmpFPredicate::UNE, v[0],
                  emitScalar(ib, loc, elementType, none));
              return arith::AndIOp::create(ib, loc, isEnough, isScore);
            });
        Lists after = emitIf(bb, isNear, before, [&](OpBuilder &ib) {
          return body(ib, number, before);
        });
        scf::YieldOp::create(bb, loc, ValueRange{after.scores, after.sources});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// The same as emitColumns of nodes that are in an order: the group and the
/// tile that the destinations are in come first, and those that are far are
/// left out.
TopKTiler::Lists TopKTiler::emitNearColumns(OpBuilder &b,
                                            const DenseFunction &score,
                                            DenseBlock block, Value segment,
                                            Value endSource, Lists lists) {
  Value first = cast<Value>(block.firstSource), zero = emitConstant(b, loc, 0);
  Value length = arith::SubIOp::create(b, loc, endSource, first);
  Value offset =
      arith::SubIOp::create(b, loc, cast<Value>(block.firstDestination), first);
  auto getRange = [&](const Level &level) -> BoxRange {
    Value size = emitConstant(b, loc, level.numSources);
    return {emitFirstBox(b, level.numSources, segment ? segment : zero, first),
            arith::CeilDivUIOp::create(b, loc, length, size),
            arith::DivUIOp::create(b, loc, offset, size)};
  };
  BoxRange ofTiles = getRange(tiles), ofGroups = getRange(groups);
  Value groupTiles = emitConstant(b, loc, groups.numSources / tiles.numSources);
  Value step = emitConstant(b, loc, columnTile);
  return emitNearBoxes(
      b, score, groups, ofGroups, lists,
      [&](OpBuilder &gb, Value group, Lists before) {
        Value begin = arith::MulIOp::create(gb, loc, group, groupTiles);
        Value isOwn = arith::CmpIOp::create(gb, loc, arith::CmpIPredicate::eq,
                                            group, ofGroups.own);
        Value place = arith::SubIOp::create(gb, loc, ofTiles.own, begin);
        BoxRange inGroup{
            emitAddIndex(gb, loc, ofTiles.first, begin),
            arith::MinSIOp::create(
                gb, loc, groupTiles,
                arith::SubIOp::create(gb, loc, ofTiles.number, begin)),
            arith::SelectOp::create(gb, loc, isOwn, place, zero)};
        return emitNearBoxes(
            gb, score, tiles, inGroup, before,
            [&](OpBuilder &tb, Value tile, Lists inner) {
              Value number = emitAddIndex(tb, loc, begin, tile);
              block.firstSource = emitAddIndex(
                  tb, loc, first, arith::MulIOp::create(tb, loc, number, step));
              return emitColumn(tb, score, block, endSource, inner);
            });
      });
}

/// The lists after all sources of the block, up to before `endSource`.
TopKTiler::Lists TopKTiler::emitColumns(OpBuilder &b,
                                        const DenseFunction &score,
                                        DenseBlock block, Value segment,
                                        Value endSource, Lists lists) {
  if (order)
    return emitNearColumns(b, score, block, segment, endSource, lists);
  auto loop = scf::ForOp::create(
      b, loc, cast<Value>(block.firstSource), endSource,
      emitConstant(b, loc, columnTile), ValueRange{lists.scores, lists.sources},
      [&](OpBuilder &bb, Location, Value column, ValueRange state) {
        block.firstSource = column;
        Lists next =
            emitColumn(bb, score, block, endSource, {state[0], state[1]});
        scf::YieldOp::create(bb, loc, ValueRange{next.scores, next.sources});
      });
  return {loop.getResult(0), loop.getResult(1)};
}
