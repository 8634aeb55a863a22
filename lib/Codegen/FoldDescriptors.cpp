//===- FoldDescriptors.cpp - What is read of buffers' descriptors -*- C++ -*-=//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gnn {
#define GEN_PASS_DEF_FOLDDESCRIPTORSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;

/// What `extract` reads, where that is known by itself. An extraction from an
/// extraction becomes one of both in place first.
static Value foldExtraction(LLVM::ExtractValueOp extract) {
  SmallVector<OpFoldResult, 1> results;
  while (succeeded(extract->fold(results)))
    if (!results.empty())
      return dyn_cast<Value>(results.front());
  return {};
}

namespace {
struct FoldDescriptorsPass
    : public gnn::impl::FoldDescriptorsPassBase<FoldDescriptorsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (!isa<LLVM::InsertValueOp, LLVM::ExtractValueOp>(op))
        return;
      ops.push_back(op);
      auto extract = dyn_cast<LLVM::ExtractValueOp>(op);
      if (Value value = extract ? foldExtraction(extract) : Value()) {
        extract.replaceAllUsesWith(value);
        ++numFolded;
      }
    });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }
};
} // namespace
