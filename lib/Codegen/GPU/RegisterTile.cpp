//===- RegisterTile.cpp - Sums of a block of threads ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterTile.h"
#include "../RoundTF32.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;

BlockTile BlockTile::get(int64_t rows, int64_t columns, Type factor,
                         int64_t maxStages) {
  constexpr int64_t rowBytes = 64;
  constexpr int64_t maxBytes = 48 << 10;
  BlockTile tile;
  tile.rows = rows;
  tile.columns = columns;
  int64_t factorBytes = factor.getIntOrFloatBitWidth() / 8;
  tile.depth = rowBytes / factorBytes;
  int64_t stageBytes = (rows + columns) * rowBytes;
  tile.numStages = std::clamp<int64_t>(maxBytes / stageBytes, 2,
                                       std::max<int64_t>(2, maxStages));
  int64_t numWarps = rows * columns >= 128 * 128 ? 8 : 4;
  tile.warpColumns = std::clamp<int64_t>(columns / 32, 1, 4);
  tile.warpRows =
      std::clamp<int64_t>(numWarps / tile.warpColumns, 1, rows / 16);
  return tile;
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

namespace {
class WarpTile : public RegisterTile {
public:
  WarpTile(OpBuilder &b, Location loc, const BlockTile &tile, Type factor,
           Value thread)
      : b(b), loc(loc), depth(tile.depth), factor(factor),
        fragments(
            b, loc, factor,
            arith::RemUIOp::create(
                b, loc, thread, arith::ConstantIndexOp::create(b, loc, 32))) {
    Value warp = fragments.quotient(thread, 32);
    int64_t height = tile.rows / tile.warpRows;
    int64_t width = tile.columns / tile.warpColumns;
    numRows = height / FragmentBuilder::numRows;
    numColumns = width / FragmentBuilder::numColumns;
    firstRow =
        fragments.times(fragments.quotient(warp, tile.warpColumns), height);
    firstColumn =
        fragments.times(fragments.remainder(warp, tile.warpColumns), width);
  }

  SmallVector<Value> createZeroSums() override {
    return SmallVector<Value>(numRows * numColumns, fragments.createZeroSums());
  }

  void multiply(const SwizzledTile &a, const SwizzledTile &second,
                MutableArrayRef<Value> sums) override {
    for (int64_t k = 0; k < depth; k += fragments.getDepth()) {
      Value at = fragments.constant(k);
      SmallVector<Value> left, right;
      for (int64_t i = 0; i < numRows; ++i)
        left.push_back(round(fragments.loadFirst(
            a, shift(firstRow, i * FragmentBuilder::numRows), at)));
      for (int64_t j = 0; j < numColumns; j += 2) {
        auto [one, other] = fragments.loadTransposedSecondPair(
            second, at, shift(firstColumn, j * FragmentBuilder::numColumns));
        right.push_back(round(one));
        right.push_back(round(other));
      }
      for (int64_t i = 0; i < numRows; ++i)
        for (int64_t j = 0; j < numColumns; ++j) {
          Value &sum = sums[i * numColumns + j];
          sum = fragments.multiply(left[i], right[j], sum);
        }
    }
  }

  int64_t getNumNeighbours() const override { return 2; }

  SmallVector<Element> getElements(ValueRange sums) override {
    SmallVector<Element> elements;
    for (int64_t i = 0; i < numRows; ++i)
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t j = 0; j < numColumns; ++j)
          for (int64_t k = 0; k < 2; ++k) {
            FragmentBuilder::Place place = fragments.getSumPlace(half, k);
            Value row = shift(firstRow, i * FragmentBuilder::numRows);
            Value column = shift(firstColumn, j * FragmentBuilder::numColumns);
            Value value = vector::ExtractOp::create(
                b, loc, sums[i * numColumns + j], ArrayRef<int64_t>{half, k});
            elements.push_back({fragments.add(row, place.row),
                                fragments.add(column, place.column), value});
          }
    return elements;
  }

private:
  Value shift(Value value, int64_t by) {
    return fragments.add(value, fragments.constant(by));
  }

  /// Tensor cores would drop what tf32 does not have.
  Value round(Value fragment) {
    if (!factor.isF32())
      return fragment;
    auto type = cast<VectorType>(fragment.getType());
    for (int64_t i = 0; i < type.getDimSize(0); ++i) {
      SmallVector<int64_t> position = {i, 0};
      Value value = vector::ExtractOp::create(b, loc, fragment, position);
      fragment = vector::InsertOp::create(b, loc, roundToTF32(b, loc, value),
                                          fragment, position);
    }
    return fragment;
  }

  OpBuilder &b;
  Location loc;
  int64_t depth;
  Type factor;
  FragmentBuilder fragments;
  /// Of the warp, in fragments.
  int64_t numRows, numColumns;
  Value firstRow, firstColumn;
};
} // namespace

