//===- RowAccess.cpp - In-edges of a destination, any topology --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowAccess.h"
#include "EdgeSort.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

Value gnn::emitIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

static Value sub(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b);
}

static Value mul(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::MulIOp::create(builder, loc, a, b);
}

Value RowAccess::load(OpBuilder &builder, Location loc, Value tensor,
                      Value index) const {
  Value element =
      tensor::ExtractOp::create(builder, loc, tensor, ValueRange{index});
  if (element.getType().isIndex())
    return element;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    element);
}

RowAccess::RowAccess(OpBuilder &builder, Location loc,
                     TypedValue<GNNGraphType> graph, bool inParallel)
    : type(graph.getType()) {
  auto partsOp = GraphPartsOp::create(builder, loc, graph);
  llvm::append_range(parts, partsOp.getParts());
  Value one = emitIndex(builder, loc, 1);
  switch (type.getTopology()) {
  case Topology::CSR: {
    Value size = tensor::DimOp::create(builder, loc, parts[0], 0);
    numDestinations = sub(builder, loc, size, one);
    numSources = parts[2];
    return;
  }
  case Topology::Complete:
  case Topology::Causal:
  case Topology::Window:
    numDestinations = parts[0];
    numSources = parts[1];
    return;
  case Topology::BlockDiagonal: {
    Value size = tensor::DimOp::create(builder, loc, parts[0], 0);
    Value segments = sub(builder, loc, size, one);
    numDestinations = load(builder, loc, parts[0], segments);
    numSources = load(builder, loc, parts[1], segments);
    if (inParallel)
      emitSegmentsInParallel(builder, loc);
    else
      emitSegmentOfRow(builder, loc);
    return;
  }
  case Topology::COO:
    llvm_unreachable("the verifiers refuse rows of a coo graph");
  }
}

/// Rows of a segment are consecutive, but a parallel loop over rows needs the
/// segment of each without a search, and edge values need the number of edges
/// before a segment.
void RowAccess::emitSegmentOfRow(OpBuilder &builder, Location loc) {
  Value zero = emitIndex(builder, loc, 0), one = emitIndex(builder, loc, 1);
  Type indexType = builder.getIndexType();
  Value size = tensor::DimOp::create(builder, loc, parts[0], 0);
  Value segments = sub(builder, loc, size, one);
  Value ofRow = tensor::EmptyOp::create(
      builder, loc, OpFoldResult(numDestinations), indexType);
  Value before =
      tensor::EmptyOp::create(builder, loc, OpFoldResult(size), indexType);
  before = tensor::InsertOp::create(builder, loc, zero, before, zero);
  auto loop = scf::ForOp::create(
      builder, loc, zero, segments, one, ValueRange{ofRow, before, zero},
      [&](OpBuilder &b, Location l, Value segment, ValueRange args) {
        Value next = add(b, l, segment, one);
        Value firstRow = load(b, l, parts[0], segment);
        Value lastRow = load(b, l, parts[0], next);
        Value width = sub(b, l, load(b, l, parts[1], next),
                          load(b, l, parts[1], segment));
        auto fill = scf::ForOp::create(
            b, l, firstRow, lastRow, one, ValueRange{args[0]},
            [&](OpBuilder &bb, Location ll, Value row, ValueRange inner) {
              Value updated =
                  tensor::InsertOp::create(bb, ll, segment, inner[0], row);
              scf::YieldOp::create(bb, ll, updated);
            });
        Value edges =
            add(b, l, args[2], mul(b, l, sub(b, l, lastRow, firstRow), width));
        Value updated = tensor::InsertOp::create(b, l, edges, args[1], next);
        scf::YieldOp::create(b, l,
                             ValueRange{fill.getResult(0), updated, edges});
      });
  segmentOfRow = loop.getResult(0);
  edgesBefore = loop.getResult(1);
}

