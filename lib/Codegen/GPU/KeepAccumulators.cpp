//===- KeepAccumulators.cpp - Sums of loops in registers --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../WrittenBuffers.h"
#include "ParallelLoop.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {
#define GEN_PASS_DEF_KEEPACCUMULATORSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// An element that a loop reads, changes and writes back.
struct Accumulator {
  memref::StoreOp store;
  SmallVector<memref::LoadOp> loads;
};

struct KeepAccumulatorsPass
    : public gnn::impl::KeepAccumulatorsPassBase<KeepAccumulatorsPass> {
  void runOnOperation() override {
    // Inner loops first: what one writes after it, the next may keep.
    for (scf::ForOp loop : getKernelLoops(getOperation()))
      keep(loop);
  }

private:
  static std::optional<Accumulator> find(scf::ForOp loop,
                                         memref::StoreOp store);
  static void keep(scf::ForOp loop);
};
} // namespace

/// The accumulator that a store of a loop's body writes, if it is one.
std::optional<Accumulator> KeepAccumulatorsPass::find(scf::ForOp loop,
                                                      memref::StoreOp store) {
  auto isOutside = [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  };
  Value buffer = getViewedBuffer(store.getMemref());
  if (!isOutside(store.getMemref()) ||
      !llvm::all_of(store.getIndices(), isOutside) || mayBeAnyBuffer(buffer))
    return std::nullopt;
  Accumulator accumulator{store, {}};
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    Value memref;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      memref = load.getMemref();
    else if (auto other = dyn_cast<memref::StoreOp>(op))
      memref = other.getMemref();
    else if (auto load = dyn_cast<vector::LoadOp>(op))
      memref = load.getBase();
    else if (auto other = dyn_cast<vector::StoreOp>(op))
      memref = other.getBase();
    if (!memref || op == store)
      return WalkResult::advance();
    Value touched = getViewedBuffer(memref);
    if (mayBeAnyBuffer(touched))
      return WalkResult::interrupt();
    if (touched != buffer)
      return WalkResult::advance();
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load || load->getBlock() != loop.getBody() ||
        !load->isBeforeInBlock(store) ||
        load.getMemref() != store.getMemref() ||
        !llvm::equal(load.getIndices(), store.getIndices()))
      return WalkResult::interrupt();
    accumulator.loads.push_back(load);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted() || accumulator.loads.empty())
    return std::nullopt;
  return accumulator;
}

void KeepAccumulatorsPass::keep(scf::ForOp loop) {
  SmallVector<Accumulator> accumulators;
  for (auto store : loop.getBody()->getOps<memref::StoreOp>())
    if (std::optional<Accumulator> found = find(loop, store))
      accumulators.push_back(std::move(*found));
  if (accumulators.empty())
    return;
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> initial, updated;
  for (Accumulator &accumulator : accumulators) {
    initial.push_back(memref::LoadOp::create(rewriter, loc,
                                             accumulator.store.getMemref(),
                                             accumulator.store.getIndices()));
    updated.push_back(accumulator.store.getValueToStore());
  }
  unsigned numBefore = loop.getNumResults();
  FailureOr<LoopLikeOpInterface> wider = loop.replaceWithAdditionalYields(
      rewriter, initial, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return updated; });
  // It never fails for a scf.for.
  assert(succeeded(wider) && "loops can carry more values");
  auto kept = cast<scf::ForOp>(wider->getOperation());
  rewriter.setInsertionPointAfter(kept);
  for (auto [i, accumulator] : llvm::enumerate(accumulators)) {
    Value carried = kept.getRegionIterArgs()[numBefore + i];
    for (memref::LoadOp load : accumulator.loads)
      rewriter.replaceOp(load, carried);
    memref::StoreOp store = accumulator.store;
    memref::StoreOp::create(rewriter, loc, kept.getResult(numBefore + i),
                            store.getMemref(), store.getIndices());
    rewriter.eraseOp(store);
  }

  // The loop may have had no iteration, so its barriers never were what kept
  // code before it and after it apart. What it reads could be overwritten after
  // it, and what was written just now be read.
  bool writes = false;
  SmallVector<gpu::BarrierOp> barriers;
  kept.getBody()->walk([&](Operation *op) {
    writes |= isa<memref::StoreOp, vector::StoreOp>(op);
    if (auto barrier = dyn_cast<gpu::BarrierOp>(op))
      barriers.push_back(barrier);
  });
  if (writes || barriers.empty())
    return;
  for (gpu::BarrierOp barrier : barriers)
    rewriter.eraseOp(barrier);
  gpu::BarrierOp::create(rewriter, loc);
}
