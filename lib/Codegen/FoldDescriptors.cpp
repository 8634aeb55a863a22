//===- FoldDescriptors.cpp - What is read of buffers' descriptors -*- C++ -*-=//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/FoldUtils.h"

namespace gnn {
#define GEN_PASS_DEF_FOLDDESCRIPTORSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;

namespace {
struct FoldDescriptorsPass
    : public gnn::impl::FoldDescriptorsPassBase<FoldDescriptorsPass> {
  void runOnOperation() override {
    OperationFolder folder(&getContext());
    getOperation().walk([&](LLVM::ExtractValueOp extract) {
      bool isChanged = false;
      if (succeeded(folder.tryToFold(extract, &isChanged)) && !isChanged)
        ++numFolded;
    });
    // Those that put a descriptor together go from the last one on.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isa<LLVM::InsertValueOp, LLVM::ExtractValueOp>(op) &&
              isOpTriviallyDead(op))
            op->erase();
        });
  }
};
} // namespace
