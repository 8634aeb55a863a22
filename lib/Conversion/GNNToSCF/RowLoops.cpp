//===- RowLoops.cpp - Loops over destinations and their edges ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "GraphEmitter.h"
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

Value EdgeRow::extract(OpBuilder &builder, Location loc, Value tensor) const {
  return tensor::ExtractSliceOp::create(builder, loc, type, tensor, offsets,
                                        sizes, strides);
}

void EdgeRow::insert(OpBuilder &builder, Location loc, Value values,
                     Value output) const {
  emitParallelInsert(builder, loc, {values}, output,
                     {SliceParameters{offsets, sizes, strides, {}}});
}

Value EdgeRow::read(OpBuilder &builder, Location loc, Value values,
                    Value position) const {
  Value entry = arith::SubIOp::create(builder, loc, position, first);
  return emitRowSlice(builder, loc, values, {entry});
}

Value EdgeRow::write(OpBuilder &builder, Location loc, Value value,
                     Value values, Value position) const {
  Value entry = arith::SubIOp::create(builder, loc, position, first);
  SliceParameters slice = getRowSlice(builder, type, {entry}, {}, {});
  return tensor::InsertSliceOp::create(
      builder, loc, value, values, slice.offsets, slice.sizes, slice.strides);
}

Value gnn::emitEdgeWrites(OpBuilder &builder, Location loc, const EdgeRow &part,
                          Value values, Value begin, Value end, EdgeBody body) {
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, emitOne(builder, loc), ValueRange{values},
      [&](OpBuilder &b, Location l, Value position, ValueRange args) {
        Value value = body(b, l, position);
        scf::YieldOp::create(b, l, part.write(b, l, value, args[0], position));
      });
  return loop.getResult(0);
}

using PositionBody =
    llvm::function_ref<Value(OpBuilder &, Location, Value, Value)>;

/// Fills `output` by a parallel loop over edges: over all pairs where these are
/// the edges.
static Value emitAllEdges(OpBuilder &builder, Location loc,
                          const RowAccess &rows, bool isComplete, Value output,
                          PositionBody body) {
  SmallVector<OpFoldResult> bounds;
  Value rowsOfEdges;
  if (isComplete) {
    bounds = {rows.getNumDestinations(), rows.getNumSources()};
  } else {
    Value numEdges = rows.getNumEdges(builder, loc);
    bounds = {numEdges};
    rowsOfEdges = rows.emitRowsOfEdges(builder, loc, numEdges);
  }
  auto type = cast<RankedTensorType>(output.getType());
  auto loop = scf::ForallOp::create(
      builder, loc, bounds, output, /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        ValueRange entry = args.drop_back();
        Value row = entry.front(), position = entry.back();
        if (!isComplete) {
          row = loadIndex(b, l, rowsOfEdges, position);
          position = rows.getPosition(b, l, row, position);
        }
        Value value = body(b, l, row, position);
        emitParallelInsert(
            b, l, {value}, args.back(),
            {getRowSlice(b, type, SmallVector<Value>(entry), {}, {})});
      });
  return loop.getResult(0);
}

Value gnn::emitEdgeRows(OpBuilder &builder, Location loc, const RowAccess &rows,
                        GNNGraphType graph, EdgesType edges, bool sideBySide,
                        PositionBody body) {
  Value empty = emitEdgeTensor(builder, loc, rows, graph, edges);
  bool isComplete = graph.getTopology() == Topology::Complete;
  // Of other graphs with dense edges most pairs may be none.
  if (sideBySide && (isComplete || !graph.hasDenseEdges()))
    return emitAllEdges(builder, loc, rows, isComplete, empty, body);
  auto type = cast<RankedTensorType>(empty.getType());
  return emitRowLoop(
             builder, loc, rows, empty,
             [&](OpBuilder &b, Location l, Value row, ValueRange outputs) {
               auto [begin, end] = rows.getRange(b, l, row);
               EdgeRow part = getEdgeRow(
                   b, l, rows, type, graph.hasDenseEdges(), row, begin, end);
               Value values = emitEdgeWrites(
                   b, l, part, part.extract(b, l, outputs[0]), begin, end,
                   [&](OpBuilder &bb, Location ll, Value position) {
                     return body(bb, ll, row, position);
                   });
               part.insert(b, l, values, outputs[0]);
             })
      .front();
}
