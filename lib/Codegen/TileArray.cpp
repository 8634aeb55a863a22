//===- TileArray.cpp - Tiles that loops come back to ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileArray.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn;

/// Whether the slice is one element of all dimensions but the last two, of
/// which it is all.
static bool isOneTile(tensor::ExtractSliceOp slice) {
  RankedTensorType source = slice.getSourceType(), tile = slice.getType();
  unsigned numPlaces = source.getRank() - 2;
  if (tile.getRank() != 2 || !tile.hasStaticShape() || source.getRank() < 3 ||
      tile.getShape() != source.getShape().take_back(2) ||
      !slice.hasUnitStride())
    return false;
  ArrayRef<int64_t> sizes = slice.getStaticSizes();
  return llvm::all_of(sizes.take_front(numPlaces),
                      [](int64_t size) { return size == 1; }) &&
         llvm::all_of(
             ArrayRef(slice.getMixedOffsets()).drop_front(numPlaces),
             [](OpFoldResult offset) { return isZeroInteger(offset); });
}

/// Adds the ops in `loop` that `value` is computed by, and the loops that count
/// what they begin with; false where something else changes it.
static bool collect(Value value, scf::ForOp loop,
                    llvm::SetVector<Operation *> &ops,
                    llvm::SetVector<Operation *> &counting) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto counter = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!counter || argument != counter.getInductionVar())
      return false;
    counting.insert(counter);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return collect(operand, loop, ops, counting);
      }))
    return false;
  ops.insert(op);
  return true;
}

FailureOr<TileOfArray> TileOfArray::match(Value tile) {
  TileOfArray result;
  result.slice = tile.getDefiningOp<tensor::ExtractSliceOp>();
  if (!result.slice || !isOneTile(result.slice))
    return failure();
  for (Operation *op = result.slice->getParentOp(); op;
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !loop.isDefinedOutsideOfLoop(result.slice.getSource()))
      break;
    result.outer = loop;
  }
  if (!result.outer)
    return failure();
  llvm::SetVector<Operation *> ops, counting;
  for (Value place : result.slice.getOffsets())
    if (!collect(place, result.outer, ops, counting))
      return failure();
  if (counting.size() != 1)
    return failure();
  result.inner = cast<scf::ForOp>(counting.front());
  if (result.inner == result.outer ||
      llvm::any_of(ValueRange{result.inner.getLowerBound(),
                              result.inner.getUpperBound(),
                              result.inner.getStep()},
                   [&](Value bound) {
                     return !result.outer.isDefinedOutsideOfLoop(bound);
                   }))
    return failure();
  result.placeOps.assign(ops.begin(), ops.end());
  return result;
}

Value TileOfArray::emitBeforeLoop(OpBuilder &b, RankedTensorType type,
                                  EmitTile emit) {
  Location loc = slice.getLoc();
  RankedTensorType tileType = slice.getType();
  unsigned numPlaces = slice.getSourceType().getRank() - 2;
  auto getSlice = [&](ArrayRef<OpFoldResult> places, RankedTensorType of,
                      SmallVector<OpFoldResult> &offsets,
                      SmallVector<OpFoldResult> &sizes) {
    offsets.assign(places.begin(), places.end());
    offsets.append(of.getRank(), b.getIndexAttr(0));
    sizes.assign(numPlaces, b.getIndexAttr(1));
    llvm::append_range(sizes,
                       getAsIndexOpFoldResult(b.getContext(), of.getShape()));
  };
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> strides(numPlaces + type.getRank(),
                                    b.getIndexAttr(1));
  Value all;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(outer);
    SmallVector<int64_t> shape(
        slice.getSourceType().getShape().take_front(numPlaces));
    llvm::append_range(shape, type.getShape());
    SmallVector<Value> dynamicSizes;
    for (unsigned i = 0; i < numPlaces; ++i)
      if (ShapedType::isDynamic(shape[i]))
        dynamicSizes.push_back(
            tensor::DimOp::create(b, loc, slice.getSource(), i));
    Value memory = bufferization::AllocTensorOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()),
        dynamicSizes);
    auto body = [&](OpBuilder &bb, Location, Value counter, ValueRange args) {
      IRMapping mapping;
      mapping.map(inner.getInductionVar(), counter);
      for (Operation *op : placeOps)
        bb.clone(*op, mapping);
      SmallVector<OpFoldResult> places;
      SmallVector<OpFoldResult> allOffsets = slice.getMixedOffsets();
      for (OpFoldResult place : ArrayRef(allOffsets).take_front(numPlaces))
        places.push_back(isa<Value>(place)
                             ? mapping.lookupOrDefault(cast<Value>(place))
                             : place);
      getSlice(places, tileType, offsets, sizes);
      Value source = tensor::ExtractSliceOp::create(
          bb, loc, tileType, slice.getSource(), offsets, sizes,
          SmallVector<OpFoldResult>(numPlaces + 2, bb.getIndexAttr(1)));
      getSlice(places, type, offsets, sizes);
      Value into = tensor::ExtractSliceOp::create(bb, loc, type, args[0],
                                                  offsets, sizes, strides);
      into = emit(bb, source, into);
      Value next = tensor::InsertSliceOp::create(bb, loc, into, args[0],
                                                 offsets, sizes, strides);
      scf::YieldOp::create(bb, loc, next);
    };
    all =
        scf::ForOp::create(b, loc, inner.getLowerBound(), inner.getUpperBound(),
                           inner.getStep(), memory, body)
            .getResult(0);
  }
  getSlice(ArrayRef(slice.getMixedOffsets()).take_front(numPlaces), type,
           offsets, sizes);
  return tensor::ExtractSliceOp::create(b, loc, type, all, offsets, sizes,
                                        strides);
}
