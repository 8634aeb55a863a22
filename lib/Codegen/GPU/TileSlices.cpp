//===- TileSlices.cpp - Parts of tiles and arrays ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "TileDistribution.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;

Value TileDistribution::emitView(Value source, RankedTensorType type,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes,
                                 ArrayRef<OpFoldResult> strides) {
  auto result = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      type.getShape(), cast<MemRefType>(source.getType()), offsets, sizes,
      strides));
  return memref::SubViewOp::create(rewriter, loc, result, source, offsets,
                                   sizes, strides);
}

static bool areAll(ArrayRef<OpFoldResult> values, int64_t number) {
  return llvm::all_of(
      values, [&](OpFoldResult v) { return isConstantIntValue(v, number); });
}

LogicalResult TileDistribution::emitSlice(tensor::ExtractSliceOp op) {
  SmallVector<OpFoldResult> sizes = get(op.getMixedSizes());
  if (axes.isView(op.getResult())) {
    Value source = getBuffer(op.getSource());
    if (!source)
      return leave(op, "reads part of no array");
    mapping.map(op.getResult(),
                emitView(source, op.getType(), get(op.getMixedOffsets()), sizes,
                         op.getMixedStrides()));
    return success();
  }
  // Of what an array is a part of, fewer rows or columns count.
  if (std::optional<MemoryTile> memory = getMemoryTile(op.getSource());
      memory && areAll(op.getMixedOffsets(), 0) &&
      areAll(op.getMixedStrides(), 1) &&
      op.getType().getRank() == op.getSourceType().getRank()) {
    memoryTiles[op.getResult()] = *memory;
    if (Operation *place = places.lookup(op.getSource()))
      places[op.getResult()] = place;
    return success();
  }
  // The first rows or columns of a tile.
  FailureOr<WarpTile> tile = getTile(op.getSource());
  if (failed(tile) || !areAll(op.getMixedOffsets(), 0) ||
      !areAll(op.getMixedStrides(), 1) ||
      op.getType().getRank() != op.getSourceType().getRank())
    return leave(op, "takes no first rows or columns of a tile");
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (axes.isRow(op.getResult(), i)) {
      if (!isConstantIntValue(size, axes.getNumRows()))
        tile->rowSize = size;
    } else if (!isConstantIntValue(size, tile->numColumns)) {
      tile->columnSize = size;
      tile->beyond = TypedAttr();
    }
  }
  return setTile(op.getResult(), *tile);
}

LogicalResult TileDistribution::emitInsertion(tensor::InsertSliceOp op) {
  if (axes.isView(op.getResult())) {
    Value destination = getBuffer(op.getDest());
    if (!destination)
      return leave(op, "writes part of no array");
    mapping.map(op.getResult(), destination);
    return emitStore(op, op.getSource(),
                     emitView(destination, op.getSourceType(),
                              get(op.getMixedOffsets()),
                              get(op.getMixedSizes()), op.getMixedStrides()));
  }
  if (!areAll(op.getMixedOffsets(), 0) || !areAll(op.getMixedStrides(), 1) ||
      op.getSourceType().getRank() != op.getType().getRank())
    return leave(op, "fills no first rows or columns of a tile");
  std::optional<MemoryTile> memory = getMemoryTile(op.getSource());
  if (!memory)
    return emitPartial(op);
  auto fill = op.getDest().getDefiningOp<linalg::FillOp>();
  if (!fill || !isOutside(op.getDest()) || memory->fill)
    return leave(op, "completes an array by something else than a number");
  memory->fill = fill.getInputs()[0];
  memoryTiles[op.getResult()] = *memory;
  places[op.getResult()] = memory->memref.getDefiningOp();
  return success();
}

LogicalResult TileDistribution::emitTranspose(linalg::TransposeOp op) {
  Value result = op->getResult(0);
  if (std::optional<MemoryTile> memory = getMemoryTile(op.getInput())) {
    MemoryTile transposed = *memory;
    for (auto [i, from] : llvm::enumerate(op.getPermutation()))
      transposed.dimensions[i] = memory->dimensions[from];
    memoryTiles[result] = transposed;
    if (Operation *place = places.lookup(op.getInput()))
      places[result] = place;
    return success();
  }
  // Rows stay rows.
  FailureOr<WarpTile> tile = getTile(op.getInput());
  if (failed(tile) || isOutside(op.getInput()))
    return leave(op, "transposes no tile");
  return setTile(result, *tile);
}

/// Rows and columns of a tile that count go to memory.
LogicalResult TileDistribution::emitStore(Operation *op, Value tensor,
                                          Value view) {
  FailureOr<WarpTile> tile = getTile(tensor);
  if (failed(tile) || tile->elements.empty() || isOutside(tensor))
    return leave(op, "stores what no op has computed");
  bool isRowsFirst = axes.isRow(tensor, 0);
  auto guard = [&](Value counts) {
    auto guarded =
        scf::IfOp::create(rewriter, loc, counts, /*withElseRegion=*/false);
    rewriter.setInsertionPoint(guarded.thenBlock()->getTerminator());
  };
  // Neighbouring columns, of which all count or none.
  int64_t piece = 1;
  if (tile->numColumns != 0 && isRowsFirst)
    piece = getAlignment(view, layout.getPiece(tile->numColumns));
  while (tile->columnSize && !isMultiple(tile->columnSize, piece))
    piece /= 2;
  for (int64_t row = 0; row < layout.getNumRows(); ++row) {
    OpBuilder::InsertionGuard inRow(rewriter);
    if (tile->rowSize)
      guard(isBelow(getRow(row), getValue(tile->rowSize)));
    for (size_t i = 0; i < tile->elements.size(); i += piece) {
      if (layout.getRow(tile->numColumns, i) != row)
        continue;
      OpBuilder::InsertionGuard inColumn(rewriter);
      SmallVector<Value> indices{getRow(row)};
      if (tile->numColumns != 0) {
        Value column = getColumn(tile->numColumns, i);
        indices.insert(isRowsFirst ? indices.end() : indices.begin(), column);
        if (tile->columnSize)
          guard(isBelow(column, getValue(tile->columnSize)));
      }
      storeTogether(rewriter, loc, ArrayRef(tile->elements).slice(i, piece),
                    view, indices);
    }
  }
  return success();
}

LogicalResult TileDistribution::emitResult(tensor::ParallelInsertSliceOp op) {
  Value destination = getBuffer(op.getDest());
  if (!destination)
    return leave(op, "writes part of no array");
  if (!axes.isView(op.getSource()))
    return emitStore(op, op.getSource(),
                     emitView(destination, op.getSourceType(),
                              get(op.getMixedOffsets()),
                              get(op.getMixedSizes()), op.getMixedStrides()));
  // It was written where it lies, if that is the place it goes to.
  Value source = op.getSource();
  while (auto inner = source.getDefiningOp<scf::ForOp>())
    source = inner.getTiedLoopInit(cast<OpResult>(source))->get();
  auto slice = source.getDefiningOp<tensor::ExtractSliceOp>();
  if (slice && slice.getSource() == op.getDest() &&
      slice.getMixedOffsets() == op.getMixedOffsets() &&
      slice.getMixedSizes() == op.getMixedSizes() &&
      slice.getMixedStrides() == op.getMixedStrides())
    return success();
  return leave(op, "moves what was written elsewhere");
}
