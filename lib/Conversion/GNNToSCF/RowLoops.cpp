//===- RowLoops.cpp - Loops over destinations -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

SmallVector<Value> gnn::emitRowLoop(OpBuilder &builder, Location loc,
                                    const RowAccess &rows, ValueRange outputs,
                                    RowBody body) {
  auto loop = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{rows.getNumDestinations()}, outputs,
      /*mapping=*/std::nullopt, [&](OpBuilder &b, Location l, ValueRange args) {
        body(b, l, args[0], args.drop_front());
      });
  return llvm::to_vector(llvm::map_range(
      loop.getResults(), [](OpResult result) -> Value { return result; }));
}

Value gnn::emitNodeTensor(OpBuilder &builder, Location loc,
                          const RowAccess &rows, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<OpFoldResult> shape{rows.getNumDestinations()};
  for (int64_t size : tensor.getShape().drop_front())
    shape.push_back(builder.getIndexAttr(size));
  return tensor::EmptyOp::create(builder, loc, shape, tensor.getElementType());
}

Value gnn::emitEdgeTensor(OpBuilder &builder, Location loc,
                          const RowAccess &rows, GNNGraphType graph,
                          EdgesType edges) {
  SmallVector<OpFoldResult> shape;
  if (graph.hasDenseEdges())
    shape = {rows.getNumDestinations(), rows.getNumSources()};
  else
    shape = {rows.getNumEdges(builder, loc)};
  for (int64_t size : edges.getShape())
    shape.push_back(builder.getIndexAttr(size));
  return tensor::EmptyOp::create(builder, loc, shape, edges.getElementType());
}

Value gnn::emitOne(OpBuilder &builder, Location loc) {
  return arith::ConstantIndexOp::create(builder, loc, 1);
}

EdgeRow gnn::getEdgeRow(OpBuilder &builder, Location loc, const RowAccess &rows,
                        RankedTensorType tensor, bool isDense, Value row,
                        Value begin, Value end) {
  EdgeRow part;
  unsigned leading = isDense ? 2 : 1;
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, tensor.getShape().drop_front(leading));
  part.type = RankedTensorType::get(shape, tensor.getElementType());
  if (isDense) {
    part.offsets = {row, builder.getIndexAttr(0)};
    part.sizes = {builder.getIndexAttr(1), rows.getNumSources()};
    part.first = arith::ConstantIndexOp::create(builder, loc, 0);
  } else {
    part.offsets = {rows.getEdgeIndices(builder, loc, row, begin).front()};
    part.sizes = {arith::SubIOp::create(builder, loc, end, begin).getResult()};
    part.first = begin;
  }
  for (int64_t size : tensor.getShape().drop_front(leading)) {
    part.offsets.push_back(builder.getIndexAttr(0));
    part.sizes.push_back(builder.getIndexAttr(size));
  }
  part.strides.assign(part.sizes.size(), builder.getIndexAttr(1));
  return part;
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
