//===- COOToCSR.cpp - Take coo graph arguments in csr form -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gnn {
#define GEN_PASS_DEF_COOTOCSRPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct COOToCSRPass : public gnn::impl::COOToCSRPassBase<COOToCSRPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        if (failed(sortArguments(function)))
          return signalPassFailure();
  }

private:
  LogicalResult sortArguments(func::FuncOp function) {
    SmallVector<Type> inputs(function.getArgumentTypes());
    for (BlockArgument argument : function.getArguments()) {
      auto graph = dyn_cast<GNNGraphType>(argument.getType());
      if (!graph || graph.getTopology() != Topology::COO)
        continue;
      // Users that read the edge list itself would see another order.
      for (Operation *user : argument.getUsers())
        if (!isa<ToCSROp, NumNodesOp, NumEdgesOp, DegreeOp, PositionOp,
                 EdgesFromTensorOp>(user))
          return user->emitOpError()
                 << "reads the edge list of an argument, which the runtime "
                    "passes sorted; take a csr graph instead";
      auto sorted = GNNGraphType::get(
          &getContext(), Topology::CSR, 0, graph.getBipartite(),
          graph.getSymmetric(), graph.getSelfLoops(), graph.getSorted(),
          graph.getIndexWidth());
      argument.setType(sorted);
      inputs[argument.getArgNumber()] = sorted;
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        auto toCSR = dyn_cast<ToCSROp>(user);
        if (!toCSR)
          continue;
        SmallVector<Value> replacements{argument};
        llvm::append_range(replacements, toCSR.getEdges());
        toCSR.getResult().setType(sorted);
        toCSR->replaceAllUsesWith(replacements);
        toCSR->erase();
      }
    }
    function.setFunctionType(
        FunctionType::get(&getContext(), inputs, function.getResultTypes()));
    return success();
  }
};
} // namespace
