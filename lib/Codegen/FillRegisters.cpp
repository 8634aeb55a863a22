//===- FillRegisters.cpp - Rows narrower than a register --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_FILLREGISTERSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Vectors and their flat form
//===----------------------------------------------------------------------===//

/// Whether a matrix of this type has rows that leave registers empty, and fills
/// one at least as a whole.
static bool isNarrow(Type type, int64_t width) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 2 && !vector.isScalable() &&
         vector.getDimSize(1) < width && vector.getNumElements() >= width;
}

static VectorType getFlat(Type type) {
  auto vector = cast<VectorType>(type);
  return VectorType::get({vector.getNumElements()}, vector.getElementType());
}

/// The flat vector that `value` is another shape of.
static Value getSource(Value value) {
  auto cast = value.getDefiningOp<vector::ShapeCastOp>();
  return cast && cast.getSourceVectorType().getRank() == 1 ? cast.getSource()
                                                           : Value();
}

/// `value` as one row.
static Value emitFlat(OpBuilder &builder, Location loc, Value value) {
  if (Value source = getSource(value))
    return source;
  VectorType type = getFlat(value.getType());
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(builder, loc, constant.resizeSplat(type));
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    if (!isa<VectorType>(broadcast.getSourceType()))
      return vector::BroadcastOp::create(builder, loc, type,
                                         broadcast.getSource());
  return vector::ShapeCastOp::create(builder, loc, type, value);
}

/// A row in which each element of `column` fills `count` places.
static Value emitRepeated(OpBuilder &builder, Location loc, Value column,
                          int64_t count) {
  int64_t size = cast<VectorType>(column.getType()).getNumElements();
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < size * count; ++i)
    places.push_back(i / count);
  return vector::ShuffleOp::create(builder, loc, column, column, places);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// `buffer` with its last two dimensions as one, if a matrix of `type` at
/// `indices` is some whole rows of them.
static Value getCollapsed(RewriterBase &rewriter, Value buffer,
                          ValueRange indices, VectorType type) {
  auto memref = dyn_cast<MemRefType>(buffer.getType());
  if (!memref || memref.getRank() < 2 ||
      memref.getShape().back() != type.getShape().back() ||
      !isZeroInteger(indices.back()))
    return {};
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i + 2 < memref.getRank(); ++i)
    groups.push_back({i});
  groups.push_back({memref.getRank() - 2, memref.getRank() - 1});
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(memref, groups))
    return {};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(buffer);
  // One for all that is read and written there. The model may have it further
  // down.
  for (Operation *user : buffer.getUsers())
    if (auto view = dyn_cast<memref::CollapseShapeOp>(user))
      if (view.getReassociationIndices() == groups) {
        if (rewriter.getInsertionPoint() != view->getIterator())
          rewriter.moveOpBefore(view, rewriter.getInsertionBlock(),
                                rewriter.getInsertionPoint());
        return view;
      }
  return memref::CollapseShapeOp::create(rewriter, buffer.getLoc(), buffer,
                                         groups);
}

/// Where the first of the rows that `indices` lead to begins in there.
static SmallVector<Value> getCollapsedIndices(OpBuilder &builder, Location loc,
                                              ValueRange indices,
                                              VectorType type) {
  SmallVector<Value> result(indices.drop_back());
  Value row = result.back();
  if (!isZeroInteger(row))
    result.back() = arith::MulIOp::create(
        builder, loc, row,
        arith::ConstantIndexOp::create(builder, loc, type.getShape().back()));
  return result;
}

/// A whole matrix or vector, not masked.
template <typename Op>
static bool isPlain(Op transfer) {
  return !transfer.getMask() && !transfer.hasOutOfBoundsDim() &&
         isa<MemRefType>(transfer.getBase().getType());
}

namespace {
struct ReadFlat : public OpRewritePattern<vector::TransferReadOp> {
  ReadFlat(MLIRContext *context, int64_t width)
      : OpRewritePattern(context), width(width) {}

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!isNarrow(type, width) || !isPlain(op) ||
        !op.getPermutationMap().isMinorIdentity())
      return rewriter.notifyMatchFailure(op, "it reads no narrow rows");
    Value view = getCollapsed(rewriter, op.getBase(), op.getIndices(), type);
    if (!view)
      return rewriter.notifyMatchFailure(op, "rows do not follow each other");
    Value flat = vector::TransferReadOp::create(
        rewriter, op.getLoc(), getFlat(type), view,
        getCollapsedIndices(rewriter, op.getLoc(), op.getIndices(), type),
        op.getPadding(), ArrayRef<bool>{true});
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, type, flat);
    return success();
  }

