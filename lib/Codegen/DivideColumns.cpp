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

namespace gnn {
#define GEN_PASS_DEF_DIVIDECOLUMNSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Behind all columns of a row.
static constexpr int64_t noEnd = std::numeric_limits<int64_t>::max();

namespace {
/// Columns that some ops may access of what they write: from `begin` to `end`,
/// counted from `first` if there is one.
struct ColumnRange {
  Value first;
  int64_t begin, end;

  bool contains(Value view, Value column, int64_t count) const;
};

/// A parallel loop over rows whose iterations go over panels of columns, one
/// after the other, and then over columns that are left.
struct RowBlocks {
  scf::ForallOp loop;
  scf::ForOp panels;
  /// Behind the loop over panels.
  SmallVector<Operation *> rest;
  int64_t width, step;
};
} // namespace

/// Whether `count` elements of rows of `view` from `column` on are within these
/// columns of the buffer that it is a view of.
bool ColumnRange::contains(Value view, Value column, int64_t count) const {
  auto [unknown, offset] = splitOffset(column);
  while (auto slice = view.getDefiningOp<memref::SubViewOp>()) {
    if (slice.getType().getRank() != slice.getSourceType().getRank() ||
        !isOneInteger(slice.getMixedStrides().back()))
      return false;
    OpFoldResult place = slice.getMixedOffsets().back();
    if (std::optional<int64_t> known = getConstantIntValue(place)) {
      offset += *known;
    } else {
      auto [other, more] = splitOffset(cast<Value>(place));
      if (unknown && other)
        return false;
      unknown = other ? other : unknown;
      offset += more;
    }
    view = slice.getSource();
  }
  return isIdentifiedBuffer(view) && unknown == first && offset >= begin &&
         (end == noEnd || offset + count <= end);
}

/// Whether `op` accesses only columns of `range`.
static bool staysWithin(Operation *op, const ColumnRange &range) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
    VectorType type = transfer.getVectorType();
    return type.getRank() == 1 &&
           transfer.getPermutationMap().isMinorIdentity() &&
           range.contains(transfer.getBase(), transfer.getIndices().back(),
                          type.getDimSize(0));
  }
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRefType().getRank() > 0 &&
           range.contains(load.getMemRef(), load.getIndices().back(), 1);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRefType().getRank() > 0 &&
           range.contains(store.getMemRef(), store.getIndices().back(), 1);
  return false;
}

/// Calls `visit` for each op in `op` and each of its effects on memory, except
/// on what is made inside. Fails if an op does not say what it does.
static LogicalResult
forEachEffect(Operation *op,
              function_ref<LogicalResult(Operation *,
                                         const MemoryEffects::EffectInstance &)>
                  visit) {
  WalkResult result = op->walk([&](Operation *nested) {
    if (isa<memref::PrefetchOp>(nested) ||
        nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    auto interface = dyn_cast<MemoryEffectOpInterface>(nested);
    if (!interface)
      return WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value buffer = getViewedBuffer(effect.getValue());
      if (!buffer)
        return WalkResult::interrupt();
      if (op->isAncestor(buffer.getParentBlock()->getParentOp()))
        continue;
      if (failed(visit(nested, effect)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether iterations of the loop over panels need nothing of one another, nor
/// the rest of them: all of what is written is accessed by columns that are
/// different in each.
static bool areIndependent(RowBlocks &blocks) {
  SmallVector<std::pair<Operation *, ColumnRange>> parts{
      {blocks.panels, {blocks.panels.getInductionVar(), 0, blocks.step}}};
  for (Operation *op : blocks.rest)
    parts.push_back({op, {Value(), blocks.width, noEnd}});
  llvm::DenseSet<Value> written;
  auto ofColumns = [&](Operation *op, const ColumnRange &range) {
    return forEachEffect(
        op,
        [&](Operation *nested,
            const MemoryEffects::EffectInstance &effect) -> LogicalResult {
          if (isa<MemoryEffects::Read>(effect.getEffect()))
            return success();
          written.insert(getViewedBuffer(effect.getValue()));
          return success(isa<MemoryEffects::Write>(effect.getEffect()) &&
                         staysWithin(nested, range));
        });
  };
  auto ofOthers = [&](Operation *op, const ColumnRange &range) {
    return forEachEffect(
        op,
        [&](Operation *nested,
            const MemoryEffects::EffectInstance &effect) -> LogicalResult {
          Value buffer = getViewedBuffer(effect.getValue());
          bool isOther =
              isIdentifiedBuffer(buffer) && !written.contains(buffer);
          return success(isOther || staysWithin(nested, range));
        });
  };
  return llvm::all_of(parts,
                      [&](const auto &part) {
                        return succeeded(ofColumns(part.first, part.second));
                      }) &&
         llvm::all_of(parts, [&](const auto &part) {
           return succeeded(ofOthers(part.first, part.second));
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
  RowBlocks blocks{loop, {}, {}, 0, 0};
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
      blocks.step = *getConstantIntValue(panels.getStep());
      blocks.width = trips->getSExtValue() * blocks.step;
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
  auto divided = scf::ForallOp::create(
      rewriter, loc, getBounds(loop.getMixedLowerBound(), 0),
      getBounds(loop.getMixedUpperBound(),
                blocks.width + (hasRest ? blocks.step : 0)),
      getBounds(loop.getMixedStep(), blocks.step), ValueRange(), std::nullopt);
  Block *body = divided.getBody();
  Value row = divided.getInductionVars()[0];
  Value column = divided.getInductionVars()[1];
  Block *panel = blocks.panels.getBody();
  rewriter.eraseOp(panel->getTerminator());
  if (hasRest) {
    rewriter.setInsertionPoint(blocks.panels);
    Value isPanel = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, column,
        arith::ConstantIndexOp::create(rewriter, loc, blocks.width));
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
