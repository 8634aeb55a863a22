//===- Warp.h - Threads that run together -----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_WARP_H
#define GNN_LIB_CODEGEN_GPU_WARP_H

#include <cstdint>

namespace gnn {

/// Threads of a warp, on all NVIDIA GPUs.
inline constexpr int64_t kWarp = 32;

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_WARP_H
