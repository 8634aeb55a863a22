//===- LayerParts.h - What several layers are made of -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_LAYERPARTS_H
#define GNN_LIB_FRONTEND_LAYERPARTS_H

#include "LayerBuilder.h"

namespace gnn::frontend {

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Rows divided by their Euclidean length, as torch's normalize.
mlir::Value normalizeRows(LayerBuilder &layer, mlir::Value rows);

/// A linear layer for each slice of [n, slices, in]: `weight` is [slices, in,
/// out].
mlir::Value stackedLinear(LayerBuilder &layer, mlir::Value rows,
                          mlir::Value weight);

/// The in-degree of every destination, as f32.
mlir::Value getDegree(LayerBuilder &layer, mlir::Value graph, NodeSide side);

/// The mean over the heads of rows [n, heads, width], or these side by side, as
/// the argument `concat` says.
mlir::Value joinHeads(LayerBuilder &layer, mlir::Value rows);

/// An activation that is an argument of a layer: PyTorch's name in lower case
/// with its parameter, which only some have.
struct Activation {
  llvm::StringRef name;
  double parameter = 0;

  mlir::Value apply(ScalarBuilder &scalars, mlir::Value value) const;
};

/// The names that activations go by.
llvm::ArrayRef<llvm::StringRef> getActivationNames();
/// Of an argument that is the name of an activation, or null.
Activation getActivation(LayerBuilder &layer, llvm::StringRef argument);

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Sends each source's row, times `weight` of the edge where it is not null.
mlir::Value sendRows(LayerBuilder &layer, mlir::Value graph, mlir::Value rows,
                     mlir::Value weight);

/// Edges with the weights they have in PyTorch Geometric's `gcn_norm`. Both
/// values may be null.
struct Propagation {
  mlir::Value graph;
  /// Per edge.
  mlir::Value weight;
  /// Per node, a factor at both ends of an edge.
  mlir::Value scale;
};

/// PyTorch Geometric's `gcn_norm` of the layer's graph and edge weights. An
/// added self loop weighs `loopWeight` if there are weights, else 1. The graph
/// is null after an error.
Propagation normalizeEdges(LayerBuilder &layer, bool selfLoops,
                           double loopWeight = 1);

/// The weighted sum of the sources' rows.
mlir::Value propagate(LayerBuilder &layer, const Propagation &propagation,
                      mlir::Value rows);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_LAYERPARTS_H
