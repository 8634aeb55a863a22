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

Value gnn::loadAsIndex(OpBuilder &b, Location loc, Value vector, Value place) {
  Value element = memref::LoadOp::create(b, loc, vector, place);
  if (element.getType().isIndex())
    return element;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
}

bool gnn::isNext(Value value, Value base) {
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
         isRow(loop.getLowerBound(), first);
}

std::optional<gnn::RowBounds> gnn::getRowBounds(scf::ForOp loop) {
  auto begin = getBoundRead<memref::LoadOp>(loop.getLowerBound());
  auto end = getBoundRead<memref::LoadOp>(loop.getUpperBound());
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
