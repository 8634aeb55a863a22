//===- EdgeBlock.cpp - The edges of some rows -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeBlock.h"
#include "RowPointer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gnn;

/// Both operands of a minimum of integers.
static std::optional<std::pair<Value, Value>> getMinimum(Value value) {
  if (auto minimum = value.getDefiningOp<arith::MinSIOp>())
    return std::pair(minimum.getLhs(), minimum.getRhs());
  if (auto minimum = value.getDefiningOp<arith::MinUIOp>())
    return std::pair(minimum.getLhs(), minimum.getRhs());
  return std::nullopt;
}

/// What `value` is more than `base`, if that is a constant.
static std::optional<int64_t> getDistance(Value value, Value base) {
  if (value == base)
    return 0;
  auto add = value.getDefiningOp<arith::AddIOp>();
  if (add && add.getLhs() == base)
    return getConstantIntValue(add.getRhs());
  if (add && add.getRhs() == base)
    return getConstantIntValue(add.getLhs());
  return std::nullopt;
}

/// Whether a slice has all of each row.
static bool hasWholeRows(OffsetSizeAndStrideOpInterface slice,
                         RankedTensorType type) {
  if (!slice.hasUnitStride())
    return false;
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    if (!isZeroInteger(slice.getMixedOffsets()[dim]) ||
        slice.isDynamicSize(dim) ||
        slice.getStaticSize(dim) != type.getDimSize(dim))
      return false;
  return true;
}

static bool hasOneRow(OffsetSizeAndStrideOpInterface slice) {
  return !slice.isDynamicSize(0) && slice.getStaticSize(0) == 1;
}

FailureOr<EdgeBlock> EdgeBlock::match(scf::ForallOp loop, Value rowPointer) {
  if (loop.getRank() != 1 || loop.getMapping() ||
      !isZeroInteger(loop.getMixedLowerBound().front()))
    return failure();
  std::optional<int64_t> step =
      getConstantIntValue(loop.getMixedStep().front());
  if (!step || *step < 1)
    return failure();
  EdgeBlock block(loop, *step);
  block.rowPointer = rowPointer;
  if (rowPointer)
    return block;
  loop.getBody()->walk([&](scf::ForOp edges) {
    std::optional<RowBounds> bounds = getTensorRowBounds(edges);
    if (!bounds || !block.isRow(bounds->row) ||
        loop->isAncestor(bounds->pointer.getParentBlock()->getParentOp()))
      return WalkResult::advance();
    block.rowPointer = bounds->pointer;
    return WalkResult::interrupt();
  });
  if (!block.rowPointer)
    return failure();
  return block;
}

/// Whether `value` is the first row of this iteration, one behind it, or the
/// row that the next iteration begins with.
bool EdgeBlock::isBlockBound(Value value) const {
  Value first = scf::ForallOp(loop).getInductionVar(0);
  if (value == first)
    return true;
  if (auto choice = value.getDefiningOp<arith::SelectOp>())
    return isBlockBound(choice.getTrueValue()) &&
           isBlockBound(choice.getFalseValue());
  if (step == 1)
    return isNext(value, first);
  auto minimum = getMinimum(value);
  if (!minimum)
    return false;
  auto isLast = [&](Value end, Value numRows) {
    return getDistance(end, first) == step &&
           getAsOpFoldResult(numRows) == getNumRows();
  };
  return isLast(minimum->first, minimum->second) ||
         isLast(minimum->second, minimum->first);
}

bool EdgeBlock::isRow(Value value) const {
  if (value == scf::ForallOp(loop).getInductionVar(0))
    return true;
  scf::ForOp rows = scf::getForInductionVarOwner(value);
  return rows && isBlockBound(rows.getLowerBound()) &&
         isBlockBound(rows.getUpperBound());
}

/// Whether `value` is where the edges of a row, or some of them, begin or end.
bool EdgeBlock::isEdgeBound(Value value) const {
  if (isEdge(value))
    return true;
  if (auto choice = value.getDefiningOp<arith::SelectOp>())
    return isEdgeBound(choice.getTrueValue()) &&
           isEdgeBound(choice.getFalseValue());
  // Some edges further on, or where those of the row end.
  if (auto minimum = getMinimum(value)) {
    auto isLater = [&](Value later, Value end) {
      auto add = later.getDefiningOp<arith::AddIOp>();
      std::optional<int64_t> distance =
          add ? getConstantIntValue(add.getRhs()) : std::nullopt;
      return distance && *distance >= 0 && isEdge(add.getLhs()) &&
             isEdgeBound(end);
    };
    return isLater(minimum->first, minimum->second) ||
           isLater(minimum->second, minimum->first);
  }
  auto read = getBoundRead<tensor::ExtractOp>(value);
  if (!read || read.getTensor() != rowPointer)
    return false;
  Value place = read.getIndices()[0];
  if (isRow(place) || isBlockBound(place))
    return true;
  auto next = place.getDefiningOp<arith::AddIOp>();
  return next && ((isOneInteger(next.getRhs()) && isRow(next.getLhs())) ||
                  (isOneInteger(next.getLhs()) && isRow(next.getRhs())));
}

