//===- PrefetchTiles.cpp - Ask early for factors of products ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gnn {
#define GEN_PASS_DEF_PREFETCHTILESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Tiles of fewer rows are for what whole ones leave, which is little.
static constexpr int64_t minTileRows = 4;

/// Whether a buffer of this type may be larger than `bytes`.
static bool mayExceed(MemRefType type, int64_t bytes) {
  return !type.hasStaticShape() ||
         type.getNumElements() * type.getElementTypeBitWidth() / 8 >= bytes;
}

namespace {
struct PrefetchTilesPass
    : public gnn::impl::PrefetchTilesPassBase<PrefetchTilesPass> {
  using PrefetchTilesPassBase::PrefetchTilesPassBase;

  void runOnOperation() override {
    if (bytesAhead < 1 || resultSteps < 1) {
      getOperation().emitError("distances and steps must be at least 1");
      return signalPassFailure();
    }
    SmallVector<scf::ForOp> kernels;
    getOperation()->walk([&](scf::ForOp loop) {
      if (std::optional<Panel> panel = findTilePanel(loop);
          panel && panel->getBytes() >= farBytes) {
        emitNextRows(loop, *panel);
        ++numPanels;
      }
      if (results)
        emitResults(loop);
      if (firstFactors)
        emitNextBlock(loop);
      SmallVector<Panel> panels = findPanels(loop);
      if (!panels.empty() && firstFactors)
        emitNextTile(loop);
      if (!panels.empty() && results)
        kernels.push_back(loop);
      std::optional<APInt> trips = loop.getStaticTripCount();
      if (!trips)
        return;
      for (const Panel &panel : panels) {
        if (panel.getRowBytes() < minimumRowBytes ||
            trips->getSExtValue() * panel.getRowBytes() < minimumBytes)
          continue;
        emitRows(loop, panel);
        if (panel.getBytes() >= farBytes)
          if (std::optional<PanelLoops> loops = findPanelLoops(loop, panel))
            emitNextPanel(loop, panel, *loops);
        ++numPanels;
      }
    });
    // The steps that ask for results ask for factors as well.
    for (scf::ForOp loop : kernels)
      emitRowsOfResults(loop);
  }

private:
  /// Asks for the lines of a row further on. Behind the last row lies the next
  /// panel, or nothing, which no prefetch minds.
  void emitRows(scf::ForOp loop, const Panel &panel) {
    Location loc = loop.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
    Value distance = arith::ConstantIndexOp::create(
        b, loc, std::max<int64_t>(1, bytesAhead / panel.getRowBytes()));
    SmallVector<Value> indices(panel.outer);
    indices.push_back(
        arith::AddIOp::create(b, loc, loop.getInductionVar(), distance));
    for (int64_t column = panel.begin; column < panel.end;
         column += lineBytes / panel.getElementBytes()) {
      Value place = arith::ConstantIndexOp::create(b, loc, column);
      if (panel.column)
        place = arith::AddIOp::create(b, loc, panel.column, place);
      indices.push_back(place);
      memref::PrefetchOp::create(b, loc, panel.buffer, indices,
                                 /*isWrite=*/false, /*localityHint=*/3,
                                 /*isDataCache=*/true);
      indices.pop_back();
    }
  }

  /// Asks for the rows of the first factor that the next tile multiplies, some
  /// elements in each step.
  void emitNextTile(scf::ForOp loop) {
    memref::LoadOp first = findFirstRow(loop);
    if (!first || !mayExceed(first.getMemRefType(), farBytes))
      return;
    auto rowTiles = cast<scf::ForOp>(loop->getParentOp());
    if (auto panels = dyn_cast<scf::ForOp>(rowTiles->getParentOp()))
      if (std::optional<APInt> trips = panels.getStaticTripCount();
          trips && trips->getSExtValue() > mostPanels)
        return;
    Location loc = loop.getLoc();
    MemRefType type = first.getMemRefType();
    int64_t numRows = *getConstantIntValue(rowTiles.getStep());
    OpBuilder b(loop);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value flat = memref::CollapseShapeOp::create(
        b, loc, first.getMemRef(), ArrayRef<ReassociationIndices>{{0, 1}});
    Value next =
        arith::AddIOp::create(b, loc, first.getIndices()[0], constant(numRows));
    Value begin =
        arith::MulIOp::create(b, loc, next, constant(type.getDimSize(1)));
    b.setInsertionPointToStart(loop.getBody());
    Value done = arith::MulIOp::create(b, loc, loop.getInductionVar(),
                                       constant(numRows));
    int64_t line = lineBytes * 8 / type.getElementTypeBitWidth();
    for (int64_t i = 0; i < numRows; i += line) {
      Value place = arith::AddIOp::create(
          b, loc, arith::AddIOp::create(b, loc, begin, constant(i)), done);
      memref::PrefetchOp::create(b, loc, flat, place, /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
    }
    ++numFirst;
  }

  /// While AMX multiplies rows that were rounded, those that are rounded for
  /// the next block come near.
  void emitNextBlock(scf::ForOp loop) {
    auto rowTiles = dyn_cast<scf::ForOp>(loop->getParentOp());
    auto panels =
        rowTiles ? dyn_cast<scf::ForOp>(rowTiles->getParentOp()) : nullptr;
    auto blocks =
        panels ? dyn_cast<scf::ForallOp>(panels->getParentOp()) : nullptr;
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!blocks || blocks.getRank() != 1 || !trips ||
        !panels.getStaticTripCount() ||
        !isZeroInteger(getAsOpFoldResult(rowTiles.getLowerBound())))
      return;
    std::optional<int64_t> ofBlock =
        getConstantIntValue(blocks.getMixedStep()[0]);
    std::optional<int64_t> ofTile = getConstantIntValue(rowTiles.getStep());
    if (!ofBlock || !ofTile)
      return;
    vector::TransferReadOp read = findRoundedRows(loop, blocks);
    if (!read)
      return;
    auto type = cast<MemRefType>(read.getBase().getType());
    if (!mayExceed(type, farBytes))
      return;
    Location loc = loop.getLoc();
    int64_t line = lineBytes * 8 / type.getElementTypeBitWidth();
    int64_t numElements = *ofBlock * type.getDimSize(1);
    int64_t numTiles = llvm::divideCeil(*ofBlock, *ofTile);
    int64_t numSteps = trips->getSExtValue();
    int64_t all =
        numSteps * numTiles * panels.getStaticTripCount()->getSExtValue();
    int64_t ofStep = llvm::divideCeil(numElements, all * line) * line;
    OpBuilder b(loop);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto trip = [&](scf::ForOp op) {
      return arith::DivUIOp::create(b, loc, op.getInductionVar(), op.getStep());
    };
    Value flat = memref::CollapseShapeOp::create(
        b, loc, read.getBase(), ArrayRef<ReassociationIndices>{{0, 1}});
    Value next = arith::AddIOp::create(b, loc, blocks.getInductionVars()[0],
                                       constant(*ofBlock));
    Value begin =
        arith::MulIOp::create(b, loc, next, constant(type.getDimSize(1)));
    Value before = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, trip(panels), constant(numTiles)),
        trip(rowTiles));
    before = arith::MulIOp::create(b, loc, before, constant(numSteps * ofStep));
    b.setInsertionPointToStart(loop.getBody());
    Value done = arith::MulIOp::create(b, loc, trip(loop), constant(ofStep));
    done = arith::AddIOp::create(b, loc, before, done);
    done = arith::MinUIOp::create(b, loc, done, constant(numElements - ofStep));
    Value place = arith::AddIOp::create(b, loc, begin, done);
    for (int64_t i = 0; i < ofStep; i += line)
      memref::PrefetchOp::create(
          b, loc, flat,
          arith::AddIOp::create(b, loc, place, constant(i)).getResult(),
          /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
    ++numFirst;
  }

