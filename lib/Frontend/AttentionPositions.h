//===- AttentionPositions.h - Where queries and keys are --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The argument `position` of attention layers: how a score depends on the
// places of its query and its key in their sequence.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_ATTENTIONPOSITIONS_H
#define GNN_LIB_FRONTEND_ATTENTIONPOSITIONS_H

#include "LayerBuilder.h"

namespace gnn::frontend {

/// The arguments that say it, for a layer's table entry.
std::vector<Argument> getPositionArguments();

/// What they say, with the weights that go with it.
class AttentionPositions {
public:
  /// Of a layer that knows no positions.
  AttentionPositions(LayerBuilder &layer, int64_t heads, int64_t headWidth)
      : layer(layer), heads(heads), headWidth(headWidth) {}
  /// Reads arguments and weights; the latter are below `prefix`. Fails after
  /// reporting an error.
  static llvm::FailureOr<AttentionPositions> create(LayerBuilder &layer,
                                                    llvm::StringRef prefix,
                                                    int64_t heads,
                                                    int64_t headWidth);
  /// Of a layer without arguments for it that adds row `clip(j - i, -k, k) + k`
  /// of `biases` [2k + 1, heads] to the scores of query i and key j.
  static AttentionPositions createBiases(LayerBuilder &layer, int64_t heads,
                                         int64_t headWidth,
                                         llvm::ArrayRef<float> biases,
                                         int64_t maxDistance);

  /// Which feature of a head stands at `feature`: those that are rotated
  /// together must be half of the rotated ones apart.
  int64_t getProjected(int64_t feature) const;
  /// Queries or keys [n, heads, width], rotated by their positions in `graph`.
  mlir::Value rotate(mlir::Value rows, mlir::Value graph);
  /// In a message: the key's feature `f`, changed by the distance.
  mlir::Value changeKey(ScalarBuilder &scalars, mlir::Value feature);
  /// In a message: the value's feature `f`, changed by the distance.
  mlir::Value changeValue(ScalarBuilder &scalars, mlir::Value feature);
  /// Scores per edge and head, changed by the distance.
  mlir::Value changeScores(mlir::Value scores, mlir::Value graph);

private:
  enum class Kind { None, ALiBi, Rotary, Relative, RelativeBias };

  llvm::LogicalResult readDistances(llvm::StringRef prefix);
  llvm::LogicalResult readRotation();
  void createRotations(mlir::Value graph);
  /// The row of a table of distances for the edge at hand.
  mlir::Value getDistanceRow(ScalarBuilder &scalars) const;

  LayerBuilder &layer;
  int64_t heads, headWidth;
  Kind kind = Kind::None;
  int64_t maxDistance = 0;
  /// Features of a head that are rotated, and whether neighbours are rotated
  /// together instead of halves.
  int64_t numRotated = 0;
  bool isInterleaved = false;
  /// Tables with a row per distance, where the layer has them.
  mlir::Value keys, values, biases;
  /// Of the angles of each node, [n, numRotated / 2].
  mlir::Value cosines, sines;
};

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_ATTENTIONPOSITIONS_H
