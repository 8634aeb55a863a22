//===- ForwardRows.cpp - Write rows where they are copied to ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenBuffers.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace gnn {
#define GEN_PASS_DEF_FORWARDROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A loop that copies each row of one buffer to a place in another one.
struct RowCopies {
  scf::ForallOp loop;
  memref::SubViewOp from, to;
  memref::AllocOp source, target;
};

/// What writes to a row, or a view of it that is only written to; rows count
/// from `first`, if there is one.
struct RowWrite {
  Operation *op;
  Value first;
};

/// What fills a buffer.
struct RowWriter {
  /// In the block of the copies, before them.
  Operation *op = nullptr;
  SmallVector<RowWrite> writes;
  SmallVector<memref::SubViewOp> views;
};
} // namespace

/// Whether `view` has whole rows of its source.
static bool hasWholeRows(memref::SubViewOp view) {
  MemRefType source = view.getSourceType();
  ArrayRef<int64_t> row = source.getShape().drop_front();
  return llvm::all_of(view.getMixedStrides(), isOneInteger) &&
         llvm::all_of(llvm::drop_begin(view.getMixedOffsets()),
                      isZeroInteger) &&
         view.getStaticSizes().drop_front() == row &&
         !llvm::is_contained(row, ShapedType::kDynamic);
}

static bool isOnlyWritten(memref::SubViewOp view) {
  return llvm::all_of(view->getUsers(), [&](Operation *user) {
    auto write = dyn_cast<vector::TransferWriteOp>(user);
    return write && write.getBase() == view.getResult();
  });
}

/// Whether `view` is one row of a buffer that was allocated.
static bool isRow(memref::SubViewOp view) {
  auto source = view ? view.getSource().getDefiningOp<memref::AllocOp>()
                     : memref::AllocOp();
  return source && source.getType().getLayout().isIdentity() &&
         hasWholeRows(view) && isOneInteger(view.getMixedSizes().front());
}

static std::optional<RowCopies> getCopies(scf::ForallOp loop) {
  auto copies = llvm::to_vector(loop.getBody()->getOps<memref::CopyOp>());
  if (loop.getRank() != 1 || !loop.isNormalized() || copies.size() != 1)
    return std::nullopt;
  auto from = copies[0].getSource().getDefiningOp<memref::SubViewOp>();
  auto to = copies[0].getTarget().getDefiningOp<memref::SubViewOp>();
  if (!isRow(from) || !isRow(to) || from->getParentOp() != loop ||
      to->getParentOp() != loop ||
      from.getMixedOffsets().front() != OpFoldResult(loop.getInductionVar(0)))
    return std::nullopt;
  auto source = from.getSource().getDefiningOp<memref::AllocOp>();
  auto target = to.getSource().getDefiningOp<memref::AllocOp>();
  if (source == target || source->getBlock() != loop->getBlock() ||
      target->getBlock() != loop->getBlock() ||
      source.getMixedSizes().front() != loop.getMixedUpperBound().front())
    return std::nullopt;
  // What else it does is to find out the place.
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto effects = getEffectsRecursively(&op);
    if (&op != copies[0] &&
        (!effects || !llvm::all_of(*effects, [](const auto &effect) {
          return isa<MemoryEffects::Read>(effect.getEffect());
        })))
      return std::nullopt;
  }
  return RowCopies{loop, from, to, source, target};
}

/// Adds what writes to rows of `buffer`, if nothing else is done with it.
static bool addWrites(Value buffer, Value first, RowCopies &copies,
                      RowWriter &writer) {
  for (Operation *user : buffer.getUsers()) {
    if (user == copies.from || isa<memref::DeallocOp>(user))
      continue;
    Operation *op = copies.loop->getBlock()->findAncestorOpInBlock(*user);
    if (!op || !op->isBeforeInBlock(copies.loop) ||
        (writer.op && writer.op != op))
      return false;
    writer.op = op;
    if (auto view = dyn_cast<memref::SubViewOp>(user)) {
      OpFoldResult begin = view.getMixedOffsets().front();
      if (!hasWholeRows(view) || !isa<Value>(begin))
        return false;
      if (isOneInteger(view.getMixedSizes().front()) && isOnlyWritten(view)) {
        writer.writes.push_back({view, first});
        continue;
      }
      // Of some rows.
      if (first ||
          view.getType().getRank() != copies.source.getType().getRank() ||
          !addWrites(view, cast<Value>(begin), copies, writer))
        return false;
      writer.views.push_back(view);
      continue;
    }
    auto write = dyn_cast<vector::TransferWriteOp>(user);
    if (!write || write.getBase() != buffer || write.getMask() ||
        !write.getPermutationMap().isMinorIdentity() ||
        write.getVectorType().getRank() >= copies.source.getType().getRank())
      return false;
    writer.writes.push_back({write, first});
  }
  return true;
}

