//===- CacheLine.h - What caches hold at a time ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_CACHELINE_H
#define GNN_LIB_CODEGEN_CACHELINE_H

#include <cstdint>

namespace gnn {

/// Bytes of a line of the caches of x86-64 and of most AArch64.
inline constexpr int64_t lineBytes = 64;

} // namespace gnn

#endif // GNN_LIB_CODEGEN_CACHELINE_H
