//===- ForwardParts.cpp - Write parts where they are copied to --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetOperations.h"

namespace gnn {
#define GEN_PASS_DEF_FORWARDPARTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A copy of all of one buffer to a part of another one.
struct PartCopy {
  memref::CopyOp op;
  memref::AllocOp source, target;
  memref::SubViewOp part;
};
} // namespace

static std::optional<PartCopy> getPartCopy(memref::CopyOp op) {
  auto source = op.getSource().getDefiningOp<memref::AllocOp>();
  auto part = op.getTarget().getDefiningOp<memref::SubViewOp>();
  auto target = part ? part.getSource().getDefiningOp<memref::AllocOp>()
                     : memref::AllocOp();
  if (!source || !target || source == target || !part->hasOneUse() ||
      part->getBlock() != op->getBlock() ||
      source->getBlock() != op->getBlock() ||
      target->getBlock() != op->getBlock() ||
      !llvm::all_of(part.getMixedStrides(), isOneInteger) ||
      part.getType().getRank() != source.getType().getRank() ||
      llvm::is_contained(part.getStaticOffsets(), ShapedType::kDynamic))
    return std::nullopt;
  return PartCopy{op, source, target, part};
}

/// Whether two views of a buffer have no element in common.
static bool areDisjoint(memref::SubViewOp view, memref::SubViewOp other) {
  FailureOr<bool> overlap = ValueBoundsConstraintSet::areOverlappingSlices(
      view.getContext(), HyperrectangularSlice(view),
      HyperrectangularSlice(other));
  return succeeded(overlap) && !*overlap;
}

/// The type of `view` where its source has the type `source`.
static MemRefType getMovedType(memref::SubViewOp view, MemRefType source) {
  return memref::SubViewOp::inferRankReducedResultType(
      view.getType().getShape(), source, view.getMixedOffsets(),
      view.getMixedSizes(), view.getMixedStrides());
}

/// Whether the vectors that `op` reads or writes, if any, are still side by
/// side in a buffer of this type: not where they go along a column.
static bool hasVectorsIn(Operation *op, MemRefType type) {
  if (isa<vector::LoadOp, vector::StoreOp>(op))
    return type.isLastDimUnitStride();
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  return !transfer || (type.isLastDimUnitStride() &&
                       transfer.getPermutationMap().isMinorIdentity());
}

namespace {
/// How a buffer is used before it is copied.
class BufferUses {
public:
  explicit BufferUses(PartCopy &copy) : copy(copy) {}

  /// Whether all that reads the buffer or views of it writes to it as well, as
  /// loops do that add up, and can do so if rows are further apart.
  bool collect() {
    if (!collect(copy.source, copy.part.getType()))
      return false;
    return llvm::set_is_subset(readers, writers);
  }

private:
  /// `type` is that which `buffer` would have.
  bool collect(Value buffer, MemRefType type) {
    for (OpOperand &use : buffer.getUses()) {
      Operation *user = use.getOwner();
      if (user == copy.op || isa<memref::DeallocOp>(user))
        continue;
      Operation *op = copy.op->getBlock()->findAncestorOpInBlock(*user);
      if (!op || !op->isBeforeInBlock(copy.op))
        return false;
      if (auto view = dyn_cast<memref::SubViewOp>(user)) {
        if (!collect(view.getResult(), getMovedType(view, type)))
          return false;
        continue;
      }
      if (!hasVectorsIn(user, type))
        return false;
      if (isa<vector::TransferReadOp, vector::LoadOp, memref::LoadOp>(user)) {
        readers.insert(op);
      } else if (isa<vector::TransferWriteOp, vector::StoreOp, memref::StoreOp>(
                     user)) {
        writers.insert(op);
      } else if (auto inner = dyn_cast<memref::CopyOp>(user)) {
        (inner.getTarget() == buffer ? writers : readers).insert(op);
      } else if (auto inner = dyn_cast<linalg::LinalgOp>(user)) {
        (inner.isDpsInit(&use) ? writers : readers).insert(op);
      } else if (!isa<memref::DimOp>(user)) {
        return false;
      }
    }
    return true;
  }

  PartCopy &copy;
  /// Ops of the block of the copy.
  llvm::SmallPtrSet<Operation *, 4> readers, writers;
};
} // namespace

/// Whether nothing before the copy uses what it writes to.
static bool isUnusedBefore(PartCopy &copy) {
  return llvm::all_of(copy.target->getUsers(), [&](Operation *user) {
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (view == copy.part || (view && areDisjoint(view, copy.part)))
      return true;
    Operation *op = copy.op->getBlock()->findAncestorOpInBlock(*user);
    return copy.op->isBeforeInBlock(op);
  });
}

/// Has all that uses `buffer` use `other`, of another layout.
static void replaceBuffer(RewriterBase &rewriter, Value buffer, Value other) {
  for (OpOperand &use : llvm::make_early_inc_range(buffer.getUses())) {
    auto view = dyn_cast<memref::SubViewOp>(use.getOwner());
    if (!view) {
      rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(other); });
      continue;
    }
    rewriter.setInsertionPoint(view);
    auto moved = memref::SubViewOp::create(
        rewriter, view.getLoc(),
        getMovedType(view, cast<MemRefType>(other.getType())), other,
        view.getMixedOffsets(), view.getMixedSizes(), view.getMixedStrides());
    replaceBuffer(rewriter, view, moved);
    rewriter.eraseOp(view);
  }
}

namespace {
struct ForwardPartsPass
    : public gnn::impl::ForwardPartsPassBase<ForwardPartsPass> {
  void runOnOperation() override {
    SmallVector<PartCopy> copies;
    getOperation()->walk([&](memref::CopyOp op) {
      if (std::optional<PartCopy> copy = getPartCopy(op))
        copies.push_back(*copy);
    });
    IRRewriter rewriter(&getContext());
    for (PartCopy &copy : copies)
      if (BufferUses(copy).collect() && isUnusedBefore(copy) &&
          succeeded(allocateBefore(rewriter, copy))) {
        forward(rewriter, copy);
        ++numForwarded;
      }
  }

private:
  /// Has the target there when the source is filled.
  static LogicalResult allocateBefore(RewriterBase &rewriter, PartCopy &copy) {
    SmallVector<Value> sizes(copy.target.getOperands());
    llvm::append_range(sizes, copy.part.getSizes());
    DominanceInfo dominance(copy.op->getParentOp());
    if (failed(moveValueDefinitions(rewriter, sizes, copy.source, dominance)))
      return failure();
    if (copy.source->isBeforeInBlock(copy.target))
      rewriter.moveOpBefore(copy.target, copy.source);
    if (copy.source->isBeforeInBlock(copy.part))
      rewriter.moveOpBefore(copy.part, copy.source);
    return success();
  }

  static void forward(RewriterBase &rewriter, PartCopy &copy) {
    rewriter.eraseOp(copy.op);
    for (Operation *user : llvm::make_early_inc_range(copy.source->getUsers()))
      if (isa<memref::DeallocOp>(user))
        rewriter.eraseOp(user);
    replaceBuffer(rewriter, copy.source, copy.part);
    rewriter.eraseOp(copy.source);
  }
};
} // namespace
