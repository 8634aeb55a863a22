//===- LongRows.h - Rows that several threads share -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One destination may have as many edges as all others together, as has a graph
// that is alone in its batch, which all nodes send to. The edges of a graph are
// cut into parts of one size, at the same places in every run. A part that lies
// in one row is accumulated on its own, all of them side by side; the row then
// goes through the edges it has before and after such parts, and merges their
// states in the order of the edges.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_LONGROWS_H
#define GNN_LIB_CONVERSION_GNNTOSCF_LONGROWS_H

#include "RowAccess.h"

namespace gnn {

/// How the edges of a row are accumulated into tensors of known shape.
struct RowAccumulation {
  using Values = llvm::SmallVector<mlir::Value>;

  /// What there is before the first edge.
  std::function<Values(mlir::OpBuilder &, mlir::Location)> emitInitial;
  /// The next state, with the edge at a position of a row.
  std::function<Values(mlir::OpBuilder &, mlir::Location, mlir::Value row,
                       mlir::Value position, mlir::ValueRange state)>
      emitStep;
  /// The state of all edges of two states.
  std::function<Values(mlir::OpBuilder &, mlir::Location,
                       mlir::ValueRange first, mlir::ValueRange second)>
      emitMerged;
};

/// Accumulates rows, long ones in parts.
class LongRows {
public:
  /// Emits the states of all parts of `edges` edges, if `edges` is not 0. The
  /// graph lists its edges row by row, or has segments, of which those of more
  /// than one row stay whole.
  LongRows(mlir::OpBuilder &builder, mlir::Location loc, const RowAccess &rows,
           const RowAccumulation &accumulation, int64_t edges);

  /// The state of a row's edges `begin` to `end`.
  llvm::SmallVector<mlir::Value> emitRow(mlir::OpBuilder &builder,
                                         mlir::Location loc, mlir::Value row,
                                         mlir::Value begin,
                                         mlir::Value end) const;

private:
  void emitParts(mlir::OpBuilder &builder, mlir::Location loc);
  llvm::SmallVector<mlir::Value> emitEdges(mlir::OpBuilder &builder,
                                           mlir::Location loc, mlir::Value row,
                                           mlir::Value begin,
                                           mlir::Value end) const;

  const RowAccess &rows;
  const RowAccumulation &accumulation;
  int64_t edges;
  /// How many parts there are, and their states; none where rows stay whole.
  mlir::Value numParts;
  llvm::SmallVector<mlir::Value> parts;
};

/// Edges of a part of a row: `ofRow` of a graph that lists its edges row by
/// row, `ofSegment` of one with segments; 0 where rows stay whole.
int64_t getPartSize(const RowAccess &rows, int64_t ofRow,
                    int64_t ofSegment = 0);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_LONGROWS_H