/// Whether what `copies` find out for a row could be found out in `writer`.
static bool isKnownBefore(RowCopies &copies, Operation *writer,
                          DominanceInfo &dominance) {
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(copies.loop->getRegions(), values);
  values.insert_range(copies.target.getOperands());
  WrittenBuffers written;
  for (Operation *op = writer; op != copies.loop; op = op->getNextNode())
    written.add(op);
  return llvm::all_of(values, [&](Value value) {
    return value == copies.source.getResult() ||
           value == copies.target.getResult() ||
           (dominance.properlyDominates(value, writer) &&
            !written.mayContain(value));
  });
}

namespace {
struct ForwardRowsPass
    : public gnn::impl::ForwardRowsPassBase<ForwardRowsPass> {
  void runOnOperation() override {
    DominanceInfo dominance(getOperation());
    SmallVector<RowCopies> found;
    getOperation()->walk([&](scf::ForallOp loop) {
      if (std::optional<RowCopies> copies = getCopies(loop))
        found.push_back(*copies);
    });
    IRRewriter rewriter(&getContext());
    for (RowCopies &copies : found) {
      RowWriter writer;
      if (!addWrites(copies.source, Value(), copies, writer) || !writer.op ||
          !isKnownBefore(copies, writer.op, dominance) ||
          isUsedBefore(copies.target, copies.loop))
        continue;
      forward(rewriter, copies, writer);
      ++numForwarded;
    }
  }

private:
  /// Whether something uses `buffer` before `loop`.
  static bool isUsedBefore(memref::AllocOp buffer, Operation *loop) {
    return llvm::any_of(buffer->getUsers(), [&](Operation *user) {
      return loop->getBlock()->findAncestorOpInBlock(*user)->isBeforeInBlock(
          loop);
    });
  }

  static void forward(RewriterBase &rewriter, RowCopies &copies,
                      RowWriter &writer) {
    if (!copies.target->isBeforeInBlock(writer.op))
      rewriter.moveOpBefore(copies.target, writer.op);
    for (RowWrite &write : writer.writes)
      TypeSwitch<Operation *>(write.op)
          .Case([&](vector::TransferWriteOp op) {
            SmallVector<Value> indices(op.getIndices());
            indices.front() =
                emitNumber(rewriter, copies, op, write.first, indices.front());
            rewriter.replaceOpWithNewOp<vector::TransferWriteOp>(
                op, op.getVector(), copies.target, indices,
                op.getPermutationMapAttr(), op.getInBoundsAttr());
          })
          .Case([&](memref::SubViewOp op) {
            SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
            offsets.front() = emitNumber(rewriter, copies, op, write.first,
                                         cast<Value>(offsets.front()));
            rewriter.replaceOpWithNewOp<memref::SubViewOp>(
                op, op.getType(), copies.target, offsets, op.getMixedSizes(),
                op.getMixedStrides());
          });
    rewriter.eraseOp(copies.loop);
    for (memref::SubViewOp view : writer.views)
      rewriter.eraseOp(view);
    for (Operation *dealloc :
         llvm::make_early_inc_range(copies.source->getUsers()))
      rewriter.eraseOp(dealloc);
    rewriter.eraseOp(copies.source);
  }

  /// Where the row at `place` after `first` is copied to, for `user`.
  static Value emitNumber(RewriterBase &rewriter, RowCopies &copies,
                          Operation *user, Value first, Value place) {
    rewriter.setInsertionPoint(user);
    if (first)
      place =
          rewriter.createOrFold<arith::AddIOp>(user->getLoc(), first, place);
    // As early as it is known: it can be asked for then.
    rewriter.setInsertionPointAfterValue(place);
    IRMapping mapping;
    mapping.map(copies.loop.getInductionVar(0), place);
    for (Operation &op : copies.loop.getBody()->without_terminator())
      if (!isa<memref::SubViewOp, memref::CopyOp>(op))
        rewriter.clone(op, mapping);
    OpFoldResult number = copies.to.getMixedOffsets().front();
    Value row =
        getValueOrCreateConstantIndexOp(rewriter, copies.loop.getLoc(), number);
    rewriter.setInsertionPoint(user);
    return mapping.lookupOrDefault(row);
  }
};
} // namespace
