//===- ProtectArguments.cpp - Callers keep what they pass -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gnn {
#define GEN_PASS_DEF_PROTECTARGUMENTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct ProtectArgumentsPass
    : public gnn::impl::ProtectArgumentsPassBase<ProtectArgumentsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isPublic())
      return;
    auto no = BoolAttr::get(&getContext(), false);
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<TensorType>(type))
        function.setArgAttr(
            index, bufferization::BufferizationDialect::kWritableAttrName, no);
  }
};
} // namespace
