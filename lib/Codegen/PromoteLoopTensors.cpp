//===- PromoteLoopTensors.cpp - Carry accumulators as vectors ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {
#define GEN_PASS_DEF_PROMOTELOOPTENSORSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether `transfer` reads or writes all of a tensor. Its vector may lack
/// dimensions of one element.
static bool isOfWholeTensor(VectorTransferOpInterface transfer) {
  auto type = dyn_cast<RankedTensorType>(transfer.getShapedType());
  VectorType vector = transfer.getVectorType();
  if (!type || !type.hasStaticShape() || transfer.getMask() ||
      type.getNumElements() != vector.getNumElements() ||
      !llvm::all_of(transfer.getIndices(), isZeroInteger))
    return false;
  int64_t next = 0;
  for (auto [expr, size] : llvm::zip(transfer.getPermutationMap().getResults(),
                                     vector.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || dim.getPosition() < next ||
        type.getDimSize(dim.getPosition()) != size)
      return false;
    next = dim.getPosition() + 1;
  }
  return true;
}

namespace {
/// The vector that a tensor is written as, and where its dimensions are.
struct VectorForm {
  VectorType type;
  AffineMap map;

  explicit operator bool() const { return static_cast<bool>(type); }
};
} // namespace

/// The form in which each iteration overwrites all of a carried tensor; none if
/// parts of it stay, or if it lacks dimensions although it may not.
static VectorForm getForm(Value yielded, bool unitDimensions) {
  auto write = yielded.getDefiningOp<vector::TransferWriteOp>();
  if (!write || !isOfWholeTensor(write) ||
      (!unitDimensions && !write.getPermutationMap().isIdentity()))
    return {};
  return {write.getVectorType(), write.getPermutationMap()};
}

/// Whether rows of a vector leave registers empty of which it fills one at
/// least as a whole.
static bool hasNarrowRows(VectorType type, int64_t width) {
  return type.getRank() > 1 && type.getShape().back() < width &&
         type.getNumElements() >= width;
}

/// Vectors that one is carried as: one for each row of the last dimension, or
/// all of it.
static SmallVector<Type> getVectorTypes(VectorType type, int64_t width) {
  if (type.getRank() <= 1)
    return {type};
  if (hasNarrowRows(type, width))
    return {VectorType::get({type.getNumElements()}, type.getElementType())};
  int64_t count = ShapedType::getNumElements(type.getShape().drop_back());
  return SmallVector<Type>(
      count, VectorType::get({type.getShape().back()}, type.getElementType()));
}

/// Leading indices of vector number `i`.
static SmallVector<int64_t> getPosition(ArrayRef<int64_t> shape, int64_t i) {
  SmallVector<int64_t> position;
  for (int64_t size : llvm::reverse(shape.drop_back())) {
    position.insert(position.begin(), i % size);
    i /= size;
  }
  return position;
}

static SmallVector<Value> readVectors(OpBuilder &builder, Location loc,
                                      Value tensor, VectorForm form,
                                      int64_t width) {
  VectorType type = form.type;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value padding = ub::PoisonOp::create(builder, loc, type.getElementType());
  SmallVector<Value> indices(form.map.getNumDims(), zero);
  SmallVector<bool> inBounds(type.getRank(), true);
  Value whole = vector::TransferReadOp::create(builder, loc, type, tensor,
                                               indices, padding, form.map,
                                               ArrayRef<bool>(inBounds));
  if (type.getRank() <= 1)
    return {whole};
  SmallVector<Type> types = getVectorTypes(type, width);
  if (hasNarrowRows(type, width))
    return {vector::ShapeCastOp::create(
        builder, loc, cast<VectorType>(types.front()), whole)};
  SmallVector<Value> vectors;
  for (unsigned i = 0, e = types.size(); i < e; ++i)
    vectors.push_back(vector::ExtractOp::create(
        builder, loc, whole, getPosition(type.getShape(), i)));
  return vectors;
}

/// As a strided slice: canonicalisation turns a chain of vector.insert into one
/// op over all elements.
static Value insertRow(OpBuilder &builder, Location loc, Value row, Value whole,
                       SmallVector<int64_t> position) {
  position.push_back(0);
  return vector::InsertStridedSliceOp::create(builder, loc, row, whole,
                                              position, ArrayRef<int64_t>{1});
}

static Value writeVectors(OpBuilder &builder, Location loc, ValueRange vectors,
                          RankedTensorType tensor, VectorForm form,
                          int64_t width) {
  VectorType type = form.type;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value whole = vectors.front();
  if (hasNarrowRows(type, width)) {
    whole = vector::ShapeCastOp::create(builder, loc, type, whole);
  } else if (type.getRank() > 1) {
    whole = ub::PoisonOp::create(builder, loc, type);
    for (auto [i, vector] : llvm::enumerate(vectors))
      whole = insertRow(builder, loc, vector, whole,
                        getPosition(type.getShape(), i));
  }
  Value empty = tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                        tensor.getElementType());
  SmallVector<Value> indices(tensor.getRank(), zero);
  SmallVector<bool> inBounds(type.getRank(), true);
  return vector::TransferWriteOp::create(builder, loc, whole, empty, indices,
                                         form.map, ArrayRef<bool>(inBounds))
      .getResult();
}

