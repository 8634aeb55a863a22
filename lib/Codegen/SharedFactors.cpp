//===- SharedFactors.cpp - Factors packed once for all blocks ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedFactors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Rows of an array, and where they are.
struct Origin {
  Value array;
  /// For each dimension of the array.
  SmallVector<OpFoldResult> offsets;
  unsigned rowDim = 0;
  /// The row of the array that is row 0 of the part.
  Value firstRow;
};
} // namespace

static bool isOutside(Value value, Operation *loop) {
  return !loop->isAncestor(value.getParentRegion()->getParentOp());
}

/// Where in an array from outside of `loop` the matrix `part` is: some of its
/// rows, all of its last dimension, and one element of each other dimension.
static std::optional<Origin> getOrigin(Value part, Operation *loop) {
  auto partType = cast<RankedTensorType>(part.getType());
  if (partType.getRank() != 2)
    return std::nullopt;
  Origin origin;
  // Dimensions of the part in what it is a slice of, and offsets there.
  SmallVector<unsigned> dims{0, 1};
  SmallVector<OpFoldResult> offsets;
  Value value = part;
  Builder b(part.getContext());
  offsets.assign(2, b.getIndexAttr(0));
  while (!isOutside(value, loop)) {
    auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !slice.hasUnitStride())
      return std::nullopt;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> sliceOffsets = slice.getMixedOffsets();
    SmallVector<OpFoldResult> sourceOffsets(sliceOffsets.size());
    SmallVector<unsigned> sourceDims(2);
    for (unsigned i = 0, kept = 0; i < sliceOffsets.size(); ++i) {
      if (dropped[i]) {
        sourceOffsets[i] = sliceOffsets[i];
        continue;
      }
      // Sums of offsets are not looked for.
      if (isZeroInteger(offsets[kept]))
        sourceOffsets[i] = sliceOffsets[i];
      else if (isZeroInteger(sliceOffsets[i]))
        sourceOffsets[i] = offsets[kept];
      else
        return std::nullopt;
      for (unsigned d : {0, 1})
        if (dims[d] == kept)
          sourceDims[d] = i;
      ++kept;
    }
    offsets = sourceOffsets;
    dims = sourceDims;
    value = slice.getSource();
  }
  auto type = cast<RankedTensorType>(value.getType());
  if (value == part || dims[1] + 1 != type.getRank() ||
      type.getDimSize(dims[1]) != partType.getDimSize(1) ||
      ShapedType::isDynamic(partType.getDimSize(1)) ||
      !isZeroInteger(offsets[dims[1]]))
    return std::nullopt;
  origin.array = value;
  origin.rowDim = dims[0];
  origin.firstRow = dyn_cast<Value>(offsets[dims[0]]);
  origin.offsets = offsets;
  return origin;
}

/// The loop that `value` counts multiples of `size` in.
static scf::ForOp getCountingLoop(Value value, int64_t size) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  if (!argument)
    return nullptr;
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || loop.getInductionVar() != argument ||
      !isZeroInteger(getAsOpFoldResult(loop.getLowerBound())))
    return nullptr;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return step && *step % size == 0 ? loop : nullptr;
}

