//===- ExpandGraphArguments.cpp - Pass graphs as tensors ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Dialect/GNN/Preparation.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Transforms/DialectConversion.h"

namespace gnn {
#define GEN_PASS_DEF_EXPANDGRAPHARGUMENTSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A graph becomes its parts; conversions in between are ops of the dialect,
/// which fold, rather than unrealized casts.
class GraphPartsConverter : public TypeConverter {
public:
  GraphPartsConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](GNNGraphType type, SmallVectorImpl<Type> &parts) {
      llvm::append_range(parts, type.getPartTypes());
      return success();
    });
    addSourceMaterialization([](OpBuilder &builder, GNNGraphType type,
                                ValueRange parts, Location loc) -> Value {
      return MakeGraphOp::create(builder, loc, type, parts);
    });
    addTargetMaterialization([](OpBuilder &builder, TypeRange,
                                ValueRange inputs,
                                Location loc) -> SmallVector<Value> {
      auto parts = GraphPartsOp::create(builder, loc, inputs.front());
      return SmallVector<Value>(parts.getParts());
    });
  }
};

struct ExpandGraphArgumentsPass
    : public gnn::impl::ExpandGraphArgumentsPassBase<ExpandGraphArgumentsPass> {
  using ExpandGraphArgumentsPassBase::ExpandGraphArgumentsPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    GraphPartsConverter converter;
    ConversionTarget target(*context);
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType());
    });
    target.addDynamicallyLegalOp<func::CallOp, func::ReturnOp>(
        [&](Operation *op) { return converter.isLegal(op); });
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });

    RewritePatternSet patterns(context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    SmallVector<std::pair<func::FuncOp, SmallVector<DictionaryAttr>>> moved;
    for (auto function : getOperation().getOps<func::FuncOp>())
      moved.push_back({function, takeArgumentAttributes(function)});
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    for (auto &[function, attributes] : moved)
      function.setAllArgAttrs(attributes);
  }

private:
  /// The conversion leaves attributes at their old argument numbers; these are
  /// the ones for the new numbers.
  SmallVector<DictionaryAttr> takeArgumentAttributes(func::FuncOp function) {
    Builder b(function.getContext());
    NamedAttrList common;
    if (markFixed)
      common.set(kFixedAttr, b.getStringAttr(kGraphPart));
    SmallVector<DictionaryAttr> attributes;
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
      NamedAttrList own(function.getArgAttrDict(index));
      auto graph = dyn_cast<GNNGraphType>(type);
      if (graph) {
        own.append(common);
        // Only a graph has columns, none of its parts.
        own.erase(GNNDialect::kColumnsAttr);
      }
      attributes.push_back(own.getDictionary(b.getContext()));
      if (graph)
        attributes.append(graph.getPartTypes().size() - 1,
                          common.getDictionary(b.getContext()));
    }
    function.removeArgAttrsAttr();
    return attributes;
  }
};
} // namespace
