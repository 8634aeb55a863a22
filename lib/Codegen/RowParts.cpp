//===- RowParts.cpp - What loops read and write of rows ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowParts.h"
#include "CacheLine.h"
#include "RowPointer.h"
#include "WrittenBuffers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;

/// Rows in succession that are shorter than this need no help: a processor
/// finds out by itself that one line follows the other.
static constexpr int64_t longRowBytes = 256;

int64_t gnn::getRowLength(MemRefType type) {
  if (type.getRank() < 2 || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0 ||
      type.getElementTypeBitWidth() > 64 ||
      llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
    return 0;
  return ShapedType::getNumElements(type.getShape().drop_front());
}

int64_t gnn::getRowBytes(MemRefType type) {
  return ShapedType::getNumElements(type.getShape().drop_front()) *
         std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

Value gnn::compareBytes(OpBuilder &b, Location loc,
                        arith::CmpIPredicate predicate, ValueRange matrices,
                        int64_t number) {
  Value total;
  for (Value matrix : matrices) {
    Value count = memref::DimOp::create(b, loc, matrix, 0);
    Value rowBytes = arith::ConstantIndexOp::create(
        b, loc, getRowBytes(cast<MemRefType>(matrix.getType())));
    Value bytes = arith::MulIOp::create(b, loc, count, rowBytes);
    total = total ? arith::AddIOp::create(b, loc, total, bytes) : bytes;
  }
  Value bound = arith::ConstantIndexOp::create(b, loc, number);
  return arith::CmpIOp::create(b, loc, predicate, total, bound);
}

/// `index` is that of a row; the other indices and sizes tell which part.
static std::optional<RowPart> getPart(Value buffer, Value index,
                                      ArrayRef<OpFoldResult> indices,
                                      ArrayRef<int64_t> sizes) {
  auto type = cast<MemRefType>(buffer.getType());
  if (indices.empty() || dyn_cast<Value>(indices.front()) != index ||
      !type.getLayout().isIdentity() || !type.getElementType().isIntOrFloat() ||
      sizes.front() != 1 ||
      llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
    return std::nullopt;
  RowPart part{buffer, 0, 0};
  for (auto [extent, offset, size] :
       llvm::drop_begin(llvm::zip_equal(type.getShape(), indices, sizes))) {
    // All of it where the place is not known, as inside a loop.
    std::optional<int64_t> first = getConstantIntValue(offset);
    bool isKnown = first && !ShapedType::isDynamic(size);
    part.begin = part.begin * extent + (isKnown ? *first : 0);
    part.end = part.end * extent + (isKnown ? *first + size : extent) - 1;
  }
  ++part.end;
  return part;
}

/// What `op` reads or writes of the row number `index`.
static std::optional<RowPart> getPart(Operation *op, Value index) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return getPart(load.getMemRef(), index,
                   getAsOpFoldResult(load.getIndices()),
                   SmallVector<int64_t>(load.getMemRefType().getRank(), 1));
  if (auto view = dyn_cast<memref::SubViewOp>(op))
    return getPart(view.getSource(), index, view.getMixedOffsets(),
                   view.getStaticSizes());
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!transfer || !isa<MemRefType>(transfer.getBase().getType()) ||
      !transfer.getPermutationMap().isMinorIdentity())
    return std::nullopt;
  int64_t rank = cast<MemRefType>(transfer.getBase().getType()).getRank();
  SmallVector<int64_t> sizes(rank - transfer.getVectorType().getRank(), 1);
  llvm::append_range(sizes, transfer.getVectorType().getShape());
  return getPart(transfer.getBase(), index,
                 getAsOpFoldResult(transfer.getIndices()), sizes);
}

/// Adds to `parts` what those `users` of `index` read or write that `loop` does
/// not make itself.
template <typename Users>
static void addParts(LoopLikeOpInterface loop, Value index, Users users,
                     SmallVectorImpl<RowPart> &parts) {
  for (Operation *user : users) {
    std::optional<RowPart> part = getPart(user, index);
    if (!part || !loop.isDefinedOutsideOfLoop(part->buffer))
      continue;
    RowPart *known = llvm::find_if(parts, [&](const RowPart &other) {
      return other.buffer == part->buffer;
    });
    if (known == parts.end()) {
      parts.push_back(*part);
      continue;
    }
    known->begin = std::min(known->begin, part->begin);
    known->end = std::max(known->end, part->end);
  }
}

void gnn::addReads(LoopLikeOpInterface loop, Value index,
                   SmallVectorImpl<RowPart> &parts) {
  auto reads = llvm::make_filter_range(index.getUsers(), [](Operation *user) {
    return !isa<vector::TransferWriteOp>(user);
  });
  addParts(loop, index, reads, parts);
}

SmallVector<RowNumber> gnn::findNumbers(LoopLikeOpInterface loop, Value place) {
  SmallVector<RowNumber> numbers{{place, {}, {}}};
  for (auto op : loop->getRegion(0).front().getOps<scf::IfOp>()) {
    if (op.getNumResults() != 1 || op.elseYield().getOperand(0) != place)
      continue;
    auto load = getBoundRead<memref::LoadOp>(op.thenYield().getOperand(0));
    if (load && load.getIndices()[0] == place &&
        loop.isDefinedOutsideOfLoop(op.getCondition()) &&
        loop.isDefinedOutsideOfLoop(load.getMemRef()))
      numbers.push_back({op.getResult(0), load.getMemRef(), op});
  }
  return numbers;
}

std::pair<SmallVector<RowPart>, SmallVector<RowPart>>
gnn::findOwnRows(LoopLikeOpInterface loop, const RowNumber &row) {
  // Only at run time it is known how many edges a row has.
  if (llvm::all_of(loop->getRegion(0).front().getOps<scf::ForOp>(),
                   [](scf::ForOp inner) {
                     return inner.getStaticTripCount().has_value();
                   }))
    return {};
  SmallVector<RowPart> parts, reads, writes;
  addParts(loop, row.number, row.number.getUsers(), parts);
  // Shorter ones share lines with others.
  int64_t minimumBytes = row.op ? lineBytes : longRowBytes;
  WrittenBuffers written(loop);
  for (const RowPart &part : parts)
    if (written.contains(part.buffer))
      writes.push_back(part);
    else if (part.getBytes() >= minimumBytes)
      reads.push_back(part);
  return {reads, writes};
}
