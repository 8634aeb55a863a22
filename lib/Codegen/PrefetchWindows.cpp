//===- PrefetchWindows.cpp - Ask early for rows that come in ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheLine.h"
#include "PrefetchPlaces.h"
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
/// A part of each row of a matrix, which the next iteration reads or writes of
/// as many rows as it moves on, from `first` on.
struct NextRows {
  Value first;
  /// Of the first row, all but the first dimension.
  SmallVector<OpFoldResult> offsets;
  /// Elements of a row's part, which lie one after the other.
  int64_t length = 0;
  bool isWritten = false;
};
using Matrices = llvm::MapVector<Value, NextRows>;
} // namespace

/// Elements of what `view` takes of a row, if that is all of the last dimension
/// and one of each other; otherwise 0.
static int64_t getPartLength(memref::SubViewOp view) {
  ArrayRef<int64_t> sizes = view.getStaticSizes();
  auto isOne = [](int64_t number) { return number == 1; };
  if (getRowLength(view.getSourceType()) == 0 ||
      !llvm::all_of(sizes.drop_front().drop_back(), isOne) ||
      sizes.back() != view.getSourceType().getShape().back() ||
      !llvm::all_of(view.getStaticStrides(), isOne))
    return 0;
  return sizes.back();
}

/// What an iteration of `loop` and that of `window` in it take of rows.
static Matrices findMatrices(scf::ForallOp loop, scf::ForOp window) {
  Matrices matrices;
  Value row = loop.getInductionVars()[1];
  loop.walk([&](memref::SubViewOp view) {
    auto first = dyn_cast<Value>(view.getMixedOffsets().front());
    int64_t length = getPartLength(view);
    auto isKnown = [&](OpFoldResult offset) {
      auto value = dyn_cast<Value>(offset);
      return !value || value == loop.getInductionVars()[0] ||
             loop.isDefinedOutsideOfLoop(value);
    };
    SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
    offsets.erase(offsets.begin());
    if (!first || length == 0 || !llvm::all_of(offsets, isKnown) ||
        !loop.isDefinedOutsideOfLoop(view.getSource()))
      return;
    // The rows of the iteration itself, or those that come into the window.
    Value next = first == row                        ? row
                 : first == window.getInductionVar() ? window.getUpperBound()
                                                     : Value();
    if (!next)
      return;
    auto [it, isNew] = matrices.try_emplace(
        view.getSource(), NextRows{next, offsets, length, false});
    it->second.isWritten |= isWritten(view);
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
    Value bytes = constant(0);
    llvm::MapVector<Value, Value> lastRows;
    for (const auto &[matrix, next] : matrices) {
      auto type = cast<MemRefType>(matrix.getType());
      Value rows = memref::DimOp::create(b, loc, matrix, 0);
      lastRows[matrix] = arith::SubIOp::create(b, loc, rows, constant(1));
      int64_t rowBytes = getRowLength(type) * type.getElementTypeBitWidth() / 8;
      bytes = arith::AddIOp::create(
          b, loc, bytes,
          arith::MulIOp::create(b, loc, rows, constant(rowBytes)));
    }
    Value areMany = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                          bytes, constant(minimumBytes));
    int64_t step = loop.getStaticStep()[1];
    Value numRows =
        arith::SelectOp::create(b, loc, areMany, constant(step), constant(0));

    auto places = PrefetchPlaces::inTiles(window);
    b.setInsertionPoint(window.loop);
    Value next = arith::AddIOp::create(b, loc, loop.getInductionVars()[1],
                                       constant(step));
    places.emitLots(b, numRows, [&](OpBuilder &inner, Value row) {
      for (const auto &[matrix, rows] : matrices) {
        bool isOwn = rows.first == loop.getInductionVars()[1];
        Value place =
            arith::AddIOp::create(inner, loc, row, isOwn ? next : rows.first);
        place = arith::MinUIOp::create(inner, loc, place, lastRows[matrix]);
        emitRow(inner, loc, matrix, rows, place);
      }
    });
  }

  static void emitRow(OpBuilder &b, Location loc, Value matrix,
                      const NextRows &rows, Value row) {
    auto type = cast<MemRefType>(matrix.getType());
    int64_t perLine = lineBytes * 8 / type.getElementTypeBitWidth();
    for (int64_t element = 0; element < rows.length; element += perLine) {
      SmallVector<Value> indices{row};
      for (OpFoldResult offset : rows.offsets)
        indices.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
      indices.back() = arith::AddIOp::create(
          b, loc, indices.back(),
          arith::ConstantIndexOp::create(b, loc, element));
      memref::PrefetchOp::create(b, loc, matrix, indices, rows.isWritten,
                                 /*localityHint=*/2, /*isDataCache=*/true);
    }
  }
};
} // namespace
