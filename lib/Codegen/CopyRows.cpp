//===- CopyRows.cpp - Copies as loops over rows -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenBuffers.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_COPYROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether the elements of each row of a buffer, and how many these are, lie as
/// they would in an array.
static bool hasContiguousRows(MemRefType type) {
  return type && type.getRank() > 1 && type.isDynamicDim(0) &&
         !llvm::is_contained(type.getShape().drop_front(),
                             ShapedType::kDynamic) &&
         type.areTrailingDimsContiguous(type.getRank() - 1);
}

static Value getRow(RewriterBase &rewriter, Location loc, Value buffer,
                    Value number) {
  auto type = cast<MemRefType>(buffer.getType());
  Attribute zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(type.getRank(), zero),
      strides(type.getRank(), one), sizes{one};
  offsets.front() = number;
  for (int64_t size : type.getShape().drop_front())
    sizes.push_back(rewriter.getIndexAttr(size));
  MemRefType row = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, loc, row, buffer, offsets, sizes,
                                   strides);
}

namespace {
/// Copies of as many rows, with nothing between them that they would notice.
struct RowCopies {
  Value numRows;
  SmallVector<memref::CopyOp> copies;
};
} // namespace

/// Whether a row of `view` is in that row of the buffer that it is a view of.
static bool keepsRows(Value view) {
  auto part = view.getDefiningOp<memref::SubViewOp>();
  return part && part.getStaticOffsets().front() == 0 &&
         part.getStaticStrides().front() == 1 &&
         part.getSource() == getViewedBuffer(view);
}

/// Whether it makes no difference if rows are copied by both in turns.
static bool areIndependent(memref::CopyOp op, memref::CopyOp other) {
  Value target = getViewedBuffer(op.getTarget()),
        otherTarget = getViewedBuffer(other.getTarget());
  WrittenBuffers written(op), otherWritten(other);
  if (written.mayContain(other.getSource()) ||
      otherWritten.mayContain(op.getSource()))
    return false;
  if (target == otherTarget)
    return keepsRows(op.getTarget()) && keepsRows(other.getTarget());
  return !written.mayContain(otherTarget);
}

/// The number of rows that a copy has, if it can be a loop over these.
static Value getNumRows(RewriterBase &rewriter, memref::CopyOp op) {
  auto source = dyn_cast<MemRefType>(op.getSource().getType());
  auto target = dyn_cast<MemRefType>(op.getTarget().getType());
  // Without gaps it is one memcpy, which is faster than the memory.
  if (!hasContiguousRows(source) || !hasContiguousRows(target) ||
      (source.getLayout().isIdentity() && target.getLayout().isIdentity()))
    return {};
  rewriter.setInsertionPoint(op);
  // Parts that are put side by side have their number of rows in common, where
  // arguments that are copied there have each its own.
  bool isPart = op.getTarget().getDefiningOp<memref::SubViewOp>() != nullptr;
  return getValueOrCreateConstantIndexOp(
      rewriter, op.getLoc(),
      memref::getMixedSize(rewriter, op.getLoc(),
                           isPart ? op.getTarget() : op.getSource(), 0));
}

static SmallVector<RowCopies> collectCopies(RewriterBase &rewriter,
                                            Block &block) {
  SmallVector<RowCopies> result;
  bool isNext = false;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto copy = dyn_cast<memref::CopyOp>(op);
    Value numRows = copy ? getNumRows(rewriter, copy) : Value();
    if (!numRows) {
      isNext &= isMemoryEffectFree(&op);
      continue;
    }
    auto isIndependent = [&](memref::CopyOp other) {
      return areIndependent(copy, other);
    };
    if (!isNext || result.back().numRows != numRows ||
        !llvm::all_of(result.back().copies, isIndependent))
      result.push_back({numRows, {}});
    result.back().copies.push_back(copy);
    isNext = true;
  }
  return result;
}

namespace {
struct CopyRowsPass : public gnn::impl::CopyRowsPassBase<CopyRowsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Block &block : getOperation().getBody())
      for (RowCopies &group : collectCopies(rewriter, block))
        emitLoop(rewriter, group);
  }

private:
  static void emitLoop(RewriterBase &rewriter, RowCopies &group) {
    Location loc = group.copies.front().getLoc();
    rewriter.setInsertionPoint(group.copies.back());
    auto loop =
        scf::ForallOp::create(rewriter, loc, OpFoldResult(group.numRows),
                              /*outputs=*/ValueRange(),
                              /*mapping=*/std::nullopt);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value number = loop.getInductionVar(0);
    for (memref::CopyOp op : group.copies) {
      loc = op.getLoc();
      memref::CopyOp::create(rewriter, loc,
                             getRow(rewriter, loc, op.getSource(), number),
                             getRow(rewriter, loc, op.getTarget(), number));
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
