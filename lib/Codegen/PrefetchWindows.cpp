//===- PrefetchWindows.cpp - Ask early for rows that come in ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheLine.h"
#include "PrefetchPlaces.h"
#include "RowParts.h"
#include "WrittenBuffers.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

namespace gnn {
#define GEN_PASS_DEF_PREFETCHWINDOWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// One part of each row of a matrix, which lies in its last dimension.
struct NextRows {
  /// The first of the rows that the next iteration takes in, as many as it
  /// moves on by; or that of this iteration, which they follow.
  Value first;
  /// Which part: of each dimension between the first and the last.
  SmallVector<OpFoldResult> offsets;
};
using Matrices = llvm::MapVector<Value, NextRows>;
} // namespace

/// Whether `view` takes all of the last dimension of rows and one of each
/// other.
static bool takesPart(memref::SubViewOp view) {
  MemRefType type = view.getSourceType();
  ArrayRef<int64_t> sizes = view.getStaticSizes();
  auto isOne = [](int64_t number) { return number == 1; };
  return getRowLength(type) != 0 && sizes.back() == type.getShape().back() &&
         llvm::all_of(sizes.drop_front().drop_back(), isOne) &&
         llvm::all_of(view.getStaticStrides(), isOne);
}

/// What an iteration of `loop` and that of `window` in it take of rows.
static Matrices findMatrices(scf::ForallOp loop, scf::ForOp window) {
  Matrices matrices;
  Value part = loop.getInductionVars()[0], row = loop.getInductionVars()[1];
  auto isKnown = [&](OpFoldResult offset) {
    auto value = dyn_cast<Value>(offset);
    return !value || value == part || loop.isDefinedOutsideOfLoop(value);
  };
  loop.walk([&](memref::SubViewOp view) {
    if (view.getSourceType().getRank() < 2)
      return;
    SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
    auto inner = ArrayRef(offsets).drop_front().drop_back();
    if (!takesPart(view) || !llvm::is_contained(inner, OpFoldResult(part)) ||
        !llvm::all_of(inner, isKnown) ||
        !loop.isDefinedOutsideOfLoop(view.getSource()))
      return;
    auto first = dyn_cast<Value>(offsets.front());
    if (first && first == row)
      matrices.try_emplace(view.getSource(), NextRows{row, to_vector(inner)});
    else if (first && first == window.getInductionVar())
      matrices.try_emplace(view.getSource(),
                           NextRows{window.getUpperBound(), to_vector(inner)});
  });
  return matrices;
}

namespace {
struct PrefetchWindowsPass
    : public gnn::impl::PrefetchWindowsPassBase<PrefetchWindowsPass> {
  using PrefetchWindowsPassBase::PrefetchWindowsPassBase;

  void runOnOperation() override {
    if (minimumBytes < 0) {
      getOperation().emitError("minimum bytes must be at least 0");
      return signalPassFailure();
    }
    getOperation()->walk([&](scf::ForallOp loop) {
      if (loop.getRank() != 2 || ShapedType::isDynamic(loop.getStaticStep()[1]))
        return;
      SmallVector<TileLoop> windows = findTileLoops(*loop.getBody());
      if (windows.size() != 1)
        return;
      scf::ForOp window = windows.front().loop;
      // Both ends of a window move on.
      if (loop.isDefinedOutsideOfLoop(window.getLowerBound()) ||
          loop.isDefinedOutsideOfLoop(window.getUpperBound()))
        return;
      Matrices matrices = findMatrices(loop, window);
      if (llvm::none_of(matrices, [&](const auto &entry) {
            return entry.second.first == window.getUpperBound();
          }))
        return;
      emitPrefetches(loop, windows.front(), matrices);
      ++numLoops;
    });
  }

private:
  /// Has each iteration ask for the parts of rows that the next one takes in.
  void emitPrefetches(scf::ForallOp loop, const TileLoop &window,
                      const Matrices &matrices) {
    Location loc = loop.getLoc();
    OpBuilder b(loop);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    llvm::MapVector<Value, Value> lastRows;
    for (Value matrix : llvm::make_first_range(matrices)) {
      Value rows = memref::DimOp::create(b, loc, matrix, 0);
      lastRows[matrix] = arith::SubIOp::create(b, loc, rows, constant(1));
    }
    Value areMany = compareBytes(
        b, loc, arith::CmpIPredicate::sge,
        llvm::to_vector(llvm::make_first_range(matrices)), minimumBytes);
    int64_t step = loop.getStaticStep()[1];
    Value numRows =
        arith::SelectOp::create(b, loc, areMany, constant(step), constant(0));

    auto places = PrefetchPlaces::inTiles(window);
    b.setInsertionPoint(window.loop);
    Value next = arith::AddIOp::create(b, loc, loop.getInductionVars()[1],
                                       constant(step));
    WrittenBuffers written(loop);
    places.emitLots(b, numRows, [&](OpBuilder &inner, Value row) {
      for (const auto &[matrix, rows] : matrices) {
        bool isOwn = rows.first == loop.getInductionVars()[1];
        Value place =
            arith::AddIOp::create(inner, loc, row, isOwn ? next : rows.first);
        place = arith::MinUIOp::create(inner, loc, place, lastRows[matrix]);
        emitRow(inner, loc, matrix, rows, place, written.contains(matrix));
      }
    });
  }

  static void emitRow(OpBuilder &b, Location loc, Value matrix,
                      const NextRows &rows, Value row, bool isWritten) {
    auto type = cast<MemRefType>(matrix.getType());
    int64_t perLine = lineBytes * 8 / type.getElementTypeBitWidth();
    SmallVector<Value> indices{row};
    llvm::append_range(indices,
                       getValueOrCreateConstantIndexOp(b, loc, rows.offsets));
    indices.emplace_back();
    for (int64_t i = 0; i < type.getShape().back(); i += perLine) {
      indices.back() = arith::ConstantIndexOp::create(b, loc, i);
      memref::PrefetchOp::create(b, loc, matrix, indices, isWritten,
                                 /*localityHint=*/2, /*isDataCache=*/true);
    }
  }
};
} // namespace