  /// Each tile of rows asks for a part of the panel that comes after this one,
  /// some elements in each step.
  void emitNextPanel(scf::ForOp loop, const Panel &panel,
                     const PanelLoops &loops) {
    Location loc = loop.getLoc();
    MemRefType type = panel.getType();
    scf::ForOp rowTiles = loops.rowTiles;
    int64_t depth = type.getDimSize(1), width = type.getDimSize(2);
    OpBuilder b(loops.panels);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value flat = memref::CollapseShapeOp::create(
        b, loc, panel.buffer, ArrayRef<ReassociationIndices>{{0, 1, 2}});
    b.setInsertionPoint(rowTiles);
    Value one = constant(1);
    Value after = arith::AddIOp::create(b, loc, panel.outer[0], one);
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                         after, constant(type.getDimSize(0)));
    // The next block of rows begins at the first panel again.
    Value next = arith::SelectOp::create(b, loc, isLast, constant(0), after);
    Value first = arith::MulIOp::create(b, loc, next, constant(depth * width));

    b.setInsertionPoint(loop);
    Value tile = arith::DivUIOp::create(b, loc, rowTiles.getInductionVar(),
                                        rowTiles.getStep());
    Value numTiles = arith::CeilDivUIOp::create(
        b, loc, rowTiles.getUpperBound(), rowTiles.getStep());
    Value ofStep =
        arith::CeilDivUIOp::create(b, loc, constant(width), numTiles);
    Value ofTile = arith::MulIOp::create(b, loc, ofStep, constant(depth));
    Value last = arith::SubIOp::create(b, loc, constant(depth * width), ofTile);
    Value done = arith::MinUIOp::create(
        b, loc, arith::MulIOp::create(b, loc, tile, ofTile), last);
    Value begin = arith::AddIOp::create(b, loc, first, done);

