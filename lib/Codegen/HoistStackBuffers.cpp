//===- HoistStackBuffers.cpp - Buffers once per thread ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_HOISTSTACKBUFFERSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The op that frees `alloc`, if it does so wherever control passes `alloc`.
static memref::DeallocOp findDealloc(memref::AllocOp alloc) {
  memref::DeallocOp dealloc;
  for (Operation *user : alloc->getUsers())
    if (auto free = dyn_cast<memref::DeallocOp>(user)) {
      if (dealloc || free->getBlock() != alloc->getBlock())
        return {};
      dealloc = free;
    }
  return dealloc;
}

/// The parallel region in whose loops `op` is, unless a condition decides
/// whether it runs.
static omp::ParallelOp getParallelAround(Operation *op) {
  Operation *parent = op->getParentOp();
  bool isInLoop = false;
  while (isa_and_present<omp::LoopNestOp, omp::WsloopOp, scf::ForOp,
                         memref::AllocaScopeOp>(parent)) {
    isInLoop |= isa<LoopLikeOpInterface, omp::LoopNestOp>(parent);
    parent = parent->getParentOp();
  }
  return isInLoop ? dyn_cast_or_null<omp::ParallelOp>(parent)
                  : omp::ParallelOp();
}

namespace {
struct HoistStackBuffersPass
    : public gnn::impl::HoistStackBuffersPassBase<HoistStackBuffersPass> {
  using HoistStackBuffersPassBase::HoistStackBuffersPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](memref::AllocOp alloc) { hoistFromHeap(alloc); });
    getOperation()->walk([](memref::AllocaOp alloca) {
      if (!alloca.getDynamicSizes().empty())
        return;
      Block *entry;
      if (auto parallel = alloca->getParentOfType<omp::ParallelOp>())
        entry = &parallel.getRegion().front();
      else
        entry = &alloca->getParentOfType<FunctionOpInterface>()
                     .getFunctionBody()
                     .front();
      alloca->moveBefore(entry, entry->begin());
    });
    IRRewriter rewriter(&getContext());
    SmallVector<memref::AllocaScopeOp> scopes;
    getOperation()->walk<WalkOrder::PostOrder>(
        [&](memref::AllocaScopeOp scope) { scopes.push_back(scope); });
    for (memref::AllocaScopeOp scope : scopes) {
      if (containsAllocation(scope))
        continue;
      Block &body = scope.getBodyRegion().front();
      auto yielded = cast<memref::AllocaScopeReturnOp>(body.getTerminator());
      rewriter.inlineBlockBefore(&body, scope);
      rewriter.replaceOp(scope, yielded.getOperands());
      rewriter.eraseOp(yielded);
    }
  }

private:
  void hoistFromHeap(memref::AllocOp alloc) const {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
        !type.getElementType().isIntOrFloat() ||
        type.getNumElements() * type.getElementTypeBitWidth() > 8 * maxBytes)
      return;
    memref::DeallocOp dealloc = findDealloc(alloc);
    omp::ParallelOp parallel = getParallelAround(alloc);
    if (!dealloc || !parallel || !parallel.getRegion().hasOneBlock())
      return;
    Block &block = parallel.getRegion().front();
    alloc->moveBefore(&block, block.begin());
    dealloc->moveBefore(block.getTerminator());
  }

  static bool containsAllocation(memref::AllocaScopeOp scope) {
    return scope->walk([](memref::AllocaOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }
};
} // namespace
