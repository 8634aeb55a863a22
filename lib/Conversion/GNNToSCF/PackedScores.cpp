//===- PackedScores.cpp - Scores of several edges in a register -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedScores.h"
#include "RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Vectors in and out of tensors
//===----------------------------------------------------------------------===//

static Value emitRead(OpBuilder &builder, Location loc, VectorType type,
                      Value tensor, Value offset = {}) {
  if (!offset)
    offset = arith::ConstantIndexOp::create(builder, loc, 0);
  Value padding = ub::PoisonOp::create(builder, loc, type.getElementType());
  return vector::TransferReadOp::create(builder, loc, type, tensor, offset,
                                        padding, ArrayRef<bool>{true});
}

static Value emitWrite(OpBuilder &builder, Location loc, Value vector,
                       Value tensor, Value offset = {}) {
  if (!offset)
    offset = arith::ConstantIndexOp::create(builder, loc, 0);
  return vector::TransferWriteOp::create(builder, loc, vector, tensor, offset,
                                         ArrayRef<bool>{true})
      .getResult();
}

static Value emitTensor(OpBuilder &builder, Location loc, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  return emitWrite(builder, loc, vector, empty);
}

static Value emitSplat(OpBuilder &builder, Location loc, VectorType type,
                       double value) {
  auto element = builder.getFloatAttr(type.getElementType(), value);
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, element));
}

static constexpr double lowest = -std::numeric_limits<double>::infinity();

/// One vector after the other in `into`, as far apart as there is room for.
static Value emitPacked(OpBuilder &builder, Location loc, Value into,
                        ArrayRef<Value> parts) {
  auto size = static_cast<int64_t>(parts.size());
  int64_t distance = cast<VectorType>(into.getType()).getNumElements() / size;
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto offset = static_cast<int64_t>(i) * distance;
    into = vector::InsertStridedSliceOp::create(builder, loc, part, into,
                                                ArrayRef<int64_t>{offset},
                                                ArrayRef<int64_t>{1});
  }
  return into;
}

/// The larger one. A maximum need not be NaN for a weight to be NaN.
static Value emitLarger(OpBuilder &builder, Location loc, Value value,
                        Value other) {
  Value isLarger = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OGT, value, other);
  return arith::SelectOp::create(builder, loc, isLarger, value, other);
}

//===----------------------------------------------------------------------===//
// Functions of several edges
//===----------------------------------------------------------------------===//

/// Whether the function does the same to each head, by itself. Booleans of a
/// vector are bits, those of a tensor bytes.
static bool isElementwise(const EdgeFunction &function) {
  if (function.hasReduction() || !function.resultMap.isIdentity() ||
      llvm::any_of(function.body->getArgumentTypes(),
                   [](Type type) { return type.isInteger(1); }))
    return false;
  for (auto [operand, map] : llvm::zip(function.operands, function.operandMaps))
    if (isa<RankedTensorType>(operand.getType()) && !map.isIdentity())
      return false;
  return llvm::all_of(function.getComputation(function.getYieldedValue()),
                      [](Operation *op) {
                        return op->hasTrait<OpTrait::ConstantLike>() ||
                               (OpTrait::hasElementwiseMappableTraits(op) &&
                                op->getNumResults() == 1);
                      });
}

namespace {
/// Computes an elementwise function on vectors in place of scalars.
class VectorBody {
public:
  VectorBody(OpBuilder &builder, Location loc, int64_t width)
      : builder(builder), loc(loc), width(width) {}

  void map(Value scalar, Value vector) { mapping.map(scalar, vector); }
  Value emit(const EdgeFunction &function) {
    Value yielded = function.getYieldedValue();
    for (Operation *op : function.getComputation(yielded))
      mapping.map(op->getResult(0), emit(op));
    return lookup(yielded);
  }

private:
  VectorType getType(Type element) const {
    return VectorType::get({width}, element);
  }

  Value lookup(Value scalar) {
    if (!mapping.contains(scalar))
      mapping.map(scalar, vector::BroadcastOp::create(
                              builder, loc, getType(scalar.getType()), scalar));
    return mapping.lookup(scalar);
  }

  Value emit(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>()) {
      Value scalar = builder.clone(*op)->getResult(0);
      return vector::BroadcastOp::create(builder, loc,
                                         getType(scalar.getType()), scalar);
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(lookup(operand));
    return builder
        .create(loc, op->getName().getIdentifier(), operands,
                getType(op->getResult(0).getType()), op->getAttrs())
        ->getResult(0);
  }

  OpBuilder &builder;
  Location loc;
  int64_t width;
  IRMapping mapping;
};
} // namespace

//===----------------------------------------------------------------------===//
// PackedScores
//===----------------------------------------------------------------------===//