    b.setInsertionPointToStart(loop.getBody());
    Value offset =
        arith::MulIOp::create(b, loc, loop.getInductionVar(), ofStep);
    Value place = arith::AddIOp::create(b, loc, begin, offset);
    memref::PrefetchOp::create(b, loc, flat, place, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }

  /// Has the places that are stored to computed before the loop.
  template <typename Store>
  LogicalResult movePlaces(ArrayRef<Store> stores, scf::ForOp loop) {
    SmallVector<Value> places;
    for (Store store : stores) {
      places.push_back(store.getBase());
      llvm::append_range(places, store.getIndices());
    }
    IRRewriter rewriter(&getContext());
    return moveValueDefinitions(rewriter, places, loop);
  }

  /// While AMX multiplies, the lines that its sums will be stored to come near:
  /// some rows of each tile in each step.
  void emitResults(scf::ForOp loop) {
    SmallVector<amx::TileStoreOp> stores = findTileStores(loop);
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (stores.empty() || !trips || trips->isZero() ||
        !llvm::all_of(stores, [&](amx::TileStoreOp store) {
          return mayExceed(store.getMemRefType(), farBytes);
        }))
      return;
    if (failed(movePlaces(ArrayRef(stores), loop)))
      return;
    Location loc = loop.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value done = arith::SubIOp::create(b, loc, loop.getInductionVar(),
                                       loop.getLowerBound());
    Value step = arith::DivUIOp::create(b, loc, done, loop.getStep());
    for (amx::TileStoreOp store : stores) {
      int64_t numRows = store.getTileType().getDimSize(0);
      int64_t ofStep = llvm::divideCeil(numRows, trips->getSExtValue());
      Value first = arith::MulIOp::create(b, loc, step, constant(ofStep));
      for (int64_t i = 0; i < ofStep; ++i) {
        Value row = arith::AddIOp::create(b, loc, first, constant(i));
        row = arith::MinUIOp::create(b, loc, row, constant(numRows - 1));
        SmallVector<Value> indices(store.getIndices());
        Value &place = indices[indices.size() - 2];
        place = arith::AddIOp::create(b, loc, place, row);
        memref::PrefetchOp::create(b, loc, store.getBase(), indices,
                                   /*isWrite=*/true, /*localityHint=*/3,
                                   /*isDataCache=*/true);
      }
    }
    ++numResults;
  }

