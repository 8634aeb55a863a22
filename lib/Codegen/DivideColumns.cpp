//===- DivideColumns.cpp - Columns of products for threads ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "WrittenBuffers.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <limits>

namespace gnn {
#define GEN_PASS_DEF_DIVIDECOLUMNSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A parallel loop over rows whose iterations go over panels of columns, one
/// after the other, and then over columns that are left.
struct RowBlocks {
  scf::ForallOp loop;
  scf::ForOp panels;
  /// Behind the loop over panels.
  SmallVector<Operation *> rest;

  int64_t getPanelWidth() { return *getConstantIntValue(panels.getStep()); }
  /// Of all panels.
  int64_t getWidth() {
    return panels.getStaticTripCount()->getSExtValue() * getPanelWidth();
  }
};
} // namespace

/// The column of a buffer that `column` of its view `view` is, as
/// `splitOffset`. None if rows are not those of a buffer with a name of its
/// own.
static std::optional<std::pair<Value, int64_t>>
getColumnOfBuffer(Value view, Value column) {
  std::pair<Value, int64_t> sum = splitOffset(column);
  while (auto slice = view.getDefiningOp<memref::SubViewOp>()) {
    if (slice.getType().getRank() != slice.getSourceType().getRank() ||
        !isOneInteger(slice.getMixedStrides().back()))
      return std::nullopt;
    std::pair<Value, int64_t> first =
        splitOffset(slice.getMixedOffsets().back());
    if (sum.first && first.first)
      return std::nullopt;
    sum = {sum.first ? sum.first : first.first, sum.second + first.second};
    view = slice.getSource();
  }
  if (!isIdentifiedBuffer(view))
    return std::nullopt;
  return sum;
}

/// Whether `op` accesses only columns of `range`.
static bool staysWithin(Operation *op, const ColumnRange &range) {
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!transfer || !accessesRow(transfer))
    return false;
  std::optional<std::pair<Value, int64_t>> column =
      getColumnOfBuffer(transfer.getBase(), transfer.getIndices().back());
  return column &&
         range.contains(*column, transfer.getVectorType().getDimSize(0));
}

