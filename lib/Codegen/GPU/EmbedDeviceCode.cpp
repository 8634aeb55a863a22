//===- EmbedDeviceCode.cpp - What a device loads ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "llvm/ADT/StringExtras.h"

namespace gnn {
#define GEN_PASS_DEF_EMBEDDEVICECODEPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct EmbedDeviceCodePass
    : public gnn::impl::EmbedDeviceCodePassBase<EmbedDeviceCodePass> {
  void runOnOperation() override;
};
} // namespace

/// The first function that a module in PTX calls but does not define.
static StringRef findUndefined(StringRef ptx) {
  auto [before, after] = ptx.split(".extern .func");
  while (!after.empty()) {
    // Either `(.param ...) name(` or `name(`.
    StringRef declaration = after.ltrim();
    if (declaration.consume_front("("))
      declaration = declaration.split(')').second.ltrim();
    return declaration.take_until(
        [](char c) { return c == '(' || llvm::isSpace(c); });
  }
  return "";
}

void EmbedDeviceCodePass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(verifyLaunched(module)))
    return signalPassFailure();
  for (auto binary :
       llvm::make_early_inc_range(module.getOps<gpu::BinaryOp>())) {
    if (binary.getObjects().size() != 1) {
      binary.emitOpError("has code for ")
          << binary.getObjects().size() << " devices, expected one";
      return signalPassFailure();
    }
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    StringRef code = object.getObject().getValue();
    if (object.getFormat() == gpu::CompilationTarget::Assembly) {
      if (StringRef name = findUndefined(code); !name.empty()) {
        binary.emitError("a kernel calls '")
            << name
            << "' of libdevice, which is part of the CUDA toolkit; install the "
               "toolkit and set CUDA_HOME to its folder";
        return signalPassFailure();
      }
    }
    module->setAttr(GNNDialect::kDeviceImageAttr, object.getObject());
    binary.erase();
  }
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
}
