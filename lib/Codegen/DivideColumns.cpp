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
#include "mlir/Dialect/Math/IR/Math.h"
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

/// The fewest panels that rows are prepared for again: rounding six rows takes
/// a quarter of what multiplying them by one panel does, more rows less of it.
static constexpr int64_t kPreparedPanels = 2;

namespace {
/// A parallel loop over rows whose iterations go over panels of columns, one
/// after the other, and then over columns that are left.
struct RowBlocks {
  scf::ForallOp loop;
  scf::ForOp panels;
  /// Whether something is computed from rows before they meet panels, into
  /// buffers of the iteration's own.
  bool preparesRows = false;
  /// Behind the loop over panels.
  SmallVector<Operation *> rest;

  int64_t getNumPanels() { return panels.getStaticTripCount()->getSExtValue(); }

  int64_t getPanelWidth() { return *getConstantIntValue(panels.getStep()); }
  /// Of all panels.
  int64_t getWidth() { return getNumPanels() * getPanelWidth(); }
  bool isOwn(Value buffer) {
    return isIdentifiedBuffer(buffer) &&
           loop->isAncestor(buffer.getParentBlock()->getParentOp());
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

/// Whether `op` may run again for each part of the panels: it fills nothing but
/// buffers of the iteration's own, from what is not `written`, and element by
/// element. Sums would take too long.
static bool isRepeatable(Operation *op, RowBlocks &blocks,
                         const WrittenBuffers &written) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return false;
  bool onlyFills =
      llvm::all_of(*effects, [&](const MemoryEffects::EffectInstance &effect) {
        Value buffer = getViewedBuffer(effect.getValue());
        if (isa<MemoryEffects::Read>(effect.getEffect()))
          return buffer && !blocks.isOwn(buffer) && !written.mayContain(buffer);
        return buffer && blocks.isOwn(buffer);
      });
  WalkResult result = op->walk([](Operation *nested) {
    auto loop = dyn_cast<LoopLikeOpInterface>(nested);
    bool isCostly = (loop && !loop.getInits().empty()) ||
                    isa<scf::WhileOp>(nested) ||
                    isa<math::MathDialect>(nested->getDialect());
    return isCostly ? WalkResult::interrupt() : WalkResult::advance();
  });
  return onlyFills && !result.wasInterrupted();
}

/// Whether iterations of the loop over panels need nothing of one another, nor
/// the rest of them: all of what is written is accessed by columns that are
/// different in each. What comes before them may run for each of them.
static bool areIndependent(RowBlocks &blocks) {
  WrittenBuffers written(blocks.panels);
  for (Operation *op : blocks.rest)
    written.add(op);
  ColumnRange ofPanel{blocks.panels.getInductionVar(), 0,
                      blocks.getPanelWidth()};
  ColumnRange ofRest{Value(), blocks.getWidth(),
                     std::numeric_limits<int64_t>::max()};
  for (Operation &op : *blocks.loop.getBody()) {
    if (&op == blocks.panels)
      break;
    if (!isRepeatable(&op, blocks, written))
      return false;
  }
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
  RowBlocks blocks;
  blocks.loop = loop;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (blocks.panels) {
      auto dealloc = dyn_cast<memref::DeallocOp>(op);
      if (!dealloc || !blocks.isOwn(dealloc.getMemref()))
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
    } else {
      blocks.preparesRows |= !isMemoryEffectFree(&op);
    }
  }
  if (!blocks.panels ||
      (blocks.preparesRows && blocks.getNumPanels() < 2 * kPreparedPanels) ||
      !multiplies(blocks.panels) || !areIndependent(blocks))
    return std::nullopt;
  if (llvm::all_of(blocks.rest, isMemoryEffectFree))
    blocks.rest.clear();
  return blocks;
}

/// Columns of an iteration: one panel, or where rows are prepared for them as
/// many as leave `minIterations` of all blocks, for each prepares its rows.
static OpFoldResult getColumnStep(OpBuilder &b, RowBlocks &blocks,
                                  int64_t minIterations) {
  int64_t ofPanel = blocks.getPanelWidth();
  if (!blocks.preparesRows)
    return b.getIndexAttr(ofPanel);
  Location loc = blocks.loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto get = [&](OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(b, loc, bound);
  };
  Value numRows = b.createOrFold<arith::SubIOp>(
      loc, get(blocks.loop.getMixedUpperBound()[0]),
      get(blocks.loop.getMixedLowerBound()[0]));
  Value numBlocks = b.createOrFold<arith::MaxUIOp>(
      loc,
      b.createOrFold<arith::CeilDivUIOp>(loc, numRows,
                                         get(blocks.loop.getMixedStep()[0])),
      constant(1));
  Value ofBlock = b.createOrFold<arith::MinUIOp>(
      loc,
      b.createOrFold<arith::CeilDivUIOp>(loc, constant(minIterations),
                                         numBlocks),
      constant(blocks.getNumPanels() / kPreparedPanels));
  Value numPanels = b.createOrFold<arith::CeilDivUIOp>(
      loc, constant(blocks.getNumPanels()), ofBlock);
  return getAsOpFoldResult(
      b.createOrFold<arith::MulIOp>(loc, numPanels, constant(ofPanel)));
}

/// What one iteration does: panels of `step` columns from `column` on, the last
/// one what is left of columns as well.
static void emitPanels(RewriterBase &rewriter, RowBlocks &blocks, Value column,
                       Value step) {
  Location loc = blocks.loop.getLoc();
  rewriter.setInsertionPoint(blocks.panels);
  Value width =
      arith::ConstantIndexOp::create(rewriter, loc, blocks.getWidth());
  Value end = arith::MinUIOp::create(
      rewriter, loc, arith::AddIOp::create(rewriter, loc, column, step), width);
  rewriter.modifyOpInPlace(blocks.panels, [&] {
    blocks.panels.setLowerBound(column);
    blocks.panels.setUpperBound(end);
  });
  if (blocks.rest.empty())
    return;
  rewriter.setInsertionPointAfter(blocks.panels);
  Value isLast = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       end, width);
  auto rest = scf::IfOp::create(rewriter, loc, isLast,
                                /*withElseRegion=*/false);
  for (Operation *op : blocks.rest)
    rewriter.moveOpBefore(op, rest.thenBlock()->getTerminator());
}

