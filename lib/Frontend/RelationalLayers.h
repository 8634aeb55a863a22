//===- RelationalLayers.h - What layers of relations share ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_RELATIONALLAYERS_H
#define GNN_LIB_FRONTEND_RELATIONALLAYERS_H

#include "LayerBuilder.h"

namespace gnn::frontend {

/// Checks what both kinds of RGCNConv have in common: how matrices of [in, out]
/// are decomposed.
llvm::LogicalResult checkDecomposition(LayerBuilder &layer, int64_t in,
                                       int64_t out);

/// Whether nodes have the number of a row of a table in the place of a row.
bool hasNumbers(mlir::Value rows);

/// The relations of edges: whole numbers that the argument `edge_type` names.
struct EdgeRelations {
  /// Reads the argument; the runtime is told to refuse numbers that are not
  /// below `count`. Fails after an error, which `hint` ends where the argument
  /// is not there.
  static llvm::FailureOr<EdgeRelations> read(LayerBuilder &layer, int64_t count,
                                             llvm::StringRef hint = "");

  /// The row that tables of all relations have for the relation of an edge. The
  /// runtime checks the numbers of edges, but not those of pairs that are none.
  mlir::Value getRow(ScalarBuilder &s, mlir::Value relation) const {
    return s.clamp(s.toIndex(relation), 0, count - 1);
  }
  /// The number of edges for each destination and relation.
  mlir::Value countEdges(LayerBuilder &layer) const;
  /// One over each of these numbers, or 0.
  static mlir::Value getShares(LayerBuilder &layer, mlir::Value counts);

  /// Per edge.
  mlir::Value numbers;
  int64_t count = 0;
};

/// Builds one RGCNConv that reads `edge_type`: on one graph, whose edges have
/// the numbers of their relations.
mlir::Value buildNumberedRGCNConv(LayerBuilder &layer);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_RELATIONALLAYERS_H
