//===- RankedRows.cpp - Graphs of ranked edges ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankedRows.h"
#include "GraphArrays.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

RankedRows gnn::emitEmptyRanks(OpBuilder &builder, Location loc, Value numRows,
                               Type sourceType, int64_t k) {
  Value zero = emitConstant(builder, loc, 0);
  Value one = emitConstant(builder, loc, 1);
  Value sources = emitEmptyRows(
      builder, loc, numRows,
      RankedTensorType::get({ShapedType::kDynamic, k}, sourceType));
  Value numbers = emitEmptyRows(
      builder, loc, emitAddIndex(builder, loc, numRows, one),
      RankedTensorType::get({ShapedType::kDynamic}, builder.getIndexType()));
  return {sources, storeIndex(builder, loc, zero, numbers, numRows)};
}

/// Where the list of each destination is, as indices.
static Value emitPlaces(OpBuilder &builder, Location loc, Value destinations) {
  Value numRows = tensor::DimOp::create(builder, loc, destinations, 0);
  Value empty = emitEmptyRows(
      builder, loc, numRows,
      RankedTensorType::get({ShapedType::kDynamic}, builder.getIndexType()));
  return scf::ForOp::create(
             builder, loc, emitConstant(builder, loc, 0), numRows,
             emitConstant(builder, loc, 1), empty,
             [&](OpBuilder &b, Location l, Value place, ValueRange state) {
               Value row = loadIndex(b, l, destinations, place);
               scf::YieldOp::create(b, l,
                                    storeIndex(b, l, place, state[0], row));
             })
      .getResult(0);
}

/// Entries of `numbers` in the order of `places`, and the one behind all.
static Value emitInOrder(OpBuilder &builder, Location loc, Value numbers,
                         Value places) {
  Value numRows = tensor::DimOp::create(builder, loc, places, 0);
  Value size = tensor::DimOp::create(builder, loc, numbers, 0);
  Value one = emitConstant(builder, loc, 1);
  Value empty = emitEmptyRows(builder, loc, size,
                              cast<RankedTensorType>(numbers.getType()));
  Value sorted = emitParallelRanges(
      builder, loc, numRows, one, empty,
      [&](OpBuilder &b, Location l, Value row, Value, Value range) {
        Value number = loadIndex(b, l, numbers, loadIndex(b, l, places, row));
        return storeIndex(b, l, number, range, emitConstant(b, l, 0));
      });
  return storeIndex(builder, loc, emitConstant(builder, loc, 0), sorted,
                    numRows);
}

/// The first entries of each row's list one after the other, where `rowPointer`
/// has them begin.
static Value emitColumns(OpBuilder &builder, Location loc,
                         const RankedRows &ranked, Value places,
                         Value rowPointer, Value numEdges) {
  auto type = cast<RankedTensorType>(ranked.sources.getType());
  Value columns = emitEmptyRows(
      builder, loc, numEdges,
      RankedTensorType::get({ShapedType::kDynamic}, type.getElementType()));
  // As what reads the new graph counts them, so that both loops are seen to
  // take the same rows.
  Value numRows = arith::SubIOp::create(
      builder, loc, tensor::DimOp::create(builder, loc, rowPointer, 0),
      emitConstant(builder, loc, 1));
  auto copyRow = [&](OpBuilder &b, Location l, Value row, ValueRange ranges) {
    Value list = places ? loadIndex(b, l, places, row) : row;
    auto loop = scf::ForOp::create(
        b, l, emitConstant(b, l, 0),
        tensor::DimOp::create(b, l, ranges.front(), 0), emitConstant(b, l, 1),
        ranges, [&](OpBuilder &eb, Location el, Value place, ValueRange args) {
          Value source = tensor::ExtractOp::create(eb, el, ranked.sources,
                                                   ValueRange{list, place});
          Value stored =
              tensor::InsertOp::create(eb, el, source, args[0], place);
          scf::YieldOp::create(eb, el, stored);
        });
    return SmallVector<Value>(loop.getResults());
  };
  return emitRowRanges(builder, loc, numRows, rowPointer, columns, copyRow)
      .front();
}

void gnn::replaceByRankedRows(PatternRewriter &rewriter, TopKGraphOp op,
                              const RankedRows &ranked, Value numSources) {
  Location loc = op.getLoc();
  auto pointerType =
      cast<RankedTensorType>(op.getResult().getType().getPartTypes().front());
  Value places, numbers = ranked.numbers;
  if (ranked.destinations) {
    places = emitPlaces(rewriter, loc, ranked.destinations);
    numbers = emitInOrder(rewriter, loc, numbers, places);
  }
  auto [rowPointer, numEdges] =
      emitPrefixSums(rewriter, loc, numbers, pointerType);
  Value columns =
      emitColumns(rewriter, loc, ranked, places, rowPointer, numEdges);
  replaceGraph(rewriter, op, {rowPointer, columns, numSources}, {});
}
