//===- TileDynamicLoops.cpp - Static linalg ops inside loops ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "TileLoops.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/ViewLikeInterfaceUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

namespace gnn {
#define GEN_PASS_DEF_TILEDYNAMICLOOPSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The innermost parallel loop, or -1.
static int getVectorLoop(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  int loop = iterators.size() - 1;
  while (loop >= 0 && iterators[loop] != utils::IteratorType::parallel)
    --loop;
  return loop;
}

static int64_t countIterations(linalg::LinalgOp op) {
  int64_t total = 1;
  for (int64_t range : op.getStaticLoopRanges())
    total *= ShapedType::isDynamic(range) ? 1 : range;
  return total;
}

/// Splits and tiles the innermost parallel feature loop of an op that is too
/// wide for vectors.
static linalg::LinalgOp tileWideFeatures(IRRewriter &rewriter,
                                         linalg::LinalgOp op,
                                         int64_t maxElements,
                                         int64_t maxWidth) {
  constexpr int64_t width = 64;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int loop = getVectorLoop(op);
  if (loop < 0 || ShapedType::isDynamic(ranges[loop]) ||
      ranges[loop] <= width ||
      (countIterations(op) <= maxElements && ranges[loop] <= maxWidth))
    return op;
  int64_t whole = ranges[loop] / width * width;
  if (whole != ranges[loop]) {
    rewriter.setInsertionPoint(op);
    auto [first, second] =
        linalg::splitOp(rewriter, cast<TilingInterface>(op.getOperation()),
                        loop, rewriter.getIndexAttr(whole));
    if (!first)
      return op;
    op = cast<linalg::LinalgOp>(first.getOperation());
  }
  SmallVector<int64_t> sizes(ranges.size(), 0);
  sizes[loop] = width;
  return tileLoops(rewriter, op, sizes, scf::SCFTilingOptions::LoopType::ForOp);
}

/// Whether inputs have a row along `vectorLoop` for each step of the reduction
/// along `loop`, as the second factor of a product of a row and a matrix does,
/// and none has the steps of a sum side by side for each element of such a row.
static bool readsRowsAlong(linalg::LinalgOp op, unsigned loop,
                           unsigned vectorLoop) {
  bool hasRows = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isFunctionOfDim(loop) || !map.isFunctionOfDim(vectorLoop))
      continue;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!last || last.getPosition() != vectorLoop)
      return false;
    hasRows = true;
  }
  return hasRows;
}

/// Elements that lie side by side in each row that a step of the reduction
/// along `loop` reads: those along `vectorLoop` and, if these are few as
/// features of narrow heads are, along parallel loops around it.
static int64_t countRowElements(linalg::LinalgOp op, unsigned loop,
                                unsigned vectorLoop) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  int64_t elements = ranges[vectorLoop];
  for (unsigned back = 1; back <= vectorLoop; ++back) {
    unsigned outer = vectorLoop - back;
    bool isInRows = llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *row) {
      AffineMap map = op.getMatchingIndexingMap(row);
      if (!map.isFunctionOfDim(loop) || !map.isFunctionOfDim(vectorLoop))
        return true;
      if (map.getNumResults() <= back)
        return false;
      auto next = dyn_cast<AffineDimExpr>(
          map.getResult(map.getNumResults() - 1 - back));
      return next && next.getPosition() == outer;
    });
    if (iterators[outer] != utils::IteratorType::parallel || !isInRows)
      break;
    elements *= ranges[outer];
  }
  return elements;
}

/// The largest divisor of `size` that is at most `limit`.
static int64_t getDivisor(int64_t size, int64_t limit) {
  int64_t divisor = std::max<int64_t>(std::min(size, limit), 1);
  while (size % divisor != 0)
    --divisor;
  return divisor;
}

/// Parallel loops of which 64 iterations at most are left, the last elements of
/// the innermost one, by which sums stay in registers; 0 is not tiled. Rows
/// shorter than `shortestRow` stay with others beside them.
static SmallVector<int64_t> getSumTile(linalg::LinalgOp op, int vectorLoop,
                                       int64_t shortestRow) {
  constexpr int64_t mostSums = 64, fewestSums = 32, step = 8;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<int64_t> sizes(ranges.size(), 0);
  int64_t sums = 1;
  for (unsigned loop : parallel)
    sums *= ranges[loop];
  for (unsigned loop : parallel)
    if (sums > mostSums && static_cast<int>(loop) != vectorLoop &&
        ranges[loop] > 1) {
      int64_t rest = sums / ranges[loop];
      sizes[loop] =
          rest < shortestRow ? getDivisor(ranges[loop], mostSums / rest) : 1;
      sums = rest * sizes[loop];
    }
  // Rows that no tile divides stay whole.
  if (sums > mostSums)
    for (int64_t tile = mostSums; tile >= fewestSums; tile -= step)
      if (ranges[vectorLoop] % tile == 0) {
        sizes[vectorLoop] = tile;
        break;
      }
  return sizes;
}

/// Tiles reductions by one whose steps add up rows: a vector for all of it
/// would be transposed, and each of its sums be one across a register.
static linalg::LinalgOp tileSumsOfRows(IRRewriter &rewriter,
                                       linalg::LinalgOp op) {
  // Shorter rows fill no register.
  constexpr int64_t shortestRow = 8;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int vectorLoop = getVectorLoop(op);
  if (vectorLoop < 0 || llvm::any_of(ranges, ShapedType::isDynamic))
    return op;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> steps(ranges.size(), 0);
  for (unsigned loop : reductions)
    if (ranges[loop] > 1 && readsRowsAlong(op, loop, vectorLoop) &&
        countRowElements(op, loop, vectorLoop) >= shortestRow)
      steps[loop] = 1;
  auto isTiled = [](ArrayRef<int64_t> sizes) {
    return llvm::any_of(sizes, [](int64_t size) { return size != 0; });
  };
  if (!isTiled(steps))
    return op;
  using LoopType = scf::SCFTilingOptions::LoopType;
  SmallVector<int64_t> sums = getSumTile(op, vectorLoop, shortestRow);
  if (isTiled(sums))
    op = tileLoops(rewriter, op, sums, LoopType::ForOp);
  return tileLoops(rewriter, op, steps, LoopType::ForOp);
}

