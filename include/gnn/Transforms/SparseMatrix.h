//===- SparseMatrix.h - Dense tensors of listed edge values ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SPARSEMATRIX_H
#define GNN_TRANSFORMS_SPARSEMATRIX_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// What a matrix is made of that lists the entries which are not zero: a row
/// per destination of the graph, a column per source.
struct SparseMatrix {
  mlir::Value graph;
  /// One number per edge.
  mlir::Value edges;
};

/// If `tensor` is the values of listed edges on all pairs of nodes, these.
std::optional<SparseMatrix> getSparseMatrix(mlir::Value tensor);

} // namespace gnn

#endif // GNN_TRANSFORMS_SPARSEMATRIX_H
