//===- Kernels.h - What goes with kernels -----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_GPU_KERNELS_H
#define GNN_CODEGEN_GPU_KERNELS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"

namespace gnn {

/// gnn-use-session-memory replaces calls of these by calls of the functions in
/// gnn_memory.
constexpr llvm::StringLiteral kLaunchFunction = "gnn_launch";
constexpr llvm::StringLiteral kReadFunction = "gnn_read";

/// Tells of the ops that wait in kernels what they do to memory.
void registerWaitEffects(mlir::DialectRegistry &registry);

} // namespace gnn

#endif // GNN_CODEGEN_GPU_KERNELS_H
