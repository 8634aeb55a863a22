//===- LaneProducts.cpp - Exact products of tiles ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileDistribution.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Builds the products of one lane.
struct LaneProduct {
  OpBuilder &b;
  Location loc;
  const TileLayout &layout;
  /// Elements of the first factor and of the result in a row of the lane.
  int64_t depth, columns;

  Value index(int64_t value) const {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value left, Value right) const {
    return b.createOrFold<arith::AddIOp>(loc, left, right);
  }
  /// `length` elements of workgroup memory from `indices` on.
  SmallVector<Value> load(Value buffer, ValueRange indices,
                          int64_t length) const;
};
} // namespace

SmallVector<Value> LaneProduct::load(Value buffer, ValueRange indices,
                                     int64_t length) const {
  auto type = VectorType::get(length, b.getF32Type());
  Value piece = vector::LoadOp::create(b, loc, type, buffer, indices,
                                       /*nontemporal=*/false,
                                       llvm::MaybeAlign(4 * length));
  SmallVector<Value> elements;
  for (int64_t i = 0; i < length; ++i)
    elements.push_back(vector::ExtractOp::create(b, loc, piece, i));
  return elements;
}

/// The lanes of a row have eight pieces of each of its columns' stretches,
/// which they show each other one after the other; each multiplies them by what
/// its own columns of the result need of the second factor. `first` are the
/// columns of the first factor from `begins` on.
void TileDistribution::multiplyElements(const TileProduct &product,
                                        const StagedFactor &factor, Value copy,
                                        const WarpTile &first, int64_t begins,
                                        WarpTile &result) {
  int64_t numLanes = layout.getLanesOfRow();
  LaneProduct lanes{rewriter, loc, layout, first.numColumns / numLanes,
                    result.numColumns / numLanes};
  int64_t piece = layout.getPiece(first.numColumns);
  int64_t resultPiece = layout.getPiece(result.numColumns);
  Value one = index(1);
  Value laneOfRow = firstColumns.lookup(1);
  Value firstLane = arith::SubIOp::create(rewriter, loc, lane, laneOfRow);
  auto loop = scf::ForOp::create(rewriter, loc, index(0), index(numLanes), one,
                                 result.elements);
  if (!loop.getBody()->empty())
    rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.setInsertionPointToStart(loop.getBody());
  Value other = loop.getInductionVar();
  Value shown = arith::IndexCastOp::create(rewriter, loc, rewriter.getI32Type(),
                                           add(firstLane, other));
  Value width = arith::ConstantOp::create(
      rewriter, loc, rewriter.getI32IntegerAttr(TileLayout::numLanes));
  Value begin = arith::MulIOp::create(rewriter, loc, other, index(piece));
  SmallVector<Value> sums(loop.getRegionIterArgs());
  for (int64_t from = 0; from < lanes.depth; from += piece) {
    Value depth = add(begin, index(begins + from * numLanes));
    // second[i][j]: of the i-th element of the piece, the j-th of our columns.
    SmallVector<SmallVector<Value>> second(piece);
    if (product.isDepthFirst) {
      for (int64_t i = 0; i < piece; ++i)
        for (int64_t j = 0; j < lanes.columns; j += resultPiece)
          llvm::append_range(second[i],
                             lanes.load(factor.buffer,
                                        {copy, add(depth, index(i)),
                                         getColumn(result.numColumns, j)},
                                        resultPiece));
    } else {
      for (int64_t j = 0; j < lanes.columns; ++j) {
        // Columns of the result are rows of the factor, interleaved.
        Value row = add(laneOfRow, index(j * numLanes));
        for (auto [i, element] : llvm::enumerate(
                 lanes.load(factor.buffer, {copy, row, depth}, piece)))
          second[i].push_back(element);
      }
    }
    for (int64_t i = 0; i < piece; ++i)
      for (int64_t row = 0; row < layout.getNumRows(); ++row) {
        Value element =
            gpu::ShuffleOp::create(rewriter, loc,
                                   first.elements[row * lanes.depth + from + i],
                                   shown, width, gpu::ShuffleMode::IDX)
                .getShuffleResult();
        for (int64_t j = 0; j < lanes.columns; ++j) {
          Value &sum = sums[row * lanes.columns + j];
          sum = math::FmaOp::create(rewriter, loc, element, second[i][j], sum);
        }
      }
  }
  scf::YieldOp::create(rewriter, loc, sums);
  result.elements.assign(loop.result_begin(), loop.result_end());
  rewriter.setInsertionPointAfter(loop);
}
