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
#include <vector>

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
  /// A list of one size or more, and of one count or more.
  Sizes,
  Counts,
  Number,
  /// A list of one number or more.
  Numbers,
  Boolean,
  /// One of `choices`.
  Choice,
  /// One of `choices`, or null although the default is not null.
  ChoiceOrNull,
  /// One of `choices` or a list of them.
  Choices,
  NumberOrChoice,
  /// A layer that reads what this one reads.
  Layer,
  /// A list of layers.
  Layers,
  /// A layer for each of some edge types.
  EdgeTypeLayers,
  /// A size, or one for each of some node types.
  SizePerNodeType,
  /// A list of node types.
  NodeTypes,
  /// A list of node type, relation and node type.
  EdgeType,
  /// PyTorch Geometric's pair of a list of node types and one of edge types.
  Metadata,
  /// Names and their values.
  Mapping,
  /// The name of an input or of an earlier layer, whose rows it is.
  Rows,
  /// The name of an input or of an earlier layer with a row per edge.
  Edges,
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
  /// As Rows, but whole numbers.
  Numbers,
  /// As Rows, and the graphs of the batch that these, if nodes, are in.
  RowsAndBatch,
  /// Several values of the same rows.
  SeveralRows,
  /// The graph, and one value or one each for sources and destinations. Rows of
  /// clusters are read on the graph of all pairs of clusters.
  Graph,
  /// As Graph, but never a bipartite one.
  SquareGraph,
  /// A bipartite graph from nodes to hyperedges, and one value of the nodes,
  /// which are the sources and stay what the rows stand for.
  Incidence,
  /// As SquareGraph, and the graphs of the batch.
  GraphAndBatch,
  /// The nodes of each graph of the batch.
  Batch,
  /// A row per graph of the batch, for each of its nodes.
  GraphRows,
  /// A value for each node type, and the graphs of a model with node types.
  NodeTypes,
  /// The nodes of each cluster.
  Clusters,
  /// A row per cluster, for each of its nodes.
  ClusterRows,
  /// The row of one end of each edge, or of both, for the edge.
  SourceOfEdge,
  DestinationOfEdge,
  EndsOfEdge,
  /// A row per edge, for each destination.
  InEdges,
};

/// The values per edge that a message passing layer takes; `OfConv` are those
/// of the layer in its argument `conv`, and `OfPhi` of that in `phi`, which is
/// a GCNConv where it is not given.
enum class EdgeInput {
  None,
  Weight,
  Attributes,
  WeightAndAttributes,
  OfConv,
  OfPhi,
};

/// A type of layer.
struct LayerSpec {
  llvm::StringRef type;
  /// Builds the layer's ops and returns its result, or null after reporting an
  /// error.
  mlir::Value (*build)(LayerBuilder &layer) = nullptr;
  Reads reads = Reads::Rows;
  EdgeInput edgeInput = EdgeInput::None;
  llvm::SmallVector<Argument> arguments = {};
  /// Takes the place of `build` in models with node types, for layers that read
  /// all of them: those that read NodeTypes, and some that read one Graph
  /// elsewhere. The results are in the order of the model's node types, null
  /// for those without one.
  llvm::SmallVector<mlir::Value> (*buildTypes)(LayerBuilder &layer) = nullptr;
  /// Whether rows may be whole numbers, one for each node, as well as floats.
  bool takesNumbers = false;
  /// Whether the result is a graph between the nodes that are read, on which
  /// other layers may run.
  bool makesGraph = false;
};

/// All types of layers.
llvm::ArrayRef<LayerSpec> getLayerSpecs();

/// The types of a family of layers, each in the file of that name.
std::vector<LayerSpec> getConvolutionLayers();
std::vector<LayerSpec> getSpectralLayers();
std::vector<LayerSpec> getPropagationLayers();
std::vector<LayerSpec> getEdgeConditionedLayers();
std::vector<LayerSpec> getEdgeLayers();
std::vector<LayerSpec> getWrappedConvolutions();
std::vector<LayerSpec> getHypergraphLayers();
std::vector<LayerSpec> getPointLayers();
std::vector<LayerSpec> getDistanceLayers();
std::vector<LayerSpec> getDynamicGraphLayers();
std::vector<LayerSpec> getAggregationLayers();
std::vector<LayerSpec> getModulatedLayers();
std::vector<LayerSpec> getGatedLayers();
std::vector<LayerSpec> getReadoutLayers();
std::vector<LayerSpec> getSimilarityLayers();
std::vector<LayerSpec> getAttentionLayers();
std::vector<LayerSpec> getTransformerLayers();
std::vector<LayerSpec> getHeterogeneousLayers();
std::vector<LayerSpec> getLocalityLayers();
std::vector<LayerSpec> getGraphTransformerLayers();
std::vector<LayerSpec> getLinearAttentionLayers();
std::vector<LayerSpec> getGraphormerLayers();
std::vector<LayerSpec> getEncodingLayers();
std::vector<LayerSpec> getHeterogeneousAttentionLayers();
std::vector<LayerSpec> getRelationalLayers();
std::vector<LayerSpec> getRelationalAttentionLayers();
std::vector<LayerSpec> getNormalizationLayers();
std::vector<LayerSpec> getGraphNormLayers();
std::vector<LayerSpec> getEmbeddingLayers();
std::vector<LayerSpec> getBertLayers();
std::vector<LayerSpec> getActivationLayers();
std::vector<LayerSpec> getBasicLayers();

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_LAYERREGISTRY_H
