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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

Value gnn::copyRow(OpBuilder &builder, Location loc, Value source, Value from,
                   Value target, Value to) {
  Value row = emitRowSlice(builder, loc, source, {from});
  SliceParameters slice =
      getRowSlice(builder, cast<RankedTensorType>(target.getType()), {to},
                  std::nullopt, {});
  return tensor::InsertSliceOp::create(builder, loc, row, target, slice.offsets,
                                       slice.sizes, slice.strides);
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
