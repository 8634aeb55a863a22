//===- VerifyBufferized.cpp - Report tensors that are left ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "gnn/Support/FindOp.h"

namespace gnn {
#define GEN_PASS_DEF_VERIFYBUFFERIZEDPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The tensor that `op` takes, makes, or is given in a region; null if there is
/// none.
static Type findTensor(Operation *op) {
  auto find = [](TypeRange types) {
    auto it = llvm::find_if(types, llvm::IsaPred<TensorType>);
    return it == types.end() ? Type() : *it;
  };
  if (Type type = find(op->getOperandTypes()))
    return type;
  if (Type type = find(op->getResultTypes()))
    return type;
  for (Region &region : op->getRegions())
    if (!region.empty())
      if (Type type = find(region.getArgumentTypes()))
        return type;
  return {};
}

namespace {
struct VerifyBufferizedPass
    : public gnn::impl::VerifyBufferizedPassBase<VerifyBufferizedPass> {
  void runOnOperation() override {
    Operation *op = findOp(getOperation(),
                           [](Operation *op) { return bool(findTensor(op)); });
    if (!op)
      return;
    op->emitOpError("has a tensor, ")
        << findTensor(op)
        << ", where buffers are expected; run one-shot-bufferize";
    signalPassFailure();
  }
};
} // namespace
