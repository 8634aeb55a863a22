//===- NameKernels.cpp - Kernels of a model in one module -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"

namespace gnn {
#define GEN_PASS_DEF_NAMEKERNELSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct NameKernelsPass
    : public gnn::impl::NameKernelsPassBase<NameKernelsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      // Symbols with dots are none in PTX.
      std::string prefix = function.getName().str();
      std::replace(prefix.begin(), prefix.end(), '.', '_');
      int64_t number = 0;
      function.walk([&](gpu::LaunchOp launch) {
        launch.setModuleAttr(FlatSymbolRefAttr::get(&getContext(), "kernels"));
        launch.setFunctionAttr(FlatSymbolRefAttr::get(
            &getContext(), prefix + "_" + std::to_string(number++)));
      });
    }
  }
};
} // namespace
