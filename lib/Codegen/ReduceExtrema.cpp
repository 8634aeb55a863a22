//===- ReduceExtrema.cpp - The greatest element of a row --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorParts.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_REDUCEEXTREMAPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether `op` takes the extremum of all elements of one row.
static bool isOfOneRow(vector::MultiDimReductionOp op) {
  VectorType type = op.getSourceVectorType();
  return (op.getKind() == vector::CombiningKind::MAXIMUMF ||
          op.getKind() == vector::CombiningKind::MINIMUMF) &&
         !type.isScalable() && type.getRank() > 0 &&
         type.getNumElements() == type.getShape().back() &&
         type.getShape().back() > 1 && op.getReductionMask().back();
}

namespace {
/// Emits the extremum of a vector.
class ExtremumEmitter {
public:
  ExtremumEmitter(OpBuilder &builder, vector::MultiDimReductionOp op)
      : builder(builder), loc(op.getLoc()),
        isMaximum(op.getKind() == vector::CombiningKind::MAXIMUMF) {}

  /// Of all elements of `row`, in registers of `width`: NaN if one of them is.
  Value emit(Value row, int64_t width);

  /// Of two numbers.
  Value emitExact(Value a, Value b) {
    arith::FastMathFlags flags = arith::FastMathFlags::nsz;
    if (isMaximum)
      return arith::MaximumFOp::create(builder, loc, a, b, flags);
    return arith::MinimumFOp::create(builder, loc, a, b, flags);
  }

private:
  /// Of two vectors, if none has NaN.
  Value emitBeyond(Value a, Value b) {
    Value isBeyond = arith::CmpFOp::create(
        builder, loc,
        isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, a,
        b);
    return arith::SelectOp::create(builder, loc, isBeyond, a, b);
  }

  /// Whether these vectors of one size have NaN.
  Value emitHasNaN(ArrayRef<Value> vectors);

  OpBuilder &builder;
  Location loc;
  bool isMaximum;
};
} // namespace

Value ExtremumEmitter::emitHasNaN(ArrayRef<Value> vectors) {
  Value any;
  for (size_t i = 0, end = vectors.size(); i < end; i += 2) {
    // One comparison says it of both.
    Value unordered =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                              vectors[i], vectors[std::min(i + 1, end - 1)]);
    any = any ? arith::OrIOp::create(builder, loc, any, unordered).getResult()
              : unordered;
  }
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                     any);
}

Value ExtremumEmitter::emit(Value row, int64_t width) {
  auto type = cast<VectorType>(row.getType());
  int64_t size = type.getNumElements();
  SmallVector<Part> parts;
  if (llvm::has_single_bit<uint64_t>(size))
    for (int64_t begin = 0; begin < size; begin += width)
      parts.push_back({begin, std::min(size, width)});
  else
    parts = getParts(type, {width, /*minRowSize=*/1});
  llvm::sort(parts, [](const Part &a, const Part &b) {
    return std::pair(-a.size, a.begin) < std::pair(-b.size, b.begin);
  });
  Value extremum, hasNaN;
  // From wide parts to narrow ones, and then to a single element.
  for (auto *part = parts.begin(); part != parts.end();) {
    int64_t partSize = part->size;
    auto *begin = part;
    part = std::find_if(part, parts.end(), [&](const Part &each) {
      return each.size != partSize;
    });
    SmallVector<Value> vectors =
        emitParts(builder, loc, row, ArrayRef(begin, part));
    Value isNaN = emitHasNaN(vectors);
    hasNaN = hasNaN
                 ? arith::OrIOp::create(builder, loc, hasNaN, isNaN).getResult()
                 : isNaN;
    if (extremum)
      vectors.push_back(extremum);
    // Two at a time: one would wait for the one before it.
    while (vectors.size() > 1) {
      SmallVector<Value> next;
      for (size_t i = 0; i + 1 < vectors.size(); i += 2)
        next.push_back(emitBeyond(vectors[i], vectors[i + 1]));
      if (vectors.size() % 2 == 1)
        next.push_back(vectors.back());
      vectors = std::move(next);
    }
    extremum = vectors.front();
    int64_t nextSize = part == parts.end() ? 1 : part->size;
    for (int64_t half = partSize / 2; half >= nextSize; half /= 2) {
      SmallVector<Value> halves =
          emitParts(builder, loc, extremum, {Part{0, half}, Part{half, half}});
      extremum = emitBeyond(halves[0], halves[1]);
    }
  }
  Type element = type.getElementType();
  Value nan = arith::ConstantOp::create(
      builder, loc,
      FloatAttr::get(
          element,
          APFloat::getNaN(cast<FloatType>(element).getFloatSemantics())));
  Value single =
      vector::ExtractOp::create(builder, loc, extremum, ArrayRef<int64_t>{0});
  return arith::SelectOp::create(builder, loc, hasNaN, nan, single);
}

/// Whether the extremum of `value`, one number, and others is that of the
/// others.
static bool isBeforeAll(Value value, bool isMaximum) {
  APFloat number(0.0f);
  DenseFPElementsAttr numbers;
  if (matchPattern(value, m_Constant(&numbers)) && numbers.isSplat())
    number = numbers.getSplatValue<APFloat>();
  else if (!matchPattern(value, m_ConstantFloat(&number)))
    return false;
  return number.isInfinity() && number.isNegative() == isMaximum;
}

namespace {
struct ReduceExtremaPass
    : public gnn::impl::ReduceExtremaPassBase<ReduceExtremaPass> {
  using ReduceExtremaPassBase::ReduceExtremaPassBase;

  void runOnOperation() override {
    if (!llvm::has_single_bit<uint64_t>(std::max<int64_t>(vectorWidth, 0))) {
      getOperation().emitError("vector-width must be a power of two");
      return signalPassFailure();
    }
    SmallVector<vector::MultiDimReductionOp> ops;
    getOperation()->walk([&](vector::MultiDimReductionOp op) {
      if (isOfOneRow(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (vector::MultiDimReductionOp op : ops) {
      rewriter.setInsertionPoint(op);
      reduce(rewriter, op);
      ++numRows;
    }
  }

private:
  void reduce(RewriterBase &rewriter, vector::MultiDimReductionOp op) const {
    Location loc = op.getLoc();
    VectorType type = op.getSourceVectorType();
    Value row = op.getSource();
    if (type.getRank() > 1)
      row = vector::ShapeCastOp::create(
          rewriter, loc,
          VectorType::get(type.getNumElements(), type.getElementType()), row);
    ExtremumEmitter emitter(rewriter, op);
    Value extremum = emitter.emit(row, vectorWidth);
    Type resultType = op.getDestType();
    if (isa<VectorType>(resultType))
      extremum =
          vector::BroadcastOp::create(rewriter, loc, resultType, extremum);
    bool isMaximum = op.getKind() == vector::CombiningKind::MAXIMUMF;
    if (!isBeforeAll(op.getAcc(), isMaximum))
      extremum = emitter.emitExact(op.getAcc(), extremum);
    rewriter.replaceOp(op, extremum);
  }
};
} // namespace
