//===- Passes.td - From tensors and loops to vectors -------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_PASSES_TD
#define GNN_CODEGEN_PASSES_TD

include "gnn/Codegen/PreparationPasses.td"
include "gnn/Codegen/ProductPasses.td"
include "gnn/Codegen/TensorPasses.td"
include "gnn/Codegen/VectorPasses.td"
include "gnn/Codegen/CachePasses.td"
include "gnn/Codegen/MemoryPasses.td"
include "gnn/Codegen/ThreadPasses.td"

#endif // GNN_CODEGEN_PASSES_TD
