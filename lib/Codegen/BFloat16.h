//===- BFloat16.h - Ops that have to do with bfloat16 -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_BFLOAT16_H
#define GNN_LIB_CODEGEN_BFLOAT16_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

namespace gnn {

/// Whether `op` itself, not what is in its regions, takes or makes bfloat16.
inline bool hasBFloat16(mlir::Operation *op) {
  auto isBFloat16 = [](mlir::Type type) {
    return mlir::getElementTypeOrSelf(type).isBF16();
  };
  return llvm::any_of(op->getOperandTypes(), isBFloat16) ||
         llvm::any_of(op->getResultTypes(), isBFloat16);
}

} // namespace gnn

#endif // GNN_LIB_CODEGEN_BFLOAT16_H
