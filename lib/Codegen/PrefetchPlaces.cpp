//===- PrefetchPlaces.cpp - Where to ask for lines -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrefetchPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace gnn;

static Value createConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

//===----------------------------------------------------------------------===//
// Loops over tiles
//===----------------------------------------------------------------------===//

TileLoop::TileLoop(scf::ForOp loop) : loop(loop) {
  Value end;
  for (auto other : loop.getBody()->getOps<scf::ForOp>()) {
    if (other.getLowerBound() != end)
      inner.push_back(other);
    end = other.getUpperBound();
  }
}

bool TileLoop::isCountedBefore(scf::ForOp outer) {
  return llvm::all_of(
      ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
      [&](Value value) { return outer.isDefinedOutsideOfLoop(value); });
}

Value TileLoop::countIterations(OpBuilder &b) {
  Location loc = loop.getLoc();
  Value extent =
      ArithBuilder(b, loc).sub(loop.getUpperBound(), loop.getLowerBound());
  return arith::CeilDivSIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, extent, createConstant(b, loc, 0)),
      loop.getStep());
}

Value TileLoop::countEarlierIterations(OpBuilder &b) {
  Location loc = loop.getLoc();
  Value passed =
      ArithBuilder(b, loc).sub(loop.getInductionVar(), loop.getLowerBound());
  return arith::DivUIOp::create(b, loc, passed, loop.getStep());
}

SmallVector<TileLoop> gnn::findTileLoops(Block &block) {
  SmallVector<TileLoop> loops;
  for (auto loop : block.getOps<scf::ForOp>())
    if (TileLoop tiles(loop); tiles.hasPlaces())
      loops.push_back(tiles);
  return loops;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

PrefetchPlaces PrefetchPlaces::atStart(scf::ForallOp loop) {
  Operation *first = &loop.getBody()->front();
  OpBuilder b(first);
  return {{{first, createConstant(b, loop.getLoc(), 0)}},
          createConstant(b, loop.getLoc(), 1)};
}

PrefetchPlaces PrefetchPlaces::inTiles(TileLoop outer) {
  Location loc = outer.loop.getLoc();
  PrefetchPlaces result;
  SmallVector<TileLoop> innerTiles = llvm::filter_to_vector(
      findTileLoops(*outer.loop.getBody()), [&](TileLoop &tiles) {
        return tiles.isCountedBefore(outer.loop) &&
               llvm::is_contained(outer.inner, tiles.loop);
      });
  // Those of an iteration of the outer loop: first those right in it, then
  // those of each of the loops in it.
  OpBuilder b(outer.loop);
  ArithBuilder math(b, loc);
  auto constant = [&](int64_t value) { return createConstant(b, loc, value); };
  Value perIteration = constant(outer.inner.size() - innerTiles.size());
  SmallVector<Value> firstOfTiles;
  for (TileLoop &tiles : innerTiles) {
    firstOfTiles.push_back(perIteration);
    Value iterations = tiles.countIterations(b);
    perIteration = math.add(perIteration,
                            math.mul(iterations, constant(tiles.inner.size())));
  }
  // Nothing may have to be done.
  result.count = arith::MaxUIOp::create(
      b, loc, math.mul(outer.countIterations(b), perIteration), constant(1));

  b.setInsertionPointToStart(outer.loop.getBody());
  Value first = math.mul(outer.countEarlierIterations(b), perIteration);
  int64_t number = 0;
  for (scf::ForOp inner : outer.inner) {
    b.setInsertionPoint(inner);
    auto *tiles = llvm::find_if(
        innerTiles, [&](const TileLoop &tiles) { return tiles.loop == inner; });
    if (tiles == innerTiles.end()) {
      result.places.push_back({inner, math.add(first, constant(number++))});
      continue;
    }
    Value firstOfLoop =
        math.add(first, firstOfTiles[tiles - innerTiles.begin()]);
    b.setInsertionPointToStart(inner.getBody());
    Value earlier = tiles->countEarlierIterations(b);
    Value firstOfIteration =
        math.add(firstOfLoop, math.mul(earlier, constant(tiles->inner.size())));
    for (auto [i, innermost] : llvm::enumerate(tiles->inner)) {
      b.setInsertionPoint(innermost);
      result.places.push_back(
          {innermost, math.add(firstOfIteration, constant(i))});
    }
  }
  return result;
}

void PrefetchPlaces::emitLots(
    OpBuilder &b, Value extent,
    llvm::function_ref<void(OpBuilder &, Value)> emit) const {
  Location loc = extent.getLoc();
  OpBuilder::InsertionGuard guard(b);
  ArithBuilder math(b, loc);
  Value lot = arith::CeilDivUIOp::create(b, loc, extent, count);
  for (const Place &place : places) {
    b.setInsertionPoint(place.op);
    Value from = math.mul(place.number, lot);
    Value to = arith::MinUIOp::create(b, loc, math.add(from, lot), extent);
    scf::ForOp::create(
        b, loc, from, to, createConstant(b, loc, 1), ValueRange(),
        [&](OpBuilder &inner, Location, Value number, ValueRange) {
          emit(inner, number);
          scf::YieldOp::create(inner, loc);
        });
  }
}
