//===- Passes.td - From buffers and loops to kernels -------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_GPU_PASSES_TD
#define GNN_CODEGEN_GPU_PASSES_TD

include "gnn/Codegen/GPU/RowPasses.td"
include "gnn/Codegen/GPU/TilePasses.td"
include "gnn/Codegen/GPU/KernelPasses.td"

#endif // GNN_CODEGEN_GPU_PASSES_TD
