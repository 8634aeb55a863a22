//===- HoistMasks.cpp - Masks of sums after the sum -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A score says of itself that its edge is masked, in every step of a dot
// product. Taken out of the sum, the rest is a plain contraction.
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_HOISTMASKSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A sum whose every step is replaced by `masked` unless `condition` holds.
struct MaskedSum {
  arith::SelectOp select;
  Value condition;
  Value sum;
  Value masked;
  /// The ops of the body that compute the condition.
  SmallVector<Operation *> conditionOps;
};
} // namespace

/// Whether an operand of the body is the same in all steps of a sum.
static bool isInvariant(linalg::GenericOp op, BlockArgument argument) {
  if (argument.getArgNumber() >= op.getNumDpsInputs())
    return false;
  AffineMap map =
      op.getMatchingIndexingMap(op.getDpsInputOperand(argument.getArgNumber()));
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && map.isFunctionOfDim(loop))
      return false;
  return true;
}

/// Collects what `value` is computed from; false if that changes from step to
/// step.
static bool collectInvariant(linalg::GenericOp op, Value value,
                             llvm::SetVector<Operation *> &ops) {
  if (value.getParentBlock() != op.getBlock())
    return true; // From outside.
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isInvariant(op, argument);
  Operation *definition = value.getDefiningOp();
  if (definition->getNumRegions() != 0)
    return false;
  if (auto index = dyn_cast<linalg::IndexOp>(definition))
    if (op.getIteratorTypesArray()[index.getDim()] ==
        utils::IteratorType::reduction)
      return false;
  for (Value operand : definition->getOperands())
    if (!collectInvariant(op, operand, ops))
      return false;
  ops.insert(definition);
  return true;
}

static bool isLowest(Value value) {
  FloatAttr attribute;
  return matchPattern(value, m_Constant(&attribute)) &&
         attribute.getValue().isNegInfinity();
}

static FailureOr<MaskedSum> matchMaskedSum(linalg::GenericOp op,
                                           PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return rewriter.notifyMatchFailure(op, "it is no sum of tensors");
  if (!op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation())
    return rewriter.notifyMatchFailure(op, "a dimension of it is no loop");
  // An empty sum would not be masked.
  for (auto [size, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction &&
        (ShapedType::isDynamic(size) || size == 0))
      return rewriter.notifyMatchFailure(op, "the sum may be empty");
  MaskedSum sum;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  sum.select = yielded.getDefiningOp<arith::SelectOp>();
  if (!sum.select || !sum.select->hasOneUse())
    return rewriter.notifyMatchFailure(op, "it yields no choice");
  sum.condition = sum.select.getCondition();
  sum.sum = sum.select.getTrueValue();
  sum.masked = sum.select.getFalseValue();
  // -inf stays what it is in all steps that follow.
  if (!isLowest(sum.masked))
    return rewriter.notifyMatchFailure(op, "masked sums are not -inf");
  auto addition = sum.sum.getDefiningOp<arith::AddFOp>();
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  if (!addition || !accumulator.hasOneUse() ||
      (addition.getLhs() != accumulator && addition.getRhs() != accumulator))
    return rewriter.notifyMatchFailure(op, "it is no plain sum");
  llvm::SetVector<Operation *> ops;
  if (!collectInvariant(op, sum.condition, ops))
    return rewriter.notifyMatchFailure(op, "the mask changes within the sum");
  sum.conditionOps = ops.takeVector();
  return sum;
}

/// The sum without its mask, reading what it still needs.
static Value emitSum(linalg::GenericOp op, const MaskedSum &sum,
                     PatternRewriter &rewriter) {
  llvm::SetVector<Operation *> ops;
  BackwardSliceOptions options;
  options.filter = [&](Operation *other) {
    return other->getBlock() == op.getBlock();
  };
  options.inclusive = true;
  (void)getBackwardSlice(sum.sum, &ops, options);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    AffineMap map = op.getMatchingIndexingMap(input);
    // Unread inputs may say how long a loop is.
    if (!llvm::any_of(argument.getUsers(),
                      [&](Operation *user) { return ops.contains(user); }) &&
        !llvm::any_of(reductions,
                      [&](unsigned loop) { return map.isFunctionOfDim(loop); }))
      continue;
    inputs.push_back(input->get());
    maps.push_back(map);
    arguments.push_back(argument);
  }
  maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  arguments.push_back(op.getRegionOutputArgs().front());
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), op.getResultTypes(), inputs,
             op.getDpsInits(), maps, op.getIteratorTypesArray(),
             [&](OpBuilder &b, Location l, ValueRange args) {
               IRMapping mapping;
               mapping.map(ArrayRef<BlockArgument>(arguments), args);
               for (Operation *inner : ops)
                 b.clone(*inner, mapping);
               linalg::YieldOp::create(b, l, mapping.lookup(sum.sum));
             })
      .getResult(0);
}

