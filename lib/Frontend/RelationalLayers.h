//===- RelationalLayers.h - Both kinds of RGCNConv --------------*- C++ -*-===//
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

/// Builds one RGCNConv that reads `edge_type`: on one graph, whose edges have
/// the numbers of their relations.
mlir::Value buildNumberedRGCNConv(LayerBuilder &layer);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_RELATIONALLAYERS_H
