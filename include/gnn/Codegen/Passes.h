//===- Passes.h - From tensors and loops to vectors -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_PASSES_H
#define GNN_CODEGEN_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace gnn {

/// What the factors of matrix products are multiplied in. TF32 is float32 with
/// 10 bits of mantissa.
enum class Precision { Float32, BFloat16, Float16, TF32 };

#define GEN_PASS_DECL
#include "gnn/Codegen/Passes.h.inc"

} // namespace gnn

#endif // GNN_CODEGEN_PASSES_H
