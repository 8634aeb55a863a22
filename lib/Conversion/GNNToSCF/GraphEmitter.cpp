//===- GraphEmitter.cpp - Pieces of loops over graphs -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphEmitter.h"
#include "FeatureEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

Value gnn::emitConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value gnn::emitAddIndex(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

Value gnn::emitIndexCast(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}

Value gnn::loadIndex(OpBuilder &builder, Location loc, Value tensor,
                     Value index) {
  return emitIndexCast(
      builder, loc,
      tensor::ExtractOp::create(builder, loc, tensor, ValueRange{index}));
}

Value gnn::storeIndex(OpBuilder &builder, Location loc, Value value,
                      Value tensor, Value index) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (!type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  return tensor::InsertOp::create(builder, loc, value, tensor,
                                  ValueRange{index});
}

Value gnn::copyRow(OpBuilder &builder, Location loc, Value source, Value from,
                   Value target, Value to) {
  Value row = emitRowSlice(builder, loc, source, {from});
  SliceParameters slice =
      getRowSlice(builder, cast<RankedTensorType>(target.getType()), {to},
                  std::nullopt, {});
  return tensor::InsertSliceOp::create(builder, loc, row, target, slice.offsets,
                                       slice.sizes, slice.strides);
}

Value gnn::emitEmptyRows(OpBuilder &builder, Location loc, Value rows,
                         RankedTensorType type) {
  SmallVector<OpFoldResult> shape{rows};
  for (int64_t size : type.getShape().drop_front())
    shape.push_back(builder.getIndexAttr(size));
  return tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
}

SmallVector<Value> gnn::getEdgeTensors(OpBuilder &builder, Location loc,
                                       TypedValue<GNNGraphType> graph,
                                       ValueRange edges) {
  SmallVector<Value> tensors;
  for (Value value : edges)
    tensors.push_back(EdgesToTensorOp::create(
        builder, loc,
        cast<EdgesType>(value.getType()).getTensorType(graph.getType()), graph,
        value));
  return tensors;
}

void gnn::replaceGraph(PatternRewriter &rewriter, Operation *op,
                       ValueRange parts, ValueRange tensors) {
  Location loc = op->getLoc();
  Value graph =
      MakeGraphOp::create(rewriter, loc, op->getResultTypes().front(), parts);
  SmallVector<Value> results{graph};
  for (auto [tensor, type] :
       llvm::zip(tensors, llvm::drop_begin(op->getResultTypes())))
    results.push_back(
        EdgesFromTensorOp::create(rewriter, loc, type, graph, tensor));
  rewriter.replaceOp(op, results);
}

Value gnn::truncateRows(OpBuilder &builder, Location loc, Value tensor,
                        Value size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes{size};
  for (int64_t extent : type.getShape().drop_front())
    sizes.push_back(builder.getIndexAttr(extent));
  return tensor::ExtractSliceOp::create(builder, loc, type, tensor, offsets,
                                        sizes, strides);
}
