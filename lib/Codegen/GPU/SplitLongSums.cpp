//===- SplitLongSums.cpp - Sums over all nodes in parts ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowDistribution.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

namespace gnn {
#define GEN_PASS_DEF_SPLITLONGSUMSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A sum, and which of its loops is cut into parts.
struct LongSum {
  linalg::LinalgOp op;
  Operation *combiner;
  unsigned loop;
};

struct SplitLongSumsPass
    : public gnn::impl::SplitLongSumsPassBase<SplitLongSumsPass> {
  using SplitLongSumsPassBase::SplitLongSumsPassBase;

  void runOnOperation() override {
    SmallVector<LongSum> sums;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (std::optional<LongSum> sum = match(op))
        sums.push_back(*sum);
    });
    for (const LongSum &sum : sums) {
      split(sum);
      ++numSplit;
    }
  }

private:
  std::optional<LongSum> match(linalg::LinalgOp op) const;
  void split(const LongSum &sum) const;
};
} // namespace

/// Few results of known number, each a sum of an unknown number of terms.
std::optional<LongSum> SplitLongSumsPass::match(linalg::LinalgOp op) const {
  if (!op.hasPureTensorSemantics() || op->getParentOfType<scf::ForallOp>() ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0 ||
      type.getNumElements() > maxResults)
    return std::nullopt;
  LongSum sum{op, getCombiner(op), 0};
  if (!sum.combiner || !isa<FloatType>(sum.combiner->getResult(0).getType()) ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  int64_t numDynamic = 0;
  for (auto [i, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (ShapedType::isDynamic(size)) {
      sum.loop = i;
      ++numDynamic;
    }
  if (numDynamic == 0)
    return std::nullopt;
  return sum;
}

/// What a part of the loop reads of an operand.
static Value extractPart(OpBuilder &b, Location loc, OpOperand &operand,
                         AffineMap map, unsigned loop, Value first,
                         Value count) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !map.isFunctionOfDim(loop))
    return operand.get();
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, operand.get());
  for (auto [i, result] : llvm::enumerate(map.getResults()))
    if (result.isFunctionOfDim(loop)) {
      offsets[i] = first;
      sizes[i] = count;
    }
  return tensor::ExtractSliceOp::create(b, loc, operand.get(), offsets, sizes,
                                        ones);
}

void SplitLongSumsPass::split(const LongSum &sum) const {
  linalg::LinalgOp op = sum.op;
  IRRewriter rewriter(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Type elementType = type.getElementType();
  SmallVector<Range> ranges = op.createLoopRanges(rewriter, loc);
  AffineExpr x, y;
  bindSymbols(rewriter.getContext(), x, y);
  auto compute = [&](OpBuilder &b, AffineExpr expression,
                     ArrayRef<OpFoldResult> operands) {
    return getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(b, loc, expression, operands));
  };
  // As many terms for each of the most parts, but no fewer than `minTerms`.
  Value size =
      getValueOrCreateConstantIndexOp(rewriter, loc, ranges[sum.loop].size);
  Value least = arith::ConstantIndexOp::create(rewriter, loc, minTerms);
  Value step = arith::MaxUIOp::create(
      rewriter, loc, least, compute(rewriter, x.ceilDiv(maxParts), {size}));
  Value numParts = arith::CeilDivUIOp::create(rewriter, loc, size, step);

  SmallVector<OpFoldResult> sizes{numParts};
  llvm::append_range(
      sizes, getAsIndexOpFoldResult(rewriter.getContext(), type.getShape()));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, elementType);
  auto parts = scf::ForallOp::create(
      rewriter, loc, ArrayRef<OpFoldResult>{numParts}, empty,
      /*mapping=*/std::nullopt, [&](OpBuilder &b, Location l, ValueRange args) {
        Value first = arith::MulIOp::create(b, l, args[0], step);
        Value count = arith::MinUIOp::create(
            b, l, step, arith::SubIOp::create(b, l, size, first));
        SmallVector<Value> operands;
        for (OpOperand *operand : op.getDpsInputOperands())
          operands.push_back(extractPart(b, l, *operand,
                                         op.getMatchingIndexingMap(operand),
                                         sum.loop, first, count));
        Value own = tensor::EmptyOp::create(b, l, type.getShape(), elementType);
        operands.push_back(
            linalg::FillOp::create(b, l, createNeutral(b, l, sum.combiner), own)
                .getResult(0));
        auto part = cast<linalg::LinalgOp>(
            mlir::clone(b, op, TypeRange{type}, operands));
        SmallVector<OpFoldResult> offsets(op.getNumLoops(), b.getIndexAttr(0));
        offsets[sum.loop] = first;
        linalg::offsetIndices(b, part, offsets);
        auto inParallel = scf::InParallelOp::create(b, l);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(inParallel.getBody());
        SmallVector<OpFoldResult> places(sizes.size(), b.getIndexAttr(0));
        SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
        SmallVector<OpFoldResult> shape(sizes);
        places.front() = args[0];
        shape.front() = b.getIndexAttr(1);
        tensor::ParallelInsertSliceOp::create(b, l, part->getResult(0), args[1],
                                              places, shape, ones);
      });

  // Parts are added in their order.
  unsigned rank = type.getRank();
  MLIRContext *context = rewriter.getContext();
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  // Sums are innermost in loops.
  iterators.back() = utils::IteratorType::reduction;
  SmallVector<AffineExpr> place{rewriter.getAffineDimExpr(rank)}, own;
  for (unsigned i = 0; i < rank; ++i)
    own.push_back(rewriter.getAffineDimExpr(i));
  llvm::append_range(place, own);
  auto total = linalg::GenericOp::create(
      rewriter, loc, TypeRange{type}, parts.getResult(0),
      op.getDpsInitOperand(0)->get(),
      ArrayRef<AffineMap>{AffineMap::get(rank + 1, 0, place, context),
                          AffineMap::get(rank + 1, 0, own, context)},
      iterators, [&](OpBuilder &b, Location l, ValueRange v) {
        IRMapping mapping;
        BlockArgument before = op.getBlock()->getArguments().back();
        for (Value operand : sum.combiner->getOperands())
          mapping.map(operand, operand == before ? v[1] : v[0]);
        Value added = b.clone(*sum.combiner, mapping)->getResult(0);
        linalg::YieldOp::create(b, l, added);
      });
  rewriter.replaceOp(op, total.getResult(0));
}
