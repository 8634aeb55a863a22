//===- PrefetchPlaces.cpp - Where to ask for lines -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrefetchPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;

static Value createConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

static Value createAdd(OpBuilder &b, Location loc, Value left, Value right) {
  return arith::AddIOp::create(b, loc, left, right);
}

static Value createProduct(OpBuilder &b, Location loc, Value left,
                           int64_t right) {
  return arith::MulIOp::create(b, loc, left, createConstant(b, loc, right));
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
      arith::SubIOp::create(b, loc, loop.getUpperBound(), loop.getLowerBound());
  return arith::CeilDivSIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, extent, createConstant(b, loc, 0)),
      loop.getStep());
}

Value TileLoop::countEarlierIterations(OpBuilder &b) {
  Location loc = loop.getLoc();
  return arith::DivUIOp::create(b, loc,
                                arith::SubIOp::create(b, loc,
                                                      loop.getInductionVar(),
                                                      loop.getLowerBound()),
                                loop.getStep());
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
  Value perIteration =
      createConstant(b, loc, outer.inner.size() - innerTiles.size());
  SmallVector<Value> firstOfTiles;
  for (TileLoop &tiles : innerTiles) {
    firstOfTiles.push_back(perIteration);
    perIteration = createAdd(
        b, loc, perIteration,
        createProduct(b, loc, tiles.countIterations(b), tiles.inner.size()));
  }
  // Nothing may have to be done.
  result.count = arith::MaxUIOp::create(
      b, loc,
      arith::MulIOp::create(b, loc, outer.countIterations(b), perIteration),
      createConstant(b, loc, 1));

  b.setInsertionPointToStart(outer.loop.getBody());
  Value first = arith::MulIOp::create(b, loc, outer.countEarlierIterations(b),
                                      perIteration);
  int64_t number = 0;
  for (scf::ForOp inner : outer.inner) {
    b.setInsertionPoint(inner);
    auto *tiles = llvm::find_if(
        innerTiles, [&](const TileLoop &tiles) { return tiles.loop == inner; });
    if (tiles == innerTiles.end()) {
      result.places.push_back(
          {inner, createAdd(b, loc, first, createConstant(b, loc, number++))});
      continue;
    }
    Value firstOfLoop =
        createAdd(b, loc, first, firstOfTiles[tiles - innerTiles.begin()]);
    b.setInsertionPointToStart(inner.getBody());
    Value firstOfIteration =
        createAdd(b, loc, firstOfLoop,
                  createProduct(b, loc, tiles->countEarlierIterations(b),
                                tiles->inner.size()));
    for (auto [i, innermost] : llvm::enumerate(tiles->inner)) {
      b.setInsertionPoint(innermost);
      result.places.push_back(
          {innermost,
           createAdd(b, loc, firstOfIteration, createConstant(b, loc, i))});
    }
  }
  return result;
}

void PrefetchPlaces::emitLots(
    OpBuilder &b, Value extent,
    llvm::function_ref<void(OpBuilder &, Value)> emit) const {
  Location loc = extent.getLoc();
  OpBuilder::InsertionGuard guard(b);
  Value lot = arith::CeilDivUIOp::create(b, loc, extent, count);
  for (const Place &place : places) {
    b.setInsertionPoint(place.op);
    Value from = arith::MulIOp::create(b, loc, place.number, lot);
    Value to =
        arith::MinUIOp::create(b, loc, createAdd(b, loc, from, lot), extent);
    scf::ForOp::create(
        b, loc, from, to, createConstant(b, loc, 1), ValueRange(),
        [&](OpBuilder &inner, Location, Value number, ValueRange) {
          emit(inner, number);
          scf::YieldOp::create(inner, loc);
        });
  }
}

int64_t gnn::getRowLength(MemRefType type) {
  if (type.getRank() < 2 || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0 ||
      type.getElementTypeBitWidth() > 64 ||
      llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
    return 0;
  return ShapedType::getNumElements(type.getShape().drop_front());
}

bool gnn::isWritten(memref::SubViewOp view) {
  return llvm::any_of(view->getUsers(), [&](Operation *user) {
    if (auto other = dyn_cast<memref::SubViewOp>(user))
      return isWritten(other);
    return hasEffect<MemoryEffects::Write>(user, view.getResult());
  });
}
