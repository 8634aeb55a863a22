//===- StoreBFloat16.cpp - Numbers of bfloat16 as integers ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BFloat16.h"
#include "gnn/Codegen/Passes.h"
#include "gnn/Support/FindOp.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace gnn {
#define GEN_PASS_DEF_STOREBFLOAT16PASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether `op` only moves numbers, for which it does not matter of what type
/// they are: what `gnn-expand-bfloat16` leaves of bfloat16, in the LLVM
/// dialect.
static bool isMove(Operation *op) {
  return isa<LLVM::ConstantOp, LLVM::PoisonOp, LLVM::UndefOp, LLVM::ZeroOp,
             LLVM::LoadOp, LLVM::StoreOp, LLVM::MaskedLoadOp,
             LLVM::MaskedStoreOp, LLVM::masked_gather, LLVM::masked_scatter,
             LLVM::masked_expandload, LLVM::masked_compressstore,
             LLVM::ExtractValueOp, LLVM::InsertValueOp, LLVM::ExtractElementOp,
             LLVM::InsertElementOp, LLVM::ShuffleVectorOp, LLVM::vector_extract,
             LLVM::vector_insert, LLVM::BitcastOp, LLVM::FreezeOp,
             LLVM::SelectOp, LLVM::CallOp, LLVM::ReturnOp, LLVM::BrOp,
             LLVM::CondBrOp, LLVM::SwitchOp>(op);
}

namespace {
struct StoreBFloat16Pass
    : public gnn::impl::StoreBFloat16PassBase<StoreBFloat16Pass> {
  void runOnOperation() override {
    if (!findOp(getOperation(), hasBFloat16))
      return;
    if (Operation *op = findOp(getOperation(), [](Operation *op) {
          return hasBFloat16(op) && !isMove(op);
        })) {
      op->emitOpError("does more than move bfloat16, which is to be expanded "
                      "and lowered to the LLVM dialect before");
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
