//===- LayerRegistry.h - The layers a model may have ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_LAYERREGISTRY_H
#define GNN_LIB_FRONTEND_LAYERREGISTRY_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace gnn::frontend {

class LayerBuilder;

/// What values an argument takes. With the default `null` it takes null too.
enum class ArgumentKind {
  /// A whole number of at least 1.
  Size,
  /// How often something is done, from 0 and from 1. Every time becomes ops of
  /// its own.
  Count,
  Repeats,
  /// A size, or one for sources and one for destinations.
  Channels,
  /// A size, or a list with one.
  Shape,
  Number,
  Boolean,
  /// One of `choices`.
  Choice,
  /// One of `choices`, or null although the default is not null.
  ChoiceOrNull,
  /// One of `choices` or a list of them.
  Choices,
  NumberOrChoice,
  /// A list of layers.
  Layers,
  /// Names and their values.
  Mapping,
  /// Anything: it means nothing at inference.
  Ignored,
};

struct Argument {
  llvm::StringRef name;
  ArgumentKind kind;
  /// As in a description; null for an argument that must be given.
  const char *defaultValue = nullptr;
  llvm::SmallVector<llvm::StringRef> choices = {};
};

/// What a layer reads, and so what the rows of its result stand for.
enum class Reads {
  /// One value, row by row.
  Rows,
  /// Several values of the same rows.
  SeveralRows,
  /// The graph, and one value or one each for sources and destinations.
  Graph,
  /// As Graph, but never a bipartite one.
  SquareGraph,
  /// The nodes of each graph of the batch.
  Batch,
};

/// The values per edge that a message passing layer takes.
enum class EdgeInput { None, Weight, Attributes };

/// A type of layer.
struct LayerSpec {
  llvm::StringRef type;
  /// Builds the layer's ops and returns its result, or null after reporting an
  /// error.
  mlir::Value (*build)(LayerBuilder &layer);
  Reads reads = Reads::Rows;
  EdgeInput edgeInput = EdgeInput::None;
  llvm::SmallVector<Argument> arguments = {};
};

/// All types of layers.
llvm::ArrayRef<LayerSpec> getLayerSpecs();

// ConvolutionLayers.cpp
mlir::Value buildGCNConv(LayerBuilder &layer);
mlir::Value buildSAGEConv(LayerBuilder &layer);
mlir::Value buildGraphConv(LayerBuilder &layer);
mlir::Value buildGINConv(LayerBuilder &layer);

// SpectralLayers.cpp
mlir::Value buildSGConv(LayerBuilder &layer);
mlir::Value buildLGConv(LayerBuilder &layer);
mlir::Value buildAPPNP(LayerBuilder &layer);
mlir::Value buildChebConv(LayerBuilder &layer);
mlir::Value buildARMAConv(LayerBuilder &layer);

// EdgeConditionedLayers.cpp
mlir::Value buildGINEConv(LayerBuilder &layer);
mlir::Value buildEdgeConv(LayerBuilder &layer);
mlir::Value buildNNConv(LayerBuilder &layer);
mlir::Value buildGMMConv(LayerBuilder &layer);
mlir::Value buildCGConv(LayerBuilder &layer);

// AggregationLayers.cpp
mlir::Value buildGeneralConv(LayerBuilder &layer);
mlir::Value buildPNAConv(LayerBuilder &layer);

// GatedLayers.cpp
mlir::Value buildGatedGraphConv(LayerBuilder &layer);
mlir::Value buildResGatedGraphConv(LayerBuilder &layer);

// SimilarityLayers.cpp
mlir::Value buildAGNNConv(LayerBuilder &layer);
mlir::Value buildSuperGATConv(LayerBuilder &layer);

// AttentionLayers.cpp
mlir::Value buildGATConv(LayerBuilder &layer);
mlir::Value buildGATv2Conv(LayerBuilder &layer);
mlir::Value buildTransformerConv(LayerBuilder &layer);

// TransformerLayers.cpp
mlir::Value buildMultiheadAttention(LayerBuilder &layer);
mlir::Value buildTransformerEncoderLayer(LayerBuilder &layer);

// NormalizationLayers.cpp
mlir::Value buildLayerNorm(LayerBuilder &layer);
mlir::Value buildBatchNorm(LayerBuilder &layer);
mlir::Value buildBatchNorm1d(LayerBuilder &layer);

// BasicLayers.cpp
mlir::Value buildLinear(LayerBuilder &layer);
mlir::Value buildIdentity(LayerBuilder &layer);
mlir::Value buildReLU(LayerBuilder &layer);
mlir::Value buildELU(LayerBuilder &layer);
mlir::Value buildLeakyReLU(LayerBuilder &layer);
mlir::Value buildGELU(LayerBuilder &layer);
mlir::Value buildSiLU(LayerBuilder &layer);
mlir::Value buildSigmoid(LayerBuilder &layer);
mlir::Value buildTanh(LayerBuilder &layer);
mlir::Value buildSoftmax(LayerBuilder &layer);
mlir::Value buildLogSoftmax(LayerBuilder &layer);
mlir::Value buildAdd(LayerBuilder &layer);
mlir::Value buildMul(LayerBuilder &layer);
mlir::Value buildConcat(LayerBuilder &layer);
mlir::Value buildJumpingKnowledge(LayerBuilder &layer);
mlir::Value buildGlobalAddPool(LayerBuilder &layer);
mlir::Value buildGlobalMeanPool(LayerBuilder &layer);
mlir::Value buildGlobalMaxPool(LayerBuilder &layer);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_LAYERREGISTRY_H
