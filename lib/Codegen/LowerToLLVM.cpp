//===- LowerToLLVM.cpp - What is left to the LLVM dialect -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "gnn/Support/FindOp.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/OpenMPToLLVM/ConvertOpenMPToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"

namespace gnn {
#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether `op` is of a dialect that is lowered before and has a body, which
/// would no longer be one that it can have.
static bool isStructured(Operation *op) {
  return op->hasTrait<OpTrait::SingleBlock>() &&
         !op->hasTrait<OpTrait::IsIsolatedFromAbove>() &&
         !isa<LLVM::LLVMDialect, memref::MemRefDialect, omp::OpenMPDialect>(
             op->getDialect());
}

namespace {
struct LowerToLLVMPass
    : public gnn::impl::LowerToLLVMPassBase<LowerToLLVMPass> {
  void runOnOperation() override {
    if (Operation *op = findOp(getOperation(), isStructured)) {
      op->emitOpError("is to be lowered before: linalg by "
                      "convert-linalg-to-loops, scf by convert-scf-to-cf");
      return signalPassFailure();
    }
    LLVMTypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    cf::populateAssertToLLVMConversionPattern(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateOpenMPToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    configureOpenMPToLLVMConversionLegality(target, converter);
    // What nothing knows is named once all passes are done.
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
