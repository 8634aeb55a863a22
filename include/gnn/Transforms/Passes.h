//===- Passes.h - Passes on gnn IR ------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_PASSES_H
#define GNN_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace gnn {

/// Which form of a listed graph ops run on, see gnn-specialize-topology.
enum class TopologyChoice { Automatic, Sparse, Dense };

#define GEN_PASS_DECL
#include "gnn/Transforms/Passes.h.inc"

} // namespace gnn

#endif // GNN_TRANSFORMS_PASSES_H
