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

/// The square of each row's Euclidean length.
mlir::Value squaredLengths(LayerBuilder &layer, mlir::Value rows);

/// Rows times a number each.
mlir::Value scaleRows(LayerBuilder &layer, mlir::Value rows,
                      mlir::Value factors);

/// Rows divided by their Euclidean length, as torch's normalize.
mlir::Value normalizeRows(LayerBuilder &layer, mlir::Value rows);

mlir::Value relu(LayerBuilder &layer, mlir::Value rows);

/// Softplus minus its value at 0, the activation of SchNet.
mlir::Value shiftedSoftplus(LayerBuilder &layer, mlir::Value rows);

/// What `argument` names: a row for each that the layer reads, with as many
/// channels if `isAsWide`. Null after an error.
mlir::Value getRowsBeside(LayerBuilder &layer, llvm::StringRef argument,
                          bool isAsWide);

/// `kept` times a row and `added` times another.
mlir::Value mixRows(LayerBuilder &layer, mlir::Value rows, double kept,
                    mlir::Value others, double added);

/// Rows whose channels add up to 1.
mlir::Value softmax(LayerBuilder &layer, mlir::Value rows);

/// The product of two matrices, of `count` columns and as many rows, at import.
/// None if one has none.
std::vector<float> multiplyMatrices(llvm::ArrayRef<float> left,
                                    llvm::ArrayRef<float> right, int64_t count);

/// Checks that the layer in `argument` yields as many channels as `width`, an
/// argument too, says.
llvm::LogicalResult checkYields(LayerBuilder &layer, llvm::StringRef argument,
                                mlir::Value rows, llvm::StringRef width);

/// Adds the entry `bias`, if the argument of that name says that there is one.
mlir::Value addBias(LayerBuilder &layer, mlir::Value rows);

/// A linear layer for each slice of [n, slices, in]: `weight` is [slices, in,
/// out].
mlir::Value stackedLinear(LayerBuilder &layer, mlir::Value rows,
                          mlir::Value weight);

/// The number of edges at every node of a side, as f32.
mlir::Value getDegree(LayerBuilder &layer, mlir::Value graph, NodeSide side);

/// The mean over the heads of rows [n, heads, width], or these side by side, as
/// the argument `concat` says.
mlir::Value joinHeads(LayerBuilder &layer, mlir::Value rows);

/// A function of single elements.
struct ActivationSpec;

/// One of these with its parameters, or with null the identity.
struct Activation {
  const ActivationSpec *spec = nullptr;
  llvm::SmallVector<double> parameters = {};

  mlir::Value apply(ScalarBuilder &scalars, mlir::Value value) const;
};

/// PyTorch Geometric's names of aggregators.
llvm::ArrayRef<llvm::StringRef> getAggregatorNames();

/// The names that activations go by as arguments: PyTorch's functions.
llvm::ArrayRef<llvm::StringRef> getActivationNames();
/// Of an argument that is the name of an activation, or null. A mapping in the
/// argument `kwargs`, if there is one, holds its parameters.
Activation getActivation(LayerBuilder &layer, llvm::StringRef argument,
                         llvm::StringRef kwargs = "");

/// BatchNorm at inference. The state_dict's names start with `prefix`.
mlir::Value normalizeBatch(LayerBuilder &layer, mlir::Value rows,
                           const std::string &prefix, double eps,
                           bool isAffine);

/// MessageNorm: messages as long as the rows of their nodes, times a number of
/// the state_dict.
mlir::Value normalizeMessages(LayerBuilder &layer, mlir::Value rows,
                              mlir::Value messages, llvm::StringRef scaleName);

/// PyTorch Geometric's LayerNorm with mean and standard deviation of all rows
/// together.
mlir::Value normalizeGraph(LayerBuilder &layer, mlir::Value rows,
                           const std::string &prefix, double eps,
                           bool isAffine);
