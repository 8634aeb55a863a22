//===- PrefetchTiles.cpp - Ask early for factors of products ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gnn {
#define GEN_PASS_DEF_PREFETCHTILESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;

static constexpr int64_t lineBytes = 64;

namespace {
/// A matrix of which a loop reads a row in each step.
struct Panel {
  Value buffer;
  /// Indices before that of the row.
  SmallVector<Value> outer;
  /// What is read of a row, in elements, from a column on that is not known, if
  /// there is one.
  Value column;
  int64_t begin, end;

  MemRefType getType() const { return cast<MemRefType>(buffer.getType()); }
  int64_t getElementBytes() const {
    return getType().getElementTypeBitWidth() / 8;
  }
  int64_t getRowBytes() const { return (end - begin) * getElementBytes(); }
  /// Of all panels.
  int64_t getBytes() const {
    return getType().getNumElements() * getElementBytes();
  }
};

/// Loops that read one panel for each tile of rows, and then the next panel.
struct PanelLoops {
  scf::ForOp panels, rowTiles;
};
} // namespace

/// An index as one that is not known, or null, and what is added to it.
static std::pair<Value, int64_t> splitOffset(Value index) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return {Value(), *known};
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> offset = getConstantIntValue(add.getRhs()))
      return {add.getLhs(), *offset};
  return {index, 0};
}

/// What `read` reads of the row that the step of `loop` says.
static std::optional<Panel> getPanel(vector::TransferReadOp read,
                                     scf::ForOp loop) {
  auto type = dyn_cast<MemRefType>(read.getBase().getType());
  if (!type || type.getRank() < 2 || !type.getLayout().isIdentity() ||
      !type.hasStaticShape() || read.getVectorType().getRank() != 1 ||
      !read.getPermutationMap().isMinorIdentity() ||
      type.getElementTypeBitWidth() % 8 != 0 ||
      !loop.isDefinedOutsideOfLoop(read.getBase()))
    return std::nullopt;
  Panel panel{read.getBase(), llvm::to_vector(read.getIndices()), Value(), 0,
              0};
  auto [column, begin] = splitOffset(panel.outer.pop_back_val());
  if (panel.outer.pop_back_val() != loop.getInductionVar() ||
      (column && !loop.isDefinedOutsideOfLoop(column)) ||
      !llvm::all_of(panel.outer, [&](Value index) {
        return loop.isDefinedOutsideOfLoop(index);
      }))
    return std::nullopt;
  panel.column = column;
  panel.begin = begin;
  panel.end = begin + read.getVectorType().getDimSize(0);
  return panel;
}

/// The panels that `loop` reads, if it adds up vectors.
static SmallVector<Panel> findPanels(scf::ForOp loop) {
  SmallVector<Panel> panels;
  if (loop.getInitArgs().empty() ||
      !llvm::all_of(loop.getResultTypes(), llvm::IsaPred<VectorType>) ||
      getConstantIntValue(loop.getStep()) != 1)
    return panels;
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>()) {
    std::optional<Panel> panel = getPanel(read, loop);
    if (!panel)
      continue;
    Panel *known = llvm::find_if(panels, [&](const Panel &other) {
      return other.buffer == panel->buffer && other.outer == panel->outer &&
             other.column == panel->column;
    });
    if (known == panels.end()) {
      panels.push_back(*panel);
      continue;
    }
    known->begin = std::min(known->begin, panel->begin);
    known->end = std::max(known->end, panel->end);
  }
  return panels;
}

/// The loops around `loop` in which whole panels follow one another.
static std::optional<PanelLoops> findPanelLoops(scf::ForOp loop,
                                                const Panel &panel) {
  auto rowTiles = dyn_cast<scf::ForOp>(loop->getParentOp());
  auto panels =
      rowTiles ? dyn_cast<scf::ForOp>(rowTiles->getParentOp()) : nullptr;
  if (!panels || panel.outer.size() != 1 || panel.column || panel.begin != 0 ||
      panel.end != panel.getType().getDimSize(2) ||
      !isZeroInteger(getAsOpFoldResult(rowTiles.getLowerBound())) ||
      !rowTiles.isDefinedOutsideOfLoop(panel.outer[0]) ||
      panels.isDefinedOutsideOfLoop(panel.outer[0]))
    return std::nullopt;
  return PanelLoops{panels, rowTiles};
}

