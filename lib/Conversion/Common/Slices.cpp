//===- Slices.cpp - Parts of tensors ----------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slices.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

SliceParameters gnn::getRows(Builder &builder, RankedTensorType type,
                             OpFoldResult first, OpFoldResult number) {
  SliceParameters slice;
  slice.offsets.assign(type.getRank(), builder.getIndexAttr(0));
  slice.strides.assign(type.getRank(), builder.getIndexAttr(1));
  slice.sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  slice.offsets.front() = first;
  slice.sizes.front() = number;
  return slice;
}

Value gnn::extractRows(OpBuilder &builder, Location loc, Value rows,
                       OpFoldResult first, OpFoldResult number) {
  SliceParameters slice =
      getRows(builder, cast<RankedTensorType>(rows.getType()), first, number);
  return tensor::ExtractSliceOp::create(builder, loc, rows, slice.offsets,
                                        slice.sizes, slice.strides);
}

Value gnn::insertRows(OpBuilder &builder, Location loc, Value part, Value rows,
                      OpFoldResult first, OpFoldResult number) {
  SliceParameters slice =
      getRows(builder, cast<RankedTensorType>(rows.getType()), first, number);
  return tensor::InsertSliceOp::create(builder, loc, part, rows, slice.offsets,
                                       slice.sizes, slice.strides);
}

Value gnn::emitRowRead(OpBuilder &builder, Location loc, Value tensor,
                       Value row) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SliceParameters slice = getRows(builder, type, row, builder.getIndexAttr(1));
  auto rowType = RankedTensorType::get(type.getShape().drop_front(),
                                       type.getElementType());
  return tensor::ExtractSliceOp::create(
      builder, loc, rowType, tensor, slice.offsets, slice.sizes, slice.strides);
}

Value gnn::emitRowWrite(OpBuilder &builder, Location loc, Value value,
                        Value tensor, Value row) {
  return insertRows(builder, loc, value, tensor, row, builder.getIndexAttr(1));
}

void gnn::emitParallelInsert(OpBuilder &builder, Location loc,
                             ArrayRef<Value> values, ValueRange outputs,
                             ArrayRef<SliceParameters> slices) {
  auto inParallel = scf::InParallelOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(inParallel.getBody());
  for (auto [value, output, slice] : llvm::zip(values, outputs, slices))
    tensor::ParallelInsertSliceOp::create(
        builder, loc, value, output, slice.offsets, slice.sizes, slice.strides);
}

void gnn::emitParallelRows(
    OpBuilder &builder, Location loc, ValueRange outputs, OpFoldResult first,
    OpFoldResult number,
    llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  SmallVector<SliceParameters> slices;
  SmallVector<Value> parts;
  for (Value output : outputs) {
    auto type = cast<RankedTensorType>(output.getType());
    slices.push_back(getRows(builder, type, first, number));
    parts.push_back(extractRows(builder, loc, output, first, number));
  }
  emitParallelInsert(builder, loc, body(parts), outputs, slices);
}
