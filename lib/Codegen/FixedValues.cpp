//===- FixedValues.cpp - What does not change from run to run ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedValues.h"
#include "gnn/Dialect/GNN/Preparation.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

bool gnn::hasSideEffects(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        if (nested->hasTrait<OpTrait::IsTerminator>() ||
            nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
            isa<tensor::ParallelInsertSliceOp>(nested) || isPure(nested))
          return WalkResult::advance();
        auto effects = dyn_cast<MemoryEffectOpInterface>(nested);
        return effects && (effects.hasNoEffect() ||
                           effects.onlyHasEffect<MemoryEffects::Allocate>())
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

llvm::SetVector<Value> gnn::getReads(Operation *op) {
  llvm::SetVector<Value> reads;
  reads.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads;
}

bool gnn::hasPreparation(func::FuncOp function) {
  return function.isPublic() && !function.isExternal() &&
         function.getBody().hasOneBlock();
}

DenseSet<Value> gnn::findFixedValues(func::FuncOp function) {
  DenseSet<Value> fixed;
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), kFixedAttr))
      fixed.insert(argument);
  for (Operation &op : function.front())
    if (!op.hasTrait<OpTrait::IsTerminator>() && !hasSideEffects(&op) &&
        llvm::all_of(getReads(&op),
                     [&](Value value) { return fixed.contains(value); }))
      fixed.insert_range(op.getResults());
  return fixed;
}
