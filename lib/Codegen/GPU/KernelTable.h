//===- KernelTable.h - What host code and kernels agree on ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_KERNELTABLE_H
#define GNN_LIB_CODEGEN_GPU_KERNELTABLE_H

#include "gnn/Codegen/GPU/Kernels.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace gnn {

/// Buffers in workgroup memory start at multiples of this many bytes.
constexpr int64_t kWorkgroupAlignment = 64;

/// Where each of a kernel's workgroup buffers starts, in bytes, and how many
/// they take together.
int64_t getWorkgroupOffsets(mlir::gpu::GPUFuncOp kernel,
                            llvm::SmallVectorImpl<int64_t> &offsets);

/// Reports a launch that `gnn-launch-kernels` has not made a call of the
/// runtime: kernels may only leave the module once nothing there names them.
llvm::LogicalResult verifyLaunched(mlir::ModuleOp module);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_KERNELTABLE_H
