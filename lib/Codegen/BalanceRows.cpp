//===- BalanceRows.cpp - Shares of rows with equal work ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPointer.h"
#include "ThreadNumbers.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_BALANCEROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// Emits where the share of a thread ends.
struct ShareEmitter {
  Location loc;
  Value rowPointer, begin, end, numThreads;
  int64_t rowCost;
  /// Shares are made of so many rows each, but for the last one.
  int64_t step;

  /// Edges of the rows before `row`, and `rowCost` for each of them.
  Value emitWork(OpBuilder &b, Value row) {
    auto load = [&](Value index) {
      return loadAsIndex(b, loc, rowPointer, index);
    };
    Value edges = arith::SubIOp::create(b, loc, load(row), load(begin));
    Value rows = arith::SubIOp::create(b, loc, row, begin);
    Value cost = arith::MulIOp::create(
        b, loc, rows, arith::ConstantIndexOp::create(b, loc, rowCost));
    return arith::AddIOp::create(b, loc, edges, cost);
  }

  /// The first row that is not before the part `thread` / `numThreads` of all
  /// work, by bisection.
  Value emitFirst(OpBuilder &b, Value total, Value thread) {
    Value target = arith::MulIOp::create(b, loc, total, thread);
    Type index = b.getIndexType();
    auto loop = scf::WhileOp::create(
        b, loc, TypeRange{index, index}, ValueRange{begin, end},
        [&](OpBuilder &bb, Location, ValueRange args) {
          Value isOpen = arith::CmpIOp::create(
              bb, loc, arith::CmpIPredicate::ult, args[0], args[1]);
          scf::ConditionOp::create(bb, loc, isOpen, args);
        },
        [&](OpBuilder &bb, Location, ValueRange args) {
          Value one = arith::ConstantIndexOp::create(bb, loc, 1);
          Value middle = arith::ShRUIOp::create(
              bb, loc, arith::AddIOp::create(bb, loc, args[0], args[1]), one);
          Value work =
              arith::MulIOp::create(bb, loc, emitWork(bb, middle), numThreads);
          Value isBefore = arith::CmpIOp::create(
              bb, loc, arith::CmpIPredicate::ult, work, target);
          Value next = arith::AddIOp::create(bb, loc, middle, one);
          Value low = arith::SelectOp::create(bb, loc, isBefore, next, args[0]);
          Value high =
              arith::SelectOp::create(bb, loc, isBefore, args[1], middle);
          scf::YieldOp::create(bb, loc, ValueRange{low, high});
        });
    return emitAligned(b, loop.getResult(0));
  }

  /// `row` or the first after it that a step leads to.
  Value emitAligned(OpBuilder &b, Value row) {
    if (step == 1)
      return row;
    Value size = arith::ConstantIndexOp::create(b, loc, step);
    Value distance = arith::SubIOp::create(b, loc, row, begin);
    Value steps = arith::CeilDivUIOp::create(b, loc, distance, size);
    Value aligned = arith::AddIOp::create(
        b, loc, begin, arith::MulIOp::create(b, loc, steps, size));
    return arith::MinUIOp::create(b, loc, aligned, end);
  }

  /// The rows of `thread`: all of them if there is no other thread.
  ValueRange emitShare(OpBuilder &b, Value thread) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value isAlone = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          numThreads, one);
    return scf::IfOp::create(
               b, loc, isAlone,
               [&](OpBuilder &bb, Location) {
                 scf::YieldOp::create(bb, loc, ValueRange{begin, end});
               },
               [&](OpBuilder &bb, Location) {
                 Value total = emitWork(bb, end);
                 Value next = arith::AddIOp::create(bb, loc, thread, one);
                 Value first = emitFirst(bb, total, thread);
                 Value last = emitFirst(bb, total, next);
                 scf::YieldOp::create(bb, loc, ValueRange{first, last});
               })
        .getResults();
  }
};

struct BalanceRowsPass
    : public gnn::impl::BalanceRowsPassBase<BalanceRowsPass> {
  using BalanceRowsPassBase::BalanceRowsPassBase;

  void runOnOperation() override {
    if (rowCost < 1) {
      getOperation().emitError() << "a row must cost at least 1";
      return signalPassFailure();
    }
    SmallVector<omp::WsloopOp> loops;
    getOperation().walk([&](omp::WsloopOp loop) { loops.push_back(loop); });
    for (omp::WsloopOp loop : loops)
      balance(loop);
  }

private:
  void balance(omp::WsloopOp loop) {
    omp::LoopNestOp nest = getPlainLoop(loop);
    if (!nest || nest.getNumLoops() != 1)
      return;
    std::optional<int64_t> step = getConstantIntValue(nest.getLoopSteps()[0]);
    if (!step || *step < 1)
      return;
    Value row = nest.getRegion().getArgument(0);
    Value rowPointer = findRowPointer(nest, row);
    if (!rowPointer)
      return;

    OpBuilder b(loop);
    Location loc = loop.getLoc();
    ShareEmitter emitter{loc,
                         rowPointer,
                         nest.getLoopLowerBounds()[0],
                         nest.getLoopUpperBounds()[0],
                         emitNumThreads(b, loc, getOperation()),
                         rowCost,
                         *step};
    ValueRange share = emitter.emitShare(b, emitThread(b, loc, getOperation()));
    auto rows =
        scf::ForOp::create(b, loc, share[0], share[1], nest.getLoopSteps()[0]);
    Block &body = nest.getRegion().front();
    body.getTerminator()->erase();
    row.replaceAllUsesWith(rows.getInductionVar());
    Block *target = rows.getBody();
    target->getOperations().splice(Block::iterator(target->getTerminator()),
                                   body.getOperations());
    loop.erase();
    ++numBalanced;
  }
};
} // namespace
