//===- PromoteLoopTensors.cpp - Carry accumulators as vectors --*- C++ -*-===//
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
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {
#define GEN_PASS_DEF_PROMOTELOOPTENSORSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// A carried tensor is overwritten by each iteration if what it yields is a
/// vector of the tensor's whole shape just written.
static bool isOverwritten(Value yielded) {
  auto type = dyn_cast<RankedTensorType>(yielded.getType());
  auto write = yielded.getDefiningOp<vector::TransferWriteOp>();
  return type && type.hasStaticShape() && write &&
         write.getVectorType().getShape() == type.getShape() &&
         write.getPermutationMap().isIdentity() && !write.getMask();
}

/// Whether rows of a tensor leave registers empty that it fills as a whole.
static bool hasNarrowRows(RankedTensorType type, int64_t width) {
  return type.getRank() > 1 && type.getShape().back() < width &&
         type.getNumElements() % width == 0;
}

/// Vectors a tensor is carried as: one for each row of the last dimension, or
/// all of it.
static SmallVector<Type> getVectorTypes(RankedTensorType type, int64_t width) {
  if (type.getRank() == 0)
    return {VectorType::get({}, type.getElementType())};
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
                                      Value tensor, int64_t width) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value padding = ub::PoisonOp::create(builder, loc, type.getElementType());
  auto vectorType = VectorType::get(type.getShape(), type.getElementType());
  SmallVector<Value> indices(type.getRank(), zero);
  SmallVector<bool> inBounds(type.getRank(), true);
  Value whole = vector::TransferReadOp::create(builder, loc, vectorType, tensor,
                                               indices, padding, inBounds);
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
                          RankedTensorType type, int64_t width) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto vectorType = VectorType::get(type.getShape(), type.getElementType());
  Value whole = vectors.front();
  if (hasNarrowRows(type, width)) {
    whole = vector::ShapeCastOp::create(builder, loc, vectorType, whole);
  } else if (type.getRank() > 1) {
    whole = ub::PoisonOp::create(builder, loc, vectorType);
    for (auto [i, vector] : llvm::enumerate(vectors))
      whole = insertRow(builder, loc, vector, whole,
                        getPosition(type.getShape(), i));
  }
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<Value> indices(type.getRank(), zero);
  SmallVector<bool> inBounds(type.getRank(), true);
  return vector::TransferWriteOp::create(builder, loc, whole, empty, indices,
                                         inBounds)
      .getResult();
}

namespace {
struct PromoteCarriedTensors : public OpRewritePattern<scf::ForOp> {
  PromoteCarriedTensors(MLIRContext *context, int64_t width)
      : OpRewritePattern(context), width(width) {}

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    Location loc = loop.getLoc();
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    SmallVector<bool> promoted;
    for (Value value : yield.getOperands())
      promoted.push_back(isOverwritten(value));
    if (!llvm::is_contained(promoted, true))
      return rewriter.notifyMatchFailure(
          loop, "no carried tensor is overwritten by a vector");

    SmallVector<Value> init;
    for (auto [value, isPromoted] : llvm::zip(loop.getInitArgs(), promoted)) {
      if (isPromoted)
        llvm::append_range(init, readVectors(rewriter, loc, value, width));
      else
        init.push_back(value);
    }
    auto newLoop =
        scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), init);
    // Inside, tensors come back from vectors; transfers fold the detour away.
    rewriter.setInsertionPointToStart(newLoop.getBody());
    SmallVector<Value> arguments{newLoop.getInductionVar()};
    llvm::append_range(arguments,
                       rebuild(rewriter, loc, newLoop.getRegionIterArgs(),
                               loop.getRegionIterArgs(), promoted));
    if (!newLoop.getBody()->empty() &&
        isa<scf::YieldOp>(newLoop.getBody()->back()))
      rewriter.eraseOp(&newLoop.getBody()->back());
    rewriter.mergeBlocks(loop.getBody(), newLoop.getBody(), arguments);
    auto newYield = cast<scf::YieldOp>(newLoop.getBody()->getTerminator());
    rewriter.setInsertionPoint(newYield);
    SmallVector<Value> yielded;
    for (auto [value, isPromoted] :
         llvm::zip(newYield.getOperands(), promoted)) {
      if (isPromoted)
        llvm::append_range(yielded, readVectors(rewriter, loc, value, width));
      else
        yielded.push_back(value);
    }
    rewriter.replaceOpWithNewOp<scf::YieldOp>(newYield, yielded);
    rewriter.setInsertionPointAfter(newLoop);
    rewriter.replaceOp(loop, rebuild(rewriter, loc, newLoop.getResults(),
                                     loop.getResults(), promoted));
    return success();
  }

private:
  /// Tensors, from vectors where they were promoted.
  SmallVector<Value> rebuild(PatternRewriter &rewriter, Location loc,
                             ValueRange carried, ValueRange original,
                             ArrayRef<bool> promoted) const {
    SmallVector<Value> values;
    for (auto [old, isPromoted] : llvm::zip(original, promoted)) {
      unsigned count = 1;
      if (isPromoted) {
        auto type = cast<RankedTensorType>(old.getType());
        count = getVectorTypes(type, width).size();
        values.push_back(writeVectors(rewriter, loc, carried.take_front(count),
                                      type, width));
      } else {
        values.push_back(carried.front());
      }
      carried = carried.drop_front(count);
    }
    return values;
  }

  int64_t width;
};

struct PromoteLoopTensorsPass
    : public gnn::impl::PromoteLoopTensorsPassBase<PromoteLoopTensorsPass> {
  using PromoteLoopTensorsPassBase::PromoteLoopTensorsPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<PromoteCarriedTensors>(context, vectorWidth.getValue());
    vector::TransferReadOp::getCanonicalizationPatterns(patterns, context);
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns, context);
    vector::ExtractOp::getCanonicalizationPatterns(patterns, context);
    vector::InsertOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
