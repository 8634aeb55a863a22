//===- ThreadNumbers.cpp - Which thread of how many -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadNumbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace gnn;

static Value emitCall(OpBuilder &b, Location loc, ModuleOp module,
                      StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = func::FuncOp::create(b, module.getLoc(), name,
                                    b.getFunctionType({}, b.getI32Type()));
    function.setPrivate();
  }
  Value number = func::CallOp::create(b, loc, function).getResult(0);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
}

Value gnn::emitNumThreads(OpBuilder &b, Location loc, ModuleOp module) {
  return emitCall(b, loc, module, "omp_get_num_threads");
}

Value gnn::emitThread(OpBuilder &b, Location loc, ModuleOp module) {
  return emitCall(b, loc, module, "omp_get_thread_num");
}

omp::LoopNestOp gnn::getPlainLoop(omp::WsloopOp loop) {
  auto nest = dyn_cast<omp::LoopNestOp>(loop.getWrappedLoop());
  // What threads reduce or have of their own needs the loop.
  if (!isa<omp::ParallelOp>(loop->getParentOp()) || !nest ||
      nest.getLoopInclusive() || !nest.getRegion().hasOneBlock() ||
      loop.getScheduleKind() || loop->getRegion(0).getNumArguments() != 0)
    return {};
  return nest;
}
