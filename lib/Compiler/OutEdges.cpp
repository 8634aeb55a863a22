//===- OutEdges.cpp - Whether a model reads edges out of nodes ------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/ModelInfo.h"
#include "gnn/Dialect/GNN/GNN.h"

using namespace mlir;
using namespace gnn;

/// Everything else is received at destinations: by its in-edges a node is
/// known.
static bool readsOutEdges(Operation *op) {
  if (auto degree = dyn_cast<DegreeOp>(op))
    return degree.getSide() == NodeSide::Source &&
           degree.getGraph().getType().isListed();
  auto reverse = dyn_cast<ReverseOp>(op);
  return reverse && reverse.getGraph().getType().isListed();
}

bool gnn::readsOutEdges(ModuleOp module) {
  WalkResult found = module.walk([](Operation *op) {
    return ::readsOutEdges(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  return found.wasInterrupted();
}
