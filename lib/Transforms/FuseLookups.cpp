//===- FuseLookups.cpp - Rows of tables where edges read them -------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_FUSELOOKUPSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The lookup that values per edge come from, by a number for each.
static LookupOp getLookup(Value value) {
  auto edges = value.getDefiningOp<EdgesFromTensorOp>();
  auto lookup =
      edges ? edges.getTensor().getDefiningOp<LookupOp>() : LookupOp();
  if (!lookup)
    return {};
  // An edge holds one number, and none of type `index`.
  auto numbers = cast<RankedTensorType>(lookup.getNumbers().getType());
  bool isFusible =
      numbers.getRank() == 1 && !numbers.getElementType().isIndex();
  return isFusible ? lookup : LookupOp();
}

/// What nothing reads but gives the extents of loops that `operands` leave
/// out; null where there are none.
static std::optional<EdgeOperand> makeExtents(PatternRewriter &rewriter,
                                              Location loc,
                                              const EdgeFunction &function,
                                              ArrayRef<EdgeOperand> operands) {
  SmallVector<AffineExpr> loops;
  SmallVector<int64_t> shape;
  SmallVector<int64_t> sizes = function.getLoopSizes();
  for (unsigned loop = 0; loop < sizes.size(); ++loop) {
    if (llvm::any_of(operands, [&](const EdgeOperand &operand) {
          return operand.map.isFunctionOfDim(loop);
        }))
      continue;
    loops.push_back(rewriter.getAffineDimExpr(loop));
    shape.push_back(sizes[loop]);
  }
  if (loops.empty())
    return std::nullopt;
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, rewriter.getF32Type());
  return EdgeOperand{
      empty, OperandRole::Uniform,
      AffineMap::get(function.getNumLoops(), 0, loops, rewriter.getContext()),
      BlockArgument()};
}

namespace {
struct FuseLookup : public OpRewritePattern<MessageOp> {
  FuseLookup(MLIRContext *context, llvm::function_ref<void()> notifyFused)
      : OpRewritePattern(context), notifyFused(notifyFused) {}

  LogicalResult matchAndRewrite(MessageOp op,
                                PatternRewriter &rewriter) const override {
    EdgeFunction function = op.getEdgeFunction();
    SmallVector<EdgeOperand> operands = getEdgeOperands(function), fused;
    if (llvm::none_of(op.getEdge(),
                      [](Value value) { return getLookup(value); }))
      return rewriter.notifyMatchFailure(op, "no edge reads rows of a table");
    for (EdgeOperand &operand : operands) {
      LookupOp lookup = operand.role == OperandRole::Edge
                            ? getLookup(operand.value)
                            : LookupOp();
      if (!lookup)
        continue;
      fused.push_back(operand);
      auto type =
          EdgesType::get(op.getContext(), {},
                         getElementTypeOrSelf(lookup.getNumbers().getType()));
      operand.value = EdgesFromTensorOp::create(
          rewriter, lookup.getLoc(), type, op.getGraph(), lookup.getNumbers());
      operand.map = AffineMap::get(function.getNumLoops(), 0, op.getContext());
      notifyFused();
    }
    if (auto extents = makeExtents(rewriter, op.getLoc(), function, operands))
      operands.push_back(*extents);

    GroupedOperands grouped(operands);
    auto message = MessageOp::create(
        rewriter, op.getLoc(), op.getResult().getType(), op.getGraph(),
        grouped.dst, grouped.src, grouped.edge, grouped.uniform,
        grouped.getMaps(rewriter, function.resultMap), op.getIteratorTypes());
    IRMapping mapping;
    OpBuilder::InsertionGuard guard(rewriter);
    Block *block = grouped.createBlock(rewriter, message.getBody(), mapping);
    if (BlockArgument accumulator = function.getAccumulator())
      mapping.map(accumulator, block->addArgument(accumulator.getType(),
                                                  accumulator.getLoc()));
    for (const EdgeOperand &operand : fused)
      mapping.map(
          operand.argument,
          readElement(rewriter, operand, mapping.lookup(operand.argument)));
    for (Operation &inner : function.body->front())
      rewriter.clone(inner, mapping);
    rewriter.replaceOp(op, message.getResult());
    return success();
  }

private:
  /// The element of the table that `operand` had, in the row of this number.
  static Value readElement(PatternRewriter &rewriter,
                           const EdgeOperand &operand, Value number) {
    LookupOp lookup = getLookup(operand.value);
    Location loc = lookup.getLoc();
    SmallVector<Value> indices{rewriter.createOrFold<arith::IndexCastOp>(
        loc, rewriter.getIndexType(), number)};
    for (AffineExpr expr : operand.map.getResults())
      indices.push_back(FeatureIndexOp::create(
          rewriter, loc, cast<AffineDimExpr>(expr).getPosition()));
    return tensor::ExtractOp::create(rewriter, loc, lookup.getTable(), indices);
  }

  llvm::function_ref<void()> notifyFused;
};

struct FuseLookupsPass
    : public gnn::impl::FuseLookupsPassBase<FuseLookupsPass> {
  void runOnOperation() override {
    auto count = [&] { ++numFused; };
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseLookup>(&getContext(), count);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
