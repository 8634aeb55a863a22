//===- LayerBuilder.h - What layer functions work with ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_LAYERBUILDER_H
#define GNN_LIB_FRONTEND_LAYERBUILDER_H

#include "Description.h"
#include "LayerRegistry.h"
#include "TensorBuilder.h"
#include "Weights.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <functional>

namespace gnn::frontend {

/// What the rows of a value stand for.
enum class Rows { Nodes, Sources, Destinations, Graphs, Clusters, Edges };

/// A value that layers pass on: an input or the result of a layer.
struct Features {
  mlir::Value value;
  Rows rows = Rows::Nodes;
  /// As messages call it.
  std::string name;
  /// The number of the rows' node type or, of edges, edge type; -1 in models
  /// without.
  int type = -1;
  /// Of edges: the graph that a layer made of which they are. Null if they are
  /// of a graph that the caller passes.
  mlir::Value graph = {};
};

/// One of the graphs of a model with node types.
struct EdgeType {
  /// Source, relation and destination.
  std::array<std::string, 3> names;
  /// Numbers of node types.
  int source = 0;
  int destination = 0;
  /// Of a meta-path: the edge types it leads along.
  llvm::SmallVector<int32_t> path = {};
  GNNGraphType graphType;
  Position position;
  mlir::Value graph;

  /// `author__writes__paper`, as PyTorch Geometric names parameters.
  std::string getName() const {
    return names[0] + "__" + names[1] + "__" + names[2];
  }
};

/// What PyTorch Geometric calls metadata.
struct Schema {
  std::vector<std::string> nodeTypes;
  std::vector<EdgeType> edgeTypes;

  std::optional<int> findNodeType(llvm::StringRef name) const;
  /// By the name with underscores.
  std::optional<int> findEdgeType(llvm::StringRef name) const;
  /// The names of all edge types.
  std::vector<std::string> getEdgeTypeNames() const;
};

/// What `edge_weight` and `edge_attr` of a layer name, or null.
struct EdgeValues {
  mlir::Value weight = {};
  mlir::Value attributes = {};
};

/// What all layers of a model share.
struct ModelContext {
  /// Finds the values of a layer on edge type `number` (-1 in models without).
  using EdgeValueReader = std::function<llvm::FailureOr<EdgeValues>(
      const Node &layer, const LayerSpec &spec, int number)>;

  Reporter &reporter;
  Weights &weights;
  mlir::OpBuilder &builder;
  mlir::Value graph;
  /// Null without a layer that reads the graphs of a batch.
  mlir::Value batch;
  /// Null in a model without node types.
  const Schema *schema = nullptr;
  EdgeValueReader readEdgeValues = {};
  /// From nodes to their clusters. Null without a layer that reads clusters.
  mlir::Value clusters = {};
  /// An input or earlier layer whose rows a layer's argument names, or failure
  /// after an error.
  std::function<llvm::FailureOr<Features>(const Node &name)> findRows = {};
  /// The values per edge that a layer's argument names, or failure after an
  /// error.
  std::function<llvm::FailureOr<mlir::Value>(const Node &name)> findEdges = {};
  /// Those made of entries of the state_dict so far, by their names: layers
  /// with the same weights share them.
  llvm::StringMap<mlir::Value> *constants = nullptr;
};

/// A layer's name is a prefix in the state_dict, which may have several parts.
llvm::LogicalResult checkLayerName(const Node &name, Reporter &reporter);

/// How a layer in an argument of another one is built.
struct Nesting {
  /// Its name in the state_dict; by default that of the argument.
  llvm::StringRef name = {};
  /// The rows it reads and the graph it runs on, where they are not those of
  /// the outer layer.
  mlir::Value rows = {};
  mlir::Value graph = {};
  /// Arguments that are false whatever the description says, where the layer
  /// has them.
  llvm::ArrayRef<llvm::StringRef> cleared = {};
};

/// Builds one layer: the layer's arguments, inputs and weights next to the IR
/// helpers of TensorBuilder.
///
/// A mistake is reported where it is found. Functions that return a Value then
/// return null or, for weights, something of the right shape; the model is
/// given up after the layer.
class LayerBuilder : public TensorBuilder {
public:
  /// `prefix` is the layer's name, empty for an unnamed layer. So do its
  /// weights begin, unless it says that it has those of another one.
  LayerBuilder(ModelContext &model, const LayerSpec &spec, const Node &layer,
               llvm::StringRef prefix, llvm::ArrayRef<Features> inputs,
               EdgeValues edgeValues);

  /// Checks the arguments and builds the layer. Null after an error.
  mlir::Value build();
  /// The same for a layer that reads node types. Empty after an error.
  llvm::SmallVector<mlir::Value> buildTypes();

  //===--------------------------------------------------------------------===//
  // Arguments, checked against the layer's table entry
  //===--------------------------------------------------------------------===//

