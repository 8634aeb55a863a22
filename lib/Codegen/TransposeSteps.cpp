//===- TransposeSteps.cpp - Transposes of pairs of rows ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix is transposed when each bit of the number of a row has changed
// places with the same bit of the number of a column. A step takes pairs of
// rows that differ by one bit, and does that for it. Within four lanes, where
// processors interleave elements or halves of two registers, two steps together
// do what is needed: the first moves bit 0 of rows into lanes but bit 1 of
// lanes out, the second bit 1 into lanes and bit 0 out, so that rows end up in
// another order.
//
//===----------------------------------------------------------------------===//

#include "TransposeSteps.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;

/// The lanes of two vectors that become one vector of a pair, of those whose
/// number has `bit` cleared (`which` is 0) or set (1).
static SmallVector<int64_t> getStepMask(int64_t lanes, int64_t bit,
                                        int64_t which) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t group = lane / 4 * 4;
    int64_t side, source;
    if (bit == 0) { // Interleaves two elements of four.
      side = lane % 2;
      source = group + 2 * which + lane % 4 / 2;
    } else if (bit == 1) { // Puts halves of four beside each other.
      side = lane % 4 / 2;
      source = group + 2 * which + lane % 2;
    } else {
      int64_t distance = int64_t{1} << bit;
      side = lane / distance % 2;
      source = lane + distance * (which - side);
    }
    mask.push_back(source + side * lanes);
  }
  return mask;
}

/// Transposes the squares that rows consist of, as many rows as a square has.
static SmallVector<Value> transposeSquares(OpBuilder &builder, Location loc,
                                           SmallVector<Value> rows) {
  int64_t lanes = cast<VectorType>(rows.front().getType()).getNumElements();
  int64_t side = rows.size();
  for (int64_t bit = 0, end = llvm::Log2_64(side); bit < end; ++bit)
    for (int64_t row = 0; row < side; ++row) {
      int64_t other = row | int64_t{1} << bit;
      if (other == row)
        continue;
      Value first = rows[row], second = rows[other];
      rows[row] = vector::ShuffleOp::create(builder, loc, first, second,
                                            getStepMask(lanes, bit, 0));
      rows[other] = vector::ShuffleOp::create(builder, loc, first, second,
                                              getStepMask(lanes, bit, 1));
    }
  // Bits 0 and 1 of columns left by each other's step.
  SmallVector<Value> result;
  for (int64_t row = 0; row < side; ++row)
    result.push_back(
        rows[(row & ~int64_t{3}) | (row & 1) << 1 | (row & 2) >> 1]);
  return result;
}

/// `side` vectors that hold all rows: each those whose numbers differ by a
/// multiple of `side`, one after the other.
static SmallVector<Value> joinRows(OpBuilder &builder, Location loc,
                                   SmallVector<Value> rows, int64_t side) {
  while (static_cast<int64_t>(rows.size()) > side) {
    int64_t lanes = cast<VectorType>(rows.front().getType()).getNumElements();
    SmallVector<int64_t> mask = llvm::to_vector(llvm::seq<int64_t>(2 * lanes));
    SmallVector<Value> joined;
    for (int64_t first = 0, end = rows.size(); first < end; first += 2 * side)
      for (int64_t row = first; row < first + side; ++row)
        joined.push_back(vector::ShuffleOp::create(builder, loc, rows[row],
                                                   rows[row + side], mask));
    rows = std::move(joined);
  }
  return rows;
}

namespace {
struct TransposeBySteps : OpRewritePattern<vector::TransposeOp> {
  TransposeBySteps(MLIRContext *context, int64_t vectorWidth,
                   PatternBenefit benefit)
      : OpRewritePattern(context, benefit), vectorWidth(vectorWidth) {}

  LogicalResult matchAndRewrite(vector::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getSourceVectorType();
    if (type.getRank() != 2 || type.isScalable() ||
        op.getPermutation() != ArrayRef<int64_t>{1, 0} ||
        !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() != 32)
      return rewriter.notifyMatchFailure(op, "not a matrix of 32-bit elements");
    int64_t numRows = type.getDimSize(0), numColumns = type.getDimSize(1);
    int64_t side = std::min(numRows, numColumns);
    if (!llvm::isPowerOf2_64(numRows) || !llvm::isPowerOf2_64(numColumns) ||
        (side != 4 && side != 8))
      return rewriter.notifyMatchFailure(op, "not made of squares of 4 or 8");
    if (type.getNumElements() <= vectorWidth)
      return rewriter.notifyMatchFailure(op, "fits into one register");

    Location loc = op.getLoc();
    SmallVector<Value> rows;
    for (int64_t row = 0; row < numRows; ++row)
      rows.push_back(
          vector::ExtractOp::create(rewriter, loc, op.getVector(), row));
    rows = transposeSquares(rewriter, loc, joinRows(rewriter, loc, rows, side));

    VectorType resultType = op.getResultVectorType();
    Value result = ub::PoisonOp::create(rewriter, loc, resultType);
    for (int64_t column = 0; column < numColumns; ++column) {
      Value row = rows[column % side];
      if (numColumns > side)
        row = vector::ExtractStridedSliceOp::create(
            rewriter, loc, row, column / side * side, side, 1);
      result = vector::InsertOp::create(rewriter, loc, row, result, column);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  int64_t vectorWidth;
};
} // namespace

void gnn::populateTransposeStepPatterns(RewritePatternSet &patterns,
                                        int64_t vectorWidth,
                                        PatternBenefit benefit) {
  patterns.add<TransposeBySteps>(patterns.getContext(), vectorWidth, benefit);
}