/// All tiles of the array, made in parallel.
static Value packTiles(OpBuilder &b, Location loc, const Origin &origin,
                       Value end, int64_t numRows, RankedTensorType tileType,
                       SharedFactors::EmitTile emit) {
  auto type = cast<RankedTensorType>(origin.array.getType());
  SmallVector<OpFoldResult> arraySizes =
      tensor::getMixedSizes(b, loc, origin.array);
  Value size = arith::ConstantIndexOp::create(b, loc, numRows);
  // A loop over all dimensions but rows and columns, and over tiles.
  SmallVector<OpFoldResult> counts;
  for (unsigned i = 0; i + 1 < arraySizes.size(); ++i)
    if (i != origin.rowDim)
      counts.push_back(arraySizes[i]);
  counts.push_back(
      getAsOpFoldResult(arith::CeilDivUIOp::create(b, loc, end, size)));
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> tileSizes(counts.size(), one), allSizes = counts;
  for (int64_t dim : tileType.getShape()) {
    tileSizes.push_back(b.getIndexAttr(dim));
    allSizes.push_back(b.getIndexAttr(dim));
  }
  SmallVector<OpFoldResult> tileStrides(allSizes.size(), one);
  Value empty =
      tensor::EmptyOp::create(b, loc, allSizes, tileType.getElementType());
  auto body = [&](OpBuilder &bb, Location l, ValueRange args) {
    ValueRange places = args.drop_back();
    Value tiles = args.back();
    SmallVector<OpFoldResult> offsets(arraySizes.size(), zero),
        sizes(arraySizes), strides(arraySizes.size(), one);
    for (unsigned i = 0, other = 0; i + 1 < arraySizes.size(); ++i)
      if (i != origin.rowDim) {
        offsets[i] = places[other++];
        sizes[i] = one;
      }
    auto matrixType = RankedTensorType::get(
        {type.getDimSize(origin.rowDim), type.getShape().back()},
        type.getElementType());
    Value source = tensor::ExtractSliceOp::create(
        bb, l, matrixType, origin.array, offsets, sizes, strides);
    SmallVector<OpFoldResult> tileOffsets = getAsOpFoldResult(places);
    tileOffsets.append(tileType.getRank(), zero);
    Value into = tensor::ExtractSliceOp::create(
        bb, l, tileType, tiles, tileOffsets, tileSizes, tileStrides);
    Value first = arith::MulIOp::create(bb, l, places.back(), size);
    Value count = arith::MinUIOp::create(
        bb, l, arith::SubIOp::create(bb, l, end, first), size);
    into = emit(bb, source, first, count, into);
    auto inParallel = scf::InParallelOp::create(bb, l);
    bb.setInsertionPointToStart(inParallel.getBody());
    tensor::ParallelInsertSliceOp::create(bb, l, into, tiles, tileOffsets,
                                          tileSizes, tileStrides);
  };
  return scf::ForallOp::create(b, loc, counts, empty, std::nullopt, body)
      .getResult(0);
}

Value SharedFactors::getTile(OpBuilder &b, Location loc, Value part,
                             Value first, int64_t numRows, TileForm form,
                             RankedTensorType tileType, EmitTile emit) {
  // Around `part`, as loops that are being built have no parents yet.
  scf::ForallOp loop;
  for (Operation *op = part.getParentRegion()->getParentOp(); op;
       op = op->getParentOp())
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      loop = forall;
  std::optional<Origin> origin;
  if (loop)
    origin = getOrigin(part, loop);
  if (!origin)
    return Value();
  scf::ForOp counting = getCountingLoop(origin->firstRow, numRows);
  if (!counting || !loop->isProperAncestor(counting))
    return Value();
  // Other rows may hold NaN, and that times zero is not zero: where the rows of
  // a tile are added up, those from the end on have to be zero.
  Value end;
  if (form != TileForm::Rows) {
    end = counting.getUpperBound();
    if (!isOutside(end, loop))
      return Value();
  }
  auto *packed = llvm::find_if(known, [&](const Packed &other) {
    return other.loop == loop && other.array == origin->array &&
           other.end == end && other.form == form && other.tileType == tileType;
  });
  if (packed == known.end()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop);
    Value numAll =
        end ? end
            : tensor::DimOp::create(b, loc, origin->array, origin->rowDim)
                  .getResult();
    Value tiles = packTiles(b, loc, *origin, numAll, numRows, tileType, emit);
    known.push_back({loop, origin->array, end, form, tileType, tiles});
    packed = &known.back();
  }
  Value row = arith::AddIOp::create(b, loc, origin->firstRow, first);
  Value place = arith::DivUIOp::create(
      b, loc, row, arith::ConstantIndexOp::create(b, loc, numRows));
  SmallVector<OpFoldResult> offsets;
  for (unsigned i = 0; i + 1 < origin->offsets.size(); ++i)
    if (i != origin->rowDim)
      offsets.push_back(origin->offsets[i]);
  offsets.push_back(place);
  SmallVector<OpFoldResult> sizes(offsets.size(), b.getIndexAttr(1));
  for (int64_t dim : tileType.getShape()) {
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(b.getIndexAttr(dim));
  }
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, tileType, packed->tiles,
                                        offsets, sizes, strides);
}
