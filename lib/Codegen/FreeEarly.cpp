//===- FreeEarly.cpp - Free buffers after their last use ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace gnn {
#define GEN_PASS_DEF_FREEEARLYPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct FreeEarlyPass : public gnn::impl::FreeEarlyPassBase<FreeEarlyPass> {
  void runOnOperation() override {
    BufferViewFlowAnalysis aliases(getOperation());
    SmallVector<memref::DeallocOp> deallocs;
    getOperation()->walk([&](memref::DeallocOp op) { deallocs.push_back(op); });
    for (memref::DeallocOp dealloc : deallocs)
      moveUp(dealloc, aliases);
  }

private:
  static void moveUp(memref::DeallocOp dealloc,
                     const BufferViewFlowAnalysis &aliases) {
    Value buffer = dealloc.getMemref();
    Block *block = dealloc->getBlock();
    // Where the block does not allocate the buffer itself, freeing may depend
    // on conditions evaluated in between.
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    if (!alloc || alloc->getBlock() != block)
      return;
    Operation *last = alloc;
    for (Value alias : aliases.resolve(buffer)) {
      for (Operation *user : alias.getUsers()) {
        Operation *inBlock = block->findAncestorOpInBlock(*user);
        if (inBlock && inBlock != dealloc && last->isBeforeInBlock(inBlock))
          last = inBlock;
      }
    }
    if (last->isBeforeInBlock(dealloc))
      dealloc->moveAfter(last);
  }
};
} // namespace
