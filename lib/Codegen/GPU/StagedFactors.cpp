//===- StagedFactors.cpp - Factors in workgroup memory ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "TileDistribution.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace gnn;

/// The most and the least that an asynchronous copy brings.
static constexpr int64_t kPieceBytes = 16;
static constexpr int64_t kLeastCopy = 4;

/// Where a lane's pieces of a row's columns were, one after the other, columns
/// of eight lanes come to lie: lanes then find them in different banks.
Value TileDistribution::getInterleavedRow(Value row, int64_t piece) {
  if (piece == 1)
    return row;
  Value lanes = index(layout.getLanesOfRow());
  Value length = index(layout.getLanesOfRow() * piece);
  auto remainder = [&](Value value, Value by) -> Value {
    return arith::RemUIOp::create(rewriter, loc, value, by);
  };
  Value inside = remainder(row, length);
  Value begin = arith::SubIOp::create(rewriter, loc, row, inside);
  Value ofLane = arith::DivUIOp::create(rewriter, loc, inside, index(piece));
  Value ofPiece = arith::MulIOp::create(rewriter, loc,
                                        remainder(inside, index(piece)), lanes);
  return add(begin, add(ofPiece, ofLane));
}

/// Whether `value` can be computed for another iteration of `loop`.
static bool isIndexComputation(scf::ForOp loop, Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::none_of(op->getOperandTypes(),
                       llvm::IsaPred<RankedTensorType>) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isIndexComputation(loop, operand);
         });
}

FailureOr<TileDistribution::StagedFactor>
TileDistribution::stageFactor(scf::ForOp inner, linalg::GenericOp op,
                              const TileProduct &product, int64_t numCopies) {
  Value factor = product.second->get();
  auto slice = factor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !axes.isView(factor) || slice->getBlock() != inner.getBody() ||
      slice.getType().getRank() != 2 || slice.getSourceType().getRank() != 2)
    return leave(op, "multiplies by what is no part of a matrix");
  if (slice.getType().getElementType() != product.element)
    return leave(op, "multiplies by what is not rounded ahead of the loop");
  // Rows as they follow each other in memory.
  Value source = getBuffer(slice.getSource());
  if (!source || !slice.hasUnitStride() ||
      !inner.isDefinedOutsideOfLoop(slice.getSource()))
    return leave(op, "multiplies by what is computed in the loop");
  auto [strides, offset] =
      cast<MemRefType>(source.getType()).getStridesAndOffset();
  int64_t width = slice.getType().getDimSize(1);
  OpFoldResult numRows = slice.getMixedSizes()[0];
  if (strides[1] != 1 || ShapedType::isDynamic(width) ||
      !isConstantIntValue(slice.getMixedOffsets()[1], 0))
    return leave(op, "multiplies by a matrix whose rows are not contiguous");
  for (OpFoldResult number : {numRows, slice.getMixedOffsets()[0]})
    if (auto value = dyn_cast<Value>(number);
        value && !isIndexComputation(inner, value))
      return leave(op, "multiplies by rows that are not known ahead");

  int64_t elementBytes = product.element.getIntOrFloatBitWidth() / 8;
  int64_t piece = kPieceBytes / elementBytes;
  StagedFactor staged{
      op,
      slice,
      Value(),
      getMost(numRows),
      static_cast<int64_t>(llvm::alignTo(width, layout.getColumnMultiple())),
      width,
      getAlignment(source, piece),
      !layout.isFragment() && !product.isDepthFirst};
  // Rows are a piece longer, so that the first pieces of eight rows lie in
  // different banks.
  int64_t rowSize = staged.numColumns + piece;
  int64_t bytes = numCopies * staged.numRows * rowSize * elementBytes;
  if (staged.numRows == 0)
    return leave(op, "multiplies by any number of rows");
  if (bytes > bytesLeft)
    return leave(op, "has factors that do not fit into workgroup memory");
  bytesLeft -= bytes;
  auto space = gpu::AddressSpaceAttr::get(rewriter.getContext(),
                                          gpu::AddressSpace::Workgroup);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  staged.buffer = memref::AllocaOp::create(
      rewriter, loc,
      MemRefType::get({numCopies, staged.numRows, rowSize}, product.element,
                      MemRefLayoutAttrInterface(), space));
  return staged;
}

