//===- Passes.h - From buffers and loops to kernels -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_GPU_PASSES_H
#define GNN_CODEGEN_GPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace gnn {

#define GEN_PASS_DECL
#include "gnn/Codegen/GPU/Passes.h.inc"

} // namespace gnn

#endif // GNN_CODEGEN_GPU_PASSES_H
