//===- DeclareConstants.cpp - Constants in order ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace gnn {
#define GEN_PASS_DEF_DECLARECONSTANTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct DeclareConstantsPass
    : public gnn::impl::DeclareConstantsPassBase<DeclareConstantsPass> {
  using DeclareConstantsPassBase::DeclareConstantsPassBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    WalkResult walk = getOperation()->walk([&](arith::ConstantOp constant) {
      if (!isa<RankedTensorType>(constant.getType()))
        return WalkResult::advance();
      return WalkResult(
          bufferization::getGlobalFor(constant, symbols, alignment));
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
