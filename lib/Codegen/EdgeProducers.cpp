//===- EdgeProducers.cpp - What is computed for edges -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeProducers.h"
#include "RowBlock.h"

using namespace mlir;
using namespace gnn;

/// Whether only the number of rows of a tensor is not known.
static bool hasKnownRows(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 && type.isDynamicDim(0) &&
         type.getNumDynamicDims() == 1;
}

/// What is computed again at no cost, if others use it as well.
static bool isCheap(Operation *op) {
  return isa<tensor::EmptyOp, linalg::FillOp>(op);
}

EdgeProducers::EdgeProducers(const EdgeBlock &consumer,
                             const DenseSet<Value> &fixed)
    : consumer(consumer) {
  Operation *loop = consumer.getLoop();
  // What reads comes after what is read.
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode())
    if (isProducer(op, fixed)) {
      ops.push_back(op);
      known.insert(op);
    }
  std::reverse(ops.begin(), ops.end());
}

bool EdgeProducers::isProducer(Operation *op,
                               const DenseSet<Value> &fixed) const {
  if (op->getNumResults() == 0 || !llvm::all_of(op->getResults(), hasKnownRows))
    return false;
  if (!isCheap(op) && llvm::any_of(op->getResults(), [&](Value result) {
        return fixed.contains(result);
      }))
    return false;
  if (!readsRows(op))
    return false;
  auto isWithin = [&](OpOperand &use) { return isReadWithin(use); };
  if (!isCheap(op))
    return !op->use_empty() && llvm::all_of(op->getUses(), isWithin);
  // Loops that are fused read either the rows of their edges or all rows.
  return llvm::any_of(op->getUses(), isWithin) &&
         llvm::all_of(op->getUses(), [&](OpOperand &use) {
           return isWithin(use) || !getFusedLoop(use.getOwner());
         });
}

/// Whether rows of what `op` makes can be had from the same rows of operands.
bool EdgeProducers::readsRows(Operation *op) const {
  if (auto loop = dyn_cast<scf::ForallOp>(op)) {
    FailureOr<EdgeBlock> edges =
        EdgeBlock::match(loop, consumer.getRowPointer());
    return succeeded(edges) && edges->makesEdgeRows() &&
           edges->getNumRows() == consumer.getNumRows() &&
           llvm::all_of(loop.getRegionIterArgs(), [&](BlockArgument result) {
             return llvm::all_of(result.getUses(), [&](OpOperand &use) {
               return isa<tensor::ParallelInsertSliceOp>(use.getOwner()) ||
                      edges->readsEdges(use);
             });
           });
  }
  return computesByRows(op);
}

/// The loop over rows that `op` is in and that is fused, or null.
scf::ForallOp EdgeProducers::getFusedLoop(Operation *op) const {
  auto loop = op->getParentOfType<scf::ForallOp>();
  while (loop && loop != consumer.getLoop() && !known.contains(loop))
    loop = loop->getParentOfType<scf::ForallOp>();
  return loop;
}

/// Whether what reads is fused as well and reads the rows of edges alone.
bool EdgeProducers::isReadWithin(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (known.contains(user)) {
    if (isa<linalg::LinalgOp>(user))
      return isReadByRows(use);
    // A loop that makes rows for edges reads those of its results alone.
    return true;
  }
  scf::ForallOp loop = getFusedLoop(user);
  if (!loop)
    return false;
  if (loop == consumer.getLoop())
    return consumer.readsEdges(use);
  return EdgeBlock::match(loop, consumer.getRowPointer())->readsEdges(use);
}

int64_t EdgeProducers::getRowBytes() const {
  int64_t most = 0;
  for (Operation *op : ops) {
    if (isCheap(op))
      continue;
    for (Value result : op->getResults())
      most = std::max(most, gnn::getRowBytes(result));
  }
  return most;
}
