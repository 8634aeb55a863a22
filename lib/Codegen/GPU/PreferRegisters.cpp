//===- PreferRegisters.cpp - No spills for more blocks ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace gnn {
#define GEN_PASS_DEF_PREFERREGISTERSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct PreferRegistersPass
    : public gnn::impl::PreferRegistersPassBase<PreferRegistersPass> {
  using PreferRegistersPassBase::PreferRegistersPassBase;

  void runOnOperation() override {
    auto least = IntegerAttr::get(IntegerType::get(&getContext(), 32), blocks);
    getOperation()->walk([&](gpu::GPUFuncOp function) {
      if (function.isKernel())
        function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), least);
    });
  }
};
} // namespace
