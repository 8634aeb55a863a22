//===- RowLoops.h - Loops over destinations and their edges -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_ROWLOOPS_H
#define GNN_LIB_CONVERSION_GNNTOSCF_ROWLOOPS_H

#include "FeatureEmitter.h"
#include "RowAccess.h"

namespace gnn {

using RowBody = llvm::function_ref<void(mlir::OpBuilder &, mlir::Location,
                                        mlir::Value, mlir::ValueRange)>;

/// A parallel loop over destinations that fills `outputs`. The body ends with
/// an scf.forall.in_parallel of its own making.
llvm::SmallVector<mlir::Value>
emitRowLoop(mlir::OpBuilder &builder, mlir::Location loc, const RowAccess &rows,
            mlir::ValueRange outputs, RowBody body);

/// tensor.empty with a row per destination.
mlir::Value emitNodeTensor(mlir::OpBuilder &builder, mlir::Location loc,
                           const RowAccess &rows, mlir::Type type);

/// tensor.empty with an entry per edge.
mlir::Value emitEdgeTensor(mlir::OpBuilder &builder, mlir::Location loc,
                           const RowAccess &rows, GNNGraphType graph,
                           EdgesType edges);

/// The part of an edge tensor that belongs to one row: a range of edges, or on
/// dense topologies a whole row of the matrix.
struct EdgeRow {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
  mlir::RankedTensorType type;
  /// Position of the row's first entry.
  mlir::Value first;

  mlir::Value extract(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor) const;
  /// Ends the body of a row loop that fills `output` with such rows.
  void insert(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value values,
              mlir::Value output) const;
  /// The value of the edge at `position`.
  mlir::Value read(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value values, mlir::Value position) const;
  mlir::Value write(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, mlir::Value values,
                    mlir::Value position) const;
};

EdgeRow getEdgeRow(mlir::OpBuilder &builder, mlir::Location loc,
                   const RowAccess &rows, mlir::RankedTensorType tensor,
                   bool isDense, mlir::Value row, mlir::Value begin,
                   mlir::Value end);

mlir::Value emitOne(mlir::OpBuilder &builder, mlir::Location loc);

using EdgeBody = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value position)>;

/// Loop over the edges of a row that writes a value per edge into `values`.
mlir::Value emitEdgeWrites(mlir::OpBuilder &builder, mlir::Location loc,
                           const EdgeRow &part, mlir::Value values,
                           mlir::Value begin, mlir::Value end, EdgeBody body);

/// A tensor with a value for every edge, row by row or, with `sideBySide`, all
/// edges at once; `body` gets the row and the position in it.
mlir::Value emitEdgeRows(
    mlir::OpBuilder &builder, mlir::Location loc, const RowAccess &rows,
    GNNGraphType graph, EdgesType edges, bool sideBySide,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::Value row, mlir::Value position)>
        body);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_ROWLOOPS_H
