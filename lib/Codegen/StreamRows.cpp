//===- StreamRows.cpp - Results past the caches -----------------*- C++ -*-===//
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
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace gnn {
#define GEN_PASS_DEF_STREAMROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static int64_t getBytes(ArrayRef<int64_t> shape, Type element) {
  return ShapedType::getNumElements(shape) * element.getIntOrFloatBitWidth() /
         8;
}

/// The buffer that `view` is a part of, if it begins with a line, and `view`
/// with a row of it.
namespace {
/// Where something is stored: rows of a buffer, or the same columns of all.
struct StoredRows {
  memref::AllocOp buffer;
  /// How far from the beginning of each row.
  int64_t columnBytes = 0;
};
} // namespace

/// How many bytes columns of `part` are from the beginning of rows, if that is
/// known.
static std::optional<int64_t> getColumnBytes(memref::SubViewOp part) {
  SmallVector<int64_t> strides;
  int64_t offset, elements = 0;
  if (failed(part.getSourceType().getStridesAndOffset(strides, offset)))
    return std::nullopt;
  for (auto [begin, stride] :
       llvm::drop_begin(llvm::zip(part.getStaticOffsets(), strides))) {
    if (ShapedType::isDynamic(begin) ||
        (begin != 0 && ShapedType::isDynamic(stride)))
      return std::nullopt;
    elements += begin == 0 ? 0 : begin * stride;
  }
  return getBytes(elements, part.getSourceType().getElementType());
}

static std::optional<StoredRows> getStoredRows(Value view) {
  StoredRows rows;
  if (auto collapsed = view.getDefiningOp<memref::CollapseShapeOp>())
    view = collapsed.getSrc();
  while (auto part = view.getDefiningOp<memref::SubViewOp>()) {
    // Parts of rows may begin anywhere.
    std::optional<int64_t> columnBytes = getColumnBytes(part);
    if (!columnBytes)
      return std::nullopt;
    rows.columnBytes += *columnBytes;
    view = part.getSource();
  }
  rows.buffer = view.getDefiningOp<memref::AllocOp>();
  if (!rows.buffer || rows.buffer.getAlignment().value_or(1) % lineBytes != 0)
    return std::nullopt;
  MemRefType type = rows.buffer.getType();
  ArrayRef<int64_t> row = type.getShape();
  if (row.empty() || !type.getElementType().isIntOrFloat() ||
      llvm::any_of(row.drop_front(), ShapedType::isDynamic) ||
      llvm::is_contained(row.drop_front(), 0))
    return std::nullopt;
  return rows;
}

static int64_t getRowBytes(memref::AllocOp buffer) {
  MemRefType type = buffer.getType();
  return getBytes(type.getShape().drop_front(), type.getElementType());
}

/// Bytes of the pieces in which `write` is stored to rows of `buffer`, one
/// after the other: of lines, or of parts of them at whose multiples begin all
/// rows, and what it has for each head.
static int64_t getPieceBytes(vector::TransferWriteOp write,
                             const StoredRows &rows) {
  VectorType type = write.getVectorType();
  int64_t last = getBytes(type.getShape().back(), type.getElementType());
  return llvm::MinAlign(getRowBytes(rows.buffer) | rows.columnBytes | last,
                        lineBytes);
}

/// Whether `loop` goes along the edges of a row: only at run time it is known
/// how often.
static bool followsEdges(scf::ForOp loop) { return !loop.getStaticTripCount(); }

/// The loop that `write` ends a step of, if it is one over rows: edges are
/// gathered in it.
static bool endsRow(vector::TransferWriteOp write) {
  auto rows = dyn_cast<LoopLikeOpInterface>(write->getParentOp());
  if (!rows)
    return false;
  return llvm::any_of(write->getBlock()->getOps<scf::ForOp>(), followsEdges);
}

/// Whether `index` is a constant multiple of `factor`, or a loop's that goes
/// from one to the next.
static bool isMultiple(Value index, int64_t factor) {
  auto isConstantMultiple = [&](OpFoldResult value) {
    std::optional<int64_t> constant = getConstantIntValue(value);
    return constant && *constant % factor == 0;
  };
  scf::ForOp loop = scf::getForInductionVarOwner(index);
  return isConstantMultiple(index) ||
         (loop && isConstantMultiple(loop.getLowerBound()) &&
          isConstantMultiple(loop.getStep()));
}

