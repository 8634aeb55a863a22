//===- VerifyLowered.cpp - Report gnn ops that are left ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Support/FindOp.h"
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

/// Edge values are in the order of a graph's rows, which only the function that
/// has the graph knows.
static LogicalResult verifySignature(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments())
    if (isa<EdgesType>(argument.getType()))
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber()
             << " holds edge values, which may not cross a function boundary; "
                "take a tensor, and read it by gnn.edges_from_tensor";
  if (llvm::any_of(func.getResultTypes(), llvm::IsaPred<EdgesType>))
    return func.emitOpError("returns edge values, which may not cross a "
                            "function boundary; return what "
                            "gnn.edges_to_tensor makes of them");
  return success();
}

namespace {
struct VerifyLoweredPass
    : public gnn::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  void runOnOperation() override {
    if (failed(verifySignature(getOperation())))
      return signalPassFailure();
    // Ops before what is in their regions: a yield is not what was left.
    Operation *left = findOp(getOperation(), [](Operation *op) {
      return isa_and_nonnull<GNNDialect>(op->getDialect());
    });
    if (!left)
      return;
    left->emitOpError() << "was not lowered; " << getAdvice(left);
    signalPassFailure();
  }
};
} // namespace
