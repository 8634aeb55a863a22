//===- TileAxes.cpp - Rows and columns of tiles -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileAxes.h"

using namespace mlir;
using namespace gnn;

static constexpr int64_t kWarpRows = 16;

TileAxes::TileAxes(scf::ForallOp loop) : loop(loop) {
  for (Value output : loop.getRegionOutArgs())
    views.insert(output);
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    collectView(op);
    for (Value result : op->getResults())
      number(result);
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        number(argument);
  });
  loop.getBody()->walk([&](Operation *op) { tieOp(op); });
  findRows();
}

void TileAxes::collectView(Operation *op) {
  auto isOutside = [&](Value tensor) {
    return !loop.getRegion().isAncestor(tensor.getParentRegion());
  };
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && (isOutside(slice.getSource()) || isView(slice.getSource())))
    views.insert(slice.getResult());
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op);
      insertion && isView(insertion.getDest()))
    views.insert(insertion.getResult());
  if (auto inner = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, result] :
         llvm::zip(inner.getInitArgs(), inner.getRegionIterArgs(),
                   inner.getResults()))
      if (isView(init)) {
        views.insert(argument);
        views.insert(result);
      }
  }
}

void TileAxes::number(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !numbers.try_emplace(tensor, numDimensions).second)
    return;
  numDimensions += type.getRank();
  classes.grow(numDimensions);
}

void TileAxes::tie(Value left, unsigned leftDimension, Value right,
                   unsigned rightDimension) {
  auto leftNumber = numbers.find(left), rightNumber = numbers.find(right);
  if (leftNumber != numbers.end() && rightNumber != numbers.end())
    classes.join(leftNumber->second + leftDimension,
                 rightNumber->second + rightDimension);
}

void TileAxes::tieAll(Value left, Value right) {
  auto type = dyn_cast<RankedTensorType>(left.getType());
  for (int64_t i = 0; type && i < type.getRank(); ++i)
    tie(left, i, right, i);
}

void TileAxes::tieLoops(linalg::LinalgOp op) {
  for (Value result : op->getResults())
    tieAll(result, op.getDpsInits()[cast<OpResult>(result).getResultNumber()]);
  // The first tensor's dimension that a loop runs over, for each loop.
  SmallVector<std::pair<Value, unsigned>> firsts(op.getNumLoops());
  auto visit = [&](Value tensor, AffineMap map) {
    if (!numbers.contains(tensor))
      return;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto dimension = dyn_cast<AffineDimExpr>(expr);
      if (!dimension)
        continue;
      auto &[first, firstDimension] = firsts[dimension.getPosition()];
      if (first)
        tie(first, firstDimension, tensor, i);
      else
        firsts[dimension.getPosition()] = {tensor, i};
    }
  };
  for (OpOperand &operand : op->getOpOperands())
    visit(operand.get(), op.getMatchingIndexingMap(&operand));
  for (OpResult result : op->getResults())
    visit(result, op.getMatchingIndexingMap(
                      op.getDpsInitOperand(result.getResultNumber())));
}

void TileAxes::tieOp(Operation *op) {
  auto isSameRank = [](RankedTensorType left, RankedTensorType right) {
    return left.getRank() == right.getRank();
  };
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    tieLoops(structured);
  // A slice of an array has rows and columns of its own.
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && !isView(slice.getResult()) &&
      isSameRank(slice.getSourceType(), slice.getType()))
    tieAll(slice.getResult(), slice.getSource());
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op);
      insertion && isSameRank(insertion.getSourceType(), insertion.getType())) {
    tieAll(insertion.getSource(), insertion.getResult());
    tieAll(insertion.getDest(), insertion.getResult());
  }
  if (auto inner = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, yielded, result] :
         llvm::zip(inner.getInitArgs(), inner.getRegionIterArgs(),
                   inner.getYieldedValues(), inner.getResults())) {
      tieAll(init, argument);
      tieAll(yielded, argument);
      tieAll(result, argument);
    }
  }
}

void TileAxes::findRows() {
  classes.compress();
  auto visit = [&](Value tensor, unsigned dimension) {
    rowClasses.insert(classes[numbers.lookup(tensor) + dimension]);
  };
  loop.getBody()->walk([&](scf::ForOp inner) {
    for (Value argument : inner.getRegionIterArgs())
      if (auto type = dyn_cast<RankedTensorType>(argument.getType());
          type && type.getRank() == 1 && !isView(argument))
        visit(argument, 0);
  });
  for (auto [tensor, number] : numbers) {
    auto type = cast<RankedTensorType>(tensor.getType());
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (!isRow(tensor, i) || type.isDynamicDim(i))
        continue;
      int64_t size = type.getDimSize(i);
      if (size % kWarpRows != 0 || (numRows != 0 && numRows != size)) {
        numRows = 0;
        return;
      }
      numRows = size;
    }
  }
}

bool TileAxes::isRow(Value tensor, unsigned dimension) const {
  auto number = numbers.find(tensor);
  return number != numbers.end() &&
         rowClasses.contains(classes[number->second + dimension]);
}

bool TileAxes::isRowLoop(linalg::LinalgOp op, unsigned loop) const {
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<unsigned> dimension =
            op.getMatchingIndexingMap(&operand).getResultPosition(
                getAffineDimExpr(loop, op.getContext()));
        dimension && isRow(operand.get(), *dimension))
      return true;
  for (OpResult result : op->getResults())
    if (std::optional<unsigned> dimension =
            op.getMatchingIndexingMap(
                  op.getDpsInitOperand(result.getResultNumber()))
                .getResultPosition(getAffineDimExpr(loop, op.getContext()));
        dimension && isRow(result, *dimension))
      return true;
  return false;
}