/// `total` where the condition holds.
static Value emitMask(linalg::GenericOp op, const MaskedSum &sum, Value total,
                      PatternRewriter &rewriter) {
  // The loops that are left, in the order of the result's dimensions.
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned rank = resultMap.getNumResults();
  SmallVector<AffineExpr> loops(op.getNumLoops(),
                                rewriter.getAffineConstantExpr(0));
  SmallVector<unsigned> positions(op.getNumLoops(), 0);
  for (unsigned i = 0; i < rank; ++i) {
    unsigned loop = resultMap.getDimPosition(i);
    loops[loop] = rewriter.getAffineDimExpr(i);
    positions[loop] = i;
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument != sum.condition &&
        !llvm::any_of(argument.getUsers(), [&](Operation *user) {
          return llvm::is_contained(sum.conditionOps, user);
        }))
      continue;
    inputs.push_back(input->get());
    maps.push_back(op.getMatchingIndexingMap(input).replaceDimsAndSymbols(
        loops, {}, rank, 0));
    arguments.push_back(argument);
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), TypeRange{total.getType()}, inputs, total,
             maps, parallel,
             [&](OpBuilder &b, Location l, ValueRange args) {
               IRMapping mapping;
               mapping.map(ArrayRef<BlockArgument>(arguments),
                           args.drop_back());
               for (Operation *inner : sum.conditionOps) {
                 if (auto index = dyn_cast<linalg::IndexOp>(inner))
                   mapping.map(
                       index.getResult(),
                       linalg::IndexOp::create(b, l, positions[index.getDim()])
                           .getResult());
                 else
                   b.clone(*inner, mapping);
               }
               auto attribute =
                   b.getFloatAttr(sum.masked.getType(),
                                  -std::numeric_limits<double>::infinity());
               Value masked = arith::ConstantOp::create(b, l, attribute);
               Value kept = arith::SelectOp::create(
                   b, l, mapping.lookupOrDefault(sum.condition), args.back(),
                   masked);
               linalg::YieldOp::create(b, l, kept);
             })
      .getResult(0);
}

namespace {
struct HoistMask : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<MaskedSum> sum = matchMaskedSum(op, rewriter);
    if (failed(sum))
      return failure();
    Value total = emitSum(op, *sum, rewriter);
    rewriter.replaceOp(op, emitMask(op, *sum, total, rewriter));
    return success();
  }
};

/// What is added is masked: so is the sum, which is a number before.
struct MaskSumOfMasked : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
        op.getNumReductionLoops() == 0)
      return rewriter.notifyMatchFailure(op, "it is no sum of tensors");
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
      return rewriter.notifyMatchFailure(op, "it does not start from zero");
    Operation *yield = op.getBlock()->getTerminator();
    auto addition = yield->getOperand(0).getDefiningOp<arith::AddFOp>();
    BlockArgument accumulator = op.getRegionOutputArgs().front();
    if (!addition || !addition->hasOneUse() || !accumulator.hasOneUse() ||
        *accumulator.user_begin() != addition)
      return rewriter.notifyMatchFailure(op, "it is no plain sum");
    Value term = addition.getLhs() == accumulator ? addition.getRhs()
                                                  : addition.getLhs();
    auto select = term.getDefiningOp<arith::SelectOp>();
    llvm::SetVector<Operation *> ops;
    if (!select || !isLowest(select.getFalseValue()) ||
        !collectInvariant(op, select.getCondition(), ops))
      return rewriter.notifyMatchFailure(op, "no mask stays the same");
    rewriter.setInsertionPoint(yield);
    Value sum = arith::AddFOp::create(rewriter, addition.getLoc(), accumulator,
                                      select.getTrueValue());
    Value masked = arith::SelectOp::create(rewriter, select.getLoc(),
                                           select.getCondition(), sum,
                                           select.getFalseValue());
    rewriter.modifyOpInPlace(op, [&] { yield->setOperand(0, masked); });
    rewriter.eraseOp(addition);
    return success();
  }
};

struct HoistMasksPass : public gnn::impl::HoistMasksPassBase<HoistMasksPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<HoistMask, MaskSumOfMasked>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