/// Tiles loops outside of the one that becomes vectors by one, as many as it
/// takes.
static void tileOuterFeatures(IRRewriter &rewriter, linalg::LinalgOp op,
                              int64_t maxElements) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int vectorLoop = getVectorLoop(op);
  int64_t total = countIterations(op);
  SmallVector<int64_t> sizes(ranges.size(), 0);
  bool isTiled = false;
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    if (total <= maxElements || vectorLoop < 0)
      break;
    if (static_cast<int>(loop) == vectorLoop || ShapedType::isDynamic(range) ||
        range == 1)
      continue;
    sizes[loop] = 1;
    total /= range;
    isTiled = true;
  }
  if (isTiled)
    tileLoops(rewriter, op, sizes, scf::SCFTilingOptions::LoopType::ForOp);
}

namespace {
/// Takes a slice of a slice from what the latter is of, as tiles of tiles are.
/// MLIR's pattern for that takes all of them. Of rows that parts are written to
/// one after the other, slices stay as they are: bufferization knows by them
/// that each part is written in place.
struct MergeReadSlices : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto outer = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    if (!outer || llvm::any_of(outer->getUses(), [](OpOperand &use) {
          auto insert = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
          return insert && insert.getDest() == use.get();
        }))
      return failure();
    SmallVector<OpFoldResult> offsets, sizes, strides;
    if (failed(affine::mergeOffsetsSizesAndStrides(rewriter, op.getLoc(), outer,
                                                   op, outer.getDroppedDims(),
                                                   offsets, sizes, strides)))
      return failure();
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, op.getType(), outer.getSource(), offsets, sizes, strides);
    return success();
  }
};

struct TileDynamicLoopsPass
    : public gnn::impl::TileDynamicLoopsPassBase<TileDynamicLoopsPass> {
  using TileDynamicLoopsPassBase::TileDynamicLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // What is filled comes before what fills, which may not be needed then.
    SmallVector<linalg::LinalgOp> ops, fills;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics())
        (isa<linalg::FillOp>(op) ? fills : ops).push_back(op);
    });
    llvm::append_range(ops, fills);
    for (linalg::LinalgOp op : ops) {
      // Tiling takes a loop without iterations for one that is not tiled.
      if (op->use_empty() || llvm::is_contained(op.getStaticLoopRanges(), 0))
        continue;
      op = tileNodes(rewriter, op);
      if (sumRows)
        op = tileSumsOfRows(rewriter, op);
      op = tileWideFeatures(rewriter, op, maxElements, maxWidth);
      tileOuterFeatures(rewriter, op, maxElements);
    }
    if (failed(dropUnitDimensions()) || failed(mergeWrittenSlices()) ||
        failed(mergeReadSlices()))
      signalPassFailure();
  }

private:
  /// Tiles the loops over nodes by one.
  linalg::LinalgOp tileNodes(IRRewriter &rewriter, linalg::LinalgOp op) const {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    if (!llvm::any_of(ranges, ShapedType::isDynamic))
      return op;
    if (ShapedType::isDynamic(ranges[0]) &&
        op.getIteratorTypesArray()[0] == utils::IteratorType::parallel &&
        !op->getParentOfType<scf::ForallOp>()) {
      SmallVector<int64_t> sizes(ranges.size(), 0);
      sizes[0] = 1;
      op = tileLoops(rewriter, op, sizes,
                     scf::SCFTilingOptions::LoopType::ForallOp);
      if (fillRows)
        fillInLoop(rewriter, op);
      ranges = op.getStaticLoopRanges();
    }
    SmallVector<int64_t> sizes;
    for (int64_t range : ranges)
      sizes.push_back(ShapedType::isDynamic(range) ? 1 : 0);
    if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
      return op;
    return tileLoops(rewriter, op, sizes,
                     scf::SCFTilingOptions::LoopType::ForOp);
  }

  /// Tiles of one node have unit dimensions, which only hinder.
  LogicalResult dropUnitDimensions() {
    RewritePatternSet patterns(&getContext());
    linalg::ControlDropUnitDims options;
    options.rankReductionStrategy =
        linalg::ControlDropUnitDims::RankReductionStrategy::ExtractInsertSlice;
    linalg::populateFoldUnitExtentDimsPatterns(patterns, options);
    linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(patterns,
                                                               options);
    return applyPatterns(getOperation(), std::move(patterns));
  }

  /// What is written to a row without unit dimensions becomes one slice.
  LogicalResult mergeWrittenSlices() {
    RewritePatternSet patterns(&getContext());
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    SmallVector<Operation *> inserts;
    getOperation()->walk([&](Operation *op) {
      if (isa<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(op))
        inserts.push_back(op);
    });
    return applyOpPatternsGreedily(inserts, std::move(patterns),
                                   GreedyRewriteConfig().setStrictness(
                                       GreedyRewriteStrictness::ExistingOps));
  }

  LogicalResult mergeReadSlices() {
    RewritePatternSet patterns(&getContext());
    patterns.add<MergeReadSlices>(&getContext());
    return applyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
