//===- FixedValues.h - What does not change from run to run -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_FIXEDVALUES_H
#define GNN_LIB_CODEGEN_FIXEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {

/// Whether running `op` or not makes a difference to others than those who read
/// its results.
bool hasSideEffects(mlir::Operation *op);

/// What `op` reads of what is outside of it.
llvm::SetVector<mlir::Value> getReads(mlir::Operation *op);

/// Whether what `function` computes of a graph may be kept from run to run.
bool hasPreparation(mlir::func::FuncOp function);

/// Those values of the body of `function` that only arguments with kFixedAttr
/// decide.
llvm::DenseSet<mlir::Value> findFixedValues(mlir::func::FuncOp function);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_FIXEDVALUES_H
