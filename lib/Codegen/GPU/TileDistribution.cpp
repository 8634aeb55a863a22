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

static constexpr int64_t kWarp = 32;
static constexpr int64_t kWarpRows = 16;

TileDistribution::TileDistribution(scf::ForallOp loop, const TileAxes &axes,
                                   int64_t workgroupBytes)
    : loop(loop), axes(axes), bytesLeft(workgroupBytes),
      rewriter(loop.getContext()), loc(loop.getLoc()) {}

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
    else if (!type.isDynamicDim(i) && type.getDimSize(i) != tile.numColumns)
      return failure();
  }
  if (numRowAxes != 1 || type.getRank() != (tile.numColumns == 0 ? 1 : 2) ||
      tile.numColumns % kWarpRows != 0)
    return failure();
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
    tile.numColumns = type.getDimSize(isSecondRows ? 0 : 1);
  } else if (type.getDimSize(0) != axes.getNumRows()) {
    return failure();
  }
  if (fill)
    tile.elements.assign(tile.getNumElements(), fill.getInputs()[0]);
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
// Slices
//===----------------------------------------------------------------------===//

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
      return failure();
    mapping.map(op.getResult(),
                emitView(source, op.getType(), get(op.getMixedOffsets()), sizes,
                         op.getMixedStrides()));
    return success();
  }
  // The first rows or columns of a tile.
  FailureOr<WarpTile> tile = getTile(op.getSource());
  if (failed(tile) || !areAll(op.getMixedOffsets(), 0) ||
      !areAll(op.getMixedStrides(), 1) ||
      op.getType().getRank() != op.getSourceType().getRank())
    return failure();
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
      return failure();
    mapping.map(op.getResult(), destination);
    return emitStore(op.getSource(),
                     emitView(destination, op.getSourceType(),
                              get(op.getMixedOffsets()),
                              get(op.getMixedSizes()), op.getMixedStrides()));
  }
  if (!areAll(op.getMixedOffsets(), 0) || !areAll(op.getMixedStrides(), 1) ||
      op.getSourceType().getRank() != op.getType().getRank())
    return failure();
  std::optional<MemoryTile> memory = getMemoryTile(op.getSource());
  if (!memory)
    return emitPartial(op);
  auto fill = op.getDest().getDefiningOp<linalg::FillOp>();
  if (!fill || !isOutside(op.getDest()) || memory->fill)
    return failure();
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
    return failure();
  return setTile(result, *tile);
}

/// Rows of a tile that count go to memory.
LogicalResult TileDistribution::emitStore(Value tensor, Value view) {
  FailureOr<WarpTile> tile = getTile(tensor);
  if (failed(tile) || tile->elements.empty() || tile->columnSize ||
      isOutside(tensor))
    return failure();
  bool isRowsFirst = axes.isRow(tensor, 0);
  for (int64_t half = 0; half < 2; ++half) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (tile->rowSize) {
      Value counts = isBelow(getRow(half), getValue(tile->rowSize));
      auto guarded =
          scf::IfOp::create(rewriter, loc, counts, /*withElseRegion=*/false);
      rewriter.setInsertionPoint(guarded.thenBlock()->getTerminator());
    }
    for (auto [i, element] : llvm::enumerate(tile->elements)) {
      if (tile->getHalf(i) != half)
        continue;
      SmallVector<Value> indices{getRow(half)};
      if (tile->numColumns != 0)
        indices.insert(isRowsFirst ? indices.end() : indices.begin(),
                       getColumn(i));
      memref::StoreOp::create(rewriter, loc, element, view, indices);
    }
  }
  return success();
}