/// The panel that `loop` reads as tiles of AMX, if the loop around it, over
/// tiles of rows, reads the same of it in each step, and all of a row.
static std::optional<Panel> findTilePanel(scf::ForOp loop) {
  auto rowTiles = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!rowTiles || !loop.getStaticTripCount() ||
      !getConstantIntValue(loop.getLowerBound()) ||
      !getConstantIntValue(rowTiles.getLowerBound()) ||
      !getConstantIntValue(rowTiles.getStep()))
    return std::nullopt;
  for (auto first : loop.getBody()->getOps<amx::TileLoadOp>()) {
    MemRefType type = first.getMemRefType();
    ValueRange indices = first.getIndices();
    if (type.getRank() != 3 || !type.hasStaticShape() ||
        !type.getLayout().isIdentity() ||
        indices[1] != loop.getInductionVar() ||
        !rowTiles.isDefinedOutsideOfLoop(first.getBase()) ||
        !rowTiles.isDefinedOutsideOfLoop(indices[0]) ||
        getConstantIntValue(loop.getStep()) !=
            first.getTileType().getDimSize(0))
      continue;
    int64_t read = 0;
    for (auto other : loop.getBody()->getOps<amx::TileLoadOp>())
      if (other.getBase() == first.getBase() &&
          llvm::equal(other.getIndices().drop_back(), indices.drop_back()))
        read += other.getTileType().getDimSize(1);
    if (read == type.getDimSize(2))
      return Panel{first.getBase(), {indices[0]}, Value(), 0, read};
  }
  return std::nullopt;
}

/// Where the sums that `loop` carries in tiles of AMX are stored, if nothing
/// was read from there before.
static SmallVector<amx::TileStoreOp> findTileStores(scf::ForOp loop) {
  SmallVector<amx::TileStoreOp> stores;
  for (auto [init, result] : llvm::zip(loop.getInitArgs(), loop.getResults())) {
    if (!isa<amx::TileType>(result.getType()) || !result.hasOneUse())
      return {};
    auto store = dyn_cast<amx::TileStoreOp>(*result.user_begin());
    if (!store || store->getBlock() != loop->getBlock())
      return {};
    auto load = init.getDefiningOp<amx::TileLoadOp>();
    if (load && load.getBase() == store.getBase())
      return {};
    stores.push_back(store);
  }
  return stores;
}

/// What `loop` reads of the first of its rows of a first factor, if these are
/// as many as the loop around it takes at a time, and whole: the rows of the
/// next tile follow.
static memref::LoadOp findFirstRow(scf::ForOp loop) {
  auto rowTiles = dyn_cast<scf::ForOp>(loop->getParentOp());
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!rowTiles || !trips || !isZeroInteger(loop.getLowerBound()) ||
      getConstantIntValue(loop.getStep()) != 1)
    return {};
  std::optional<int64_t> step = getConstantIntValue(rowTiles.getStep());
  for (auto first : loop.getBody()->getOps<memref::LoadOp>()) {
    MemRefType type = first.getMemRefType();
    if (type.getRank() != 2 || !type.getLayout().isIdentity() ||
        type.getDimSize(1) != trips->getSExtValue() ||
        type.getElementTypeBitWidth() % 8 != 0 ||
        first.getIndices()[1] != loop.getInductionVar() ||
        !loop.isDefinedOutsideOfLoop(first.getIndices()[0]) ||
        !rowTiles.isDefinedOutsideOfLoop(first.getMemRef()))
      continue;
    int64_t numRows = llvm::count_if(
        loop.getBody()->getOps<memref::LoadOp>(), [&](memref::LoadOp other) {
          return other.getMemRef() == first.getMemRef() &&
                 other.getIndices()[1] == loop.getInductionVar();
        });
    if (numRows == step)
      return first;
  }
  return {};
}

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
    if (bytesAhead < 1) {
      getOperation().emitError("distances must be at least 1");
      return signalPassFailure();
    }
    getOperation()->walk([&](scf::ForOp loop) {
      if (std::optional<Panel> panel = findTilePanel(loop);
          panel && panel->getBytes() >= farBytes) {
        emitNextRows(loop, *panel);
        ++numPanels;
      }
      if (results)
        emitResults(loop);
      SmallVector<Panel> panels = findPanels(loop);
      if (!panels.empty() && firstFactors)
        emitNextTile(loop);
      std::optional<APInt> trips = loop.getStaticTripCount();
      if (!trips)
        return;
      for (const Panel &panel : panels) {
        if (trips->getSExtValue() * panel.getRowBytes() < minimumBytes)
          continue;
        emitRows(loop, panel);
        if (panel.getBytes() >= farBytes)
          if (std::optional<PanelLoops> loops = findPanelLoops(loop, panel))
            emitNextPanel(loop, panel, *loops);
        ++numPanels;
      }
    });
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
    Location loc = loop.getLoc();
    MemRefType type = first.getMemRefType();
    int64_t numRows =
        *getConstantIntValue(cast<scf::ForOp>(loop->getParentOp()).getStep());
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
    SmallVector<Value> places;
    for (amx::TileStoreOp store : stores) {
      places.push_back(store.getBase());
      llvm::append_range(places, store.getIndices());
    }
    IRRewriter rewriter(&getContext());
    if (failed(moveValueDefinitions(rewriter, places, loop)))
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
