//===- PrefetchSegments.cpp - Ask early for the next graph ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheLine.h"
#include "RowPointer.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_PREFETCHSEGMENTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// Matrices of which an iteration takes the rows from one entry of a pointer to
/// the next, all with rows of the same length.
struct SegmentRows {
  llvm::SetVector<Value> buffers;
  /// Those of them that are written.
  llvm::DenseSet<Value> written;
};
/// By pointer, elements of a row and bytes of one.
using Segments =
    llvm::MapVector<std::tuple<Value, int64_t, int64_t>, SegmentRows>;
} // namespace

/// The array that says which rows are those of iteration `segment`, if `row` is
/// the first of them or counts them.
static Value getPointer(Value row, Value segment) {
  if (scf::ForOp loop = scf::getForInductionVarOwner(row)) {
    std::optional<RowBounds> bounds = getRowBounds(loop);
    return bounds && bounds->row == segment ? bounds->pointer : Value();
  }
  auto read = getBoundRead<memref::LoadOp>(row);
  return read && read.getIndices()[0] == segment ? read.getMemRef() : Value();
}

/// Elements of a row of `type`, if rows of whole bytes lie one after the other;
/// otherwise 0.
static int64_t getRowLength(MemRefType type) {
  if (type.getRank() < 2 || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0 ||
      type.getElementTypeBitWidth() > 64 ||
      llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
    return 0;
  return ShapedType::getNumElements(type.getShape().drop_front());
}

/// Whether `view` takes a part of each row that one of `inner` says.
static bool takesPart(memref::SubViewOp view, ValueRange inner) {
  return llvm::any_of(ArrayRef(view.getMixedOffsets()).drop_front(),
                      [&](OpFoldResult offset) {
                        auto value = dyn_cast<Value>(offset);
                        return value && llvm::is_contained(inner, value);
                      });
}

/// Whether something is stored to what `view` takes.
static bool isWritten(memref::SubViewOp view) {
  return llvm::any_of(view->getUsers(), [&](Operation *user) {
    if (auto other = dyn_cast<memref::SubViewOp>(user))
      return isWritten(other);
    return hasEffect<MemoryEffects::Write>(user, view.getResult());
  });
}

static Segments findSegments(scf::ForallOp loop) {
  Segments segments;
  SmallVector<Value> inner = loop.getInductionVars();
  Value segment = inner.front();
  inner.erase(inner.begin());
  loop.walk([&](memref::SubViewOp view) {
    Value buffer = view.getSource();
    auto first = dyn_cast<Value>(view.getMixedOffsets().front());
    MemRefType type = view.getSourceType();
    int64_t length = getRowLength(type);
    if (!first || length == 0 || !loop.isDefinedOutsideOfLoop(buffer) ||
        !takesPart(view, inner))
      return;
    Value pointer = getPointer(first, segment);
    if (!pointer || !loop.isDefinedOutsideOfLoop(pointer))
      return;
    SegmentRows &rows =
        segments[{pointer, length, type.getElementTypeBitWidth() / 8}];
    rows.buffers.insert(buffer);
    if (isWritten(view))
      rows.written.insert(buffer);
  });
  return segments;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// Points in an iteration of a loop over segments between which about equally
/// much is computed: before each loop in the body of a loop over tiles, and in
/// that of a loop over tiles in it.
struct Places {
  /// Before an op, the how manieth of all places it is.
  struct Place {
    Operation *op;
    Value number;
  };
  SmallVector<Place> places;
  /// How many there are, at least one.
  Value count;
};

/// A loop over tiles and those in it, without loops that go on where the one
/// before them ends, with the rows that are left.
struct TileLoop {
  explicit TileLoop(scf::ForOp loop) : loop(loop) {
    Value end;
    for (auto other : loop.getBody()->getOps<scf::ForOp>()) {
      if (other.getLowerBound() != end)
        inner.push_back(other);
      end = other.getUpperBound();
    }
  }

  /// Whether there is something between which to ask for lines.
  bool hasPlaces() const { return inner.size() > 1; }
  /// Whether it is known before `outer` how often the loop runs.
  bool isCountedBefore(scf::ForOp outer) {
    return llvm::all_of(
        ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
        [&](Value value) { return outer.isDefinedOutsideOfLoop(value); });
  }
  Value countIterations(OpBuilder &b) {
    Location loc = loop.getLoc();
    Value extent = arith::SubIOp::create(b, loc, loop.getUpperBound(),
                                         loop.getLowerBound());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    return arith::CeilDivSIOp::create(
        b, loc, arith::MaxSIOp::create(b, loc, extent, zero), loop.getStep());
  }
  /// The number of the iteration, in the loop.
  Value getIteration(OpBuilder &b) {
    Location loc = loop.getLoc();
    return arith::DivUIOp::create(b, loc,
                                  arith::SubIOp::create(b, loc,
                                                        loop.getInductionVar(),
                                                        loop.getLowerBound()),
                                  loop.getStep());
  }

  scf::ForOp loop;
  SmallVector<scf::ForOp> inner;
};
} // namespace

/// The loops over tiles in each iteration of `outer`, if they run equally
/// often.
static SmallVector<TileLoop> findInnerTiles(const TileLoop &outer) {
  SmallVector<TileLoop> tiles;
  for (scf::ForOp inner : outer.inner)
    if (TileLoop tile(inner);
        tile.hasPlaces() && tile.isCountedBefore(outer.loop))
      tiles.push_back(tile);
  return tiles;
}

/// The start of the body of `loop`, or, if there is one loop over tiles in it,
/// what is before the loops in that one.
static Places findPlaces(scf::ForallOp loop) {
  Location loc = loop.getLoc();
  OpBuilder b(loop.getContext());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto add = [&](Value left, Value right) -> Value {
    return arith::AddIOp::create(b, loc, left, right);
  };
  auto multiply = [&](Value left, int64_t right) -> Value {
    return arith::MulIOp::create(b, loc, left, constant(right));
  };
  Places result;
  SmallVector<TileLoop> outerLoops;
  for (auto inner : loop.getBody()->getOps<scf::ForOp>())
    if (TileLoop tile(inner); tile.hasPlaces())
      outerLoops.push_back(tile);
  if (outerLoops.size() != 1) {
    Operation *first = &loop.getBody()->front();
    b.setInsertionPoint(first);
    result.places.push_back({first, constant(0)});
    result.count = constant(1);
    return result;
  }
  TileLoop &outer = outerLoops.front();
  SmallVector<TileLoop> tiles = findInnerTiles(outer);
  // Those of an iteration of the outer loop: first those right in it, then
  // those of each of the loops in it.
  b.setInsertionPoint(outer.loop);
  Value perIteration = constant(outer.inner.size() - tiles.size());
  SmallVector<Value> firstOfTiles;
  for (TileLoop &tile : tiles) {
    firstOfTiles.push_back(perIteration);
    perIteration =
        add(perIteration, multiply(tile.countIterations(b), tile.inner.size()));
  }
  // An empty segment has none.
  result.count = arith::MaxUIOp::create(
      b, loc,
      arith::MulIOp::create(b, loc, outer.countIterations(b), perIteration),
      constant(1));
  b.setInsertionPointToStart(outer.loop.getBody());
  Value first =
      arith::MulIOp::create(b, loc, outer.getIteration(b), perIteration);
  int64_t number = 0;
  for (scf::ForOp inner : outer.inner) {
    b.setInsertionPoint(inner);
    auto *tile = llvm::find_if(
        tiles, [&](const TileLoop &tile) { return tile.loop == inner; });
    if (tile == tiles.end()) {
      result.places.push_back({inner, add(first, constant(number++))});
      continue;
    }
    Value firstOfTile = add(first, firstOfTiles[tile - tiles.begin()]);
    b.setInsertionPointToStart(inner.getBody());
    Value firstOfIteration =
        add(firstOfTile, multiply(tile->getIteration(b), tile->inner.size()));
    for (auto [i, innermost] : llvm::enumerate(tile->inner)) {
      b.setInsertionPoint(innermost);
      result.places.push_back({innermost, add(firstOfIteration, constant(i))});
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct PrefetchSegmentsPass
    : public gnn::impl::PrefetchSegmentsPassBase<PrefetchSegmentsPass> {
  using PrefetchSegmentsPassBase::PrefetchSegmentsPassBase;

  void runOnOperation() override {
    if (minimumBytes < 0 || mostBytes < 1) {
      getOperation().emitError(
          "minimum bytes must be at least 0, and most bytes at least 1");
      return signalPassFailure();
    }
    getOperation()->walk([&](scf::ForallOp loop) {
      if (loop.getRank() != 2 || !loop.isNormalized() ||
          ShapedType::isDynamic(loop.getStaticUpperBound()[1]))
        return;
      Segments segments = findSegments(loop);
      if (segments.empty())
        return;
      Places places = findPlaces(loop);
      for (auto &[key, rows] : segments) {
        auto [pointer, length, elementBytes] = key;
        emitPrefetches(loop, places, pointer, length, elementBytes, rows);
        ++numLoops;
      }
    });
  }

private:
  /// Has each inner iteration ask for its share of the next segment's rows of
  /// `length` elements, at each place for as many lines.
  void emitPrefetches(scf::ForallOp loop, const Places &places, Value pointer,
                      int64_t length, int64_t elementBytes,
                      const SegmentRows &rows) {
    int64_t rowBytes = length * elementBytes,
            perLine = lineBytes / elementBytes;
    Location loc = loop.getLoc();
    OpBuilder b(loop);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value size = memref::DimOp::create(b, loc, pointer, 0);
    Value last = arith::SubIOp::create(b, loc, size, constant(1));
    Value numRows = memref::DimOp::create(b, loc, rows.buffers.front(), 0);
    Value bytes = arith::MulIOp::create(
        b, loc, numRows,
        constant(rowBytes * static_cast<int64_t>(rows.buffers.size())));
    Value areMany = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                          bytes, constant(minimumBytes));
    SmallVector<Value> flat;
    for (Value buffer : rows.buffers) {
      ReassociationIndices all = llvm::to_vector(
          llvm::seq<int64_t>(0, cast<MemRefType>(buffer.getType()).getRank()));
      flat.push_back(
          memref::CollapseShapeOp::create(b, loc, buffer, ArrayRef{all}));
    }

    b.setInsertionPointAfterValue(places.count);
    Value segment = loop.getInductionVars()[0];
    Value part = loop.getInductionVars()[1];
    auto load = [&](int64_t ahead) {
      Value next = arith::AddIOp::create(b, loc, segment, constant(ahead));
      return loadAsIndex(b, loc, pointer,
                         arith::MinUIOp::create(b, loc, next, last));
    };
    Value first = load(1), end = load(2);
    Value count = arith::MinUIOp::create(
        b, loc, arith::SubIOp::create(b, loc, end, first),
        constant(std::max<int64_t>(1, mostBytes / rowBytes)));
    // In lines, of which each part has as many, and of a part each place.
    int64_t numParts = loop.getStaticUpperBound()[1];
    Value lines = arith::CeilDivUIOp::create(
        b, loc, arith::MulIOp::create(b, loc, count, constant(rowBytes)),
        constant(lineBytes * numParts));
    lines = arith::SelectOp::create(b, loc, areMany, lines, constant(0));
    Value begin = arith::MulIOp::create(b, loc, part, lines);
    Value start = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, first, constant(length)),
        arith::MulIOp::create(b, loc, begin, constant(perLine)));
    Value linesAtOnce = arith::CeilDivUIOp::create(b, loc, lines, places.count);
    for (const Places::Place &place : places.places) {
      b.setInsertionPoint(place.op);
      Value from = arith::MulIOp::create(b, loc, place.number, linesAtOnce);
      Value to = arith::MinUIOp::create(
          b, loc, arith::AddIOp::create(b, loc, from, linesAtOnce), lines);
      scf::ForOp::create(
          b, loc, from, to, constant(1), ValueRange(),
          [&](OpBuilder &inner, Location, Value line, ValueRange) {
            Value element = arith::AddIOp::create(
                inner, loc, start,
                arith::MulIOp::create(inner, loc, line, constant(perLine)));
            for (auto [buffer, matrix] : llvm::zip_equal(rows.buffers, flat))
              memref::PrefetchOp::create(
                  inner, loc, matrix, element, rows.written.contains(buffer),
                  /*localityHint=*/2, /*isDataCache=*/true);
            scf::YieldOp::create(inner, loc);
          });
    }
  }
};
} // namespace
