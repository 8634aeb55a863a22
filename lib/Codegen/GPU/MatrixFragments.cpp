//===- MatrixFragments.cpp - Matrices in registers of a warp ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;

static constexpr int64_t kPieceBytes = 16;
static constexpr int64_t kLineBytes = 128;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

SwizzledTile::SwizzledTile(Value buffer, ValueRange outer)
    : buffer(buffer), outer(outer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t rowBytes = type.getShape().back() * elementBytes;
  assert(llvm::isPowerOf2_64(rowBytes) && rowBytes >= 2 * kPieceBytes &&
         "rows cannot be swizzled");
  assert(static_cast<int64_t>(outer.size()) + 2 == type.getRank() &&
         "wrong number of outer indices");
  pieceElements = kPieceBytes / elementBytes;
  numPieces = std::min(rowBytes, kLineBytes) / kPieceBytes;
  rowsPerLine = std::max<int64_t>(1, kLineBytes / rowBytes);
}

SmallVector<Value> SwizzledTile::getIndices(OpBuilder &b, Location loc,
                                            Value firstRow, Value row,
                                            Value column) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value line = arith::DivUIOp::create(b, loc, row, constant(rowsPerLine));
  Value swap = arith::MulIOp::create(
      b, loc, arith::RemUIOp::create(b, loc, line, constant(numPieces)),
      constant(pieceElements));
  SmallVector<Value> indices(outer);
  indices.push_back(arith::AddIOp::create(b, loc, firstRow, row));
  indices.push_back(arith::XOrIOp::create(b, loc, column, swap));
  return indices;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

FragmentBuilder::FragmentBuilder(OpBuilder &b, Location loc, Type element,
                                 Value lane)
    : b(b), loc(loc), element(element), lane(lane) {
  assert((element.isF16() || element.isBF16() || element.isF32()) &&
         "tensor cores have no such factors");
}

Value FragmentBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value FragmentBuilder::add(Value left, Value right) {
  return b.createOrFold<arith::AddIOp>(loc, left, right);
}

Value FragmentBuilder::quotient(Value value, int64_t divisor) {
  return b.createOrFold<arith::DivUIOp>(loc, value, constant(divisor));
}

Value FragmentBuilder::remainder(Value value, int64_t divisor) {
  return b.createOrFold<arith::RemUIOp>(loc, value, constant(divisor));
}

Value FragmentBuilder::times(Value value, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(loc, value, constant(factor));
}

VectorType FragmentBuilder::getFirstType() const {
  return VectorType::get({4, 32 / element.getIntOrFloatBitWidth()}, element);
}

VectorType FragmentBuilder::getSecondType() const {
  return VectorType::get({2, 32 / element.getIntOrFloatBitWidth()}, element);
}

VectorType FragmentBuilder::getSumType() const {
  return VectorType::get({2, 2}, b.getF32Type());
}

/// Lanes with the same quotient by 4 hold parts of the same row (of a second
/// factor: of the same column).
FragmentBuilder::Place FragmentBuilder::getFirstPlace(int64_t i, int64_t j) {
  int64_t width = 32 / element.getIntOrFloatBitWidth();
  return {add(quotient(lane, 4), constant(i % 2 * 8)),
          add(times(remainder(lane, 4), width),
              constant(i / 2 * getPieceElements() + j))};
}

FragmentBuilder::Place FragmentBuilder::getSecondPlace(int64_t i, int64_t j) {
  int64_t width = 32 / element.getIntOrFloatBitWidth();
  return {add(times(remainder(lane, 4), width),
              constant(i * getPieceElements() + j)),
          quotient(lane, 4)};
}

FragmentBuilder::Place FragmentBuilder::getSumPlace(int64_t i, int64_t j) {
  return {add(quotient(lane, 4), constant(8 * i)),
          add(times(remainder(lane, 4), 2), constant(j))};
}

Value FragmentBuilder::createZeroSums() {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(getSumType()));
}

Value FragmentBuilder::loadMatrices(const SwizzledTile &tile, Value firstRow,
                                    Value row, Value column,
                                    bool isTransposed) {
  return nvgpu::LdMatrixOp::create(
      b, loc, getFirstType(), tile.getBuffer(),
      tile.getIndices(b, loc, firstRow, row, column), isTransposed,
      /*numTiles=*/4);
}

/// The four matrices of 8 rows and 16 bytes: both halves of the rows, then the
/// same further along the depth.
Value FragmentBuilder::loadFirst(const SwizzledTile &tile, Value row,
                                 Value depth) {
  Value column = add(depth, times(quotient(lane, numRows), getPieceElements()));
  return loadMatrices(tile, row, remainder(lane, numRows), column,
                      /*isTransposed=*/false);
}

std::pair<Value, Value> FragmentBuilder::split(Value pair) {
  // Register by register, as aggregates are lowered.
  auto extract = [&](int64_t first) {
    Value half =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(getSecondType()));
    for (int64_t i = 0; i < 2; ++i)
      half = vector::InsertOp::create(
          b, loc, vector::ExtractOp::create(b, loc, pair, first + i), half, i);
    return half;
  };
  return {extract(0), extract(2)};
}

/// Eight columns, all of their depth; then the next eight.
std::pair<Value, Value>
FragmentBuilder::loadSecondPair(const SwizzledTile &tile, Value column,
                                Value depth) {
  Value row = add(remainder(lane, 8), times(quotient(lane, 16), 8));
  Value place =
      add(depth, times(remainder(quotient(lane, 8), 2), getPieceElements()));
  return split(loadMatrices(tile, column, row, place, /*isTransposed=*/false));
}

std::pair<Value, Value>
FragmentBuilder::loadTransposedSecondPair(const SwizzledTile &tile, Value depth,
                                          Value column) {
  Value row = remainder(lane, 16);
  Value place = add(column, times(quotient(lane, 16), 8));
  if (!element.isF32())
    return split(loadMatrices(tile, depth, row, place, /*isTransposed=*/true));
  // Only 16-bit elements can be transposed on the way.
  Value pair[2];
  for (int64_t half = 0; half < 2; ++half) {
    pair[half] =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(getSecondType()));
    for (int64_t i = 0; i < 2; ++i) {
      Place own = getSecondPlace(i, 0);
      Value value = memref::LoadOp::create(
          b, loc, tile.getBuffer(),
          tile.getIndices(b, loc, depth, own.row,
                          add(column, add(own.column, constant(8 * half)))));
      pair[half] = vector::InsertOp::create(b, loc, value, pair[half],
                                            ArrayRef<int64_t>{i, 0});
    }
  }
  return {pair[0], pair[1]};
}

Value FragmentBuilder::multiply(Value first, Value second, Value sums) {
  return nvgpu::MmaSyncOp::create(
      b, loc, first, second, sums,
      ArrayRef<int64_t>{numRows, numColumns, getDepth()},
      /*tf32Enabled=*/element.isF32());
}
