//===- GNN.h - The gnn dialect ----------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNN_H
#define GNN_DIALECT_GNN_GNN_H

#include "gnn/Dialect/GNN/EdgeFunction.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "gnn/Dialect/GNN/GNNDialect.h.inc"
#include "gnn/Dialect/GNN/GNNEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "gnn/Dialect/GNN/GNNTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "gnn/Dialect/GNN/GNNAttributes.h.inc"

#define GET_OP_CLASSES
#include "gnn/Dialect/GNN/GNNOps.h.inc"

namespace gnn {
/// Whether a list of aggregators is one sum.
bool isSum(mlir::ArrayAttr aggregators);
/// Whether an op of a region tells self loops from other edges: it compares the
/// numbers of the edge's ends for equality.
bool isSelfLoopTest(mlir::Operation *op);
} // namespace gnn

#endif // GNN_DIALECT_GNN_GNN_H