/// The segment of a row by bisection, and prefix sums of the segments' edges.
void RowAccess::emitSegmentsInParallel(OpBuilder &builder, Location loc) {
  Type indexType = builder.getIndexType();
  Value one = emitIndex(builder, loc, 1);
  Value size = tensor::DimOp::create(builder, loc, parts[0], 0);
  Value segments = sub(builder, loc, size, one);
  segmentOfRow = emitNumbers(builder, loc, numDestinations, indexType,
                             [&](OpBuilder &b, Location l, Value row) {
                               Value next = emitBisection(
                                   b, l, emitIndex(b, l, 0), size,
                                   [&](OpBuilder &c, Location cl, Value place) {
                                     return arith::CmpIOp::create(
                                         c, cl, arith::CmpIPredicate::ule,
                                         load(c, cl, parts[0], place), row);
                                   });
                               return sub(b, l, next, emitIndex(b, l, 1));
                             });
  // Nothing comes after the last segment.
  Value edges = emitNumbers(
      builder, loc, size, indexType,
      [&](OpBuilder &b, Location l, Value segment) {
        Value isSegment = arith::CmpIOp::create(b, l, arith::CmpIPredicate::ult,
                                                segment, segments);
        Value next = arith::MinUIOp::create(
            b, l, add(b, l, segment, emitIndex(b, l, 1)), segments);
        Value rows = sub(b, l, load(b, l, parts[0], next),
                         load(b, l, parts[0], segment));
        Value width = sub(b, l, load(b, l, parts[1], next),
                          load(b, l, parts[1], segment));
        return arith::SelectOp::create(b, l, isSegment, mul(b, l, rows, width),
                                       emitIndex(b, l, 0))
            .getResult();
      });
  edgesBefore = emitPrefixSums(builder, loc, edges,
                               cast<RankedTensorType>(edges.getType()))
                    .first;
}

std::pair<Value, Value> RowAccess::getRange(OpBuilder &builder, Location loc,
                                            Value destination) const {
  Value zero = emitIndex(builder, loc, 0), one = emitIndex(builder, loc, 1);
  switch (type.getTopology()) {
  case Topology::CSR:
    return {load(builder, loc, parts[0], destination),
            load(builder, loc, parts[0], add(builder, loc, destination, one))};
  case Topology::Complete:
    return {zero, numSources};
  case Topology::Causal:
    return {zero, add(builder, loc, destination, one)};
  case Topology::Window: {
    Value window = emitIndex(builder, loc, type.getWindow());
    Value begin = arith::MaxSIOp::create(
        builder, loc, zero, sub(builder, loc, destination, window));
    Value end = arith::MinSIOp::create(
        builder, loc, numSources,
        add(builder, loc, add(builder, loc, destination, window), one));
    return {begin, end};
  }
  case Topology::BlockDiagonal: {
    Value segment = load(builder, loc, segmentOfRow, destination);
    return {load(builder, loc, parts[1], segment),
            load(builder, loc, parts[1], add(builder, loc, segment, one))};
  }
  case Topology::COO:
    break;
  }
  llvm_unreachable("the verifiers refuse rows of a coo graph");
}

EdgePosition RowAccess::getEdge(OpBuilder &builder, Location loc,
                                Value destination, Value position) const {
  Value source = type.getTopology() == Topology::CSR
                     ? load(builder, loc, parts[1], position)
                     : position;
  return {destination, source,
          getEdgeIndices(builder, loc, destination, position)};
}

SmallVector<Value> RowAccess::getEdgeIndices(OpBuilder &builder, Location loc,
                                             Value destination,
                                             Value position) const {
  if (type.getTopology() == Topology::CSR)
    return {position};
  if (type.hasDenseEdges())
    return {destination, position};
  // Block-diagonal: the segment's edges are a dense array of their own.
  Value one = emitIndex(builder, loc, 1);
  Value segment = load(builder, loc, segmentOfRow, destination);
  Value next = add(builder, loc, segment, one);
  Value firstSource = load(builder, loc, parts[1], segment);
  Value width =
      sub(builder, loc, load(builder, loc, parts[1], next), firstSource);
  Value row =
      sub(builder, loc, destination, load(builder, loc, parts[0], segment));
  Value column = sub(builder, loc, position, firstSource);
  return {add(builder, loc, load(builder, loc, edgesBefore, segment),
              add(builder, loc, mul(builder, loc, row, width), column))};
}

/// As many halves as leave one row.
Value RowAccess::getNumBisections(OpBuilder &builder, Location loc) const {
  Type i64 = builder.getI64Type();
  Value numRows =
      arith::IndexCastOp::create(builder, loc, i64, numDestinations);
  Value zeros = math::CountLeadingZerosOp::create(builder, loc, numRows);
  Value steps = arith::SubIOp::create(
      builder, loc, arith::ConstantIntOp::create(builder, loc, 64, 64), zeros);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    steps);
}

