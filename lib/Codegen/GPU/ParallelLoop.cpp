//===- ParallelLoop.cpp - scf.forall and scf.parallel as one ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelLoop.h"
#include "../WrittenBuffers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

using namespace mlir;
using namespace gnn;

bool gnn::isParallelLoop(Operation *op) {
  return isa<scf::ForallOp, scf::ParallelOp>(op) && op->getNumResults() == 0;
}

ParallelLoop::ParallelLoop(Operation *op, RewriterBase &rewriter)
    : loc(op->getLoc()), body(&op->getRegion(0).front()) {
  auto loop = cast<LoopLikeOpInterface>(op);
  lowerBounds = *loop.getLoopLowerBounds();
  steps = *loop.getLoopSteps();
  AffineExpr lower, upper, step;
  bindSymbols(rewriter.getContext(), lower, upper, step);
  for (auto [i, bound] : llvm::enumerate(*loop.getLoopUpperBounds()))
    counts.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, (upper - lower).ceilDiv(step),
        {lowerBounds[i], bound, steps[i]}));
}

Value ParallelLoop::getNumIterations(OpBuilder &b) {
  AffineExpr x, y;
  bindSymbols(b.getContext(), x, y);
  OpFoldResult total = b.getIndexAttr(1);
  for (OpFoldResult count : counts)
    total =
        affine::makeComposedFoldedAffineApply(b, loc, x * y, {total, count});
  return getValueOrCreateConstantIndexOp(b, loc, total);
}

std::optional<int64_t> ParallelLoop::getConstantIterations(Operation *op) {
  auto loop = cast<LoopLikeOpInterface>(op);
  int64_t total = 1;
  for (auto [lower, upper, step] :
       llvm::zip_equal(*loop.getLoopLowerBounds(), *loop.getLoopUpperBounds(),
                       *loop.getLoopSteps())) {
    std::optional<int64_t> first = getConstantIntValue(lower);
    std::optional<int64_t> last = getConstantIntValue(upper);
    std::optional<int64_t> by = getConstantIntValue(step);
    if (!first || !last || !by)
      return std::nullopt;
    total *= std::max<int64_t>(llvm::divideCeilSigned(*last - *first, *by), 0);
  }
  return total;
}

SmallVector<Value> ParallelLoop::getIndices(OpBuilder &b, Value index) {
  SmallVector<Value> indices(counts.size());
  AffineExpr number, lower, step;
  bindSymbols(b.getContext(), number, lower, step);
  Value rest = index;
  bool isOutermost = false;
  for (int64_t i = counts.size() - 1; i >= 0; --i) {
    // Nothing is left for dimensions outside of the last one that counts.
    isOutermost = llvm::all_of(ArrayRef(counts).take_front(i), isOneInteger);
    Value own;
    if (isOneInteger(counts[i])) {
      own = arith::ConstantIndexOp::create(b, loc, 0);
    } else if (isOutermost) {
      own = rest;
    } else {
      Value count = getValueOrCreateConstantIndexOp(b, loc, counts[i]);
      own = arith::RemUIOp::create(b, loc, rest, count);
      rest = arith::DivUIOp::create(b, loc, rest, count);
    }
    indices[i] = getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(
            b, loc, number * step + lower,
            {OpFoldResult(own), lowerBounds[i], steps[i]}));
  }
  return indices;
}

void gnn::serializeNestedLoops(Operation *op, RewriterBase &rewriter) {
  SmallVector<Operation *> loops;
  op->walk([&](Operation *inner) {
    if (inner != op && isParallelLoop(inner))
      loops.push_back(inner);
  });
  for (Operation *loop : loops) {
    rewriter.setInsertionPoint(loop);
    if (auto forall = dyn_cast<scf::ForallOp>(loop))
      (void)scf::forallToForLoop(rewriter, forall);
    else
      (void)scf::parallelForToNestedFors(rewriter, cast<scf::ParallelOp>(loop));
  }
}

gpu::LaunchOp gnn::createLaunch(OpBuilder &b, Location loc, Value numBlocks,
                                Value numThreads) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto launch =
      gpu::LaunchOp::create(b, loc, numBlocks, one, one, numThreads, one, one);
  b.setInsertionPointToEnd(&launch.getBody().front());
  auto terminator = gpu::TerminatorOp::create(b, loc);
  b.setInsertionPoint(terminator);
  return launch;
}

bool gnn::mayBeAnyBuffer(Value buffer) {
  // Kernels have memory of their own as arguments.
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return isa<scf::SCFDialect>(
        argument.getOwner()->getParentOp()->getDialect());
  return !isIdentifiedBuffer(buffer);
}

SmallVector<scf::ForOp> gnn::getKernelLoops(Operation *function) {
  SmallVector<scf::ForOp> loops;
  function->walk([&](scf::ForOp loop) {
    if (loop->getParentOfType<gpu::LaunchOp>())
      loops.push_back(loop);
  });
  return loops;
}
