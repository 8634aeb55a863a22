//===- PrefetchSegments.cpp - Ask early for the next graph ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheLine.h"
#include "PrefetchPlaces.h"
#include "RowParts.h"
#include "RowPointer.h"
#include "WrittenBuffers.h"
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

/// Matrices of which an iteration takes the rows from one entry of a pointer to
/// the next: by pointer, elements of a row and bytes of one.
using Segments = llvm::MapVector<std::tuple<Value, int64_t, int64_t>,
                                 llvm::SetVector<Value>>;

/// The array that says which rows are those of iteration `segment`, if `row` is
/// the first of them, or of a share of them, or counts them.
static Value getPointer(Value row, Value segment) {
  if (scf::ForOp loop = scf::getForInductionVarOwner(row))
    row = loop.getLowerBound();
  // A share begins so many rows behind, or with the end.
  if (auto least = row.getDefiningOp<arith::MinUIOp>())
    if (auto sum = least.getLhs().getDefiningOp<arith::AddIOp>())
      row = sum.getLhs();
  auto read = getBoundRead<memref::LoadOp>(row);
  return read && read.getIndices()[0] == segment ? read.getMemRef() : Value();
}

/// Whether `view` takes the part of each row that `part` says.
static bool takesPart(memref::SubViewOp view, Value part) {
  return llvm::is_contained(ArrayRef(view.getMixedOffsets()).drop_front(),
                            OpFoldResult(part));
}

static Segments findSegments(scf::ForallOp loop) {
  Segments segments;
  Value segment = loop.getInductionVars()[0], part = loop.getInductionVars()[1];
  loop.walk([&](memref::SubViewOp view) {
    Value buffer = view.getSource();
    auto first = dyn_cast<Value>(view.getMixedOffsets().front());
    MemRefType type = view.getSourceType();
    int64_t length = getRowLength(type);
    if (!first || length == 0 || !loop.isDefinedOutsideOfLoop(buffer) ||
        !takesPart(view, part))
      return;
    Value pointer = getPointer(first, segment);
    if (!pointer || !loop.isDefinedOutsideOfLoop(pointer))
      return;
    segments[{pointer, length, type.getElementTypeBitWidth() / 8}].insert(
        buffer);
  });
  return segments;
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
      // Segments, parts of their rows and, maybe, shares of these.
      if (loop.getRank() < 2 || loop.getRank() > 3 || !loop.isNormalized() ||
          ShapedType::isDynamic(loop.getStaticUpperBound()[1]))
        return;
      Segments segments = findSegments(loop);
      if (segments.empty())
        return;
      SmallVector<TileLoop> tiles = findTileLoops(*loop.getBody());
      auto places = tiles.size() == 1 ? PrefetchPlaces::inTiles(tiles.front())
                                      : PrefetchPlaces::atStart(loop);
      for (auto &[key, buffers] : segments) {
        auto [pointer, length, elementBytes] = key;
        emitPrefetches(loop, places, pointer, length, elementBytes,
                       buffers.getArrayRef());
        ++numLoops;
      }
    });
  }

private:
  /// Has each inner iteration ask for its share of the next segment's rows of
  /// `length` elements, at each place for as many lines.
  void emitPrefetches(scf::ForallOp loop, const PrefetchPlaces &places,
                      Value pointer, int64_t length, int64_t elementBytes,
                      ArrayRef<Value> buffers) {
    int64_t rowBytes = length * elementBytes,
            perLine = lineBytes / elementBytes;
    Location loc = loop.getLoc();
    OpBuilder b(loop);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value size = memref::DimOp::create(b, loc, pointer, 0);
    Value last = arith::SubIOp::create(b, loc, size, constant(1));
    Value areMany =
        compareBytes(b, loc, arith::CmpIPredicate::sge, buffers, minimumBytes);
    SmallVector<Value> flat;
    for (Value buffer : buffers) {
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
    WrittenBuffers written(loop);
    places.emitLots(b, lines, [&](OpBuilder &inner, Value line) {
      Value element = arith::AddIOp::create(
          inner, loc, start,
          arith::MulIOp::create(inner, loc, line, constant(perLine)));
      for (auto [buffer, matrix] : llvm::zip_equal(buffers, flat))
        memref::PrefetchOp::create(inner, loc, matrix, element,
                                   written.contains(buffer),
                                   /*localityHint=*/2, /*isDataCache=*/true);
    });
  }
};
} // namespace
