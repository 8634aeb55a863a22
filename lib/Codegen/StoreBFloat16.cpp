//===- StoreBFloat16.cpp - Numbers of bfloat16 as integers ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace gnn {
#define GEN_PASS_DEF_STOREBFLOAT16PASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;

/// Whether `op` computes: what is left of bfloat16 after `gnn-expand-bfloat16`
/// moves numbers.
static bool isArithmetic(Operation *op) {
  return isa<LLVM::FPExtOp, LLVM::FPTruncOp, LLVM::FAddOp, LLVM::FSubOp,
             LLVM::FMulOp, LLVM::FDivOp, LLVM::FCmpOp, LLVM::FNegOp>(op);
}

/// An op that has to do with bfloat16 and that `isWanted`; null if there is
/// none.
static Operation *findBFloat16(Operation *module,
                               llvm::function_ref<bool(Operation *)> isWanted) {
  auto isBFloat16 = [](Type type) {
    return getElementTypeOrSelf(type).isBF16();
  };
  Operation *found = nullptr;
  module->walk([&](Operation *op) {
    if (!(llvm::any_of(op->getOperandTypes(), isBFloat16) ||
          llvm::any_of(op->getResultTypes(), isBFloat16)) ||
        !isWanted(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
struct StoreBFloat16Pass
    : public gnn::impl::StoreBFloat16PassBase<StoreBFloat16Pass> {
  void runOnOperation() override {
    if (!findBFloat16(getOperation(), [](Operation *) { return true; }))
      return;
    if (Operation *op = findBFloat16(getOperation(), isArithmetic)) {
      op->emitOpError("computes with bfloat16, which is to be expanded before");
      return signalPassFailure();
    }
    auto integer = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([=](BFloat16Type) -> Type { return integer; });
    replacer.addReplacement(
        [=](FloatAttr number)
            -> std::optional<std::pair<Attribute, WalkResult>> {
          if (!number.getType().isBF16())
            return std::nullopt;
          return std::pair<Attribute, WalkResult>(
              IntegerAttr::get(integer, number.getValue().bitcastToAPInt()),
              WalkResult::skip());
        });
    replacer.addReplacement(
        [=](DenseElementsAttr numbers)
            -> std::optional<std::pair<Attribute, WalkResult>> {
          if (!numbers.getElementType().isBF16())
            return std::nullopt;
          return std::pair<Attribute, WalkResult>(numbers.bitcast(integer),
                                                  WalkResult::skip());
        });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};
} // namespace
