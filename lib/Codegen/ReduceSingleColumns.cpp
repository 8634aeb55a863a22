//===- ReduceSingleColumns.cpp - Products with one column -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_REDUCESINGLECOLUMNSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The elements of a constant matrix with one column; null of any other.
static TypedAttr getElements(Value column) {
  ElementsAttr elements;
  if (!matchPattern(column, m_Constant(&elements)))
    return nullptr;
  auto type = RankedTensorType::get(elements.getNumElements(),
                                    elements.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.reshape(type);
  return nullptr;
}

namespace {
struct ReduceRowsOfFactor : public OpRewritePattern<linalg::MatmulOp> {
  ReduceRowsOfFactor(MLIRContext *context, int64_t minDepth, int64_t maxDepth)
      : OpRewritePattern(context), minDepth(minDepth), maxDepth(maxDepth) {}

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value rows = op.getInputs()[0], column = op.getInputs()[1];
    auto type = cast<ShapedType>(column.getType());
    auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    if (!op.hasPureTensorSemantics() || op.hasUserDefinedMaps() || !fill ||
        !isa<FloatType>(type.getElementType()) ||
        getElementTypeOrSelf(fill.result()) != type.getElementType() ||
        getElementTypeOrSelf(rows) != type.getElementType() ||
        type.getDimSize(1) != 1 || type.isDynamicDim(0) ||
        type.getDimSize(0) < minDepth || type.getDimSize(0) > maxDepth)
      return failure();
    TypedAttr elements = getElements(column);
    if (!elements)
      return failure();
    Location loc = op.getLoc();
    Value factor = arith::ConstantOp::create(rewriter, loc, elements);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, fill.getOutputs()[0]);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes.front(),
                                          type.getElementType());
    Value zeros = linalg::FillOp::create(rewriter, loc, fill.getInputs(), empty)
                      .getResult(0);
    AffineExpr row, step;
    bindDims(rewriter.getContext(), row, step);
    auto maps = AffineMap::inferFromExprList(
        ArrayRef<ArrayRef<AffineExpr>>{{row, step}, {step}, {row}},
        rewriter.getContext());
    auto sums = linalg::GenericOp::create(
        rewriter, loc, zeros.getType(), ValueRange{rows, factor}, zeros, maps,
        {utils::IteratorType::parallel, utils::IteratorType::reduction},
        [](OpBuilder &b, Location loc, ValueRange v) {
          Value product = arith::MulFOp::create(b, loc, v[0], v[1]);
          Value sum = arith::AddFOp::create(b, loc, v[2], product);
          linalg::YieldOp::create(b, loc, sum);
        });
    // No reshape, which would become one of the rows.
    SmallVector<OpFoldResult> zero(2, rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> one(2, rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, sums.getResult(0), fill.getOutputs()[0], zero, sizes, one);
    return success();
  }

private:
  int64_t minDepth, maxDepth;
};

struct ReduceSingleColumnsPass
    : public gnn::impl::ReduceSingleColumnsPassBase<ReduceSingleColumnsPass> {
  using ReduceSingleColumnsPassBase::ReduceSingleColumnsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReduceRowsOfFactor>(&getContext(), minDepth, maxDepth);
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
