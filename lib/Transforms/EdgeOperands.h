//===- EdgeOperands.h - Operands of fused edge functions ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_EDGEOPERANDS_H
#define GNN_LIB_TRANSFORMS_EDGEOPERANDS_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace gnn {

/// One operand of an edge function with all that belongs to it.
struct EdgeOperand {
  mlir::Value value;
  OperandRole role;
  mlir::AffineMap map;
  /// The region argument it feeds in the function it comes from, or null where
  /// it is new.
  mlir::BlockArgument argument;
};

llvm::SmallVector<EdgeOperand> getEdgeOperands(const EdgeFunction &function);

/// Operands ordered and grouped the way ops take them.
struct GroupedOperands {
  llvm::SmallVector<mlir::Value> dst, src, edge, uniform;
  llvm::SmallVector<mlir::AffineMap> maps;
  /// In the order of the new region's arguments.
  llvm::SmallVector<mlir::BlockArgument> arguments;

  explicit GroupedOperands(llvm::ArrayRef<EdgeOperand> operands);

  /// Maps of the operands, then `resultMap`.
  mlir::ArrayAttr getMaps(mlir::Builder &builder,
                          mlir::AffineMap resultMap) const;

  /// Starts the region of a new op: adds a block with an argument per operand
  /// and records what each argument of the old regions became.
  mlir::Block *createBlock(mlir::OpBuilder &builder, mlir::Region &region,
                           mlir::IRMapping &mapping) const;
};

/// If `value` is a product that has `factor` as one factor, through
/// multiplications with a single use, the multiplications from `factor` to
/// `value`; empty if it is not.
llvm::SmallVector<mlir::Operation *> getProductChain(mlir::Value factor,
                                                     mlir::Value value);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_EDGEOPERANDS_H
