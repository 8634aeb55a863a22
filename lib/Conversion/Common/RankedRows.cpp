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

/// The first `numbers[i]` entries of each row i one after the other, where
/// `rowPointer` has them begin.
static Value emitColumns(OpBuilder &builder, Location loc,
                         const RankedRows &ranked, Value rowPointer,
                         Value numEdges) {
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
    auto loop = scf::ForOp::create(
        b, l, emitConstant(b, l, 0),
        tensor::DimOp::create(b, l, ranges.front(), 0), emitConstant(b, l, 1),
        ranges, [&](OpBuilder &eb, Location el, Value place, ValueRange args) {
          Value source = tensor::ExtractOp::create(eb, el, ranked.sources,
                                                   ValueRange{row, place});
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
  auto [rowPointer, numEdges] =
      emitPrefixSums(rewriter, loc, ranked.numbers, pointerType);
  Value columns = emitColumns(rewriter, loc, ranked, rowPointer, numEdges);
  replaceGraph(rewriter, op, {rowPointer, columns, numSources}, {});
}