/// What one iteration does: the panel of columns from `column` on, or what is
/// left of columns.
static void emitPanel(RewriterBase &rewriter, RowBlocks &blocks, Value column) {
  Location loc = blocks.loop.getLoc();
  Block *panel = blocks.panels.getBody();
  rewriter.eraseOp(panel->getTerminator());
  if (blocks.rest.empty()) {
    rewriter.inlineBlockBefore(panel, blocks.panels, column);
    rewriter.eraseOp(blocks.panels);
    return;
  }
  rewriter.setInsertionPoint(blocks.panels);
  Value isPanel = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ult, column,
      arith::ConstantIndexOp::create(rewriter, loc, blocks.getWidth()));
  auto either =
      scf::IfOp::create(rewriter, loc, isPanel, /*withElseRegion=*/true);
  rewriter.inlineBlockBefore(panel, either.thenBlock()->getTerminator(),
                             column);
  for (Operation *op : blocks.rest)
    rewriter.moveOpBefore(op, either.elseBlock()->getTerminator());
  rewriter.eraseOp(blocks.panels);
}

/// Makes the loop over panels the second dimension of the parallel one.
static void divide(RewriterBase &rewriter, RowBlocks &blocks,
                   int64_t minIterations) {
  scf::ForallOp loop = blocks.loop;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  OpFoldResult step = getColumnStep(rewriter, blocks, minIterations);
  // What is left behind panels that are iterations is one more.
  int64_t end = blocks.getWidth();
  if (!blocks.preparesRows && !blocks.rest.empty())
    end += blocks.getPanelWidth();
  auto getBounds = [](ArrayRef<OpFoldResult> ofRows, OpFoldResult ofColumns) {
    return SmallVector<OpFoldResult>{ofRows[0], ofColumns};
  };
  auto divided = scf::ForallOp::create(
      rewriter, loc,
      getBounds(loop.getMixedLowerBound(), rewriter.getIndexAttr(0)),
      getBounds(loop.getMixedUpperBound(), rewriter.getIndexAttr(end)),
      getBounds(loop.getMixedStep(), step), ValueRange(), std::nullopt);
  Value row = divided.getInductionVars()[0];
  Value column = divided.getInductionVars()[1];
  if (blocks.preparesRows)
    emitPanels(rewriter, blocks, column, divided.getStep(rewriter)[1]);
  else
    emitPanel(rewriter, blocks, column);
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), divided.getBody()->getTerminator(),
                             row);
  rewriter.eraseOp(loop);
}

namespace {
struct DivideColumnsPass
    : public gnn::impl::DivideColumnsPassBase<DivideColumnsPass> {
  using DivideColumnsPassBase::DivideColumnsPassBase;

  void runOnOperation() override {
    if (minIterations < 1) {
      getOperation().emitError("min-iterations must be at least 1");
      return signalPassFailure();
    }
    SmallVector<RowBlocks> found;
    getOperation()->walk([&](scf::ForallOp loop) {
      if (std::optional<RowBlocks> blocks = match(loop))
        found.push_back(*blocks);
    });
    IRRewriter rewriter(&getContext());
    for (RowBlocks &blocks : found) {
      divide(rewriter, blocks, minIterations);
      ++numLoops;
    }
  }
};
} // namespace
