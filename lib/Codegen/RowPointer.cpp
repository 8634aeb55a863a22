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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gnn;

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
  scf::ForOp loop = scf::getForInductionVarOwner(row);
  return loop && isRow(loop.getLowerBound(), first);
}

template <typename ReadOp>
static std::optional<RowBounds> getBounds(scf::ForOp loop) {
  auto begin = getBoundRead<ReadOp>(loop.getLowerBound());
  auto end = getBoundRead<ReadOp>(loop.getUpperBound());
  // What is read comes first among operands.
  if (!begin || !end || begin->getOperand(0) != end->getOperand(0) ||
      !isNext(end.getIndices()[0], begin.getIndices()[0]))
    return std::nullopt;
  return RowBounds{begin->getOperand(0), begin.getIndices()[0]};
}

std::optional<RowBounds> gnn::getRowBounds(scf::ForOp loop) {
  return getBounds<memref::LoadOp>(loop);
}

std::optional<RowBounds> gnn::getTensorRowBounds(scf::ForOp loop) {
  return getBounds<tensor::ExtractOp>(loop);
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
