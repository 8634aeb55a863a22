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
      for (auto &[key, rows] : findSegments(loop)) {
        auto [pointer, length, elementBytes] = key;
        emitPrefetches(loop, pointer, length, elementBytes, rows);
        ++numLoops;
      }
    });
  }

private:
  /// Has each inner iteration ask for its share of the next segment's rows of
  /// `length` elements.
  void emitPrefetches(scf::ForallOp loop, Value pointer, int64_t length,
                      int64_t elementBytes, const SegmentRows &rows) {
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

    b.setInsertionPointToStart(loop.getBody());
    auto ifOp = scf::IfOp::create(b, loc, areMany, /*withElseRegion=*/false);
    b.setInsertionPoint(ifOp.thenYield());
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
    // In lines, of which each part has as many.
    int64_t numParts = loop.getStaticUpperBound()[1];
    Value lines = arith::CeilDivUIOp::create(
        b, loc, arith::MulIOp::create(b, loc, count, constant(rowBytes)),
        constant(lineBytes * numParts));
    Value begin = arith::MulIOp::create(b, loc, part, lines);
    Value place = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, first, constant(length)),
        arith::MulIOp::create(b, loc, begin, constant(perLine)));
    Value extent = arith::MulIOp::create(b, loc, lines, constant(perLine));
    scf::ForOp::create(
        b, loc, constant(0), extent, constant(perLine), ValueRange(),
        [&](OpBuilder &inner, Location, Value offset, ValueRange) {
          Value element = arith::AddIOp::create(inner, loc, place, offset);
          for (auto [buffer, matrix] : llvm::zip_equal(rows.buffers, flat))
            memref::PrefetchOp::create(
                inner, loc, matrix, element, rows.written.contains(buffer),
                /*localityHint=*/2, /*isDataCache=*/true);
          scf::YieldOp::create(inner, loc);
        });
  }
};
} // namespace
