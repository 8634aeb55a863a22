//===- AlignVectorReads.cpp - Vectors of a row in one load ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_ALIGNVECTORREADSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static bool isMultiple(Value index, int64_t size);

/// The same of an expression of indices.
static bool isMultiple(AffineExpr expression, AffineMap map, ValueRange indices,
                       int64_t size) {
  if (expression.isMultipleOf(size))
    return true;
  auto isOwnMultiple = [&](AffineExpr own) {
    return isMultiple(own, map, indices, size);
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return isMultiple(indices[dim.getPosition()], size);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return isMultiple(indices[map.getNumDims() + symbol.getPosition()], size);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (expression.getKind() == AffineExprKind::Add)
    return isOwnMultiple(binary.getLHS()) && isOwnMultiple(binary.getRHS());
  return expression.getKind() == AffineExprKind::Mul &&
         (isOwnMultiple(binary.getLHS()) || isOwnMultiple(binary.getRHS()));
}

/// Whether an index surely is a multiple of `size`.
static bool isMultiple(Value index, int64_t size) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue() % size == 0;
  Operation *op = index.getDefiningOp();
  if (!op)
    return false;
  auto isOwnMultiple = [&](Value value) { return isMultiple(value, size); };
  if (isa<arith::MulIOp>(op))
    return llvm::any_of(op->getOperands(), isOwnMultiple);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinUIOp>(op))
    return llvm::all_of(op->getOperands(), isOwnMultiple);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return isMultiple(apply.getAffineMap().getResult(0), apply.getAffineMap(),
                      apply.getOperands(), size);
  return false;
}

/// Whether all rows of an array, and all arrays that it is a part of, begin at
/// multiples of `size` elements: allocations, constants and arguments do.
static bool isAligned(Value memref, int64_t size) {
  for (;;) {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty() ||
        strides.back() != 1 || ShapedType::isDynamic(offset) ||
        offset % size != 0)
      return false;
    for (int64_t stride : ArrayRef(strides).drop_back())
      if (ShapedType::isDynamic(stride) || stride % size != 0)
        return false;
    Operation *op = memref.getDefiningOp();
    if (!op)
      return isa<FunctionOpInterface>(memref.getParentBlock()->getParentOp());
    if (isa<memref::AllocOp, memref::GetGlobalOp>(op))
      return true;
    if (!isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
             memref::ReinterpretCastOp>(op))
      return false;
    memref = op->getOperand(0);
  }
}

namespace {
struct AlignVectorRead : public OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    VectorType type = read.getVectorType();
    if (!isa<MemRefType>(read.getBase().getType()) || type.getRank() != 1 ||
        !read.getPermutationMap().isMinorIdentity() || read.getMask() ||
        read.hasOutOfBoundsDim())
      return rewriter.notifyMatchFailure(
          read, "is no vector of elements that are there, next to each other");
    Location loc = read.getLoc();
    int64_t size = type.getDimSize(0);
    if (isMultiple(read.getIndices().back(), size) &&
        isAligned(read.getBase(), size)) {
      int64_t bytes = size * type.getElementTypeBitWidth() / 8;
      rewriter.replaceOpWithNewOp<vector::LoadOp>(
          read, type, read.getBase(), read.getIndices(),
          /*nontemporal=*/false, llvm::Align(bytes));
      return success();
    }
    SmallVector<Value> elements, place(read.getIndices());
    for (int64_t i = 0; i < size; ++i) {
      Value offset = arith::ConstantIndexOp::create(rewriter, loc, i);
      place.back() = arith::AddIOp::create(rewriter, loc,
                                           read.getIndices().back(), offset);
      elements.push_back(
          memref::LoadOp::create(rewriter, loc, read.getBase(), place));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(read, type, elements);
    return success();
  }
};

struct AlignVectorReadsPass
    : public gnn::impl::AlignVectorReadsPassBase<AlignVectorReadsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AlignVectorRead>(&getContext());
    vector::ExtractOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
