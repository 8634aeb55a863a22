//===- VerifyLowered.cpp - Report gnn ops that are left ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"

namespace gnn {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// What would let `op` be lowered.
static std::string getAdvice(Operation *op) {
  if (isa<EdgesFromTensorOp, EdgesToTensorOp>(op))
    return "edge values may not cross a function or loop boundary; pass them "
           "as a tensor";
  if (isa<MakeGraphOp, GraphPartsOp>(op))
    return "graphs may not be carried by loops or conditionals, nor may edge "
           "values of a graph of one topology be read with one of another; "
           "rewrite them outside";
  if (isa<UpdateOp, LookupOp>(op))
    return "run convert-gnn-to-linalg";
  return "run convert-gnn-to-scf";
}

namespace {
struct VerifyLoweredPass
    : public gnn::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  void runOnOperation() override {
    // Ops before what is in their regions: a yield is not what was left.
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) {
          if (!isa_and_nonnull<GNNDialect>(op->getDialect()))
            return WalkResult::advance();
          op->emitOpError() << "was not lowered; " << getAdvice(op);
          return WalkResult::interrupt();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
