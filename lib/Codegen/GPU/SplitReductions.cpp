//===- SplitReductions.cpp - Sums as trees ----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ApplyPatterns.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace gnn {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct SplitSum : public OpRewritePattern<linalg::GenericOp> {
  SplitSum(MLIRContext *context, int64_t maxResults, int64_t minTerms)
      : OpRewritePattern(context), maxResults(maxResults), minTerms(minTerms) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;

private:
  LogicalResult match(linalg::GenericOp op, PatternRewriter &rewriter) const;

  int64_t maxResults, minTerms;
};

struct SplitReductionsPass
    : public gnn::impl::SplitReductionsPassBase<SplitReductionsPass> {
  using SplitReductionsPassBase::SplitReductionsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitSum>(&getContext(), maxResults, minTerms);
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

/// The sum that a body yields: what is added to the result so far.
static arith::AddFOp getSum(linalg::GenericOp op) {
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  auto sum = yield.getValues().front().getDefiningOp<arith::AddFOp>();
  BlockArgument result = op.getRegionOutputArgs().front();
  if (!sum || !result.hasOneUse() || *result.user_begin() != sum)
    return nullptr;
  return sum;
}

LogicalResult SplitSum::match(linalg::GenericOp op,
                              PatternRewriter &rewriter) const {
  if (!op->getParentOfType<scf::ForallOp>() || !op.hasPureTensorSemantics() ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1)
    return rewriter.notifyMatchFailure(op, "no sum of a tile");
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::any_of(sizes, ShapedType::isDynamic) ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
    return rewriter.notifyMatchFailure(op, "no last dimension to add up");
  if (!llvm::isPowerOf2_64(sizes.back()) || sizes.back() < minTerms ||
      ShapedType::getNumElements(ArrayRef(sizes).drop_back()) > maxResults)
    return rewriter.notifyMatchFailure(op, "threads have enough to do");
  if (op.hasIndexSemantics() || !getSum(op))
    return rewriter.notifyMatchFailure(op, "it does something else, too");
  // Parallel dimensions in their order, so that results need no other map.
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return success(map == rewriter.getMultiDimIdentityMap(sizes.size())
                            .getMajorSubMap(sizes.size() - 1));
}

LogicalResult SplitSum::matchAndRewrite(linalg::GenericOp op,
                                        PatternRewriter &rewriter) const {
  if (failed(match(op, rewriter)))
    return failure();
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto rank = static_cast<unsigned>(sizes.size());
  Type element = getElementTypeOrSelf(op.getResult(0));
  AffineMap all = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);

  // The terms.
  arith::AddFOp sum = getSum(op);
  Value result = op.getRegionOutputArgs().front();
  Value term = sum.getLhs() == result ? sum.getRhs() : sum.getLhs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.back() = all;
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  auto terms = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), op.getInputs(), empty, maps, parallel,
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), arguments);
        for (Operation &inner : op.getBody()->without_terminator())
          if (&inner != sum)
            b.clone(inner, mapping);
        linalg::YieldOp::create(b, loc, mapping.lookupOrDefault(term));
      });

  // Halves are added up until one is left.
  auto add = [&](OpBuilder &b, Location, ValueRange arguments) {
    Value total = arith::AddFOp::create(b, loc, arguments[0], arguments[1]);
    linalg::YieldOp::create(b, loc, total);
  };
  Value left = terms.getResult(0);
  SmallVector<OpFoldResult> ones(rank, rewriter.getIndexAttr(1));
  while (sizes.back() > 1) {
    sizes.back() /= 2;
    SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> extents =
        getAsIndexOpFoldResult(rewriter.getContext(), sizes);
    Value low = tensor::ExtractSliceOp::create(rewriter, loc, left, offsets,
                                               extents, ones);
    offsets.back() = rewriter.getIndexAttr(sizes.back());
    Value high = tensor::ExtractSliceOp::create(rewriter, loc, left, offsets,
                                                extents, ones);
    Value half = tensor::EmptyOp::create(rewriter, loc, sizes, element);
    left = linalg::GenericOp::create(
               rewriter, loc, half.getType(), ValueRange{low, high}, half,
               ArrayRef<AffineMap>{all, all, all}, parallel, add)
               .getResult(0);
  }

  // On top of what was there before.
  AffineMap outer = rewriter.getMultiDimIdentityMap(rank - 1);
  SmallVector<AffineExpr> first(outer.getResults());
  first.push_back(rewriter.getAffineConstantExpr(0));
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, op.getResultTypes(), left, op.getOutputs(),
      ArrayRef<AffineMap>{
          AffineMap::get(rank - 1, 0, first, rewriter.getContext()), outer},
      ArrayRef(parallel).drop_back(), add);
  return success();
}
