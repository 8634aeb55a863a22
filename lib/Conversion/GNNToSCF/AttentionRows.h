//===- AttentionRows.h - Rows of attention ----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is worked off in blocks of edges: scores and their maximum, then
// weights and their sum, then the weighted values. What earlier blocks have
// accumulated is rescaled once for each block. Blocks of one edge store no
// scores.
//
// The weights of a short row wait for its maximum, that for its scores, and
// those for rows of sources. Where some rows in succession have few edges, the
// weights of all are computed before any value is read: a processor finds the
// work of other rows to do while it waits, and exponentials fill registers.
//
// Scores that are weights already wait for nothing: a row is one loop over its
// edges.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_ATTENTIONROWS_H
#define GNN_LIB_CONVERSION_GNNTOSCF_ATTENTIONROWS_H

#include "LongRows.h"
#include "PackedScores.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {

/// Emits the rows of an attention and their blocks.
class AttentionRows {
public:
  AttentionRows(AttentionOp op, const RowAccess &rows,
                const EdgeFunction &score, const EdgeFunction &value,
                const AttentionRowOptions &options)
      : options(options), rows(rows), score(score), value(value),
        packed(score, options.vectorWidth), weightMap(op.getWeightMap()),
        normalization(op.getNormalization()),
        elementType(score.getResultElementType()),
        scoreShape(getResultShape(score)), valueShape(getResultShape(value)),
        blockSize(getBlockSize(options.edges)) {
    isPacked = packed.isPossible() && packed.getNumEdges() <= blockSize;
    if (isPacked)
      blockSize -= blockSize % packed.getNumEdges();
    hasShortRows =
        isPacked && op.getGraph().getType().getTopology() == Topology::CSR;
  }

  /// Values of all destinations, written into `output`.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value output) const;

private:
  /// Maximum and sum of each head, and weighted values.
  struct State {
    mlir::Value maximum, sum, values;
  };
  /// Destinations in succession. The first row of the output is that of
  /// `origin`. They are short together if they have `shortRowEdges` or fewer.
  struct RowRange {
    mlir::Value first, last, origin, shortRowEdges;
  };

  /// Values of all destinations, where blocks are single edges.
  mlir::Value emitEdgeByEdge(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value output) const;
  /// Values of all destinations, where scores are weights before they are
  /// divided by their sum.
  mlir::Value emitAverages(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value output) const;
  /// A loop over rows of which `accumulation` makes states, and `finish` values
  /// of those.
  mlir::Value emitAccumulated(
      mlir::OpBuilder &builder, mlir::Location loc, mlir::Value output,
      const RowAccumulation &accumulation,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                     mlir::ValueRange)>
          finish) const;
  /// Values for the destination `row`.
  mlir::Value emitRow(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value row) const;
  /// Values for the destinations of a range, written into `output`, as many at
  /// a time as have few edges.
  mlir::Value emitGroups(mlir::OpBuilder &builder, mlir::Location loc,
                         RowRange range, mlir::Value output) const;
  /// The first edge of a range of rows, and the one after the last.
  std::pair<mlir::Value, mlir::Value>
  emitEdges(mlir::OpBuilder &builder, mlir::Location loc, RowRange range) const;
  /// Values for the destinations of a range, written into `output`.
  mlir::Value emitRows(mlir::OpBuilder &builder, mlir::Location loc,
                       RowRange range, mlir::Value output) const;
  /// The same for rows that have so few edges that all their weights fit into
  /// one tensor.
  mlir::Value emitShortRows(mlir::OpBuilder &builder, mlir::Location loc,
                            RowRange range, EdgeRange edges,
                            mlir::Value output) const;

  int64_t getBlockSize(int64_t maxEdges) const;
  int64_t getRereadBytes() const;
  int64_t getMaxShortRowEdges() const;
  mlir::Value emitShortRowEdges(mlir::OpBuilder &builder,
                                mlir::Location loc) const;
  EdgeRange getBlock(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value first, mlir::Value end) const;
  State emitBlock(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value row,
                  EdgeRange range, State before) const;
  /// The same for a block of one edge.
  State emitEdge(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value row,
                 mlir::Value position, State before) const;
  /// What two blocks have accumulated.
  State emitMerged(mlir::OpBuilder &builder, mlir::Location loc, State first,
                   State second) const;
  llvm::SmallVector<mlir::Value> emitInitial(mlir::OpBuilder &builder,
                                             mlir::Location loc) const;
  ScoreBlock emitScores(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value row, EdgeRange range) const;
  mlir::Value emitShift(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value maximum) const;
  /// What was accumulated before, now that there is another maximum.
  State emitRescaled(mlir::OpBuilder &builder, mlir::Location loc, State before,
                     mlir::Value maximum) const;
  /// Adds weights and weighted values of a block to `state`.
  State emitValues(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value row, EdgeRange range, mlir::Value scores,
                   State state) const;
  /// Adds the values of some edges, whose weights are known, to `values`.
  mlir::Value emitWeightedValues(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value row, EdgeRange range,
                                 mlir::Value weights, mlir::Value values) const;
  /// Sums of the weights and of the weighted values of some edges.
  std::pair<mlir::Value, mlir::Value>
  emitWeightedSums(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value row, EdgeRange range, mlir::Value weights) const;
  std::pair<mlir::Value, mlir::Value>
  emitWeight(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scores,
             mlir::Value shift, mlir::Value sum) const;
  mlir::Value emitSum(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value values, mlir::Value sum) const;
  /// `values` and the weighted value of one edge.
  mlir::Value emitWeighted(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value row, mlir::Value position,
                           mlir::Value weight, mlir::Value values) const;
  mlir::Value emitNormalized(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value values, mlir::Value sum) const;

  mlir::AffineMap getScoreMap(mlir::OpBuilder &builder) const {
    return builder.getMultiDimIdentityMap(scoreShape.size());
  }
  mlir::AffineMap getValueMap(mlir::OpBuilder &builder) const {
    return builder.getMultiDimIdentityMap(valueShape.size());
  }
  mlir::Value emitEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<int64_t> shape) const {
    return mlir::tensor::EmptyOp::create(builder, loc, shape, elementType);
  }
  mlir::Value emitFilledWith(mlir::OpBuilder &builder, mlir::Location loc,
                             llvm::ArrayRef<int64_t> shape, double fill) const {
    return emitFilled(builder, loc, shape,
                      builder.getFloatAttr(elementType, fill));
  }

  /// Rows that are short together if they have few edges.
  static constexpr int64_t rowsAtOnce = 8;

  const AttentionRowOptions &options;
  const RowAccess &rows;
  const EdgeFunction &score, &value;
  PackedScores packed;
  bool isPacked = false, hasShortRows = false;
  mlir::AffineMap weightMap;
  Normalization normalization;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> scoreShape, valueShape;
  int64_t blockSize;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_ATTENTIONROWS_H