  /// The last steps of a loop that carries the vectors of a tile of results
  /// become a loop over the rows of the tile, and in it one over some steps: it
  /// asks for the lines that the row will be stored to.
  void emitRowsOfResults(scf::ForOp loop) {
    std::optional<TileStores> stores = findTileRows(loop);
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!stores || stores->numRows < minTileRows ||
        !mayExceed(stores->getType(), farBytes) || !trips ||
        trips->getSExtValue() < stores->numRows * resultSteps ||
        trips->getSExtValue() > mostSteps)
      return;
    if (failed(movePlaces(ArrayRef(stores->firstRow), loop)))
      return;
    Location loc = loop.getLoc();
    OpBuilder b(loop);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value steps = constant(resultSteps), numRows = constant(stores->numRows);
    Value begin = b.createOrFold<arith::SubIOp>(
        loc, loop.getUpperBound(), constant(stores->numRows * resultSteps));
    b.setInsertionPointAfter(loop);
    auto rows = scf::ForOp::create(
        b, loc, constant(0), numRows, constant(1), loop.getResults(),
        [&](OpBuilder &, Location, Value, ValueRange) {});
    loop.getResults().replaceUsesWithIf(rows.getResults(), [&](OpOperand &use) {
      return use.getOwner() != rows;
    });
    b.setInsertionPointToStart(rows.getBody());
    emitLines(b, *stores, rows.getInductionVar());
    Value done = arith::MulIOp::create(b, loc, rows.getInductionVar(), steps);
    Value first = arith::AddIOp::create(b, loc, begin, done);
    Value last = arith::AddIOp::create(b, loc, first, steps);
    auto some = cast<scf::ForOp>(b.clone(*loop));
    some.setLowerBound(first);
    some.setUpperBound(last);
    some.getInitArgsMutable().assign(rows.getRegionIterArgs());
    scf::YieldOp::create(b, loc, some.getResults());
    loop.setUpperBound(begin);
    ++numResults;
  }

  /// Asks for the lines that row `row` of a tile will be stored to.
  static void emitLines(OpBuilder &b, TileStores &stores, Value row) {
    for (vector::TransferWriteOp store : stores.firstRow) {
      Location loc = store.getLoc();
      int64_t line =
          lineBytes * 8 / store.getVectorType().getElementTypeBitWidth();
      for (int64_t i = 0; i < store.getVectorType().getDimSize(0); i += line) {
        SmallVector<Value> indices(store.getIndices());
        indices[0] = arith::AddIOp::create(b, loc, indices[0], row);
        if (i > 0)
          indices[1] = arith::AddIOp::create(
              b, loc, indices[1], arith::ConstantIndexOp::create(b, loc, i));
        memref::PrefetchOp::create(b, loc, store.getBase(), indices,
                                   /*isWrite=*/true, /*localityHint=*/3,
                                   /*isDataCache=*/true);
      }
    }
  }

  /// Tiles of rows that read these rows of a panel ask for those after them,
  /// which the next pass over the tiles of rows begins with: an eighth each.
  void emitNextRows(scf::ForOp loop, const Panel &panel) {
    constexpr int64_t parts = 8;
    Location loc = loop.getLoc();
    auto rowTiles = cast<scf::ForOp>(loop->getParentOp());
    MemRefType type = panel.getType();
    int64_t depth = type.getDimSize(1), width = type.getDimSize(2);
    int64_t rowsOfStep = *getConstantIntValue(loop.getStep());
    int64_t end = *getConstantIntValue(loop.getLowerBound()) +
                  loop.getStaticTripCount()->getSExtValue() * rowsOfStep;
    int64_t line = lineBytes / panel.getElementBytes();
    int64_t ofStep = std::max(rowsOfStep * width / parts / line, int64_t(1));
    OpBuilder b(loop);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value tile = arith::DivUIOp::create(b, loc, rowTiles.getInductionVar(),
                                        rowTiles.getStep());
    Value part = arith::RemUIOp::create(b, loc, tile, constant(parts));
    int64_t numSteps = loop.getStaticTripCount()->getSExtValue();
    Value done =
        arith::MulIOp::create(b, loc, part, constant(numSteps * ofStep * line));
    Value before =
        arith::MulIOp::create(b, loc, panel.outer[0], constant(depth * width));
    Value next = arith::AddIOp::create(b, loc, before, constant(end * width));
    // The next block of rows begins at the first panel again.
    Value begin = arith::RemUIOp::create(
        b, loc, arith::AddIOp::create(b, loc, next, done),
        constant(type.getNumElements()));
    Value flat = memref::CollapseShapeOp::create(
        b, loc, panel.buffer, ArrayRef<ReassociationIndices>{{0, 1, 2}});
    Value first = arith::SubIOp::create(
        b, loc, begin,
        arith::MulIOp::create(b, loc, loop.getLowerBound(),
                              constant(ofStep * line / rowsOfStep)));
    b.setInsertionPointToStart(loop.getBody());
    Value steps = arith::MulIOp::create(b, loc, loop.getInductionVar(),
                                        constant(ofStep * line / rowsOfStep));
    for (int64_t i = 0; i < ofStep; ++i) {
      Value place = arith::AddIOp::create(
          b, loc, arith::AddIOp::create(b, loc, first, constant(i * line)),
          steps);
      memref::PrefetchOp::create(b, loc, flat, place, /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
    }
  }
};
} // namespace
