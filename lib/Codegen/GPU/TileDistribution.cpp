//===- TileDistribution.cpp - Tiles in the registers of warps ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileDistribution.h"
#include "ParallelLoop.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

int64_t TileLayout::getPiece(int64_t numColumns) const {
  if (isFragment())
    return 2;
  int64_t columns = numColumns / getLanesOfRow();
  return columns % 4 == 0 ? 4 : columns % 2 == 0 ? 2 : 1;
}

int64_t TileLayout::getNumElements(int64_t numColumns) const {
  int64_t columns = numColumns == 0 ? 1 : numColumns / getLanesOfRow();
  return columns * getNumRows();
}

int64_t TileLayout::getRow(int64_t numColumns, int64_t i) const {
  if (numColumns == 0)
    return i;
  return isFragment() ? i / 2 % 2 : i / (numColumns / getLanesOfRow());
}

int64_t TileLayout::getColumn(int64_t numColumns, int64_t i) const {
  if (isFragment())
    return i / 4 * 8 + i % 2;
  int64_t element = i % (numColumns / getLanesOfRow());
  int64_t piece = getPiece(numColumns);
  return element / piece * piece * getLanesOfRow() + element % piece;
}

TileDistribution::TileDistribution(scf::ForallOp loop, const TileAxes &axes,
                                   FactorKind kind, int64_t workgroupBytes)
    : loop(loop), axes(axes), layout(kind), kind(kind),
      bytesLeft(workgroupBytes), rewriter(loop.getContext()),
      loc(loop.getLoc()) {}

/// The first reason is the innermost one.
LogicalResult TileDistribution::leave(Operation *op, const Twine &why) {
  if (!obstacle) {
    obstacle = op ? op : loop;
    reason = why.str();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// What values are in the kernel
//===----------------------------------------------------------------------===//

bool TileDistribution::isOutside(Value value) {
  return !loop.getRegion().isAncestor(value.getParentRegion());
}

OpFoldResult TileDistribution::get(OpFoldResult value) const {
  if (auto dynamic = dyn_cast<Value>(value))
    return mapping.lookupOrDefault(dynamic);
  return value;
}

SmallVector<OpFoldResult>
TileDistribution::get(ArrayRef<OpFoldResult> values) const {
  return llvm::map_to_vector(values,
                             [&](OpFoldResult value) { return get(value); });
}

Value TileDistribution::getValue(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(rewriter, loc, get(value));
}

Value TileDistribution::getColumn(int64_t numColumns, int64_t element) {
  return add(firstColumns.lookup(layout.getPiece(numColumns)),
             index(layout.getColumn(numColumns, element)));
}

Value TileDistribution::getBuffer(Value tensor) {
  if (Value buffer = mapping.lookupOrNull(tensor))
    return isa<MemRefType>(buffer.getType()) ? buffer : Value();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !isOutside(tensor))
    return Value();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(launch);
  auto buffer = bufferization::ToBufferOp::create(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      tensor, /*read_only=*/true);
  buffers.push_back(buffer);
  mapping.map(tensor, buffer.getResult());
  return buffer;
}

/// A vector has rows, a matrix has rows and columns.
LogicalResult TileDistribution::setTile(Value tensor, const WarpTile &tile) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t numRowAxes = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (axes.isRow(tensor, i))
      ++numRowAxes;
    else if (!type.isDynamicDim(i) &&
             static_cast<int64_t>(llvm::alignTo(type.getDimSize(i),
                                                layout.getColumnMultiple())) !=
                 tile.numColumns)
      return leave(tensor.getDefiningOp(), "has an unexpected width");
  }
  if (numRowAxes != 1 || type.getRank() != (tile.numColumns == 0 ? 1 : 2) ||
      tile.numColumns % layout.getColumnMultiple() != 0)
    return leave(tensor.getDefiningOp(),
                 "has other dimensions than rows, or rows and columns");
  tiles[tensor] = tile;
  return success();
}

FailureOr<WarpTile> TileDistribution::getTile(Value tensor) {
  if (auto known = tiles.find(tensor); known != tiles.end())
    return known->second;
  if (!isOutside(tensor))
    return failure();
  // What the tile is a part of may be filled outside, where it is the same for
  // all.
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  if (!fill && !tensor.getDefiningOp<tensor::EmptyOp>())
    return failure();
  auto type = cast<RankedTensorType>(tensor.getType());
  WarpTile tile;
  if (type.getRank() > 2 || !type.hasStaticShape())
    return failure();
  if (type.getRank() == 2) {
    // Which of both is rows is up to who reads it.
    bool isFirstRows = type.getDimSize(0) == axes.getNumRows();
    bool isSecondRows = type.getDimSize(1) == axes.getNumRows();
    if (!isFirstRows && !isSecondRows)
      return failure();
    int64_t width = type.getDimSize(isSecondRows ? 0 : 1);
    tile.numColumns = llvm::alignTo(width, layout.getColumnMultiple());
    if (width != tile.numColumns)
      tile.columnSize =
          IntegerAttr::get(IndexType::get(loop.getContext()), width);
  } else if (type.getDimSize(0) != axes.getNumRows()) {
    return failure();
  }
  if (fill)
    tile.elements.assign(getNumElements(tile), fill.getInputs()[0]);
  return tile;
}