/// Whether `loop` reads `buffer`. What is stored past the caches would come
/// back from memory.
static bool reads(Operation *loop, memref::AllocOp buffer) {
  return loop
      ->walk([&](MemoryEffectOpInterface op) {
        SmallVector<MemoryEffects::EffectInstance> effects;
        op.getEffects(effects);
        bool readsIt = llvm::any_of(effects, [&](const auto &effect) {
          auto view =
              dyn_cast_or_null<TypedValue<BaseMemRefType>>(effect.getValue());
          return isa<MemoryEffects::Read>(effect.getEffect()) && view &&
                 memref::skipViewLikeOps(view) == buffer.getResult();
        });
        return readsIt ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What bounds the loops along edges in `step`, or null.
static Value findRowPointer(Block &step) {
  for (auto loop : step.getOps<scf::ForOp>())
    if (std::optional<RowBounds> bounds = getRowBounds(loop))
      return bounds->pointer;
  return {};
}

namespace {
struct StreamRowsPass : public gnn::impl::StreamRowsPassBase<StreamRowsPass> {
  using StreamRowsPassBase::StreamRowsPassBase;

  void runOnOperation() override {
    if (pieceBytes < 1 || pieceBytes > lineBytes ||
        !llvm::isPowerOf2_64(pieceBytes)) {
      getOperation().emitError("piece-bytes must be a power of two up to ")
          << lineBytes << ", but is " << pieceBytes.getValue();
      return signalPassFailure();
    }
    if (minimumBytes < 0 || minimumGatheredBytes < 0) {
      getOperation().emitError("minimum-bytes and minimum-gathered-bytes must "
                               "not be negative, but are ")
          << minimumBytes.getValue() << " and "
          << minimumGatheredBytes.getValue();
      return signalPassFailure();
    }
    llvm::MapVector<Block *, SmallVector<vector::TransferWriteOp>> steps;
    getOperation()->walk([&](vector::TransferWriteOp write) {
      if (endsRow(write) && isWhole(write))
        steps[write->getBlock()].push_back(write);
    });
    for (auto &[block, writes] : steps) {
      // All results of a loop take the same caches.
      llvm::MapVector<Block *, llvm::SmallSetVector<Operation *, 4>> buffers;
      for (vector::TransferWriteOp write : writes) {
        memref::AllocOp buffer = getStoredRows(write.getBase())->buffer;
        buffers[buffer->getBlock()].insert(buffer);
      }
      DenseMap<Block *, Value> conditions;
      for (auto &[where, together] : buffers)
        conditions[where] =
            emitCondition(where->findAncestorOpInBlock(*block->getParentOp()),
                          together.getArrayRef(), findRowPointer(*block));
      for (vector::TransferWriteOp write : writes)
        stream(write, conditions.lookup(
                          getStoredRows(write.getBase())->buffer->getBlock()));
    }
  }

private:
  /// Whether it stores whole rows, or tiles of their features, piece after
  /// piece.
  bool isWhole(vector::TransferWriteOp write) const {
    if (!isa<MemRefType>(write.getBase().getType()) || write.getMask() ||
        write.getVectorType().getRank() == 0 ||
        !write.getPermutationMap().isMinorIdentity() ||
        write.hasOutOfBoundsDim())
      return false;
    std::optional<StoredRows> rows = getStoredRows(write.getBase());
    // What a step makes for itself is read in the same step.
    if (!rows || rows->buffer->getBlock() == write->getBlock())
      return false;
    Operation *loop =
        rows->buffer->getBlock()->findAncestorOpInBlock(*write.getOperation());
    if (!loop || reads(loop, rows->buffer))
      return false;
    VectorType written = write.getVectorType();
    int64_t row = ShapedType::getNumElements(
        rows->buffer.getType().getShape().drop_front());
    int64_t bytes = getPieceBytes(write, *rows);
    int64_t pieceElements =
        bytes * 8 / written.getElementType().getIntOrFloatBitWidth();
    // Rows are not taken apart but to tiles of features, nor are pieces.
    return bytes >= pieceBytes && pieceElements > 0 &&
           (written.getNumElements() % row == 0 ||
            (written.getRank() == 1 &&
             isMultiple(write.getIndices().back(), pieceElements)));
  }

  /// Whether results of `loop`, which are `buffers`, are stored past the
  /// caches. `rowPointer` says how many edges it goes along, if that is known
  /// before it.
  Value emitCondition(Operation *loop, ArrayRef<Operation *> buffers,
                      Value rowPointer) {
    OpBuilder b(loop);
    Location loc = loop->getLoc();
    int64_t rowBytes = 0, longestRow = 0;
    for (Operation *buffer : buffers) {
      int64_t ofBuffer = getRowBytes(cast<memref::AllocOp>(buffer));
      rowBytes += ofBuffer;
      longestRow = std::max(longestRow, ofBuffer);
    }
    Value size = arith::ConstantIndexOp::create(b, loc, rowBytes);
    // All of them have the rows of the loop.
    Value rows =
        memref::DimOp::create(b, loc, buffers.front()->getResult(0), 0);
    Value bytes = arith::MulIOp::create(b, loc, rows, size);
    Value isLarge = emitIsAtLeast(b, loc, bytes, minimumBytes);
    if (minimumGatheredBytes == 0)
      return isLarge;
    Value gathered = bytes;
    if (rowPointer && DominanceInfo().properlyDominates(rowPointer, loop)) {
      Value ofEdges = arith::MulIOp::create(
          b, loc, emitEdges(b, loc, rowPointer),
          arith::ConstantIndexOp::create(b, loc, longestRow));
      // Many rows have the same edges if they are those of a segment.
      gathered = arith::MaxUIOp::create(b, loc, gathered, ofEdges);
    }
    return arith::AndIOp::create(
        b, loc, isLarge, emitIsAtLeast(b, loc, gathered, minimumGatheredBytes));
  }

  static Value emitIsAtLeast(OpBuilder &b, Location loc, Value value,
                             int64_t bound) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, value,
                                 arith::ConstantIndexOp::create(b, loc, bound));
  }

  /// The last entry of the row pointer.
  static Value emitEdges(OpBuilder &b, Location loc, Value rowPointer) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value entries = memref::DimOp::create(b, loc, rowPointer, 0);
    Value last = arith::SubIOp::create(b, loc, entries, one);
    return loadAsIndex(b, loc, rowPointer, last);
  }

  void stream(vector::TransferWriteOp write, Value isLarge) {
    OpBuilder b(write);
    Location loc = write.getLoc();
    auto ifOp = scf::IfOp::create(b, loc, isLarge, /*withElseRegion=*/true);
    b.setInsertionPointToStart(ifOp.thenBlock());
    emitStores(b, loc, write);
    write->moveBefore(ifOp.elseBlock()->getTerminator());
    ++numStreamed;
  }

  static void emitStores(OpBuilder &b, Location loc,
                         vector::TransferWriteOp write) {
    VectorType type = write.getVectorType();
    int64_t bytes = getPieceBytes(write, *getStoredRows(write.getBase()));
    ArrayRef<int64_t> outer = type.getShape().drop_back();
    int64_t count = ShapedType::getNumElements(outer);
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<int64_t> position(outer.size());
      int64_t rest = i;
      for (int64_t d = static_cast<int64_t>(outer.size()) - 1; d >= 0; --d) {
        position[d] = rest % outer[d];
        rest /= outer[d];
      }
      Value row = write.getVector();
      if (!outer.empty())
        row = vector::ExtractOp::create(b, loc, row, position);
      SmallVector<Value> indices(write.getIndices());
      size_t first = indices.size() - type.getRank();
      for (auto [d, offset] : llvm::enumerate(position)) {
        Value distance = arith::ConstantIndexOp::create(b, loc, offset);
        indices[first + d] =
            arith::AddIOp::create(b, loc, indices[first + d], distance);
      }
      emitPieces(b, loc, row, write.getBase(), indices, bytes);
    }
  }

  /// Stores `row`: at once if it is whole lines, else piece by piece.
  static void emitPieces(OpBuilder &b, Location loc, Value row, Value base,
                         SmallVector<Value> indices, int64_t bytes) {
    auto type = cast<VectorType>(row.getType());
    auto store = [&](Value vector, ValueRange place) {
      vector::StoreOp::create(b, loc, vector, base, place, /*nontemporal=*/true)
          .setAlignment(bytes);
    };
    if (bytes == lineBytes)
      return store(row, indices);
    int64_t elements = bytes * 8 / type.getElementTypeBitWidth();
    Value first = indices.back();
    for (int64_t begin = 0; begin < type.getNumElements(); begin += elements) {
      Value piece = vector::ExtractStridedSliceOp::create(
          b, loc, row, ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{elements},
          ArrayRef<int64_t>{1});
      Value offset = arith::ConstantIndexOp::create(b, loc, begin);
      indices.back() = arith::AddIOp::create(b, loc, first, offset);
      store(piece, indices);
    }
  }
};
} // namespace
