//===- SliceLookups.cpp - Lookups along features as operands --------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_SLICELOOKUPSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static bool isFromOutside(Value value, Block *body) {
  return value.getParentBlock() != body;
}

/// Reads operands that have one element for all of `op` before it, so that
/// what is computed of them does not depend on its loops.
static void readSingleElements(RewriterBase &rewriter, linalg::GenericOp op) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (op.getMatchingIndexingMap(operand).getNumResults() != 0)
      continue;
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (argument.use_empty() ||
        !isa<RankedTensorType>(operand->get().getType()))
      continue;
    rewriter.setInsertionPoint(op);
    rewriter.replaceAllUsesWith(
        argument, tensor::ExtractOp::create(rewriter, op.getLoc(),
                                            operand->get(), ValueRange{}));
  }
}

/// Moves what does not depend on the loops of `op` before it. A lookup moves
/// only where the loops surely run: without them its index may be anything.
static void hoistFromBody(RewriterBase &rewriter, linalg::GenericOp op) {
  Block *body = op.getBody();
  bool surelyRuns = llvm::all_of(op.getStaticLoopRanges(), [](int64_t range) {
    return !ShapedType::isDynamic(range) && range > 0;
  });
  for (Operation &inner : llvm::make_early_inc_range(*body)) {
    if (isa<linalg::YieldOp, linalg::IndexOp>(inner) || !isPure(&inner) ||
        (isa<tensor::ExtractOp>(inner) && !surelyRuns))
      continue;
    if (llvm::all_of(inner.getOperands(), [&](Value operand) {
          return isFromOutside(operand, body);
        }))
      rewriter.moveOpBefore(&inner, op);
  }
}

namespace {
/// An index that is `offset` where loop `loop` starts and follows it, or is
/// the same everywhere.
struct LoopIndex {
  std::optional<unsigned> loop;
  OpFoldResult offset;
};
} // namespace

/// Splits `index`, a value of the body of `op`, into loop and offset.
static std::optional<LoopIndex> splitIndex(RewriterBase &rewriter,
                                           linalg::GenericOp op, Value index) {
  Block *body = op.getBody();
  if (isFromOutside(index, body))
    return LoopIndex{std::nullopt, index};
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return LoopIndex{unsigned(loop.getDim()), rewriter.getIndexAttr(0)};
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    for (auto [a, b] : {std::pair(sum.getLhs(), sum.getRhs()),
                        std::pair(sum.getRhs(), sum.getLhs())}) {
      auto loop = a.getDefiningOp<linalg::IndexOp>();
      if (loop && isFromOutside(b, body))
        return LoopIndex{unsigned(loop.getDim()), b};
    }
  // Tiling adds the start of the tile this way.
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getNumOperands() == 0)
    return std::nullopt;
  std::optional<unsigned> position;
  for (auto [i, operand] : llvm::enumerate(apply.getOperands())) {
    if (isFromOutside(operand, body))
      continue;
    if (position || !operand.getDefiningOp<linalg::IndexOp>())
      return std::nullopt;
    position = i;
  }
  if (!position)
    return std::nullopt;
  AffineMap map = apply.getAffineMap();
  AffineExpr place =
      *position < map.getNumDims()
          ? getAffineDimExpr(*position, op.getContext())
          : getAffineSymbolExpr(*position - map.getNumDims(), op.getContext());
  AffineExpr step = simplifyAffineExpr(
      map.getResult(0).replace(place, place + 1) - map.getResult(0),
      map.getNumDims(), map.getNumSymbols());
  if (step != getAffineConstantExpr(1, op.getContext()))
    return std::nullopt;
  auto loop = apply.getOperand(*position).getDefiningOp<linalg::IndexOp>();
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> operands(apply.getOperands());
  operands[*position] = rewriter.getIndexAttr(0);
  return LoopIndex{unsigned(loop.getDim()),
                   affine::makeComposedFoldedAffineApply(
                       rewriter, apply.getLoc(), map, operands)};
}

/// `lookup` as an operand of `op`, a slice of the table; null where its indices
/// depend on more than the loops of features.
static std::pair<Value, AffineMap> sliceTable(RewriterBase &rewriter,
                                              linalg::GenericOp op,
                                              tensor::ExtractOp lookup) {
  if (!isFromOutside(lookup.getTensor(), op.getBody()))
    return {};
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> loops;
  for (Value index : lookup.getIndices()) {
    std::optional<LoopIndex> split = splitIndex(rewriter, op, index);
    if (!split)
      return {};
    offsets.push_back(split->offset);
    sizes.push_back(rewriter.getIndexAttr(1));
    if (!split->loop)
      continue;
    AffineExpr loop = getAffineDimExpr(*split->loop, op.getContext());
    if (ShapedType::isDynamic(ranges[*split->loop]) ||
        llvm::is_contained(loops, loop))
      return {};
    sizes.back() = rewriter.getIndexAttr(ranges[*split->loop]);
    shape.push_back(ranges[*split->loop]);
    loops.push_back(loop);
  }
  SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
  rewriter.setInsertionPoint(op);
  auto type = RankedTensorType::get(shape, lookup.getType());
  Value slice = tensor::ExtractSliceOp::create(rewriter, lookup.getLoc(), type,
                                               lookup.getTensor(), offsets,
                                               sizes, strides);
  return {slice, AffineMap::get(op.getNumLoops(), 0, loops, op.getContext())};
}

/// `op` with the lookups that can be as operands.
static void sliceLookups(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps(op.getIndexingMapsArray());
  SmallVector<tensor::ExtractOp> sliced;
  for (auto lookup : op.getBody()->getOps<tensor::ExtractOp>()) {
    auto [slice, map] = sliceTable(rewriter, op, lookup);
    if (!slice)
      continue;
    maps.insert(maps.begin() + inputs.size(), map);
    inputs.push_back(slice);
    sliced.push_back(lookup);
  }
  if (sliced.empty())
    return;
  rewriter.setInsertionPoint(op);
  auto replacement = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getDpsInits(),
      maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), replacement.getRegion(),
                              replacement.getRegion().begin());
  unsigned position = op.getNumDpsInputs();
  for (tensor::ExtractOp lookup : sliced)
    rewriter.replaceOp(lookup,
                       replacement.getBody()->insertArgument(
                           position++, lookup.getType(), lookup.getLoc()));
  rewriter.replaceOp(op, replacement.getResults());
}

namespace {
struct SliceLookupsPass
    : public gnn::impl::SliceLookupsPassBase<SliceLookupsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() &&
          !op.getBody()->getOps<tensor::ExtractOp>().empty())
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      readSingleElements(rewriter, op);
      hoistFromBody(rewriter, op);
      sliceLookups(rewriter, op);
    }
  }
};
} // namespace
