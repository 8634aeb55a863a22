//===- SerializeSmallLoops.cpp - Threads only where they pay ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace gnn {
#define GEN_PASS_DEF_SERIALIZESMALLLOOPSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Trip count assumed where it is not constant: in-edges of a node, mostly.
static constexpr int64_t assumedTrips = 8;

static int64_t getTripCount(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (trips)
    return trips->getSExtValue();
  // A loop over tiles makes as many fewer trips as the tile is large.
  int64_t step = getConstantIntValue(loop.getStep()).value_or(1);
  return std::max<int64_t>(1, assumedTrips / std::max<int64_t>(1, step));
}

/// Elements that one pass through `block` computes, roughly: ops count once or
/// as often as their vector has elements of 32 bits in a register of 16.
static int64_t estimateWork(Block &block) {
  int64_t work = 0;
  for (Operation &op : block) {
    // What is asked for early takes no time of its own.
    if (isa<memref::PrefetchOp>(op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      work += getTripCount(loop) * estimateWork(*loop.getBody());
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        work += estimateWork(inner);
    int64_t elements = 1;
    for (Type type : op.getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type))
        elements = std::max(elements, vector.getNumElements());
    work += llvm::divideCeil(elements, 16);
  }
  return work;
}

namespace {
struct SerializeSmallLoopsPass
    : public gnn::impl::SerializeSmallLoopsPassBase<SerializeSmallLoopsPass> {
  using SerializeSmallLoopsPassBase::SerializeSmallLoopsPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](omp::ParallelOp parallel) {
      if (parallel.getIfExpr())
        return;
      // One loop is what conversion from scf makes; anything else is left.
      auto loops = llvm::to_vector(parallel.getOps<omp::WsloopOp>());
      if (loops.size() != 1)
        return;
      auto nest = cast<omp::LoopNestOp>(loops.front().getWrappedLoop());
      if (!llvm::all_of(nest->getOperands(), [&](Value bound) {
            return !parallel->isAncestor(bound.getParentBlock()->getParentOp());
          }))
        return;
      emitCondition(parallel, nest);
      ++numConditions;
    });
  }

private:
  void emitCondition(omp::ParallelOp parallel, omp::LoopNestOp nest) {
    OpBuilder b(parallel);
    Location loc = parallel.getLoc();
    Value trips = arith::ConstantIndexOp::create(b, loc, 1);
    for (auto [lower, upper, step] :
         llvm::zip(nest.getLoopLowerBounds(), nest.getLoopUpperBounds(),
                   nest.getLoopSteps())) {
      Value range = arith::SubIOp::create(b, loc, upper, lower);
      Value count = arith::CeilDivSIOp::create(b, loc, range, step);
      trips = arith::MulIOp::create(b, loc, trips, count);
    }
    int64_t work = 0;
    for (Block &block : nest.getRegion())
      work += estimateWork(block);
    Value enough = arith::ConstantIndexOp::create(
        b, loc, llvm::divideCeil(minimumWork, std::max<int64_t>(work, 1)));
    Value condition =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, trips, enough);
    parallel.getIfExprMutable().assign(condition);
  }
};
} // namespace