/// The same with those of each graph of the batch.
mlir::Value normalizeGraphs(LayerBuilder &layer, mlir::Value rows,
                            const std::string &prefix, double eps,
                            bool isAffine);

/// PyTorch Geometric's InstanceNorm and, with `hasMeanScale`, its GraphNorm:
/// mean and variance are those of each channel of each graph of the batch, or
/// of all rows without one.
mlir::Value normalizeChannels(LayerBuilder &layer, mlir::Value rows,
                              const std::string &prefix, double eps,
                              bool isAffine, bool hasMeanScale);

/// What GINConv and GINEConv do with their messages: `nn` of their sum and the
/// node's own row.
mlir::Value finishGIN(LayerBuilder &layer, mlir::Value messages);

/// A linear layer on values side by side, which have different rows: a product
/// for each, to be added up along edges. Its bias is left to the caller.
class SplitLinear {
public:
  SplitLinear(LayerBuilder &layer, llvm::StringRef name, int64_t out,
              llvm::ArrayRef<int64_t> widths);

  /// The weights of a part, [width, out]. None if they are faulty.
  std::vector<float> getPart(size_t part) const;
  mlir::Value apply(mlir::Value rows, size_t part) const;
  mlir::Value applyToEdges(mlir::Value graph, mlir::Value edges,
                           size_t part) const;

private:
  std::string getName(size_t part) const;

  LayerBuilder &layer;
  std::string name;
  int64_t out;
  llvm::SmallVector<int64_t> widths;
  std::vector<float> weights;
};

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Values per edge times `weight`, [in, out...]; one number per edge counts as
/// one channel.
mlir::Value edgeProduct(LayerBuilder &layer, mlir::Value graph,
                        mlir::Value edges, llvm::StringRef name,
                        llvm::ArrayRef<float> weight,
                        llvm::ArrayRef<int64_t> outShape);

/// Values per edge as a tensor: a row for each edge or, of a dense graph, for
/// each pair of nodes.
mlir::Value edgesToTensor(LayerBuilder &layer, mlir::Value graph,
                          mlir::Value edges);

/// Values per edge as rows [edges, channels], those of a dense graph one after
/// the other. One number per edge is one channel, and those of several
/// dimensions are put side by side.
mlir::Value getRowsOfEdges(LayerBuilder &layer, mlir::Value graph,
                           mlir::Value edges);

/// The inverse: such rows as values per edge of shape `shape`.
mlir::Value getEdgesOfRows(LayerBuilder &layer, mlir::Value graph,
                           mlir::Value rows, llvm::ArrayRef<int64_t> shape);

/// The layers of an argument on values of the edges of `graph`, side by side.
/// The result has the shape `as` per edge, or is plain channels. Null after an
/// error.
mlir::Value sequentialOnEdges(LayerBuilder &layer, mlir::Value graph,
                              llvm::StringRef argument, mlir::ValueRange edges,
                              llvm::ArrayRef<int64_t> as = {});

/// Sends each source's row, times `weight` of the edge where it is not null.
mlir::Value sendRows(LayerBuilder &layer, mlir::Value graph, mlir::Value rows,
                     mlir::Value weight);

/// Sends each source's row less that of the destination.
mlir::Value sendDifferences(LayerBuilder &layer, mlir::Value graph,
                            mlir::Value sources, mlir::Value destinations);

/// EdgeConv's messages along `graph`: the `nn` of a destination's row and of
/// what the source's is more, aggregated by `aggr`. Null after an error.
mlir::Value convolveEdges(LayerBuilder &layer, mlir::Value graph);

/// The layer's graph, with one self loop per node if `add_self_loops` says so.
/// Null after an error.
mlir::Value getLoopedGraph(LayerBuilder &layer);

/// Ones, by which messages that look everything up know their features.
mlir::Value getOnes(LayerBuilder &layer, llvm::ArrayRef<int64_t> shape);

