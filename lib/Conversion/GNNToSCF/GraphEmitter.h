//===- GraphEmitter.h - Pieces of loops over graphs -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_GRAPHEMITTER_H
#define GNN_LIB_CONVERSION_GNNTOSCF_GRAPHEMITTER_H

#include "../Common/GraphArrays.h"

namespace gnn {

/// Copies the row of an edge tensor at `from` to row `to` of `target`.
mlir::Value copyRow(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value source, mlir::Value from, mlir::Value target,
                    mlir::Value to);

/// The tensors of edge values that a graph-rewriting op carries.
llvm::SmallVector<mlir::Value>
getEdgeTensors(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::TypedValue<GNNGraphType> graph, mlir::ValueRange edges);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_GRAPHEMITTER_H