LogicalResult TileDistribution::emitResult(tensor::ParallelInsertSliceOp op) {
  Value destination = getBuffer(op.getDest());
  if (!destination)
    return failure();
  if (!axes.isView(op.getSource()))
    return emitStore(op.getSource(),
                     emitView(destination, op.getSourceType(),
                              get(op.getMixedOffsets()),
                              get(op.getMixedSizes()), op.getMixedStrides()));
  // It was written where it lies, if that is the place it goes to.
  Value source = op.getSource();
  while (auto inner = source.getDefiningOp<scf::ForOp>())
    source = inner.getTiedLoopInit(cast<OpResult>(source))->get();
  auto slice = source.getDefiningOp<tensor::ExtractSliceOp>();
  return success(slice && slice.getSource() == op.getDest() &&
                 slice.getMixedOffsets() == op.getMixedOffsets() &&
                 slice.getMixedSizes() == op.getMixedSizes() &&
                 slice.getMixedStrides() == op.getMixedStrides());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult TileDistribution::emitFill(linalg::FillOp op) {
  FailureOr<WarpTile> tile = getTile(op.getOutputs()[0]);
  if (failed(tile))
    return failure();
  tile->elements.assign(tile->getNumElements(),
                        mapping.lookupOrDefault(op.getInputs()[0]));
  tile->beyond = TypedAttr();
  return setTile(op.getResult(0), *tile);
}

/// The most that `size` is, in whole fragments; 0 if that is not known.
int64_t TileDistribution::getMost(OpFoldResult size) {
  FailureOr<int64_t> most = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, size, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return failed(most) ? 0 : llvm::alignTo(*most, kWarpRows);
}

/// Memory for a tile, which stays in registers.
LogicalResult TileDistribution::emitEmpty(Value tensor,
                                          ArrayRef<OpFoldResult> sizes) {
  WarpTile tile;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (axes.isRow(tensor, i))
      continue;
    if (tile.numColumns != 0)
      return failure();
    tile.numColumns = getMost(size);
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
    if (failed(tile) || tile->elements.empty() || tile->columnSize)
      return failure();
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
        int64_t count = tile.getNumElements();
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
        return failure();
    } else if (!isa<RankedTensorType>(init.getType())) {
      yielded.push_back(mapping.lookupOrDefault(value));
    } else {
      FailureOr<WarpTile> tile = getTile(value);
      if (failed(tile) || tile->elements.empty() || tile->columnSize)
        return failure();
      llvm::append_range(yielded, tile->elements);
    }
  }
  scf::YieldOp::create(rewriter, loc, yielded);
  rewriter.setInsertionPointAfter(inner);
  return define(op.getResults(), inner.getResults());
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
  if (auto lookup = dyn_cast<tensor::ExtractOp>(op)) {
    Value buffer = getBuffer(lookup.getTensor());
    if (!buffer)
      return failure();
    SmallVector<Value> indices;
    for (Value position : lookup.getIndices())
      indices.push_back(mapping.lookupOrDefault(position));
    mapping.map(
        lookup.getResult(),
        memref::LoadOp::create(rewriter, loc, buffer, indices).getResult());
    return success();
  }
  if (op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      !llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return failure();
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
  lane = arith::RemUIOp::create(rewriter, loc, thread, index(kWarp));
  Value warp = arith::DivUIOp::create(rewriter, loc, thread, index(kWarp));
  Value four = index(4);
  Value quad = arith::DivUIOp::create(rewriter, loc, lane, four);
  Value firstRow = arith::AddIOp::create(
      rewriter, loc,
      arith::MulIOp::create(rewriter, loc, warp, index(kWarpRows)), quad);
  rows = {firstRow, arith::AddIOp::create(rewriter, loc, firstRow, index(8))};
  firstColumn = arith::MulIOp::create(
      rewriter, loc, arith::RemUIOp::create(rewriter, loc, lane, four),
      index(2));
  if (failed(emitBlock(*loop.getBody())))
    return failure();
  for (Operation &op : loop.getTerminator().getYieldingOps())
    if (failed(emitResult(cast<tensor::ParallelInsertSliceOp>(op))))
      return failure();
  return success();
}

LogicalResult TileDistribution::run() {
  if (loop.getNumResults() != 1)
    return failure();
  auto empty = loop.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return failure();
  rewriter.setInsertionPoint(loop);
  auto type = cast<RankedTensorType>(empty.getType());
  auto array = memref::AllocOp::create(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      empty.getDynamicSizes());
  ParallelLoop parallel(loop, rewriter);
  Value blocks = parallel.getNumIterations(rewriter);
  Value threads = index(axes.getNumRows() / kWarpRows * kWarp);
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
