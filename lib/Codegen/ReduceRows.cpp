//===- ReduceRows.cpp - Sum several vectors up at once ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace gnn {
#define GEN_PASS_DEF_REDUCEROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Shuffles within so many elements are cheap on all targets.
static constexpr int64_t quad = 4;

/// Rows, and elements of rows, come in powers of two; zeros are added to
/// others.
static int64_t getPaddedSize(int64_t size) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(size));
}

/// Two choices of the elements of a pair of vectors.
struct Halves {
  SmallVector<int64_t> low, high;

  void add(int64_t lowElement, int64_t highElement, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      low.push_back(lowElement + i);
      high.push_back(highElement + i);
    }
  }
};

namespace {
/// Sums of the rows of matrices, made by adding halves of two vectors, so that
/// each step has half as many vectors as the one before.
class RowSums {
public:
  RowSums(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Of matrices of one type, one after the other.
  Value emit(ArrayRef<Value> matrices, int64_t width) const;

private:
  /// Rows that are added up further, each until `resultSize` elements of
  /// `rowSize` are left.
  struct Parts {
    SmallVector<Value> vectors;
    int64_t rowSize = 0, resultSize = 0;
  };

  void addParts(Value matrix, int64_t width, Parts &parts) const;
  /// The same for rows of `rowSize` elements of which several are in a
  /// register.
  void addPartsOfShort(Value rows, int64_t rowSize, int64_t width,
                       Parts &parts) const;
  Value emitRegister(Value row, int64_t begin, int64_t width) const;
  Value emitPaddedRows(Value rows, int64_t rowSize, int64_t paddedSize,
                       int64_t first, int64_t width) const;

  static int64_t getSize(Value vector) {
    return cast<VectorType>(vector.getType()).getNumElements();
  }
  Value add(Value a, Value b, const Halves &halves) const {
    Value low = vector::ShuffleOp::create(builder, loc, a, b, halves.low);
    Value high = vector::ShuffleOp::create(builder, loc, a, b, halves.high);
    return arith::AddFOp::create(builder, loc, low, high);
  }

  Value emitNarrow(Value row, int64_t width) const;
  Value emitNarrowProduct(Value a, Value b, int64_t width) const;
  Value emitPadded(Value vector, int64_t size) const;
  Value emitZeros(Value like, int64_t size) const;
  Value emitQuads(ArrayRef<Value> rows) const;
  Value emitMerged(Value a, Value b, int64_t rowSize) const;
  Value emitFolded(Value vector, int64_t rowSize, int64_t resultSize) const;
  Value emitJoined(SmallVector<Value> vectors) const;
  Value emitTogether(Parts parts) const;

  OpBuilder &builder;
  Location loc;
};
} // namespace

Value RowSums::emitZeros(Value like, int64_t size) const {
  auto type = VectorType::get(
      {size}, cast<VectorType>(like.getType()).getElementType());
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// Zeros follow the vector until it has `size` elements.
Value RowSums::emitPadded(Value vector, int64_t size) const {
  if (getSize(vector) == size)
    return vector;
  return vector::InsertStridedSliceOp::create(
      builder, loc, vector, emitZeros(vector, size), ArrayRef<int64_t>{0},
      ArrayRef<int64_t>{1});
}

/// Elements of a row from `begin` on that one register has.
Value RowSums::emitRegister(Value row, int64_t begin, int64_t width) const {
  int64_t size = std::min(width, getSize(row) - begin);
  return size == getSize(row)
             ? row
             : vector::ExtractStridedSliceOp::create(
                   builder, loc, row, ArrayRef<int64_t>{begin},
                   ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
}

/// Adds the registers of a row up.
Value RowSums::emitNarrow(Value row, int64_t width) const {
  width = std::min(width, getPaddedSize(getSize(row)));
  SmallVector<Value> sums;
  for (int64_t i = 0, end = getSize(row); i < end; i += width)
    sums.push_back(emitPadded(emitRegister(row, i, width), width));
  while (sums.size() > 1) {
    SmallVector<Value> halves;
    size_t half = sums.size() / 2;
    for (size_t i = 0; i < half; ++i)
      halves.push_back(
          arith::AddFOp::create(builder, loc, sums[i], sums[i + half]));
    if (sums.size() % 2)
      halves.push_back(sums.back());
    sums = std::move(halves);
  }
  return sums.front();
}

/// Adds the products of two rows' registers up, each in one rounding where the
/// target can.
Value RowSums::emitNarrowProduct(Value a, Value b, int64_t width) const {
  width = std::min(width, getPaddedSize(getSize(a)));
  constexpr auto contract = arith::FastMathFlags::contract;
  Value sum;
  for (int64_t i = 0, end = getSize(a); i < end; i += width) {
    Value left = emitPadded(emitRegister(a, i, width), width);
    Value right = emitPadded(emitRegister(b, i, width), width);
    Value product = arith::MulFOp::create(builder, loc, left, right, contract);
    sum = sum ? arith::AddFOp::create(builder, loc, product, sum, contract)
              : product;
  }
  return sum;
}

/// Of four rows, a vector in which each quad has a part of the sum of each row.
Value RowSums::emitQuads(ArrayRef<Value> rows) const {
  int64_t width = getSize(rows.front());
  Halves pairs, elements;
  for (int64_t i = 0; i < width; i += quad) {
    pairs.add(i, i + 2, 2);
    pairs.add(width + i, width + i + 2, 2);
    for (int64_t j : {i, i + 2, width + i, width + i + 2})
      elements.add(j, j + 1, 1);
  }
  return add(add(rows[0], rows[1], pairs), add(rows[2], rows[3], pairs),
             elements);
}

/// The rows of `a`, then those of `b`, of half as many elements each.
Value RowSums::emitMerged(Value a, Value b, int64_t rowSize) const {
  Halves halves;
  for (int64_t i = 0, end = 2 * getSize(a); i < end; i += rowSize)
    halves.add(i, i + rowSize / 2, rowSize / 2);
  return add(a, b, halves);
}

/// Halves rows until they have `resultSize` elements.
Value RowSums::emitFolded(Value vector, int64_t rowSize,
                          int64_t resultSize) const {
  for (; rowSize > resultSize; rowSize /= 2) {
    Halves halves;
    for (int64_t i = 0, end = getSize(vector); i < end; i += rowSize)
      halves.add(i, i + rowSize / 2, rowSize / 2);
    vector = add(vector, vector, halves);
  }
  return vector;
}

/// One vector after the other.
Value RowSums::emitJoined(SmallVector<Value> vectors) const {
  while (vectors.size() > 1) {
    SmallVector<Value> joined;
    SmallVector<int64_t> all(
        llvm::to_vector(llvm::seq<int64_t>(0, 2 * getSize(vectors.front()))));
    for (size_t i = 0; i < vectors.size(); i += 2)
      joined.push_back(vector::ShuffleOp::create(builder, loc, vectors[i],
                                                 vectors[i + 1], all));
    vectors = std::move(joined);
  }
  return vectors.front();
}

void RowSums::addParts(Value matrix, int64_t width, Parts &parts) const {
  int64_t numRows = cast<VectorType>(matrix.getType()).getShape().front();
  SmallVector<Value> rows;
  auto extract = [&](Value from, int64_t i) -> Value {
    return vector::ExtractOp::create(builder, loc, from, ArrayRef<int64_t>{i});
  };
  auto product = matrix.getDefiningOp<arith::MulFOp>();
  for (int64_t i = 0; i < numRows; ++i) {
    if (product && product->hasOneUse())
      rows.push_back(emitNarrowProduct(extract(product.getLhs(), i),
                                       extract(product.getRhs(), i), width));
    else
      rows.push_back(emitNarrow(extract(matrix, i), width));
  }
  int64_t paddedRows = std::max(quad, getPaddedSize(numRows));
  for (Value zeros = emitZeros(rows.front(), getSize(rows.front()));
       static_cast<int64_t>(rows.size()) < paddedRows;)
    rows.push_back(zeros);
  for (int64_t i = 0; i < paddedRows; i += quad)
    parts.vectors.push_back(emitQuads(ArrayRef<Value>(rows).slice(i, quad)));
  // Now a row is one quad in each group of as many as rows were long.
  parts.rowSize = getSize(rows.front());
  parts.resultSize = quad;
}

/// Some rows from `first` on in one register, each followed by zeros until it
/// has `paddedSize` elements. Two registers have all of them.
Value RowSums::emitPaddedRows(Value rows, int64_t rowSize, int64_t paddedSize,
                              int64_t first, int64_t width) const {
  int64_t begin = first * rowSize / width * width;
  SmallVector<int64_t> places(width, 0);
  SmallVector<bool> exist(width, false);
  for (int64_t i = 0; i < width; ++i) {
    int64_t column = i % paddedSize;
    int64_t place = (first + i / paddedSize) * rowSize + column;
    exist[i] = column < rowSize && place < getSize(rows);
    if (exist[i])
      places[i] = place - begin;
  }
  Value low = emitPadded(emitRegister(rows, begin, width), width);
  if (rowSize == paddedSize)
    return low;
  Value high = low;
  if (begin + width < getSize(rows))
    high = emitPadded(emitRegister(rows, begin + width, width), width);
  Value moved = vector::ShuffleOp::create(builder, loc, low, high, places);
  auto maskType = VectorType::get({width}, builder.getI1Type());
  Value mask = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(maskType, ArrayRef<bool>(exist)));
  return arith::SelectOp::create(builder, loc, mask, moved,
                                 emitZeros(rows, width));
}

void RowSums::addPartsOfShort(Value rows, int64_t rowSize, int64_t width,
                              Parts &parts) const {
  parts.rowSize = getPaddedSize(rowSize);
  parts.resultSize = 1;
  int64_t numRows = getSize(rows) / rowSize, step = width / parts.rowSize;
  for (int64_t row = 0, end = getPaddedSize(numRows); row < end; row += step)
    parts.vectors.push_back(
        row < numRows ? emitPaddedRows(rows, rowSize, parts.rowSize, row, width)
                      : emitZeros(rows, width));
}

/// Sums of all rows.
Value RowSums::emitTogether(Parts parts) const {
  SmallVector<Value> &vectors = parts.vectors;
  for (; vectors.size() > 1 && parts.rowSize > parts.resultSize;
       parts.rowSize /= 2) {
    SmallVector<Value> merged;
    for (size_t i = 0; i < vectors.size(); i += 2)
      merged.push_back(emitMerged(vectors[i], vectors[i + 1], parts.rowSize));
    vectors = std::move(merged);
  }
  for (Value &vector : vectors)
    vector = emitFolded(vector, parts.rowSize, parts.resultSize);
  return emitJoined(std::move(vectors));
}

Value RowSums::emit(ArrayRef<Value> matrices, int64_t width) const {
  auto type = cast<VectorType>(matrices.front().getType());
  bool areShort =
      type.getDimSize(1) < width &&
      getPaddedSize(type.getDimSize(0)) * getPaddedSize(type.getDimSize(1)) >
          width;
  auto getFlat = [](Value matrix) -> Value {
    auto cast = matrix.getDefiningOp<vector::ShapeCastOp>();
    return cast && cast.getSourceVectorType().getRank() == 1 ? cast.getSource()
                                                             : Value();
  };
  areShort &= llvm::all_of(matrices, getFlat);
  Parts parts;
  for (Value matrix : matrices) {
    if (areShort)
      addPartsOfShort(getFlat(matrix), type.getDimSize(1), width, parts);
    else
      addParts(matrix, width, parts);
  }
  Value sums = emitTogether(std::move(parts));
  return emitRegister(sums, 0, type.getDimSize(0) * matrices.size());
}

/// Why `op` is no sum of several rows; null if it is.
static const char *getObstacle(vector::MultiDimReductionOp op) {
  VectorType type = op.getSourceVectorType();
  if (op.getKind() != vector::CombiningKind::ADD || type.getRank() != 2 ||
      type.isScalable() || !isa<FloatType>(type.getElementType()) ||
      op.getReductionDims() != ArrayRef<int64_t>{1})
    return "it does not sum rows up";
  if (op.isMasked())
    return "it leaves some elements out";
  return type.getDimSize(0) < 2 || type.getDimSize(1) < quad
             ? "rows are too few or too short"
             : nullptr;
}

/// A sum to which nothing is added.
static bool startsAtZero(vector::MultiDimReductionOp op) {
  return matchPattern(op.getAcc(), m_AnyZeroFloat());
}

/// The sums that are inserted one after the other to make all of `last`; none
/// if something else is.
static SmallVector<vector::MultiDimReductionOp>
getSumsSideBySide(vector::InsertStridedSliceOp last) {
  SmallVector<vector::MultiDimReductionOp> sums;
  int64_t begin = last.getDestVectorType().getNumElements();
  for (auto insert = last; insert;
       insert =
           insert.getDest().getDefiningOp<vector::InsertStridedSliceOp>()) {
    auto sum =
        insert.getValueToStore().getDefiningOp<vector::MultiDimReductionOp>();
    if (!sum || !sum->hasOneUse() || getObstacle(sum) || !startsAtZero(sum) ||
        insert.getDestVectorType().getRank() != 1 ||
        (!sums.empty() &&
         sum.getSourceVectorType() != sums.back().getSourceVectorType()))
      return {};
    begin -= insert.getSourceVectorType().getNumElements();
    if (cast<IntegerAttr>(insert.getOffsets()[0]).getInt() != begin)
      return {};
    sums.push_back(sum);
    if (begin == 0) {
      std::reverse(sums.begin(), sums.end());
      return sums;
    }
    if (!insert.getDest().hasOneUse())
      return {};
  }
  return {};
}

namespace {
struct ReduceTogether : public OpRewritePattern<vector::MultiDimReductionOp> {
  ReduceTogether(MLIRContext *context, int64_t width)
      : OpRewritePattern(context), width(width) {}

  LogicalResult matchAndRewrite(vector::MultiDimReductionOp op,
                                PatternRewriter &rewriter) const override {
    if (const char *obstacle = getObstacle(op))
      return rewriter.notifyMatchFailure(op, obstacle);
    Value sums = RowSums(rewriter, op.getLoc()).emit(op.getSource(), width);
    // What -0 is added to 0 for makes no sum another number.
    if (startsAtZero(op))
      rewriter.replaceOp(op, sums);
    else
      rewriter.replaceOpWithNewOp<arith::AddFOp>(op, sums, op.getAcc());
    return success();
  }

private:
  int64_t width;
};

/// Sums of several matrices that fill a vector side by side, as those of some
/// edges: they share the last steps.
struct ReduceSideBySide
    : public OpRewritePattern<vector::InsertStridedSliceOp> {
  ReduceSideBySide(MLIRContext *context, int64_t width)
      : OpRewritePattern(context), width(width) {}

  LogicalResult matchAndRewrite(vector::InsertStridedSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<vector::MultiDimReductionOp> sums = getSumsSideBySide(op);
    if (sums.size() < 2 || !llvm::isPowerOf2_64(sums.size()))
      return rewriter.notifyMatchFailure(op, "no sums are side by side");
    // Rows of zeros would be between them.
    int64_t numRows = sums.front().getSourceVectorType().getDimSize(0);
    if (numRows < quad || !llvm::isPowerOf2_64(numRows))
      return rewriter.notifyMatchFailure(op, "rows do not come in pairs");
    SmallVector<Value> matrices(llvm::map_range(
        sums, [](vector::MultiDimReductionOp sum) { return sum.getSource(); }));
    rewriter.replaceOp(op,
                       RowSums(rewriter, op.getLoc()).emit(matrices, width));
    return success();
  }

private:
  int64_t width;
};

struct ReduceRowsPass : public gnn::impl::ReduceRowsPassBase<ReduceRowsPass> {
  using ReduceRowsPassBase::ReduceRowsPassBase;

  void runOnOperation() override {
    if (vectorWidth < quad || !llvm::isPowerOf2_64(vectorWidth)) {
      getOperation().emitError()
          << "vector-width must be a power of two of at least " << quad
          << ", got " << vectorWidth.getValue();
      return signalPassFailure();
    }
    // First those that share steps, which would be none by themselves.
    if (failed(apply<ReduceSideBySide>()) || failed(apply<ReduceTogether>()))
      signalPassFailure();
  }

private:
  template <typename Pattern>
  LogicalResult apply() {
    RewritePatternSet patterns(&getContext());
    patterns.add<Pattern>(&getContext(), vectorWidth);
    // Without folding, which would take vectors apart.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    return applyPatterns(getOperation(), std::move(patterns), config);
  }
};
} // namespace