private:
  int64_t width;
};

/// A read of a column that is repeated in each row.
struct ReadColumn : public OpRewritePattern<vector::TransferReadOp> {
  ReadColumn(MLIRContext *context, int64_t width)
      : OpRewritePattern(context), width(width) {}

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    AffineMap map = op.getPermutationMap();
    if (!isNarrow(type, width) || !isPlain(op) || map.getNumDims() == 0 ||
        map.getResult(0) != rewriter.getAffineDimExpr(map.getNumDims() - 1) ||
        map.getResult(1) != rewriter.getAffineConstantExpr(0))
      return rewriter.notifyMatchFailure(op, "it reads no column");
    auto columnType =
        VectorType::get({type.getDimSize(0)}, type.getElementType());
    Value column = vector::TransferReadOp::create(
        rewriter, op.getLoc(), columnType, op.getBase(), op.getIndices(),
        op.getPadding(), ArrayRef<bool>{true});
    Value flat =
        emitRepeated(rewriter, op.getLoc(), column, type.getDimSize(1));
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, type, flat);
    return success();
  }

private:
  int64_t width;
};

struct WriteFlat : public OpRewritePattern<vector::TransferWriteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferWriteOp op,
                                PatternRewriter &rewriter) const override {
    Value flat = getSource(op.getVector());
    if (!flat || op.getVectorType().getRank() != 2 || !isPlain(op) ||
        !op.getPermutationMap().isMinorIdentity())
      return rewriter.notifyMatchFailure(op, "it writes no flat vector");
    Value view = getCollapsed(rewriter, op.getBase(), op.getIndices(),
                              op.getVectorType());
    if (!view)
      return rewriter.notifyMatchFailure(op, "rows do not follow each other");
    SmallVector<Value> indices = getCollapsedIndices(
        rewriter, op.getLoc(), op.getIndices(), op.getVectorType());
    rewriter.replaceOpWithNewOp<vector::TransferWriteOp>(
        op, flat, view, indices, ArrayRef<bool>{true});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// A column that is repeated in each row.
struct RepeatColumn : public OpRewritePattern<vector::TransposeOp> {
  RepeatColumn(MLIRContext *context, int64_t width)
      : OpRewritePattern(context), width(width) {}

  LogicalResult matchAndRewrite(vector::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getResultVectorType();
    auto rows = op.getVector().getDefiningOp<vector::BroadcastOp>();
    auto column =
        rows ? dyn_cast<VectorType>(rows.getSourceType()) : VectorType();
    if (!isNarrow(type, width) ||
        op.getPermutation() != ArrayRef<int64_t>{1, 0} || !column ||
        column.getRank() != 1)
      return rewriter.notifyMatchFailure(op, "it repeats no column");
    Value flat = emitRepeated(rewriter, op.getLoc(), rows.getSource(),
                              type.getDimSize(1));
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, type, flat);
    return success();
  }

private:
  int64_t width;
};

struct ComputeFlat : public RewritePattern {
  ComputeFlat(MLIRContext *context, int64_t width)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        width(width) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        op->getNumResults() != 1 ||
        !isNarrow(op->getResult(0).getType(), width) ||
        llvm::none_of(op->getOperands(), getSource))
      return rewriter.notifyMatchFailure(op, "no operand is flat");
    auto type = cast<VectorType>(op->getResult(0).getType());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<VectorType>(operand.getType())
                             ? emitFlat(rewriter, op->getLoc(), operand)
                             : operand);
    Operation *flat =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                        getFlat(type), op->getAttrs());
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, type,
                                                     flat->getResult(0));
    return success();
  }

private:
  int64_t width;
};

struct FillRegistersPass
    : public gnn::impl::FillRegistersPassBase<FillRegistersPass> {
  using FillRegistersPassBase::FillRegistersPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ReadFlat, ReadColumn, RepeatColumn, ComputeFlat>(
        context, vectorWidth.getValue());
    patterns.add<WriteFlat>(context);
    vector::ShapeCastOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
