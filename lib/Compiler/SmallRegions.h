//===- SmallRegions.h - Parallel regions that one thread runs ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_COMPILER_SMALLREGIONS_H
#define GNN_LIB_COMPILER_SMALLREGIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace gnn {

/// Has parallel regions run without OpenMP's runtime where one thread runs
/// them.
void callSmallRegions(llvm::Module &module);

} // namespace gnn

#endif // GNN_LIB_COMPILER_SMALLREGIONS_H