/// Reserves workgroup memory for the second factors of a loop, and brings the
/// first one.
LogicalResult TileDistribution::stageFactors(StagedLoop &stagedLoop) {
  scf::ForOp inner = stagedLoop.loop;
  SmallVector<std::pair<linalg::GenericOp, TileProduct>> products;
  for (auto op : inner.getBody()->getOps<linalg::GenericOp>())
    if (FailureOr<TileProduct> product = matchTileProduct(op, axes);
        succeeded(product))
      products.emplace_back(op, *product);
  if (products.empty())
    return success();
  // The only one is read while the next one comes.
  int64_t numCopies = products.size() == 1 ? 2 : 1;
  for (auto &[op, product] : products) {
    FailureOr<StagedFactor> factor = stageFactor(inner, op, product, numCopies);
    if (failed(factor))
      return failure();
    numbers[op] = stagedLoop.factors.size();
    stagedLoop.factors.push_back(*factor);
  }
  // Other warps may still read what an outer loop's last iteration left.
  if (inner->getParentOp() != loop)
    gpu::BarrierOp::create(rewriter, loc);
  copyFactor(stagedLoop, 0, stagedLoop.iteration, index(0));
  return success();
}

/// Brings a factor of an iteration, if there is such an iteration.
void TileDistribution::copyFactor(const StagedLoop &stagedLoop, unsigned number,
                                  Value iteration, Value copy) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (iteration != stagedLoop.iteration || !stagedLoop.copy) {
    Value exists = isBelow(iteration, stagedLoop.end);
    auto guarded =
        scf::IfOp::create(rewriter, loc, exists, /*withElseRegion=*/false);
    rewriter.setInsertionPoint(guarded.thenBlock()->getTerminator());
  }
  const StagedFactor &factor = stagedLoop.factors[number];
  scf::ForOp inner = stagedLoop.loop;
  IRMapping local;
  local.map(inner.getInductionVar(), iteration);
  std::function<Value(Value)> compute = [&](Value value) -> Value {
    if (Value known = local.lookupOrNull(value))
      return known;
    if (inner.isDefinedOutsideOfLoop(value))
      return mapping.lookupOrDefault(value);
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      local.map(operand, compute(operand));
    rewriter.clone(*op, local);
    return local.lookup(value);
  };
  auto computeSize = [&](OpFoldResult size) -> Value {
    if (auto value = dyn_cast<Value>(size))
      return compute(value);
    return getValue(size);
  };
  tensor::ExtractSliceOp slice = factor.slice;
  Value firstRow = computeSize(slice.getMixedOffsets()[0]);
  Value numRows = computeSize(slice.getMixedSizes()[0]);

  int64_t numPieces = factor.numRows * factor.numColumns / factor.piece;
  int64_t numThreads =
      axes.getNumRows() / TileLayout::numWarpRows * TileLayout::numLanes;
  auto copyOne = [&](Value piece, bool isLast) {
    OpBuilder::InsertionGuard inPiece(rewriter);
    if (isLast && numPieces % numThreads != 0) {
      auto guarded =
          scf::IfOp::create(rewriter, loc, isBelow(piece, index(numPieces)),
                            /*withElseRegion=*/false);
      rewriter.setInsertionPoint(guarded.thenBlock()->getTerminator());
    }
    copyPiece(factor, piece, firstRow, numRows, copy);
  };
  constexpr int64_t maxUnrolled = 16;
  if (numPieces <= maxUnrolled * numThreads) {
    for (int64_t first = 0; first < numPieces; first += numThreads)
      copyOne(add(thread, index(first)), first + numThreads > numPieces);
    return;
  }
  auto pieces = scf::ForOp::create(rewriter, loc, thread, index(numPieces),
                                   index(numThreads));
  rewriter.setInsertionPointToStart(pieces.getBody());
  copyOne(pieces.getInductionVar(), /*isLast=*/false);
}