/// The graph with its edges turned around.
mlir::Value reverseGraph(LayerBuilder &layer, mlir::Value graph);
/// The same with values of its edges, which come second.
std::pair<mlir::Value, mlir::Value>
reverseGraph(LayerBuilder &layer, mlir::Value graph, mlir::Value edges);

/// The graph from nodes to their graphs of the batch, or to one that all rows
/// are in where the model has no batch.
mlir::Value getGraphsOf(LayerBuilder &layer, mlir::Value rows);

/// The row of its group for each node, where `groups` is a graph from nodes to
/// groups with one edge out of each node.
mlir::Value gatherGroupRows(LayerBuilder &layer, mlir::Value groups,
                            mlir::Value rows);

/// The sum of the sources' `values` [n, heads, width], weighted by the softmax
/// of `scores`. `edgeValues`, where not null, are added to the values, and
/// `change`, where not null, makes another of each value's feature `f`.
mlir::Value attend(LayerBuilder &layer, mlir::Value graph, mlir::Value scores,
                   mlir::Value values, mlir::Value edgeValues = mlir::Value(),
                   llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::Value)>
                       change = nullptr);

/// All pairs of nodes of one graph of the batch, or of all nodes where the
/// model has no batch.
mlir::Value getPairGraph(LayerBuilder &layer);

/// A `torch.nn.MultiheadAttention` that a layer is or has.
struct AttentionShape {
  /// That of its entries in the state_dict.
  std::string prefix;
  int64_t width;
  int64_t heads;
  bool hasBias = true;
  bool isCausal = false;
  /// Queries, keys and values have a weight each, not one together.
  bool hasOwnWeights = false;
  /// The layer has the arguments of AttentionPositions and `key_padding_mask`.
  bool knowsPositions = false;
  /// Without that argument: a number per source, not 0 where nobody reads it.
  /// Null where all are read.
  mlir::Value padding = {};
};

/// Attention of the rows of destinations to those of sources. Null after an
/// error.
mlir::Value multiheadAttention(LayerBuilder &layer,
                               const AttentionShape &attention,
                               mlir::Value graph, mlir::Value sources,
                               mlir::Value destinations);

/// A `torch.nn.TransformerEncoderLayer` that a layer is or has. The prefix of
/// its attention follows from its own.
struct EncoderShape {
  /// That of its entries in the state_dict.
  std::string prefix;
  AttentionShape attention;
  int64_t hiddenWidth;
  bool isGELU = false;
  bool isNormFirst = false;
  double eps = 1e-5;
};

/// Self-attention and two linear layers, with their norms. Null after an error.
mlir::Value encodeRows(LayerBuilder &layer, const EncoderShape &encoder,
                       mlir::Value graph, mlir::Value rows);

/// Has the runtime refuse what a table of `limit` rows cannot be asked: numbers
/// of an input, or positions in a graph. The smallest table counts.
llvm::LogicalResult limitArgument(LayerBuilder &layer, mlir::Value value,
                                  int64_t limit);
/// The same for each column of an input.
llvm::LogicalResult limitArgument(LayerBuilder &layer, mlir::Value value,
                                  llvm::ArrayRef<int32_t> limits);

/// Checks that the heads divide a width, both arguments.
llvm::LogicalResult checkHeads(LayerBuilder &layer, llvm::StringRef heads,
                               llvm::StringRef width);

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

/// The same with these weights, which may be null.
Propagation normalizeEdges(LayerBuilder &layer, mlir::Value weight,
                           bool selfLoops, double loopWeight);

/// The same if `normalize`, else the graph and the weights as they are.
Propagation getPropagation(LayerBuilder &layer, bool normalize, bool selfLoops,
                           double loopWeight = 1);

/// The weighted sum of the sources' rows.
mlir::Value propagate(LayerBuilder &layer, const Propagation &propagation,
                      mlir::Value rows);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_LAYERPARTS_H