/// The last row whose first number, as emitted, is at most `number`.
Value RowAccess::bisectRows(
    OpBuilder &builder, Location loc, Value number, Value numBisections,
    llvm::function_ref<Value(OpBuilder &, Location, Value)> emitFirst) const {
  Value zero = emitIndex(builder, loc, 0), one = emitIndex(builder, loc, 1);
  auto loop = scf::ForOp::create(
      builder, loc, zero, numBisections, one, ValueRange{zero, numDestinations},
      [&](OpBuilder &b, Location l, Value, ValueRange bounds) {
        Value sum = add(b, l, bounds[0], bounds[1]);
        Value middle = arith::ShRUIOp::create(b, l, sum, emitIndex(b, l, 1));
        Value isBefore = arith::CmpIOp::create(b, l, arith::CmpIPredicate::ule,
                                               emitFirst(b, l, middle), number);
        Value low = arith::SelectOp::create(b, l, isBefore, middle, bounds[0]);
        Value high = arith::SelectOp::create(b, l, isBefore, bounds[1], middle);
        scf::YieldOp::create(b, l, ValueRange{low, high});
      });
  return loop.getResult(0);
}

Value RowAccess::findRow(OpBuilder &builder, Location loc, Value edge,
                         Value numBisections) const {
  return bisectRows(builder, loc, edge, numBisections,
                    [&](OpBuilder &b, Location l, Value row) {
                      Value begin = getRange(b, l, row).first;
                      return getEdgeIndices(b, l, row, begin).front();
                    });
}

Value RowAccess::findRowOfPosition(OpBuilder &builder, Location loc,
                                   Value position, Value numBisections) const {
  return bisectRows(builder, loc, position, numBisections,
                    [&](OpBuilder &b, Location l, Value row) {
                      return getRange(b, l, row).first;
                    });
}

Value RowAccess::getNumPositions(OpBuilder &builder, Location loc) const {
  return hasRowPointer() ? getNumEdges(builder, loc) : numSources;
}

Value RowAccess::emitIsOneRowEach(OpBuilder &builder, Location loc) const {
  assert(hasSegments() && "other rows are not those of segments");
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value zero = emitIndex(builder, loc, 0), one = emitIndex(builder, loc, 1);
  Value size = tensor::DimOp::create(builder, loc, parts[0], 0);
  auto loop = scf::ForOp::create(
      builder, loc, zero, sub(builder, loc, size, one), one, ValueRange{yes},
      [&](OpBuilder &b, Location l, Value segment, ValueRange args) {
        Value next = add(b, l, segment, emitIndex(b, l, 1));
        Value numRows = sub(b, l, load(b, l, parts[0], next),
                            load(b, l, parts[0], segment));
        Value isOne = arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq,
                                            numRows, emitIndex(b, l, 1));
        Value all = arith::AndIOp::create(b, l, args[0], isOne);
        scf::YieldOp::create(b, l, all);
      });
  return loop.getResult(0);
}

Value RowAccess::getPosition(OpBuilder &builder, Location loc,
                             Value destination, Value edge) const {
  if (hasRowPointer())
    return edge;
  Value begin = getRange(builder, loc, destination).first;
  Value first = getEdgeIndices(builder, loc, destination, begin).front();
  return add(builder, loc, begin, sub(builder, loc, edge, first));
}

Value RowAccess::emitRowsOfEdges(OpBuilder &builder, Location loc,
                                 Value numEdges) const {
  Type elementType =
      cast<RankedTensorType>(parts[hasRowPointer()].getType()).getElementType();
  Value steps = getNumBisections(builder, loc);
  return emitNumbers(builder, loc, numEdges, elementType,
                     [&](OpBuilder &b, Location l, Value edge) {
                       return findRow(b, l, edge, steps);
                     });
}

Value RowAccess::getNumEdges(OpBuilder &builder, Location loc) const {
  switch (type.getTopology()) {
  case Topology::CSR:
    return tensor::DimOp::create(builder, loc, parts[1], 0);
  case Topology::Complete:
    return mul(builder, loc, numDestinations, numSources);
  case Topology::BlockDiagonal: {
    Value last = tensor::DimOp::create(builder, loc, edgesBefore, 0);
    return load(builder, loc, edgesBefore,
                sub(builder, loc, last, emitIndex(builder, loc, 1)));
  }
  case Topology::Causal:
  case Topology::Window: {
    Value zero = emitIndex(builder, loc, 0), one = emitIndex(builder, loc, 1);
    auto loop = scf::ForOp::create(
        builder, loc, zero, numDestinations, one, ValueRange{zero},
        [&](OpBuilder &b, Location l, Value row, ValueRange args) {
          auto [begin, end] = getRange(b, l, row);
          Value total = add(b, l, args[0], sub(b, l, end, begin));
          scf::YieldOp::create(b, l, total);
        });
    return loop.getResult(0);
  }
  case Topology::COO:
    break;
  }
  llvm_unreachable("the verifiers refuse rows of a coo graph");
}