/// Brings elements of a row; zeros beyond the last row and the last column.
void TileDistribution::copyPiece(const StagedFactor &factor, Value piece,
                                 Value firstRow, Value numRows, Value copy) {
  tensor::ExtractSliceOp slice = factor.slice;
  Value source = getBuffer(slice.getSource());
  Value perRow = index(factor.numColumns / factor.piece);
  Value row = arith::DivUIOp::create(rewriter, loc, piece, perRow);
  Value column = arith::MulIOp::create(
      rewriter, loc, arith::RemUIOp::create(rewriter, loc, piece, perRow),
      index(factor.piece));
  // Nothing is read beyond the last row and the last column.
  Value lastRow = arith::SubIOp::create(rewriter, loc, numRows, index(1));
  Value sourceRow =
      add(firstRow, arith::MinSIOp::create(rewriter, loc, row, lastRow));
  Value sourceColumn = column;
  Value numElements = index(factor.piece);
  if (factor.width != factor.numColumns) {
    Value left =
        arith::SubIOp::create(rewriter, loc, index(factor.width), column);
    numElements = arith::MaxSIOp::create(
        rewriter, loc, arith::MinSIOp::create(rewriter, loc, left, numElements),
        index(0));
    int64_t lastPiece = (factor.width - 1) / factor.piece * factor.piece;
    sourceColumn =
        arith::MinSIOp::create(rewriter, loc, column, index(lastPiece));
  }
  numElements = arith::SelectOp::create(rewriter, loc, isBelow(row, numRows),
                                        numElements, index(0));
  Value place = row;
  if (factor.isInterleaved)
    place = getInterleavedRow(row, layout.getPiece(factor.numRows));
  auto type = cast<MemRefType>(factor.buffer.getType());
  int64_t bytes = factor.piece * type.getElementTypeBitWidth() / 8;
  if (bytes >= kLeastCopy) {
    nvgpu::DeviceAsyncCopyOp::create(
        rewriter, loc, nvgpu::DeviceAsyncTokenType::get(rewriter.getContext()),
        factor.buffer, ValueRange{copy, place, column}, source,
        ValueRange{sourceRow, sourceColumn},
        rewriter.getIndexAttr(factor.piece), numElements,
        bytes == kPieceBytes ? rewriter.getUnitAttr() : UnitAttr());
    return;
  }
  // There are no asynchronous copies of so little.
  for (int64_t i = 0; i < factor.piece; ++i) {
    Value from = arith::MinSIOp::create(rewriter, loc, add(column, index(i)),
                                        index(factor.width - 1));
    Value element = memref::LoadOp::create(rewriter, loc, source,
                                           ValueRange{sourceRow, from});
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    element = arith::SelectOp::create(
        rewriter, loc, isBelow(index(i), numElements), element, zero);
    memref::StoreOp::create(rewriter, loc, element, factor.buffer,
                            ValueRange{copy, place, add(column, index(i))});
  }
}

/// Waits for a product's second factor, which all threads have brought
/// together, and asks for the one that comes after it: all have read what it
/// takes the place of.
void TileDistribution::awaitFactor(const StagedLoop &stagedLoop,
                                   unsigned number) {
  Value group = nvgpu::DeviceAsyncCreateGroupOp::create(
      rewriter, loc, nvgpu::DeviceAsyncTokenType::get(rewriter.getContext()),
      ValueRange());
  nvgpu::DeviceAsyncWaitOp::create(rewriter, loc, group,
                                   rewriter.getI32IntegerAttr(0));
  gpu::BarrierOp::create(rewriter, loc);
  if (number + 1 < stagedLoop.factors.size())
    return copyFactor(stagedLoop, number + 1, stagedLoop.iteration,
                      stagedLoop.copy);
  Value next = add(stagedLoop.iteration, stagedLoop.step);
  Value copy = stagedLoop.copy;
  if (stagedLoop.factors.size() == 1)
    copy = arith::SubIOp::create(rewriter, loc, index(1), copy);
  copyFactor(stagedLoop, 0, next, copy);
}
