//===- NodeNumbers.cpp - Whether a model reads numbers of nodes -----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/ModelInfo.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

/// A test for self loops, or the row that a tensor has for the node: neither
/// changes when nodes get other numbers. A tensor with a fixed number of rows
/// is no tensor of nodes, but a table of positions.
static bool isIndependent(OpOperand &use) {
  if (isSelfLoopTest(use.getOwner()))
    return true;
  auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner());
  constexpr unsigned firstIndex = 1;
  return extract && use.getOperandNumber() == firstIndex &&
         extract.getTensor().getType().isDynamicDim(0);
}

/// Does the type say of two nodes which comes first?
static bool isOrdered(Value value) {
  auto type = dyn_cast<GNNGraphType>(value.getType());
  return type && (type.getTopology() == Topology::Causal ||
                  type.getTopology() == Topology::Window);
}

bool gnn::readsNodeNumbers(ModuleOp module) {
  WalkResult found = module.walk([](Operation *op) {
    bool reads =
        isa<PositionOp>(op) || llvm::any_of(op->getResults(), isOrdered);
    if (isa<IndexOp>(op))
      reads = !llvm::all_of(op->getUses(), isIndependent);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        reads |= llvm::any_of(block.getArguments(), isOrdered);
    return reads ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}
