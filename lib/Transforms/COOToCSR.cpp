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

/// What stands for `argument`, an edge list: a graph that promises all that is
/// promised of it, before it is sorted or after that.
static GNNGraphType getSortedType(BlockArgument argument) {
  auto graph = cast<GNNGraphType>(argument.getType());
  bool symmetric = graph.getSymmetric(), selfLoops = graph.getSelfLoops(),
       sorted = graph.getSorted();
  for (Operation *user : argument.getUsers()) {
    auto toCSR = dyn_cast<ToCSROp>(user);
    if (!toCSR)
      continue;
    GNNGraphType result = toCSR.getResult().getType();
    symmetric |= result.getSymmetric();
    selfLoops |= result.getSelfLoops();
    sorted |= result.getSorted();
  }
  return GNNGraphType::get(argument.getContext(), Topology::CSR, 0,
                           graph.getBipartite(), symmetric, selfLoops, sorted,
                           graph.getIndexWidth());
}

/// Whether users of `graph` can take `type` in its place; says which cannot.
static LogicalResult verifyUsersTake(Value graph, GNNGraphType type) {
  if (graph.getType() == type)
    return success();
  for (Operation *user : graph.getUsers())
    if (!isa<GNNDialect>(user->getDialect()))
      return user->emitOpError()
             << "takes " << graph.getType() << ", but what the runtime passes "
             << "is " << type << "; promise the same of both";
  return success();
}

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
      if (!SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        return function.emitOpError()
               << "is called in its module, where nothing sorts the edge list "
                  "that it takes; make it private";
      // Users that read the edge list itself would see another order.
      for (Operation *user : argument.getUsers())
        if (!isa<ToCSROp, NumNodesOp, NumEdgesOp, DegreeOp, PositionOp,
                 EdgesFromTensorOp>(user))
          return user->emitOpError()
                 << "reads the edge list of an argument, which the runtime "
                    "passes sorted; take a csr graph instead";
      GNNGraphType sorted = getSortedType(argument);
      argument.setType(sorted);
      inputs[argument.getArgNumber()] = sorted;
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        auto toCSR = dyn_cast<ToCSROp>(user);
        if (!toCSR)
          continue;
        if (failed(verifyUsersTake(toCSR.getResult(), sorted)))
          return failure();
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
