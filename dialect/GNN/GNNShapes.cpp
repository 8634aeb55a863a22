//===- GNNShapes.cpp - Shapes of results of gnn ops -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gnn;

/// Result shapes of an op with one row per node: `rows`, then static features.
static void reifyNodeTensors(OpBuilder &builder, Operation *op,
                             OpFoldResult rows,
                             ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : op->getResults()) {
    SmallVector<OpFoldResult> shape{rows};
    auto type = cast<RankedTensorType>(result.getType());
    for (int64_t size : type.getShape().drop_front())
      shape.push_back(builder.getIndexAttr(size));
    shapes.push_back(std::move(shape));
  }
}

/// The same, of an op with one row per destination of `graph`.
static LogicalResult
reifyDestinationTensors(OpBuilder &builder, Operation *op, Value graph,
                        ReifiedRankedShapedTypeDims &shapes) {
  Value rows =
      NumNodesOp::create(builder, op->getLoc(), NodeSide::Destination, graph);
  reifyNodeTensors(builder, op, rows, shapes);
  return success();
}

LogicalResult DegreeOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  Value rows = NumNodesOp::create(builder, getLoc(), getSide(), getGraph());
  reifyNodeTensors(builder, *this, rows, shapes);
  return success();
}

LogicalResult
PositionOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  return reifyDestinationTensors(builder, *this, getGraph(), shapes);
}

LogicalResult
AggregateOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyDestinationTensors(builder, *this, getGraph(), shapes);
}

LogicalResult UpdateOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  Value rows = tensor::DimOp::create(builder, getLoc(), getNode().front(), 0)
                   .getResult();
  reifyNodeTensors(builder, *this, rows, shapes);
  return success();
}

LogicalResult LookupOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> shape =
      tensor::getMixedSizes(builder, getLoc(), getNumbers());
  int64_t rank = cast<RankedTensorType>(getTable().getType()).getRank();
  for (int64_t i = 1; i < rank; ++i)
    shape.push_back(tensor::getMixedSize(builder, getLoc(), getTable(), i));
  shapes.push_back(std::move(shape));
  return success();
}

LogicalResult
MessageAggregateOp::reifyResultShapes(OpBuilder &builder,
                                      ReifiedRankedShapedTypeDims &shapes) {
  return reifyDestinationTensors(builder, *this, getGraph(), shapes);
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyDestinationTensors(builder, *this, getGraph(), shapes);
}
