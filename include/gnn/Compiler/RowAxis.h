//===- RowAxis.h - What the rows of a tensor stand for ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_ROWAXIS_H
#define GNN_COMPILER_ROWAXIS_H

#include "gnn/Runtime/Runtime.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <optional>

namespace gnn {

/// Rows are the sources, destinations or edges of the graph argument number
/// `graph` (0 for the first argument of graph type).
struct RowAxis {
  gnn_axis axis;
  int32_t graph;
};

/// Finds which tensors of a function have a row per node or edge of one of its
/// graph arguments, from how they are used: operands and results of gnn ops
/// say so, and ops that work row by row carry it from tensor to tensor.
class RowAxisAnalysis {
public:
  explicit RowAxisAnalysis(mlir::func::FuncOp function);

  /// Nullopt if nothing ties the rows of `tensor` to a graph argument.
  std::optional<RowAxis> lookup(mlir::Value tensor) const;

  /// What the sources of graph number `graph` are in a graph before it: a batch
  /// that pools nodes has the nodes of another graph as its sources. Nullopt if
  /// nothing ties them to one.
  std::optional<RowAxis> lookupSources(int32_t graph) const;

private:
  void visit(mlir::Operation *op);
  void unify(mlir::Value a, mlir::Value b);
  void set(mlir::ValueRange tensors, mlir::Value graph, gnn_axis axis);

  llvm::EquivalenceClasses<const void *> classes;
  llvm::SmallVector<std::pair<mlir::Value, RowAxis>> facts;
  llvm::DenseMap<const void *, RowAxis> axes;
};

} // namespace gnn

#endif // GNN_COMPILER_ROWAXIS_H
