//===- FenceStreams.cpp - Wait for what went past the caches ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamCondition.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {
#define GEN_PASS_DEF_FENCESTREAMSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// The stores of a region that a thread runs by itself.
struct Streams {
  llvm::SetVector<Value> conditions;
  bool isUnconditional = false;
};

struct FenceStreamsPass
    : public gnn::impl::FenceStreamsPassBase<FenceStreamsPass> {
  using FenceStreamsPassBase::FenceStreamsPassBase;

  void runOnOperation() override {
    llvm::MapVector<Region *, Streams> regions;
    getOperation().walk([&](vector::StoreOp store) {
      if (!store.getNontemporal())
        return;
      auto parallel = store->getParentOfType<omp::ParallelOp>();
      Region &region =
          parallel ? parallel.getRegion() : getOperation().getBody();
      Value condition = getStreamCondition(store, region);
      if (condition)
        regions[&region].conditions.insert(condition);
      else
        regions[&region].isUnconditional = true;
    });
    for (auto &[region, streams] : regions)
      for (Block &block : *region)
        if (isa<omp::TerminatorOp, func::ReturnOp>(block.getTerminator()))
          emitFence(block.getTerminator(), streams);
  }

private:
  void emitFence(Operation *end, const Streams &streams) {
    OpBuilder b(end);
    Location loc = end->getLoc();
    ++numFences;
    if (!streams.isUnconditional) {
      Value any;
      for (Value condition : streams.conditions)
        any = any ? arith::OrIOp::create(b, loc, any, condition) : condition;
      auto ifOp = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
      b.setInsertionPointToStart(ifOp.thenBlock());
    }
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst);
  }
};
} // namespace
