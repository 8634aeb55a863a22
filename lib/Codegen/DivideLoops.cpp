//===- DivideLoops.cpp - Shares of equal iterations -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadNumbers.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gnn {
#define GEN_PASS_DEF_DIVIDELOOPSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct DivideLoopsPass
    : public gnn::impl::DivideLoopsPassBase<DivideLoopsPass> {
  using DivideLoopsPassBase::DivideLoopsPassBase;

  void runOnOperation() override {
    SmallVector<omp::WsloopOp> loops;
    getOperation().walk([&](omp::WsloopOp loop) { loops.push_back(loop); });
    for (omp::WsloopOp loop : loops)
      divide(loop);
  }

private:
  void divide(omp::WsloopOp loop);
  std::pair<Value, Value> emitShare(OpBuilder &b, Location loc, Value total);
};
} // namespace

/// How often the loops of `nest` run, each by itself.
static SmallVector<Value> emitTrips(OpBuilder &b, Location loc,
                                    omp::LoopNestOp nest) {
  SmallVector<Value> trips;
  for (auto [lower, upper, step] :
       llvm::zip_equal(nest.getLoopLowerBounds(), nest.getLoopUpperBounds(),
                       nest.getLoopSteps())) {
    Value range = b.createOrFold<arith::SubIOp>(loc, upper, lower);
    Value count = b.createOrFold<arith::CeilDivSIOp>(loc, range, step);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    trips.push_back(b.createOrFold<arith::MaxSIOp>(loc, count, zero));
  }
  return trips;
}

/// The iterations of a thread: as many for each but the last ones.
std::pair<Value, Value> DivideLoopsPass::emitShare(OpBuilder &b, Location loc,
                                                   Value total) {
  Value size = arith::CeilDivUIOp::create(
      b, loc, total, emitNumThreads(b, loc, getOperation()));
  Value begin =
      arith::MulIOp::create(b, loc, emitThread(b, loc, getOperation()), size);
  Value first = arith::MinUIOp::create(b, loc, begin, total);
  Value end = arith::AddIOp::create(b, loc, first, size);
  return {first, arith::MinUIOp::create(b, loc, end, total)};
}

void DivideLoopsPass::divide(omp::WsloopOp loop) {
  omp::LoopNestOp nest = getPlainLoop(loop);
  // Threads wait for each other at the end of the region only.
  if (!nest || !isa<omp::TerminatorOp>(loop->getNextNode()) ||
      !nest.getLoopSteps().front().getType().isIndex())
    return;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> trips = emitTrips(b, loc, nest);
  Value total = trips.front();
  for (Value count : llvm::drop_begin(trips))
    total = arith::MulIOp::create(b, loc, total, count);
  auto [first, last] = emitShare(b, loc, total);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto share = scf::ForOp::create(b, loc, first, last, one);
  b.setInsertionPoint(share.getBody()->getTerminator());
  // The last loop is the innermost one.
  Value rest = share.getInductionVar();
  for (size_t i = trips.size(); i-- > 0;) {
    Value number = rest;
    if (i > 0) {
      number = arith::RemUIOp::create(b, loc, rest, trips[i]);
      rest = arith::DivUIOp::create(b, loc, rest, trips[i]);
    }
    Value distance =
        b.createOrFold<arith::MulIOp>(loc, number, nest.getLoopSteps()[i]);
    nest.getRegion().getArgument(i).replaceAllUsesWith(
        b.createOrFold<arith::AddIOp>(loc, distance,
                                      nest.getLoopLowerBounds()[i]));
  }
  Block &body = nest.getRegion().front();
  body.getTerminator()->erase();
  Block *target = share.getBody();
  target->getOperations().splice(Block::iterator(target->getTerminator()),
                                 body.getOperations());
  loop.erase();
  ++numDivided;
}
