//===- BatchGathers.cpp - Rows of several edges at once ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelLoop.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gnn {
#define GEN_PASS_DEF_BATCHGATHERSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct BatchGathersPass
    : public gnn::impl::BatchGathersPassBase<BatchGathersPass> {
  using BatchGathersPassBase::BatchGathersPassBase;

  void runOnOperation() override {
    for (scf::ForOp loop : getKernelLoops(getOperation()))
      batch(loop);
  }

private:
  void batch(scf::ForOp loop);
};
} // namespace

/// An element or a vector of a row.
static bool isLoad(Operation &op) {
  return isa<memref::LoadOp, vector::LoadOp>(op);
}

/// What an element is found by, within the body of a loop.
static SetVector<Operation *> getAddress(Operation *load) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == load->getBlock();
  };
  SetVector<Operation *> slice;
  (void)getBackwardSlice(load, &slice, options);
  return slice;
}

/// Elements that a body reads at places which it has read from elsewhere; none
/// where it does more than to read and to compute.
static SmallVector<Operation *> findGathers(Block &body) {
  SmallVector<Operation *> gathers;
  for (Operation &op : body.without_terminator()) {
    if (!isLoad(op)) {
      if (!isPure(&op))
        return {};
      continue;
    }
    auto reads = [](Operation *inner) { return isLoad(*inner); };
    if (llvm::count_if(getAddress(&op), reads) > 1)
      gathers.push_back(&op);
  }
  return gathers;
}

/// Moves all reads, with what they need, before everything else. Nothing in the
/// loop writes.
static void hoistLoads(Block &body) {
  llvm::SmallPtrSet<Operation *, 32> early;
  for (Operation &op : body)
    if (isLoad(op))
      early.insert_range(getAddress(&op));
  SmallVector<Operation *> late;
  for (Operation &op : body.without_terminator())
    if (!early.contains(&op))
      late.push_back(&op);
  for (Operation *op : late)
    op->moveBefore(body.getTerminator());
}

void BatchGathersPass::batch(scf::ForOp loop) {
  int64_t numGathers = 0;
  for (Operation *load : findGathers(*loop.getBody())) {
    auto vector = dyn_cast<VectorType>(load->getResult(0).getType());
    numGathers += vector ? vector.getNumElements() : 1;
  }
  if (numGathers == 0)
    return;
  int64_t edges = std::min<int64_t>(maxEdges, maxLoads / numGathers);
  if (edges < 2)
    return;
  // The last edges of a row are a loop of their own.
  FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, edges);
  if (failed(unrolled) || !unrolled->mainLoopOp)
    return;
  hoistLoads(*unrolled->mainLoopOp->getBody());
  ++numBatched;
}
