//===- VectorParts.cpp - Vectors made of others -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;

bool gnn::hasWholeBytes(Type element) {
  return !element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 == 0;
}

bool gnn::isSplit(Type type, PartSizes sizes) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() == 0 || vector.isScalable())
    return false;
  int64_t rowSize = vector.getShape().back();
  return rowSize >= sizes.wideRowSize ||
         (rowSize >= sizes.minRowSize &&
          !llvm::has_single_bit<uint64_t>(rowSize));
}

/// As many parts as have `width` elements, then powers of two.
static void addParts(int64_t begin, int64_t size, int64_t width,
                     SmallVectorImpl<Part> &parts) {
  while (size > 0) {
    auto power = static_cast<int64_t>(llvm::bit_floor<uint64_t>(size));
    int64_t next = std::min(width, power);
    parts.push_back({begin, next});
    begin += next;
    size -= next;
  }
}

/// Parts of one row. What is left after as many as are as long as can be is one
/// more, which may begin before.
static void addRow(int64_t begin, int64_t size, int64_t width,
                   SmallVectorImpl<Part> &parts) {
  int64_t end = begin + size;
  width =
      std::min(width, static_cast<int64_t>(llvm::bit_floor<uint64_t>(size)));
  for (; begin + width <= end; begin += width)
    parts.push_back({begin, width});
  auto rest = static_cast<int64_t>(llvm::bit_ceil<uint64_t>(end - begin));
  if (begin < end)
    parts.push_back({end - rest, rest});
}

SmallVector<Part> gnn::getParts(VectorType type, PartSizes sizes) {
  if (!isSplit(type, sizes))
    return {{0, type.getNumElements()}};
  SmallVector<Part> parts;
  int64_t rowSize = type.getShape().back();
  for (int64_t row = 0; row < type.getNumElements(); row += rowSize)
    addRow(row, rowSize, sizes.width, parts);
  return parts;
}

/// Leading indices of the row that begins with element number `begin`.
static SmallVector<int64_t> getRowPosition(VectorType type, int64_t begin) {
  SmallVector<int64_t> position =
      delinearize(begin, computeStrides(type.getShape()));
  position.pop_back();
  return position;
}

/// The number of the first element at `position`, leading indices.
static int64_t getElement(VectorType type, ArrayRef<int64_t> position) {
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  return linearize(position,
                   ArrayRef<int64_t>(strides).take_front(position.size()));
}

VectorType gnn::getPartType(VectorType whole, int64_t size) {
  return VectorType::get({size}, whole.getElementType());
}

/// The elements that `a` and `b` share.
static Part getShared(Part a, Part b) {
  int64_t begin = std::max(a.begin, b.begin);
  return {begin,
          std::max<int64_t>(0, std::min(a.getEnd(), b.getEnd()) - begin)};
}

static Value emitExtract(OpBuilder &builder, Location loc, Value vector,
                         int64_t offset, int64_t size) {
  if (size == cast<VectorType>(vector.getType()).getNumElements())
    return vector;
  return vector::ExtractStridedSliceOp::create(
      builder, loc, vector, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{size},
      ArrayRef<int64_t>{1});
}

static Value emitInsert(OpBuilder &builder, Location loc, Value part,
                        Value vector, int64_t offset) {
  if (part.getType() == vector.getType())
    return part;
  return vector::InsertStridedSliceOp::create(builder, loc, part, vector,
                                              ArrayRef<int64_t>{offset},
                                              ArrayRef<int64_t>{1});
}

Value gnn::emitOverwritten(OpBuilder &builder, Location loc, PartValues values,
                           int64_t origin, Value into, Part place) {
  int64_t done = place.begin;
  for (auto [vector, part] : llvm::zip_equal(values.vectors, values.parts)) {
    Part there{origin + part.begin, part.size};
    // Parts before may have had some.
    Part shared = getShared(there, {done, place.getEnd() - done});
    if (shared.size == 0)
      continue;
    done = shared.getEnd();
    // Pieces have such sizes as well.
    SmallVector<Part> pieces;
    addParts(0, shared.size, std::numeric_limits<int64_t>::max(), pieces);
    for (Part piece : pieces) {
      int64_t begin = shared.begin + piece.begin;
      Value elements =
          emitExtract(builder, loc, vector, begin - there.begin, piece.size);
      into = emitInsert(builder, loc, elements, into, begin - place.begin);
    }
  }
  return into;
}

Value gnn::emitSlice(OpBuilder &builder, Location loc, PartValues values,
                     Part slice) {
  VectorType type = getPartType(
      cast<VectorType>(values.vectors.front().getType()), slice.size);
  Value empty = ub::PoisonOp::create(builder, loc, type);
  return emitOverwritten(builder, loc, values, 0, empty, slice);
}