namespace {
struct PromoteCarriedTensors : public OpRewritePattern<scf::ForOp> {
  PromoteCarriedTensors(MLIRContext *context, int64_t width,
                        bool unitDimensions)
      : OpRewritePattern(context), width(width),
        unitDimensions(unitDimensions) {}

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    Location loc = loop.getLoc();
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    SmallVector<VectorForm> forms;
    for (Value value : yield.getOperands())
      forms.push_back(getForm(value, unitDimensions));
    if (llvm::none_of(forms, [](VectorForm form) { return bool(form); }))
      return rewriter.notifyMatchFailure(
          loop, "no carried tensor is overwritten by a vector");

    SmallVector<Value> init = promote(rewriter, loc, loop.getInitArgs(), forms);
    auto newLoop =
        scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), init);
    // Inside, tensors come back from vectors; transfers fold the detour away.
    rewriter.setInsertionPointToStart(newLoop.getBody());
    SmallVector<Value> arguments{newLoop.getInductionVar()};
    llvm::append_range(arguments,
                       rebuild(rewriter, loc, newLoop.getRegionIterArgs(),
                               loop.getRegionIterArgs(), forms));
    if (!newLoop.getBody()->empty() &&
        isa<scf::YieldOp>(newLoop.getBody()->back()))
      rewriter.eraseOp(&newLoop.getBody()->back());
    rewriter.mergeBlocks(loop.getBody(), newLoop.getBody(), arguments);
    auto newYield = cast<scf::YieldOp>(newLoop.getBody()->getTerminator());
    rewriter.setInsertionPoint(newYield);
    rewriter.replaceOpWithNewOp<scf::YieldOp>(
        newYield, promote(rewriter, loc, newYield.getOperands(), forms));
    rewriter.setInsertionPointAfter(newLoop);
    rewriter.replaceOp(loop, rebuild(rewriter, loc, newLoop.getResults(),
                                     loop.getResults(), forms));
    return success();
  }

private:
  /// Vectors, of tensors that have a form.
  SmallVector<Value> promote(PatternRewriter &rewriter, Location loc,
                             ValueRange carried,
                             ArrayRef<VectorForm> forms) const {
    SmallVector<Value> values;
    for (auto [value, form] : llvm::zip(carried, forms)) {
      if (form)
        llvm::append_range(values,
                           readVectors(rewriter, loc, value, form, width));
      else
        values.push_back(value);
    }
    return values;
  }

  /// Tensors, from vectors where they have a form.
  SmallVector<Value> rebuild(PatternRewriter &rewriter, Location loc,
                             ValueRange carried, ValueRange original,
                             ArrayRef<VectorForm> forms) const {
    SmallVector<Value> values;
    for (auto [old, form] : llvm::zip(original, forms)) {
      unsigned count = 1;
      if (form) {
        count = getVectorTypes(form.type, width).size();
        values.push_back(writeVectors(rewriter, loc, carried.take_front(count),
                                      cast<RankedTensorType>(old.getType()),
                                      form, width));
      } else {
        values.push_back(carried.front());
      }
      carried = carried.drop_front(count);
    }
    return values;
  }

  int64_t width;
  bool unitDimensions;
};

/// A read of all that was just written, in another form. Without dimensions of
/// one element both are the same vector.
struct ForwardReshaped : public OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    auto write = read.getBase().getDefiningOp<vector::TransferWriteOp>();
    VectorType type = read.getVectorType();
    if (!write || write.getVectorType() == type || !isOfWholeTensor(read) ||
        !isOfWholeTensor(write))
      return rewriter.notifyMatchFailure(
          read, "it does not read a vector of another shape");
    Value vector = write.getVector();
    if (type.getNumElements() > 1) {
      rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(read, type, vector);
      return success();
    }
    SmallVector<int64_t> first(write.getVectorType().getRank(), 0);
    Value element =
        vector::ExtractOp::create(rewriter, read.getLoc(), vector, first);
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(read, type, element);
    return success();
  }
};

struct PromoteLoopTensorsPass
    : public gnn::impl::PromoteLoopTensorsPassBase<PromoteLoopTensorsPass> {
  using PromoteLoopTensorsPassBase::PromoteLoopTensorsPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<PromoteCarriedTensors>(context, vectorWidth.getValue(),
                                        unitDimensions.getValue());
    if (unitDimensions)
      patterns.add<ForwardReshaped>(context);
    // What a loop leaves in a row is written where that row goes.
    tensor::populateFoldTensorSubsetIntoVectorTransferPatterns(patterns);
    vector::TransferReadOp::getCanonicalizationPatterns(patterns, context);
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns, context);
    vector::ExtractOp::getCanonicalizationPatterns(patterns, context);
    vector::InsertOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
