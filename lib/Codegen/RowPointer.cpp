//===- RowPointer.cpp - Loops over rows and their edges ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPointer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

/// What `bound` is loaded from, if from one place of a vector of integers.
static memref::LoadOp getLoad(Value bound) {
  if (auto cast = bound.getDefiningOp<arith::IndexCastOp>())
    bound = cast.getIn();
  auto load = bound.getDefiningOp<memref::LoadOp>();
  return load && load.getIndices().size() == 1 ? load : memref::LoadOp();
}

/// Whether `value` is `base` + 1.
static bool isNext(Value value, Value base) {
  auto add = value.getDefiningOp<arith::AddIOp>();
  return add && ((add.getLhs() == base && isOneInteger(add.getRhs())) ||
                 (add.getRhs() == base && isOneInteger(add.getLhs())));
}

/// Whether `row` is one of the rows that begin with `first`.
static bool isRow(Value row, Value first) {
  if (row == first)
    return true;
  auto argument = dyn_cast<BlockArgument>(row);
  auto loop =
      argument
          ? dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp())
          : scf::ForOp();
  return loop && argument == loop.getInductionVar() &&
         loop.getLowerBound() == first && isOneInteger(loop.getStep());
}

std::optional<gnn::RowBounds> gnn::getRowBounds(scf::ForOp loop) {
  memref::LoadOp begin = getLoad(loop.getLowerBound()),
                 end = getLoad(loop.getUpperBound());
  if (!begin || !end || begin.getMemRef() != end.getMemRef() ||
      !isNext(end.getIndices()[0], begin.getIndices()[0]))
    return std::nullopt;
  return RowBounds{begin.getMemRef(), begin.getIndices()[0]};
}

Value gnn::findRowPointer(omp::LoopNestOp nest, Value first) {
  Value pointer;
  auto parallel = nest->getParentOfType<omp::ParallelOp>();
  nest.walk([&](scf::ForOp loop) {
    std::optional<RowBounds> bounds = getRowBounds(loop);
    if (!bounds || !isRow(bounds->row, first) ||
        parallel->isAncestor(bounds->pointer.getParentBlock()->getParentOp()))
      return WalkResult::advance();
    pointer = bounds->pointer;
    return WalkResult::interrupt();
  });
  return pointer;
}