/// Whether what `op` accesses of what is written is columns of `range`, but for
/// what it makes itself. Not if an op does not say what it does.
static bool staysWithin(Operation *op, const WrittenBuffers &written,
                        const ColumnRange &range) {
  auto isWithin = [&](Operation *nested,
                      const MemoryEffects::EffectInstance &effect) {
    Value buffer = getViewedBuffer(effect.getValue());
    if (!buffer)
      return false;
    bool isOwn = op->isAncestor(buffer.getParentBlock()->getParentOp());
    return isOwn || !written.mayContain(buffer) || staysWithin(nested, range);
  };
  WalkResult result = op->walk([&](Operation *nested) {
    if (isa<memref::PrefetchOp>(nested) ||
        nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    auto interface = dyn_cast<MemoryEffectOpInterface>(nested);
    if (!interface)
      return WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    return llvm::all_of(effects,
                        [&](const MemoryEffects::EffectInstance &effect) {
                          return isWithin(nested, effect);
                        })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether iterations of the loop over panels need nothing of one another, nor
/// the rest of them: all of what is written is accessed by columns that are
/// different in each.
static bool areIndependent(RowBlocks &blocks) {
  WrittenBuffers written(blocks.panels);
  for (Operation *op : blocks.rest)
    written.add(op);
  ColumnRange ofPanel{blocks.panels.getInductionVar(), 0,
                      blocks.getPanelWidth()};
  ColumnRange ofRest{Value(), blocks.getWidth(),
                     std::numeric_limits<int64_t>::max()};
  return staysWithin(blocks.panels, written, ofPanel) &&
         llvm::all_of(blocks.rest, [&](Operation *op) {
           return staysWithin(op, written, ofRest);
         });
}

/// Whether a loop in `panels` adds up products. Others, such as those along the
/// edges of a row, are shared by rows.
static bool multiplies(scf::ForOp panels) {
  return panels
      .walk([](scf::ForOp loop) {
        return findPanels(loop).empty() ? WalkResult::advance()
                                        : WalkResult::interrupt();
      })
      .wasInterrupted();
}

static std::optional<RowBlocks> match(scf::ForallOp loop) {
  if (loop.getRank() != 1 || loop.getNumResults() != 0 || loop.getMapping() ||
      loop->getParentOfType<scf::ForallOp>())
    return std::nullopt;
  RowBlocks blocks{loop, {}, {}};
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (blocks.panels) {
      blocks.rest.push_back(&op);
      continue;
    }
    auto panels = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> trips =
        panels ? panels.getStaticTripCount() : std::nullopt;
    if (trips && trips->sgt(1) && panels.getInitArgs().empty() &&
        isZeroInteger(getAsOpFoldResult(panels.getLowerBound())) &&
        getConstantIntValue(panels.getStep())) {
      blocks.panels = panels;
    } else if (!isMemoryEffectFree(&op)) {
      return std::nullopt;
    }
  }
  if (!blocks.panels || !multiplies(blocks.panels) || !areIndependent(blocks))
    return std::nullopt;
  if (llvm::all_of(blocks.rest, isMemoryEffectFree))
    blocks.rest.clear();
  return blocks;
}

/// Makes the loop over panels the second dimension of the parallel one. What is
/// left behind it is one more iteration.
static void divide(RewriterBase &rewriter, RowBlocks &blocks) {
  scf::ForallOp loop = blocks.loop;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  auto getBounds = [&](ArrayRef<OpFoldResult> ofRows, int64_t ofColumns) {
    return SmallVector<OpFoldResult>{ofRows[0],
                                     rewriter.getIndexAttr(ofColumns)};
  };
  bool hasRest = !blocks.rest.empty();
  int64_t width = blocks.getWidth(), ofPanel = blocks.getPanelWidth();
  auto divided = scf::ForallOp::create(
      rewriter, loc, getBounds(loop.getMixedLowerBound(), 0),
      getBounds(loop.getMixedUpperBound(), width + (hasRest ? ofPanel : 0)),
      getBounds(loop.getMixedStep(), ofPanel), ValueRange(), std::nullopt);
  Block *body = divided.getBody();
  Value row = divided.getInductionVars()[0];
  Value column = divided.getInductionVars()[1];
  Block *panel = blocks.panels.getBody();
  rewriter.eraseOp(panel->getTerminator());
  if (hasRest) {
    rewriter.setInsertionPoint(blocks.panels);
    Value isPanel = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, column,
        arith::ConstantIndexOp::create(rewriter, loc, width));
    auto either = scf::IfOp::create(rewriter, loc, isPanel,
                                    /*withElseRegion=*/true);
    rewriter.inlineBlockBefore(panel, either.thenBlock()->getTerminator(),
                               column);
    for (Operation *op : blocks.rest)
      rewriter.moveOpBefore(op, either.elseBlock()->getTerminator());
  } else {
    rewriter.inlineBlockBefore(panel, blocks.panels, column);
  }
  rewriter.eraseOp(blocks.panels);
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), body->getTerminator(), row);
  rewriter.eraseOp(loop);
}

namespace {
struct DivideColumnsPass
    : public gnn::impl::DivideColumnsPassBase<DivideColumnsPass> {
  using DivideColumnsPassBase::DivideColumnsPassBase;

  void runOnOperation() override {
    SmallVector<RowBlocks> found;
    getOperation()->walk([&](scf::ForallOp loop) {
      if (std::optional<RowBlocks> blocks = match(loop))
        found.push_back(*blocks);
    });
    IRRewriter rewriter(&getContext());
    for (RowBlocks &blocks : found) {
      divide(rewriter, blocks);
      ++numLoops;
    }
  }
};
} // namespace