std::unique_ptr<RegisterTile> gnn::createWarpTile(OpBuilder &b, Location loc,
                                                  const BlockTile &tile,
                                                  Type factor, Value thread) {
  return std::make_unique<WarpTile>(b, loc, tile, factor, thread);
}

//===----------------------------------------------------------------------===//
// Float32
//===----------------------------------------------------------------------===//

namespace {
/// Each thread has pieces of four columns of some rows. Threads that are
/// neighbours read neighbouring pieces of B, and the same of A.
class ThreadTile : public RegisterTile {
public:
  static constexpr int64_t width = 4;

  ThreadTile(OpBuilder &b, Location loc, const BlockTile &tile, Value thread)
      : b(b), loc(loc), depth(tile.depth) {
    threadColumns = std::min<int64_t>(16, tile.columns / width);
    threadRows = tile.getNumThreads() / threadColumns;
    numRows = tile.rows / threadRows;
    numPieces = tile.columns / (width * threadColumns);
    Value count = constant(threadColumns);
    firstRow = arith::DivUIOp::create(b, loc, thread, count);
    firstColumn = arith::MulIOp::create(
        b, loc, arith::RemUIOp::create(b, loc, thread, count), constant(width));
  }

  SmallVector<Value> createZeroSums() override {
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    return SmallVector<Value>(numRows * numPieces * width, zero);
  }

  void multiply(const SwizzledTile &a, const SwizzledTile &second,
                MutableArrayRef<Value> sums) override {
    for (int64_t k = 0; k < depth; k += width) {
      SmallVector<Value> left;
      for (int64_t i = 0; i < numRows; ++i)
        left.push_back(load(a, getRow(i), constant(k)));
      for (int64_t kk = 0; kk < width; ++kk) {
        SmallVector<Value> right;
        for (int64_t j = 0; j < numPieces; ++j) {
          Value piece = load(second, constant(k + kk), getColumn(j));
          for (int64_t l = 0; l < width; ++l)
            right.push_back(vector::ExtractOp::create(b, loc, piece, l));
        }
        for (int64_t i = 0; i < numRows; ++i) {
          Value factor = vector::ExtractOp::create(b, loc, left[i], kk);
          for (auto [j, other] : llvm::enumerate(right)) {
            Value &sum = sums[i * right.size() + j];
            sum = math::FmaOp::create(b, loc, factor, other, sum);
          }
        }
      }
    }
  }

  int64_t getNumNeighbours() const override { return width; }

  SmallVector<Element> getElements(ValueRange sums) override {
    SmallVector<Element> elements;
    for (int64_t i = 0; i < numRows; ++i)
      for (int64_t j = 0; j < numPieces; ++j)
        for (int64_t k = 0; k < width; ++k)
          elements.push_back(
              {getRow(i),
               arith::AddIOp::create(b, loc, getColumn(j), constant(k)),
               sums[elements.size()]});
    return elements;
  }

private:
  VectorType getType() { return VectorType::get(width, b.getF32Type()); }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value getRow(int64_t i) {
    return arith::AddIOp::create(b, loc, firstRow, constant(i * threadRows));
  }
  Value getColumn(int64_t j) {
    return arith::AddIOp::create(b, loc, firstColumn,
                                 constant(j * threadColumns * width));
  }
  Value load(const SwizzledTile &tile, Value row, Value column) {
    return vector::LoadOp::create(
        b, loc, getType(), tile.getBuffer(),
        tile.getIndices(b, loc, constant(0), row, column),
        /*nontemporal=*/false, llvm::MaybeAlign(16));
  }

  OpBuilder &b;
  Location loc;
  int64_t depth;
  int64_t threadRows, threadColumns; ///< Threads that share them.
  int64_t numRows, numPieces;        ///< Of a thread.
  Value firstRow, firstColumn;
};
} // namespace

std::unique_ptr<RegisterTile> gnn::createThreadTile(OpBuilder &b, Location loc,
                                                    const BlockTile &tile,
                                                    Value thread) {
  return std::make_unique<ThreadTile>(b, loc, tile, thread);
}