std::optional<MemoryTile> TileDistribution::getMemoryTile(Value tensor) {
  if (auto known = memoryTiles.find(tensor); known != memoryTiles.end())
    return known->second;
  if (tiles.contains(tensor) || tensor.getDefiningOp<linalg::FillOp>())
    return std::nullopt;
  Value buffer = getBuffer(tensor);
  if (!buffer)
    return std::nullopt;
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  return MemoryTile{buffer, llvm::to_vector(llvm::seq<int64_t>(0, rank)),
                    Value()};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult TileDistribution::emitFill(linalg::FillOp op) {
  FailureOr<WarpTile> tile = getTile(op.getOutputs()[0]);
  if (failed(tile))
    return leave(op, "fills no tile");
  tile->elements.assign(getNumElements(*tile),
                        mapping.lookupOrDefault(op.getInputs()[0]));
  tile->beyond = TypedAttr();
  return setTile(op.getResult(0), *tile);
}

/// The most that `size` is, in whole fragments; 0 if that is not known.
int64_t TileDistribution::getMost(OpFoldResult size) {
  FailureOr<int64_t> most = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, size, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return failed(most) ? 0 : llvm::alignTo(*most, layout.getColumnMultiple());
}

/// Memory for a tile, which stays in registers.
LogicalResult TileDistribution::emitEmpty(Value tensor,
                                          ArrayRef<OpFoldResult> sizes) {
  WarpTile tile;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (axes.isRow(tensor, i))
      continue;
    if (tile.numColumns != 0)
      return leave(tensor.getDefiningOp(), "has columns of two dimensions");
    tile.numColumns = getMost(size);
    if (tile.numColumns == 0)
      return leave(tensor.getDefiningOp(), "has columns without a bound");
    if (!isConstantIntValue(size, tile.numColumns))
      tile.columnSize = get(size);
  }
  return setTile(tensor, tile);
}

LogicalResult TileDistribution::emitLoop(scf::ForOp op) {
  StagedLoop factors;
  factors.loop = op;
  factors.iteration = getValue(op.getLowerBound());
  factors.end = getValue(op.getUpperBound());
  factors.step = getValue(op.getStep());
  loops[op] = &factors;
  if (failed(stageFactors(factors)))
    return failure();

  // What the loop carries in registers.
  SmallVector<Value> inits;
  llvm::SmallDenseMap<Value, WarpTile> carried;
  for (Value init : op.getInitArgs()) {
    if (axes.isView(init))
      continue;
    if (!isa<RankedTensorType>(init.getType())) {
      inits.push_back(mapping.lookupOrDefault(init));
      continue;
    }
    FailureOr<WarpTile> tile = getTile(init);
    if (failed(tile) || tile->elements.empty() || tile->hasDynamicColumns())
      return leave(op, "carries what is no tile of known width");
    llvm::append_range(inits, tile->elements);
    carried[init] = *tile;
  }
  auto inner = scf::ForOp::create(rewriter, loc, factors.iteration, factors.end,
                                  factors.step, inits);
  if (!inner.getBody()->empty())
    rewriter.eraseOp(inner.getBody()->getTerminator());
  Value begin = factors.iteration;
  factors.iteration = inner.getInductionVar();
  mapping.map(op.getInductionVar(), inner.getInductionVar());

  auto define = [&](ValueRange tensors, ValueRange values) -> LogicalResult {
    for (auto [tensor, init] : llvm::zip(tensors, op.getInitArgs())) {
      if (axes.isView(init)) {
        mapping.map(tensor, getBuffer(init));
      } else if (!isa<RankedTensorType>(init.getType())) {
        mapping.map(tensor, values.front());
        values = values.drop_front();
      } else {
        WarpTile tile = carried.lookup(init);
        int64_t count = getNumElements(tile);
        tile.elements.assign(values.begin(), values.begin() + count);
        values = values.drop_front(count);
        if (failed(setTile(tensor, tile)))
          return failure();
      }
    }
    return success();
  };
  rewriter.setInsertionPointToEnd(inner.getBody());
  if (factors.factors.size() == 1) {
    Value done = arith::SubIOp::create(rewriter, loc, factors.iteration, begin);
    Value number = arith::DivUIOp::create(rewriter, loc, done, factors.step);
    factors.copy = arith::RemUIOp::create(rewriter, loc, number, index(2));
  } else if (!factors.factors.empty()) {
    factors.copy = index(0);
  }
  if (failed(define(op.getRegionIterArgs(), inner.getRegionIterArgs())) ||
      failed(emitBlock(*op.getBody())))
    return failure();
  SmallVector<Value> yielded;
  for (auto [value, init] :
       llvm::zip(op.getYieldedValues(), op.getInitArgs())) {
    if (axes.isView(init)) {
      if (getBuffer(value) != getBuffer(init))
        return leave(op, "carries different arrays");
    } else if (!isa<RankedTensorType>(init.getType())) {
      yielded.push_back(mapping.lookupOrDefault(value));
    } else {
      FailureOr<WarpTile> tile = getTile(value);
      if (failed(tile) || tile->elements.empty() || tile->hasDynamicColumns() ||
          tile->numColumns != carried.lookup(init).numColumns)
        return leave(op, "carries what is no tile of known width");
      llvm::append_range(yielded, tile->elements);
    }
  }
  scf::YieldOp::create(rewriter, loc, yielded);
  rewriter.setInsertionPointAfter(inner);
  return define(op.getResults(), inner.getResults());
}