Value gnn::emitWhole(OpBuilder &builder, Location loc, VectorType type,
                     PartValues values) {
  if (type.getRank() == 1)
    return emitSlice(builder, loc, values, {0, type.getNumElements()});
  Value whole = ub::PoisonOp::create(builder, loc, type);
  int64_t rowSize = type.getShape().back();
  for (int64_t begin = 0; begin < type.getNumElements(); begin += rowSize) {
    Value row = emitSlice(builder, loc, values, {begin, rowSize});
    whole = vector::InsertOp::create(builder, loc, row, whole,
                                     getRowPosition(type, begin));
  }
  return whole;
}

SmallVector<Value> gnn::emitParts(OpBuilder &builder, Location loc,
                                  Value vector, ArrayRef<Part> parts) {
  auto type = cast<VectorType>(vector.getType());
  int64_t rowSize = type.getShape().back();
  SmallVector<Value> results, rows = {vector};
  if (type.getRank() > 1) {
    rows.clear();
    for (int64_t begin = 0; begin < type.getNumElements(); begin += rowSize)
      rows.push_back(vector::ExtractOp::create(builder, loc, vector,
                                               getRowPosition(type, begin)));
  }
  for (Part part : parts) {
    int64_t row = part.begin / rowSize;
    Part place{row * rowSize, rowSize};
    results.push_back(emitSlice(builder, loc, {rows[row], place}, part));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Parts in memory
//===----------------------------------------------------------------------===//

template <typename Op>
static SmallVector<Value> getPartIndices(OpBuilder &builder, Op op, Part part) {
  SmallVector<Value> indices(op.getIndices());
  if (part.begin > 0) {
    Value offset =
        arith::ConstantIndexOp::create(builder, op.getLoc(), part.begin);
    indices.back() =
        arith::AddIOp::create(builder, op.getLoc(), indices.back(), offset);
  }
  return indices;
}

/// What is known of the whole and holds for a part of it.
template <typename Op>
static void keepAttributes(Op whole, Part part, Op access) {
  access.setNontemporal(whole.getNontemporal());
  IntegerAttr alignment = whole.getAlignmentAttr();
  if (alignment && part.begin != 0) {
    int64_t bytes =
        part.begin *
        llvm::divideCeil(whole.getMemRefType().getElementTypeBitWidth(), 8);
    alignment = IntegerAttr::get(alignment.getType(),
                                 llvm::MinAlign(alignment.getInt(), bytes));
  }
  access.setAlignmentAttr(alignment);
}

SmallVector<Value> gnn::emitPartLoads(OpBuilder &builder, vector::LoadOp op,
                                      ArrayRef<Part> parts) {
  SmallVector<Value> results;
  for (Part part : parts) {
    auto load = vector::LoadOp::create(
        builder, op.getLoc(), getPartType(op.getVectorType(), part.size),
        op.getBase(), getPartIndices(builder, op, part));
    keepAttributes(op, part, load);
    results.push_back(load);
  }
  return results;
}

void gnn::emitPartStores(OpBuilder &builder, vector::StoreOp op,
                         ValueRange vectors, ArrayRef<Part> parts) {
  for (auto [vector, part] : llvm::zip_equal(vectors, parts)) {
    auto store =
        vector::StoreOp::create(builder, op.getLoc(), vector, op.getBase(),
                                getPartIndices(builder, op, part));
    keepAttributes(op, part, store);
  }
}

//===----------------------------------------------------------------------===//
// Elements taken from vectors and put into others
//===----------------------------------------------------------------------===//

std::optional<int64_t> gnn::getFirstElement(vector::ExtractOp op) {
  if (op.hasDynamicPosition())
    return std::nullopt;
  return getElement(op.getSourceVectorType(), op.getStaticPosition());
}

std::optional<int64_t> gnn::getFirstElement(vector::InsertOp op) {
  if (op.hasDynamicPosition())
    return std::nullopt;
  return getElement(op.getDestVectorType(), op.getStaticPosition());
}

/// Number of the first element of `slice` in `whole`; none if the slice has
/// parts of several rows.
static std::optional<int64_t>
getFirstOfSlice(VectorType whole, VectorType slice, ArrayAttr offsets) {
  if (slice.getNumElements() != slice.getShape().back())
    return std::nullopt;
  SmallVector<int64_t> position;
  for (auto offset : offsets.getAsRange<IntegerAttr>())
    position.push_back(offset.getInt());
  return getElement(whole, position);
}

std::optional<int64_t> gnn::getFirstElement(vector::ExtractStridedSliceOp op) {
  return getFirstOfSlice(op.getSourceVectorType(), op.getType(),
                         op.getOffsets());
}

std::optional<int64_t> gnn::getFirstElement(vector::InsertStridedSliceOp op) {
  return getFirstOfSlice(op.getDestVectorType(), op.getSourceVectorType(),
                         op.getOffsets());
}
