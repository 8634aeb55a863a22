//===- LongRows.cpp - Rows that several threads share -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongRows.h"
#include "RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

/// Graphs of fewer edges than so many parts are accumulated row by row: another
/// kernel would take longer than their longest row.
static constexpr int64_t minParts = 16;

static Value compare(OpBuilder &b, Location loc, arith::CmpIPredicate predicate,
                     Value left, Value right) {
  return arith::CmpIOp::create(b, loc, predicate, left, right);
}

int64_t gnn::getPartSize(const RowAccess &rows, int64_t ofRow,
                         int64_t ofSegment) {
  if (rows.hasRowPointer())
    return ofRow;
  return rows.hasSegments() ? ofSegment : 0;
}

LongRows::LongRows(OpBuilder &builder, Location loc, const RowAccess &rows,
                   const RowAccumulation &accumulation, int64_t edges)
    : rows(rows), accumulation(accumulation), edges(edges) {
  if (edges != 0)
    emitParts(builder, loc);
}

SmallVector<Value> LongRows::emitEdges(OpBuilder &builder, Location loc,
                                       Value row, Value begin,
                                       Value end) const {
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, emitOne(builder, loc),
      accumulation.emitInitial(builder, loc),
      [&](OpBuilder &b, Location l, Value position, ValueRange state) {
        scf::YieldOp::create(b, l,
                             accumulation.emitStep(b, l, row, position, state));
      });
  return loop.getResults();
}

void LongRows::emitParts(OpBuilder &builder, Location loc) {
  Value numEdges = rows.getNumPositions(builder, loc);
  Value size = emitIndex(builder, loc, edges);
  Value all = arith::DivUIOp::create(builder, loc, numEdges, size);
  Value isWorthIt = compare(builder, loc, arith::CmpIPredicate::uge, all,
                            emitIndex(builder, loc, minParts));
  if (rows.hasSegments())
    isWorthIt = arith::AndIOp::create(builder, loc, isWorthIt,
                                      rows.emitIsOneRowEach(builder, loc));
  numParts = arith::SelectOp::create(builder, loc, isWorthIt, all,
                                     emitIndex(builder, loc, 0));
  Value steps = rows.getNumBisections(builder, loc);
  SmallVector<Value> outputs;
  for (Value value : accumulation.emitInitial(builder, loc)) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> sizes{numParts};
    llvm::append_range(
        sizes, getAsIndexOpFoldResult(builder.getContext(), type.getShape()));
    outputs.push_back(
        tensor::EmptyOp::create(builder, loc, sizes, type.getElementType()));
  }
  OpFoldResult lower = builder.getIndexAttr(0), upper = numParts,
               step = builder.getIndexAttr(1);
  auto loop = scf::ForallOp::create(
      builder, loc, lower, upper, step, outputs, /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value first = arith::MulIOp::create(b, l, args[0], size);
        Value last = arith::AddIOp::create(b, l, first, size);
        Value row = rows.findRowOfPosition(b, l, first, steps);
        Value end = rows.getRange(b, l, row).second;
        Value isWhole = compare(b, l, arith::CmpIPredicate::ule, last, end);
        last = arith::SelectOp::create(b, l, isWhole, last, first);
        SmallVector<Value> state = emitEdges(b, l, row, first, last);
        SmallVector<SliceParameters> slices;
        for (Value output : args.drop_front())
          slices.push_back(getRowSlice(
              b, cast<RankedTensorType>(output.getType()), {args[0]}, {}, {}));
        emitParallelInsert(b, l, state, args.drop_front(), slices);
      });
  parts = loop.getResults();
}

SmallVector<Value> LongRows::emitRow(OpBuilder &builder, Location loc,
                                     Value row, Value begin, Value end) const {
  if (!numParts)
    return emitEdges(builder, loc, row, begin, end);
  Value zero = emitIndex(builder, loc, 0);
  Value size = emitIndex(builder, loc, edges);
  Value firstPart = arith::CeilDivUIOp::create(builder, loc, begin, size);
  Value lastPart = arith::DivUIOp::create(builder, loc, end, size);
  Value hasParts =
      compare(builder, loc, arith::CmpIPredicate::ult, firstPart,
              arith::MinUIOp::create(builder, loc, lastPart, numParts));
  lastPart = arith::SelectOp::create(builder, loc, hasParts, lastPart, zero);
  firstPart = arith::SelectOp::create(builder, loc, hasParts, firstPart, zero);
  Value count = arith::SubIOp::create(builder, loc, lastPart, firstPart);
  Value skipped = arith::MulIOp::create(builder, loc, count, size);
  Value middle = arith::MulIOp::create(builder, loc, firstPart, size);
  Value rest = arith::SubIOp::create(builder, loc, end, skipped);
  // Edges before the parts and after them, in one loop.
  auto edgeLoop = scf::ForOp::create(
      builder, loc, begin, rest, emitOne(builder, loc),
      accumulation.emitInitial(builder, loc),
      [&](OpBuilder &b, Location l, Value index, ValueRange state) {
        Value isBehind =
            compare(b, l, arith::CmpIPredicate::uge, index, middle);
        Value offset = arith::SelectOp::create(b, l, isBehind, skipped, zero);
        Value position = arith::AddIOp::create(b, l, index, offset);
        scf::YieldOp::create(b, l,
                             accumulation.emitStep(b, l, row, position, state));
      });
  auto partLoop = scf::ForOp::create(
      builder, loc, firstPart, lastPart, emitOne(builder, loc),
      edgeLoop.getResults(),
      [&](OpBuilder &b, Location l, Value index, ValueRange state) {
        SmallVector<Value> part;
        for (Value states : parts)
          part.push_back(emitRowSlice(b, l, states, {index}));
        scf::YieldOp::create(b, l, accumulation.emitMerged(b, l, state, part));
      });
  return partLoop.getResults();
}