  /// Of a size or count.
  int64_t getSize(llvm::StringRef argument) const;
  double getNumber(llvm::StringRef argument) const;
  bool getBoolean(llvm::StringRef argument) const;
  llvm::StringRef getChoice(llvm::StringRef argument) const;
  llvm::SmallVector<llvm::StringRef> getChoices(llvm::StringRef argument) const;
  bool isNull(llvm::StringRef argument) const;
  /// The layer's value or the default.
  const Node &getArgument(llvm::StringRef argument) const;
  /// The rows that an argument names; fails after an error.
  llvm::FailureOr<Features> getRows(llvm::StringRef argument) const;
  /// The values per edge that it names.
  llvm::FailureOr<mlir::Value> getEdges(llvm::StringRef argument) const;
  /// PyTorch Geometric's names of aggregators.
  llvm::SmallVector<Aggregator> getAggregators(llvm::StringRef argument) const;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  mlir::Value getInput() const { return inputs.front().value; }
  llvm::ArrayRef<Features> getInputs() const { return inputs; }
  /// Of a message passing layer: the same without a bipartite graph.
  mlir::Value getSources() const { return inputs.front().value; }
  mlir::Value getDestinations() const { return inputs.back().value; }
  mlir::Value getGraph() const { return model.graph; }
  mlir::Value getBatch() const { return model.batch; }
  mlir::Value getClusters() const { return model.clusters; }
  GNNGraphType getGraphType() const {
    return llvm::cast<GNNGraphType>(model.graph.getType());
  }
  /// `edge_weight` or `edge_attr`, or null. Of a layer that takes both, what
  /// its `edge_attr` names.
  mlir::Value getEdgeValues() const {
    return edgeValues.attributes ? edgeValues.attributes : edgeValues.weight;
  }
  mlir::Value getEdgeWeight() const { return edgeValues.weight; }
  mlir::Value getEdgeAttributes() const { return edgeValues.attributes; }

  /// Of a layer that reads node types.
  const Schema &getSchema() const { return *model.schema; }
  /// The edge type that a key such as `author__writes__paper` names. None after
  /// an error.
  std::optional<int> findEdgeType(const Node &key) const;
  /// The node types that an argument's value `names`. None after an error.
  std::optional<llvm::SmallVector<int>>
  findNodeTypes(llvm::ArrayRef<Node> names) const;
  /// The width of each node type by an argument, a number for all of `types` or
  /// a mapping, in the order of the model's node types; 0 for those without
  /// one. None after an error: where it names no node type or an input is of
  /// another width.
  std::optional<llvm::SmallVector<int64_t>>
  getSizePerNodeType(llvm::StringRef argument, llvm::ArrayRef<int> types) const;
  /// The node types and edge types that an argument lists; by default the
  /// model's. None after an error.
  struct Metadata {
    llvm::SmallVector<int> nodeTypes, edgeTypes;
  };
  std::optional<Metadata> getMetadata(llvm::StringRef argument) const;
  /// The rows of a node type, or null.
  mlir::Value getRowsOf(int nodeType) const;
  /// Checks that the input has rows for both ends of these edge types.
  llvm::LogicalResult checkRowsOfEnds(llvm::ArrayRef<int> edgeTypes) const;
  /// The layer of `argument` for an edge type, on its graph. Null after an
  /// error.
  mlir::Value buildOnEdgeType(llvm::StringRef argument, const Node &layer,
                              int edgeType);

  /// Checks that a value has `channels` channels, as `argument` says.
  llvm::LogicalResult checkWidth(const Features &input,
                                 llvm::StringRef argument,
                                 int64_t channels) const;
  /// The same of all inputs.
  llvm::LogicalResult checkChannels(llvm::StringRef argument,
                                    int64_t channels) const;
  llvm::LogicalResult checkChannels(llvm::StringRef argument) const {
    return checkChannels(argument, getSize(argument));
  }
  llvm::LogicalResult checkDestinationChannels(llvm::StringRef argument) const;
  /// Checks the widths of sources and destinations against an argument, a
  /// number or a pair.
  llvm::LogicalResult
  checkConvolutionChannels(llvm::StringRef argument = "in_channels") const;
  /// Checks that rows of sources and destinations have one shape, as what the
  /// layer does with them needs; `use` says that in messages.
  llvm::LogicalResult checkEqualRows(const llvm::Twine &use) const;
  /// Checks that all inputs are plain rows of channels.
  llvm::LogicalResult checkPlainRows() const;
  /// Checks that `edge_attr` and its width, an argument, are both there, and
  /// fit. The argument may be null or 0 without edge_attr.
  llvm::LogicalResult
  checkEdgeAttributes(llvm::StringRef argument = "edge_dim") const;

  //===--------------------------------------------------------------------===//
  // Weights: entries of the state_dict below the layer's name
  //===--------------------------------------------------------------------===//