PackedScores::PackedScores(const EdgeFunction &function, int64_t lanes)
    : function(function), lanes(lanes) {
  SmallVector<int64_t> shape = getResultShape(function);
  Type element = function.getResultElementType();
  if (shape.size() != 1 || !element.isF32() || shape[0] == 0 || lanes == 0)
    return;
  // More edges than a short row has would be computed for nothing, and dot
  // products of many at a time need more registers than there are.
  int64_t maxEdges = isElementwise(function) ? 4 : 2;
  numHeads = shape[0];
  if (numHeads < lanes) {
    numSlots = static_cast<int64_t>(llvm::PowerOf2Ceil(numHeads));
    numEdges = std::clamp<int64_t>(lanes / numSlots, 1, maxEdges);
  } else {
    numSlots = llvm::alignTo(numHeads, lanes);
  }
  edgeType = VectorType::get({numHeads}, element);
  packedType = VectorType::get({numEdges * numSlots}, element);
}

Value PackedScores::getOffset(OpBuilder &builder, Location loc, EdgeRange range,
                              Value position) const {
  Value slot = arith::SubIOp::create(builder, loc, position, range.origin);
  Value size = arith::ConstantIndexOp::create(builder, loc, numSlots);
  return arith::MulIOp::create(builder, loc, slot, size);
}

/// Scores of the edges from `position` on. Where there are no more, those of
/// the last one stand in.
Value PackedScores::emitRegister(OpBuilder &builder, Location loc,
                                 const RowAccess &rows, Value row,
                                 Value position, Value lastEdge) const {
  SmallVector<EdgePosition> edges;
  for (int64_t i = 0; i < numEdges; ++i) {
    Value place = position;
    if (i > 0) {
      Value distance = arith::ConstantIndexOp::create(builder, loc, i);
      Value next = arith::AddIOp::create(builder, loc, position, distance);
      place = arith::MinSIOp::create(builder, loc, next, lastEdge);
    }
    edges.push_back(rows.getEdge(builder, loc, row, place));
  }
  if (!isElementwise(function)) {
    SmallVector<Value> parts;
    for (const EdgePosition &edge : edges)
      parts.push_back(emitRead(builder, loc, edgeType,
                               emitEdgeValue(builder, loc, function, edge)));
    return emitPacked(builder, loc, emitSplat(builder, loc, packedType, lowest),
                      parts);
  }
  VectorBody body(builder, loc, packedType.getNumElements());
  for (auto [operand, role, argument] : llvm::zip(
           function.operands, function.roles, function.body->getArguments())) {
    if (!isa<RankedTensorType>(operand.getType())) {
      body.map(argument,
               vector::BroadcastOp::create(
                   builder, loc,
                   VectorType::get(packedType.getShape(), operand.getType()),
                   operand));
      continue;
    }
    VectorType type = VectorType::get(
        {numHeads}, cast<RankedTensorType>(operand.getType()).getElementType());
    SmallVector<Value> parts;
    for (const EdgePosition &edge : edges)
      parts.push_back(emitRead(
          builder, loc, type,
          emitRowSlice(builder, loc, operand, getLeadingIndices(role, edge))));
    auto allType =
        VectorType::get(packedType.getShape(), type.getElementType());
    Value zeros =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(allType));
    body.map(argument, emitPacked(builder, loc, zeros, parts));
  }
  return body.emit(function);
}

/// -inf in place of what the last edge stands in for, where fewer edges are
/// left than a register has room for.
Value PackedScores::emitMasked(OpBuilder &builder, Location loc, Value scores,
                               Value numLeft) const {
  SmallVector<int32_t> slots;
  for (int64_t i = 0; i < packedType.getNumElements(); ++i)
    slots.push_back(static_cast<int32_t>(i / numSlots));
  auto slotType = VectorType::get(packedType.getShape(), builder.getI32Type());
  Value slot = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(slotType, ArrayRef<int32_t>(slots)));
  Value left =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), numLeft);
  Value exists = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, slot,
      vector::BroadcastOp::create(builder, loc, slotType, left));
  return arith::SelectOp::create(builder, loc, exists, scores,
                                 emitSplat(builder, loc, packedType, lowest));
}