LogicalResult TileDistribution::emitLookup(tensor::ExtractOp op) {
  Value buffer = getBuffer(op.getTensor());
  if (!buffer)
    return leave(op, "looks up what is no array");
  SmallVector<Value> indices;
  for (Value position : op.getIndices())
    indices.push_back(mapping.lookupOrDefault(position));
  mapping.map(
      op.getResult(),
      memref::LoadOp::create(rewriter, loc, buffer, indices).getResult());
  return success();
}

LogicalResult TileDistribution::emit(Operation *op) {
  if (op->use_empty() && isa<tensor::EmptyOp, bufferization::AllocTensorOp>(op))
    return success();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return emitSlice(slice);
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
    return emitInsertion(insertion);
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return emitTranspose(transpose);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return emitFill(fill);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return emitGeneric(generic);
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return emitLoop(inner);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return emitEmpty(empty, empty.getMixedSizes());
  if (auto memory = dyn_cast<bufferization::AllocTensorOp>(op);
      memory && !memory.getCopy() && memory.getType().hasStaticShape())
    return emitEmpty(memory,
                     getAsIndexOpFoldResult(rewriter.getContext(),
                                            memory.getType().getShape()));
  if (auto lookup = dyn_cast<tensor::ExtractOp>(op))
    return emitLookup(lookup);
  if (op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      !llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return leave(op, "has no meaning for parts of tiles");
  rewriter.clone(*op, mapping);
  return success();
}

LogicalResult TileDistribution::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emit(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult TileDistribution::emitKernel() {
  thread = launch.getThreadIds().x;
  Value lanes = index(TileLayout::numLanes);
  lane = arith::RemUIOp::create(rewriter, loc, thread, lanes);
  Value warp = arith::DivUIOp::create(rewriter, loc, thread, lanes);
  Value lanesOfRow = index(layout.getLanesOfRow());
  Value firstRow = arith::AddIOp::create(
      rewriter, loc,
      arith::MulIOp::create(rewriter, loc, warp,
                            index(TileLayout::numWarpRows)),
      arith::DivUIOp::create(rewriter, loc, lane, lanesOfRow));
  for (int64_t i = 0; i < layout.getNumRows(); ++i)
    rows.push_back(add(firstRow, index(i * layout.getRowStep())));
  Value laneOfRow = arith::RemUIOp::create(rewriter, loc, lane, lanesOfRow);
  for (int64_t piece : {1, 2, 4})
    firstColumns[piece] =
        arith::MulIOp::create(rewriter, loc, laneOfRow, index(piece));
  if (failed(emitBlock(*loop.getBody())))
    return failure();
  for (Operation &op : loop.getTerminator().getYieldingOps())
    if (failed(emitResult(cast<tensor::ParallelInsertSliceOp>(op))))
      return failure();
  return success();
}

LogicalResult TileDistribution::run() {
  if (loop.getNumResults() != 1)
    return leave(loop, "has several results");
  auto empty = loop.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return leave(loop, "writes parts of an array that holds something");
  rewriter.setInsertionPoint(loop);
  auto type = cast<RankedTensorType>(empty.getType());
  auto array = memref::AllocOp::create(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      empty.getDynamicSizes());
  ParallelLoop parallel(loop, rewriter);
  Value blocks = parallel.getNumIterations(rewriter);
  Value threads =
      index(axes.getNumRows() / TileLayout::numWarpRows * TileLayout::numLanes);
  launch = createLaunch(rewriter, loc, blocks, threads);
  SmallVector<Value> indices =
      parallel.getIndices(rewriter, launch.getBlockIds().x);
  for (auto [variable, value] : llvm::zip(loop.getInductionVars(), indices))
    mapping.map(variable, value);
  mapping.map(loop.getRegionOutArgs()[0], array.getResult());
  if (failed(emitKernel())) {
    rewriter.eraseOp(launch);
    for (Operation *buffer : buffers)
      rewriter.eraseOp(buffer);
    rewriter.eraseOp(array);
    return failure();
  }
  rewriter.setInsertionPointAfter(launch);
  rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(
      loop, type, array, /*restrict=*/true, /*writable=*/true);
  return success();
}