  bool hasWeight(llvm::StringRef name) const;
  /// An entry that may be there but has no part in the result.
  void ignoreWeight(llvm::StringRef name) const;
  /// The values of an entry of this shape, none if it is faulty.
  std::vector<float> readWeight(llvm::StringRef name,
                                llvm::ArrayRef<int64_t> shape) const;
  /// The number of an entry that has one, 0 if it is faulty.
  double readNumber(llvm::StringRef name) const;
  /// The same as readWeight of an entry of the module whose list of layers this
  /// one is part of: that of `encoder.layer.3` is `encoder`.
  std::vector<float> readOuterWeight(llvm::StringRef name,
                                     llvm::ArrayRef<int64_t> shape) const;
  /// A constant made of an entry of `shape`, taken as `as`.
  mlir::Value weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> as);
  mlir::Value weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) {
    return weight(name, shape, shape);
  }
  /// An entry [out, in] as a constant [in, out], or that taken as `as`.
  mlir::Value transposedWeight(llvm::StringRef name, int64_t in, int64_t out,
                               llvm::ArrayRef<int64_t> as = {});
  /// A constant of values computed at import. Without values, something of that
  /// shape.
  mlir::Value constant(llvm::StringRef name, llvm::ArrayRef<float> values,
                       llvm::ArrayRef<int64_t> shape);
  using TensorBuilder::constant;

  //===--------------------------------------------------------------------===//
  // Parts of layers
  //===--------------------------------------------------------------------===//

  /// A linear layer named `name` ("" for the layer itself) on `rows`.
  mlir::Value linear(mlir::Value rows, llvm::StringRef name, int64_t out,
                     bool hasBias);
  /// The `nn` of a layer: layers one after the other, called by their numbers
  /// unless they have names. In the state_dict it is called `name` or, without
  /// one, as the argument.
  mlir::Value sequential(llvm::StringRef argument, mlir::Value rows,
                         llvm::StringRef name = "");
  /// The layer of an argument, on the inputs of this one unless `nesting` says
  /// something else. Null after an error.
  mlir::Value nested(llvm::StringRef argument, const Nesting &nesting = {});
  /// A linear layer without bias on values per edge, split into heads.
  mlir::Value edgeLinear(mlir::Value graph, mlir::Value edges,
                         llvm::StringRef name, int64_t heads, int64_t width);
  /// LayerNorm over channels. Without entries, `weight` and `bias` are "".
  mlir::Value layerNorm(mlir::Value rows, double eps, llvm::StringRef weight,
                        llvm::StringRef bias);

  struct SelfLoops {
    mlir::Value graph;
    mlir::Value edges;
  };
  /// Gives every node one self loop. `edges` may be null; else `fill` makes the
  /// values of new loops. The graph may be null after an error.
  SelfLoops addSelfLoops(SelfLoopMode mode, mlir::Value edges,
                         llvm::function_ref<mlir::Value()> fill);

  //===--------------------------------------------------------------------===//
  // Messages
  //===--------------------------------------------------------------------===//

  llvm::StringRef getType() const { return spec.type; }
  /// `layer 'conv1'`, or `this ReLU` without a name.
  std::string describe() const;
  /// Reports an error at the layer, and returns null.
  mlir::Value error(const llvm::Twine &message) const;
  /// Reports an error at an argument.
  llvm::LogicalResult argumentError(llvm::StringRef argument,
                                    const llvm::Twine &message) const;

private:
  llvm::LogicalResult checkArguments();
  llvm::LogicalResult checkArgument(const Argument &argument,
                                    const Node &value) const;
  std::string getWeightName(llvm::StringRef name) const;
  /// The name of a layer within this one, empty where this one has none.
  std::string getPartName(const llvm::Twine &part) const;
  /// The values of an entry by its name in the model.
  std::vector<float> readEntry(llvm::StringRef name,
                               llvm::ArrayRef<int64_t> shape) const;
  WeightOwner getOwner() const;

  ModelContext &model;
  const LayerSpec &spec;
  const Node &layer;
  std::string prefix;
  std::string weightPrefix;
  llvm::SmallVector<Features> inputs;
  EdgeValues edgeValues;
  llvm::StringMap<Node> arguments;
};

/// Where the ops of a layer come from: its place in the description, under its
/// name.
mlir::Location getLayerLocation(mlir::OpBuilder &builder,
                                const Reporter &reporter, const Node &layer,
                                llvm::StringRef name);

/// The table entry of the layer's type, or null after an error.
const LayerSpec *findLayer(const Node &layer, Reporter &reporter);

/// What `layer`, of type `spec`, reads: where that has an argument `batch`, the
/// graphs of the batch if it says so.
Reads getReads(const LayerSpec &spec, const Node &layer);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_LAYERBUILDER_H