/// Halves at a time, until there is one edge.
Value PackedScores::emitFolded(
    OpBuilder &builder, Location loc, Value packed,
    llvm::function_ref<Value(OpBuilder &, Location, Value, Value)> combine)
    const {
  auto extract = [&](int64_t offset, int64_t size) -> Value {
    return vector::ExtractStridedSliceOp::create(
        builder, loc, packed, ArrayRef<int64_t>{offset},
        ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
  };
  for (int64_t half = packedType.getNumElements() / 2; half >= numSlots;
       half /= 2) {
    Value low = extract(0, half), high = extract(half, half);
    packed = combine(builder, loc, low, high);
  }
  return numHeads == numSlots ? packed : extract(0, numHeads);
}

ScoreBlock PackedScores::emitScores(OpBuilder &builder, Location loc,
                                    const RowAccess &rows, Value row,
                                    EdgeRange range, Value values,
                                    Padding padding) const {
  Value one = emitOne(builder, loc);
  Value lastEdge = arith::SubIOp::create(builder, loc, range.last, one);
  Value step = arith::ConstantIndexOp::create(builder, loc, numEdges);
  Value none = emitSplat(builder, loc, packedType, lowest);
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, step, ValueRange{none, values},
      [&](OpBuilder &b, Location l, Value position, ValueRange args) {
        Value scores = emitRegister(b, l, rows, row, position, lastEdge);
        if (padding == Padding::Lowest && numEdges > 1)
          scores = emitMasked(
              b, l, scores, arith::SubIOp::create(b, l, range.last, position));
        Value maximum = emitLarger(b, l, scores, args[0]);
        Value stored =
            emitWrite(b, l, scores, args[1], getOffset(b, l, range, position));
        scf::YieldOp::create(b, l, ValueRange{maximum, stored});
      });
  Value maximum = emitFolded(builder, loc, loop.getResult(0), emitLarger);
  return {emitTensor(builder, loc, maximum), loop.getResult(1)};
}

Value PackedScores::emitWeights(OpBuilder &builder, Location loc,
                                EdgeRange range, Value shift,
                                Value &values) const {
  Value step = arith::ConstantIndexOp::create(builder, loc, numEdges);
  Value shifts = emitRepeated(builder, loc, shift);
  Value zero = emitSplat(builder, loc, packedType, 0);
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, step, ValueRange{zero, values},
      [&](OpBuilder &b, Location l, Value position, ValueRange args) {
        Value offset = getOffset(b, l, range, position);
        Value scores = emitRead(b, l, packedType, args[1], offset);
        Value weights = emitShiftedExp(b, l, scores, shifts);
        Value sum = arith::AddFOp::create(b, l, args[0], weights);
        Value stored = emitWrite(b, l, weights, args[1], offset);
        scf::YieldOp::create(b, l, ValueRange{sum, stored});
      });
  values = loop.getResult(1);
  Value sum = emitFolded(builder, loc, loop.getResult(0),
                         [](OpBuilder &b, Location l, Value low, Value high) {
                           return arith::AddFOp::create(b, l, low, high);
                         });
  return emitTensor(builder, loc, sum);
}

Value PackedScores::emitRepeated(OpBuilder &builder, Location loc,
                                 Value edge) const {
  Value part = emitRead(builder, loc, edgeType, edge);
  return emitPacked(builder, loc, emitSplat(builder, loc, packedType, 0),
                    SmallVector<Value>(numEdges, part));
}

Value PackedScores::emitShifted(OpBuilder &builder, Location loc,
                                EdgeRange range, Value shift,
                                Value values) const {
  Value step = arith::ConstantIndexOp::create(builder, loc, numEdges);
  Value shifts = emitRepeated(builder, loc, shift);
  auto loop = scf::ForOp::create(
      builder, loc, range.first, range.last, step, values,
      [&](OpBuilder &b, Location l, Value position, ValueRange args) {
        Value offset = getOffset(b, l, range, position);
        Value scores = emitRead(b, l, packedType, args[0], offset);
        Value shifted = arith::SubFOp::create(b, l, scores, shifts);
        scf::YieldOp::create(b, l, emitWrite(b, l, shifted, args[0], offset));
      });
  return loop.getResult(0);
}

Value PackedScores::emitExponentials(OpBuilder &builder, Location loc,
                                     EdgeRange range, Value values) const {
  Value begin = getOffset(builder, loc, range, range.first);
  Value end = getOffset(builder, loc, range, range.last);
  Value step = arith::ConstantIndexOp::create(builder, loc, lanes);
  auto type = VectorType::get({lanes}, packedType.getElementType());
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, step, values,
      [&](OpBuilder &b, Location l, Value offset, ValueRange args) {
        Value scores = emitRead(b, l, type, args[0], offset);
        scf::YieldOp::create(
            b, l,
            emitWrite(b, l, emitExpOfNegative(b, l, scores), args[0], offset));
      });
  return loop.getResult(0);
}

Value PackedScores::emitEntry(OpBuilder &builder, Location loc, EdgeRange range,
                              Value values, Value position) const {
  Value offset = getOffset(builder, loc, range, position);
  auto type = RankedTensorType::get({numHeads}, packedType.getElementType());
  return tensor::ExtractSliceOp::create(
      builder, loc, type, values, ArrayRef<OpFoldResult>{offset},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(numHeads)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}
