//===- RowAccess.h - In-edges of a destination, any topology ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_ROWACCESS_H
#define GNN_LIB_CONVERSION_GNNTOSCF_ROWACCESS_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"

namespace gnn {

/// A constant of index type.
mlir::Value emitIndex(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t value);

/// One edge inside a row loop.
struct EdgePosition {
  mlir::Value destination;
  mlir::Value source;
  /// Leading indices of the tensor that holds edge values.
  llvm::SmallVector<mlir::Value> indices;
};

/// How a row loop walks the in-edges of a destination: positions in a range,
/// each with a source. On a csr graph a position is an edge number and its
/// source is read from the column indices; on every other topology the sources
/// of a row are consecutive and a position is a source.
class RowAccess {
public:
  /// Emits what all rows share: of a block-diagonal graph what is known of each
  /// segment, one after the other or `inParallel`.
  RowAccess(mlir::OpBuilder &builder, mlir::Location loc,
            mlir::TypedValue<GNNGraphType> graph, bool inParallel);

  mlir::Value getNumDestinations() const { return numDestinations; }
  mlir::Value getNumSources() const { return numSources; }

  /// Whether positions are numbers of edges, row by row.
  bool hasRowPointer() const { return type.getTopology() == Topology::CSR; }

  /// Whether rows are those of segments, whose sources follow one another.
  bool hasSegments() const {
    return type.getTopology() == Topology::BlockDiagonal;
  }

  /// Number of positions: edges of a csr graph, else sources.
  mlir::Value getNumPositions(mlir::OpBuilder &builder,
                              mlir::Location loc) const;

  /// Whether each segment has one row, as what is aggregated for the graphs of
  /// a batch: positions of different rows are different then.
  mlir::Value emitIsOneRowEach(mlir::OpBuilder &builder,
                               mlir::Location loc) const;

  /// First position of row `destination` and one past its last.
  std::pair<mlir::Value, mlir::Value> getRange(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               mlir::Value destination) const;

  EdgePosition getEdge(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value destination, mlir::Value position) const;

  /// Where the tensor of an edge value holds the edge at `position`; unlike
  /// getEdge this may be asked for one past the end of a row.
  llvm::SmallVector<mlir::Value> getEdgeIndices(mlir::OpBuilder &builder,
                                                mlir::Location loc,
                                                mlir::Value destination,
                                                mlir::Value position) const;

  /// The row that edge number `edge` is in, by so many bisections as
  /// getNumBisections says. Not for graphs with dense edges.
  mlir::Value findRow(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value edge, mlir::Value numBisections) const;
  mlir::Value getNumBisections(mlir::OpBuilder &builder,
                               mlir::Location loc) const;
  /// The same for a position, where those of different rows are different.
  mlir::Value findRowOfPosition(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value position,
                                mlir::Value numBisections) const;

  /// The position of edge number `edge`, which is one of row `destination`.
  mlir::Value getPosition(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value destination, mlir::Value edge) const;

  /// Rows of edges, as a tensor of so many entries.
  mlir::Value emitRowsOfEdges(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value numEdges) const;

  /// Total number of edges.
  mlir::Value getNumEdges(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  void emitSegmentOfRow(mlir::OpBuilder &builder, mlir::Location loc);
  void emitSegmentsInParallel(mlir::OpBuilder &builder, mlir::Location loc);
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value tensor, mlir::Value index) const;
  mlir::Value
  bisectRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number,
             mlir::Value numBisections,
             llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                            mlir::Value row)>
                 emitFirst) const;

  GNNGraphType type;
  llvm::SmallVector<mlir::Value> parts;
  mlir::Value numDestinations, numSources;
  /// Block-diagonal: segment of each destination, tensor<?xindex>, and the
  /// number of edges before each segment, tensor<?xindex>.
  mlir::Value segmentOfRow, edgesBefore;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_ROWACCESS_H
