//===- SplitConcat.cpp - Linear layers of rows side by side -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {
#define GEN_PASS_DEF_SPLITCONCATPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static int64_t getWidth(Value rows) {
  return cast<RankedTensorType>(rows.getType()).getDimSize(1);
}

/// Whether rows are there for others as well as for `concat`, so that putting
/// them side by side takes a copy.
static bool isCopied(Value rows, tensor::ConcatOp concat) {
  return !rows.getDefiningOp() || !getRowCounts(rows, concat) ||
         llvm::count(concat.getInputs(), rows) > 1;
}

/// Whether copying takes longer than adding up results of `out` columns, of
/// which all products but the first read what there is.
static bool isWorthSplitting(tensor::ConcatOp concat, int64_t out) {
  int64_t numCopied = 0;
  for (Value rows : concat.getInputs())
    if (isCopied(rows, concat))
      numCopied += getWidth(rows);
  return numCopied > out * (int64_t(concat.getInputs().size()) - 1);
}

namespace {
/// (a || b) W to a W1 + b W2.
struct SplitConcat : public OpRewritePattern<linalg::MatmulOp> {
  SplitConcat(MLIRContext *context, llvm::function_ref<void()> notifySplit)
      : OpRewritePattern(context), notifySplit(notifySplit) {}

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLinearLayer(op))
      return rewriter.notifyMatchFailure(op, "not a linear layer");
    auto concat = op.getInputs()[0].getDefiningOp<tensor::ConcatOp>();
    if (!concat || concat.getDim() != 1 ||
        llvm::any_of(concat.getInputs(), [](Value rows) {
          return ShapedType::isDynamic(getWidth(rows));
        }))
      return rewriter.notifyMatchFailure(op, "no rows side by side");
    std::optional<SmallVector<tensor::DimOp>> counts = getRowCounts(concat, op);
    if (!counts)
      return rewriter.notifyMatchFailure(op, "others read the rows together");
    auto type = cast<RankedTensorType>(op.getInputs()[1].getType());
    if (!isWorthSplitting(concat, type.getDimSize(1)))
      return rewriter.notifyMatchFailure(op, "few columns would be copied");
    std::optional<ConstantBytes> weights = getConstantBytes(op.getInputs()[1]);
    if (!weights)
      return rewriter.notifyMatchFailure(op, "the weights are not known");

    Location loc = op.getLoc();
    int64_t first = 0;
    Value sum;
    for (Value rows : concat.getInputs()) {
      int64_t width = getWidth(rows);
      Value part =
          createRows(rewriter, loc, type, *weights, RowRange{first, width});
      sum = sum ? linalg::MatmulOp::create(
                      rewriter, loc, ValueRange{rows, part}, ValueRange{sum})
                      .getResult(0)
                : createLinearLayer(rewriter, loc, rows, part);
      first += width;
    }
    setCounted(rewriter, *counts, concat.getInputs().front());
    rewriter.replaceOp(op, sum);
    notifySplit();
    return success();
  }

private:
  llvm::function_ref<void()> notifySplit;
};

struct SplitConcatPass
    : public gnn::impl::SplitConcatPassBase<SplitConcatPass> {
  void runOnOperation() override {
    numSplit += replaceLinearLayers<SplitConcat>(getOperation());
  }
};
} // namespace