bool EdgeBlock::isEdge(Value value) const {
  if (scf::ForOp edges = scf::getForInductionVarOwner(value))
    return isEdgeBound(edges.getLowerBound()) &&
           isEdgeBound(edges.getUpperBound());
  // Some edges further on, or the last one of the row.
  auto minimum = getMinimum(value);
  if (!minimum)
    return false;
  auto isLater = [&](Value later, Value last) {
    auto add = later.getDefiningOp<arith::AddIOp>();
    auto subtract = last.getDefiningOp<arith::SubIOp>();
    if (!add || !subtract || !isOneInteger(subtract.getRhs()))
      return false;
    scf::ForOp edges = scf::getForInductionVarOwner(add.getLhs());
    std::optional<int64_t> distance = getConstantIntValue(add.getRhs());
    return edges && distance && *distance >= 0 &&
           edges.getUpperBound() == subtract.getLhs() && isEdge(add.getLhs());
  };
  return isLater(minimum->first, minimum->second) ||
         isLater(minimum->second, minimum->first);
}

/// Whether a slice is all of the rows from where the edges of a row begin to
/// where those of a row end.
bool EdgeBlock::areAllEdges(OffsetSizeAndStrideOpInterface slice) const {
  auto begin = dyn_cast<Value>(slice.getMixedOffsets()[0]);
  auto size = dyn_cast<Value>(slice.getMixedSizes()[0]);
  auto count = size ? size.getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  return begin && count && count.getRhs() == begin && isEdgeBound(begin) &&
         isEdgeBound(count.getLhs());
}

bool EdgeBlock::readsEdges(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (auto read = dyn_cast<tensor::ExtractOp>(user))
    return use.get() == read.getTensor() && isEdge(read.getIndices()[0]);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
  if (!slice || use.get() != slice.getSource())
    return false;
  auto edge = dyn_cast<Value>(slice.getMixedOffsets()[0]);
  return (edge && hasOneRow(slice) && isEdge(edge)) || areAllEdges(slice);
}

bool EdgeBlock::readsRow(OpOperand &use) const {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
  return slice && use.get() == slice.getSource() && hasOneRow(slice) &&
         slice.getMixedOffsets()[0] ==
             OpFoldResult(scf::ForallOp(loop).getInductionVar(0));
}

bool EdgeBlock::makesRows() const {
  Value row = scf::ForallOp(loop).getInductionVar(0);
  for (Operation &op : scf::ForallOp(loop).getTerminator().getYieldingOps()) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(op);
    if (insert.getMixedOffsets()[0] != OpFoldResult(row) ||
        !hasOneRow(insert) || !hasWholeRows(insert, insert.getDestType()))
      return false;
  }
  return step == 1;
}

bool EdgeBlock::makesEdgeRows() const {
  scf::ForallOp rows = loop;
  if (step != 1 || llvm::range_size(rows.getTerminator().getYieldingOps()) !=
                       rows.getNumResults())
    return false;
  Value row = rows.getInductionVar(0);
  for (Operation &op : rows.getTerminator().getYieldingOps()) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(op);
    auto begin = dyn_cast<Value>(insert.getMixedOffsets()[0]);
    auto read =
        begin ? getBoundRead<tensor::ExtractOp>(begin) : tensor::ExtractOp();
    auto size = dyn_cast<Value>(insert.getMixedSizes()[0]);
    auto count = size ? size.getDefiningOp<arith::SubIOp>() : arith::SubIOp();
    auto end = count ? getBoundRead<tensor::ExtractOp>(count.getLhs())
                     : tensor::ExtractOp();
    if (!read || !end || read.getIndices()[0] != row ||
        !isNext(end.getIndices()[0], row) || !areAllEdges(insert) ||
        !hasWholeRows(insert, insert.getDestType()))
      return false;
  }
  return true;
}
