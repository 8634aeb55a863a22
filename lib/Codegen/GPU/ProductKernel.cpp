//===- ProductKernel.cpp - A block multiplies two matrices ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductKernel.h"
#include "Alignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gnn;

Value ProductKernel::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

ProductKernel::Factor ProductKernel::createFactor(Value matrix, int64_t rows,
                                                  int64_t columns) {
  auto type = cast<MemRefType>(matrix.getType());
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto bufferType =
      MemRefType::get({tile.numStages, rows, columns}, type.getElementType(),
                      MemRefLayoutAttrInterface(), space);
  Factor factor;
  factor.matrix = matrix;
  factor.buffer = launch.addWorkgroupAttribution(bufferType, loc);
  factor.rows = rows;
  factor.columns = columns;
  // Pieces of 16, 8 or 4 bytes; each thread copies something.
  int64_t elementBits = type.getElementTypeBitWidth();
  factor.copyElements =
      getAlignment(matrix, std::min(128 / elementBits,
                                    rows * columns / tile.getNumThreads()));
  factor.isAsynchronous = factor.copyElements * elementBits >= 32;
  if (!factor.isAsynchronous)
    factor.copyElements = 1;
  // The last piece of a row may be no whole one.
  factor.hasParts =
      factor.copyElements > 1 &&
      (type.isDynamicDim(1) || type.getDimSize(1) % factor.copyElements != 0);
  return factor;
}

ProductKernel::ProductKernel(OpBuilder &builder, gpu::LaunchOp launch,
                             const BlockTile &tile, Value a, Value b)
    : builder(builder), launch(launch), loc(launch.getLoc()), tile(tile),
      thread(launch.getThreadIds().x),
      a(createFactor(a, tile.rows, tile.depth)),
      b(createFactor(b, tile.depth, tile.columns)) {}

/// Of what is beyond the matrix, zeros: they add nothing.
void ProductKernel::copyTile(const Factor &factor, Value stage, Value firstRow,
                             Value firstColumn,
                             SmallVectorImpl<Value> &copies) {
  auto add = [&](Value left, Value right) {
    return builder.createOrFold<arith::AddIOp>(loc, left, right);
  };
  auto isBelow = [&](Value index, Value end) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index,
                                 end);
  };
  int64_t numThreads = tile.getNumThreads();
  int64_t rowPieces = factor.columns / factor.copyElements;
  int64_t numPieces = factor.rows * rowPieces;
  SwizzledTile target(factor.buffer, stage);
  Value numRows = memref::DimOp::create(builder, loc, factor.matrix, 0);
  Value numColumns = memref::DimOp::create(builder, loc, factor.matrix, 1);
  Value zero = constant(0);
  for (int64_t first = 0; first < numPieces; first += numThreads) {
    Value piece = add(thread, constant(first));
    Value row =
        arith::DivUIOp::create(builder, loc, piece, constant(rowPieces));
    Value column = arith::MulIOp::create(
        builder, loc,
        arith::RemUIOp::create(builder, loc, piece, constant(rowPieces)),
        constant(factor.copyElements));
    SmallVector<Value> place =
        target.getIndices(builder, loc, zero, row, column);
    Value sourceRow = add(firstRow, row);
    Value sourceColumn = add(firstColumn, column);
    Value isInside =
        arith::AndIOp::create(builder, loc, isBelow(sourceRow, numRows),
                              isBelow(sourceColumn, numColumns));
    // Nothing is read beyond the end, but addresses are to be the array's.
    sourceRow =
        arith::SelectOp::create(builder, loc, isInside, sourceRow, zero);
    sourceColumn =
        arith::SelectOp::create(builder, loc, isInside, sourceColumn, zero);
    if (factor.isAsynchronous) {
      Value count = constant(factor.copyElements);
      if (factor.hasParts)
        count = arith::MinUIOp::create(
            builder, loc, count,
            arith::SubIOp::create(builder, loc, numColumns, sourceColumn));
      bool isWhole =
          factor.copyElements * cast<MemRefType>(factor.matrix.getType())
                                    .getElementTypeBitWidth() ==
          128;
      copies.push_back(nvgpu::DeviceAsyncCopyOp::create(
          builder, loc, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
          factor.buffer, place, factor.matrix,
          ValueRange{sourceRow, sourceColumn},
          builder.getIndexAttr(factor.copyElements),
          arith::SelectOp::create(builder, loc, isInside, count, zero),
          isWhole ? builder.getUnitAttr() : UnitAttr()));
      continue;
    }
    Value value = memref::LoadOp::create(builder, loc, factor.matrix,
                                         ValueRange{sourceRow, sourceColumn});
    Value nothing = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    memref::StoreOp::create(
        builder, loc,
        arith::SelectOp::create(builder, loc, isInside, value, nothing),
        factor.buffer, place);
  }
}

void ProductKernel::copyStage(Value number) {
  Value zero = constant(0);
  Value stage =
      arith::RemUIOp::create(builder, loc, number, constant(tile.numStages));
  Value begin =
      arith::MulIOp::create(builder, loc, number, constant(tile.depth));
  SmallVector<Value> copies;
  copyTile(a, stage, zero, begin, copies);
  copyTile(b, stage, begin, zero, copies);
  if (!copies.empty())
    group = nvgpu::DeviceAsyncCreateGroupOp::create(
        builder, loc, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
        copies);
}

/// Until what was copied first is there, for all threads.
void ProductKernel::awaitStage() {
  if (group)
    nvgpu::DeviceAsyncWaitOp::create(
        builder, loc, group,
        builder.getI32IntegerAttr(static_cast<int32_t>(tile.numStages) - 2));
  gpu::BarrierOp::create(builder, loc);
}

SmallVector<Value> ProductKernel::emit(RegisterTile &registers) {
  int64_t ahead = tile.numStages - 1;
  for (int64_t stage = 0; stage < ahead; ++stage)
    copyStage(constant(stage));
  awaitStage();
  Value depth = builder.createOrFold<memref::DimOp>(loc, b.matrix, 0);
  Value numTiles = builder.createOrFold<arith::CeilDivUIOp>(
      loc, depth, constant(tile.depth));
  auto loop = scf::ForOp::create(builder, loc, constant(0), numTiles,
                                 constant(1), registers.createZeroSums());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  // To where the stage was that all threads are done with. Beyond the last one
  // only zeros are written; so it is always the last groups that may be under
  // way.
  copyStage(arith::AddIOp::create(builder, loc, number, constant(ahead)));
  Value stage =
      arith::RemUIOp::create(builder, loc, number, constant(tile.numStages));
  SmallVector<Value> sums(loop.getRegionIterArgs());
  registers.multiply(SwizzledTile(a.buffer, stage),
                     SwizzledTile(b.buffer, stage), sums);
  awaitStage();
  scf::YieldOp::create(builder, loc, sums);
  return SmallVector<Value>(loop.getResults());
}
