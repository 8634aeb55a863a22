//===- PackedScores.h - Scores of several edges in a register ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An edge has as many scores as there are heads, which are fewer than fit in a
// vector register. Side by side, those of some edges share every operation up
// to the weights. An edge has as many slots as the power of two that is not
// less than its scores; what follows the scores there means nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_PACKEDSCORES_H
#define GNN_LIB_CONVERSION_GNNTOSCF_PACKEDSCORES_H

#include "FeatureEmitter.h"

namespace gnn {

/// Some edges of a row, by their positions. What is stored for them begins with
/// the edge at `origin`.
struct EdgeRange {
  mlir::Value first, last, origin;
};

/// What is known of the scores of a range of edges.
struct ScoreBlock {
  /// tensor<headsxf32>: the largest of each head.
  mlir::Value maximum;
  /// Slot after slot, edge after edge.
  mlir::Value values;
};

class PackedScores {
public:
  /// For registers of `lanes` elements.
  PackedScores(const EdgeFunction &function, int64_t lanes);

  /// Whether scores are numbers of float32 for heads, and there are vectors.
  bool isPossible() const { return packedType != nullptr; }

  /// How many edges share a register; 1 where an edge fills registers.
  int64_t getNumEdges() const { return numEdges; }

  /// Numbers that are stored for an edge.
  int64_t getNumSlots() const { return numSlots; }

  /// What follows the last score up to the end of its register.
  enum class Padding {
    /// -inf, of which weights are 0.
    Lowest,
    /// Scores of the last edge again, which change no maximum.
    Repeated
  };
  /// Writes the scores of the edges in `range` into `values`, which has room
  /// for a multiple of getNumEdges(). Without edges, maxima are -inf.
  ScoreBlock emitScores(mlir::OpBuilder &builder, mlir::Location loc,
                        const RowAccess &rows, mlir::Value row, EdgeRange range,
                        mlir::Value values, Padding padding) const;

  /// Replaces scores by exp(score - shift); returns their sum for each head.
  mlir::Value emitWeights(mlir::OpBuilder &builder, mlir::Location loc,
                          EdgeRange range, mlir::Value shift,
                          mlir::Value &values) const;

  /// Replaces scores by score - shift, which are logarithms of weights.
  mlir::Value emitShifted(mlir::OpBuilder &builder, mlir::Location loc,
                          EdgeRange range, mlir::Value shift,
                          mlir::Value values) const;

  /// Replaces logarithms of weights by weights, in whole registers, whichever
  /// rows the edges in `range` belong to.
  mlir::Value emitExponentials(mlir::OpBuilder &builder, mlir::Location loc,
                               EdgeRange range, mlir::Value values) const;

  /// How many edges more than there are a register may have.
  int64_t getPadding() const { return lanes / numSlots; }

  /// The scores or weights of the edge at `position`.
  mlir::Value emitEntry(mlir::OpBuilder &builder, mlir::Location loc,
                        EdgeRange range, mlir::Value values,
                        mlir::Value position) const;

private:
  mlir::Value emitRegister(mlir::OpBuilder &builder, mlir::Location loc,
                           const RowAccess &rows, mlir::Value row,
                           mlir::Value position, mlir::Value lastEdge) const;
  mlir::Value emitMasked(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value scores, mlir::Value numLeft) const;
  mlir::Value getOffset(mlir::OpBuilder &builder, mlir::Location loc,
                        EdgeRange range, mlir::Value position) const;
  /// Combines what the edges of a register have: a number for each head.
  mlir::Value
  emitFolded(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value packed,
             llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                            mlir::Value, mlir::Value)>
                 combine) const;
  /// The same vector for each of the edges of a register.
  mlir::Value emitRepeated(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value edge) const;

  const EdgeFunction &function;
  int64_t lanes, numHeads = 1, numSlots = 1, numEdges = 1;
  mlir::VectorType edgeType, packedType;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_PACKEDSCORES_H
