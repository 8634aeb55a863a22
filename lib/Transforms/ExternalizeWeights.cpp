//===- ExternalizeWeights.cpp - Pass weights from outside -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace gnn {
#define GEN_PASS_DEF_EXTERNALIZEWEIGHTSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct ExternalizeWeightsPass
    : public gnn::impl::ExternalizeWeightsPassBase<ExternalizeWeightsPass> {
  using ExternalizeWeightsPassBase::ExternalizeWeightsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.isPublic())
      return;
    SmallVector<arith::ConstantOp> constants;
    function.walk([&](arith::ConstantOp op) {
      auto value = dyn_cast<ElementsAttr>(op.getValue());
      if (value && value.getElementType().isIntOrFloat() &&
          (isa<DenseResourceElementsAttr>(value) || !value.isSplat()) &&
          value.getNumElements() >= minimumElements)
        constants.push_back(op);
    });
    for (auto [index, op] : llvm::enumerate(constants)) {
      Builder builder(&getContext());
      NamedAttribute attributes[] = {
          builder.getNamedAttr(GNNDialect::kWeightAttr, op.getValue()),
          builder.getNamedAttr(GNNDialect::kNameAttr,
                               builder.getStringAttr("weight" + Twine(index)))};
      unsigned position = function.getNumArguments();
      if (failed(function.insertArgument(position, op.getType(),
                                         builder.getDictionaryAttr(attributes),
                                         op.getLoc())))
        return signalPassFailure();
      op.replaceAllUsesWith(function.getArgument(position));
      op.erase();
      ++numExternalized;
    }
  }
};
} // namespace
