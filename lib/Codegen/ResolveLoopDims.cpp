//===- ResolveLoopDims.cpp - Sizes that loops do not change -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace gnn {
#define GEN_PASS_DEF_RESOLVELOOPDIMSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static bool keepsShape(scf::ForOp loop, unsigned number);

/// The tensor outside of the op that makes `value`, or of the loop that carries
/// it, which has the same shape; none where that is not known.
static Value getOrigin(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return {};
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    return keepsShape(loop, number) ? loop.getInitArgs()[number] : Value();
  }
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return keepsShape(loop, result.getResultNumber())
               ? loop.getInitArgs()[result.getResultNumber()]
               : Value();
  if (auto loop = dyn_cast<scf::ForallOp>(result.getOwner()))
    return loop.getTiedOpOperand(result)->get();
  if (auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
    return op.getTiedOpOperand(result)->get();
  return {};
}

/// Whether what an iteration yields has the shape of what it was given.
static bool keepsShape(scf::ForOp loop, unsigned number) {
  // Down to an argument, or to what comes from outside.
  Value value = loop.getYieldedValues()[number];
  while (isa_and_nonnull<OpResult>(value) &&
         loop.getRegion().isAncestor(value.getParentRegion()))
    value = getOrigin(value);
  return value == loop.getRegionIterArg(number);
}

namespace {
struct ResolveLoopDim : public OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    Value origin = getOrigin(op.getSource());
    if (!origin)
      return rewriter.notifyMatchFailure(op, "no tensor of the same shape");
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(origin); });
    return success();
  }
};

struct ResolveLoopDimsPass
    : public gnn::impl::ResolveLoopDimsPassBase<ResolveLoopDimsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ResolveLoopDim>(&getContext());
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
