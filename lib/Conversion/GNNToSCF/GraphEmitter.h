//===- GraphEmitter.h - Pieces of loops over graphs -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_GRAPHEMITTER_H
#define GNN_LIB_CONVERSION_GNNTOSCF_GRAPHEMITTER_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// An index constant.
mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc,
                         int64_t value);

/// Sum of two indices.
mlir::Value emitAddIndex(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value a, mlir::Value b);

/// An integer as an index.
mlir::Value emitIndexCast(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value);

/// Element `index` of a tensor of integers, as an index.
mlir::Value loadIndex(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor, mlir::Value index);

/// Writes an index into a tensor of integers.
mlir::Value storeIndex(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::Value tensor,
                       mlir::Value index);

/// Copies the row of an edge tensor at `from` to row `to` of `target`.
mlir::Value copyRow(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value source, mlir::Value from, mlir::Value target,
                    mlir::Value to);

/// A tensor of `rows` rows like those of `type`.
mlir::Value emitEmptyRows(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value rows, mlir::RankedTensorType type);

/// The tensors of edge values that a graph-rewriting op carries.
llvm::SmallVector<mlir::Value>
getEdgeTensors(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::TypedValue<GNNGraphType> graph, mlir::ValueRange edges);

/// Replaces such an op by a graph made of `parts` and edge values in `tensors`.
void replaceGraph(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                  mlir::ValueRange parts, mlir::ValueRange tensors);

/// Keeps the first `size` rows.
mlir::Value truncateRows(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor, mlir::Value size);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_GRAPHEMITTER_H
