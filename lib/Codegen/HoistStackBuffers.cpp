//===- HoistStackBuffers.cpp - Stack buffers once per thread -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_HOISTSTACKBUFFERSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct HoistStackBuffersPass
    : public gnn::impl::HoistStackBuffersPassBase<HoistStackBuffersPass> {
  void runOnOperation() override {
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
  static bool containsAllocation(memref::AllocaScopeOp scope) {
    return scope->walk([](memref::AllocaOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }
};
} // namespace
