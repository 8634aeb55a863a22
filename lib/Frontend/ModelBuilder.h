//===- ModelBuilder.h - Descriptions to functions ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_MODELBUILDER_H
#define GNN_LIB_FRONTEND_MODELBUILDER_H

#include "LayerBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gnn::frontend {

/// The entry of a mapping, with an error where there is none.
const Node *require(const Node &mapping, llvm::StringRef key,
                    llvm::StringRef what, Reporter &reporter);
/// Reports keys that are none of `accepted`.
llvm::LogicalResult checkKeys(const Node &mapping,
                              llvm::ArrayRef<llvm::StringRef> accepted,
                              llvm::StringRef what, Reporter &reporter);
/// Whether `text` consists of letters, digits and `extraCharacters`.
bool isName(llvm::StringRef text, llvm::StringRef extraCharacters);

/// `nodes`, `sources` and so on.
llvm::StringRef describeRows(Rows rows);

/// Builds the function `forward` of a model: its graphs, its inputs, one layer
/// after the other, its outputs.
class ModelBuilder {
public:
  ModelBuilder(mlir::MLIRContext &context, const Node &description,
               Weights &weights, Reporter &reporter)
      : description(description), weights(weights), reporter(reporter),
        builder(&context) {}

  /// Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  /// A tensor that the caller passes.
  struct Input {
    enum class Per { Node, Source, Destination, Edge };

    std::string name;
    Per per = Per::Node;
    /// Number of the node or edge type, -1 in models without.
    int type = -1;
    /// Of one row.
    llvm::SmallVector<int64_t> shape;
    mlir::Type elementType;
    /// The caller passes the elements that are not zero.
    bool isSparse = false;
    Position position;
  };
  /// Values per node type, or edge type, that has one; in models without, one.
  using TypedFeatures = llvm::SmallVector<Features, 1>;
  /// A value that layers may read: an input or the result of a layer.
  struct NamedValue {
    TypedFeatures features;
    bool isInput = false;
    /// Whether it was found by the name of a value and one of its types.
    bool isPart = false;

    bool isPerEdge() const {
      return !features.empty() && features.front().rows == Rows::Edges;
    }
  };

  llvm::LogicalResult readModel();
  llvm::LogicalResult readName();
  llvm::LogicalResult readGraph();
  /// Reads which edges a graph has, from a node or, where there is none, as the
  /// default.
  llvm::FailureOr<GNNGraphType> readTopology(const Node *node,
                                             bool isBipartite);
  llvm::LogicalResult readNodeTypes();
  llvm::LogicalResult readEdgeTypes();
  llvm::LogicalResult readEdgeType(const Node &node);
  llvm::LogicalResult readEdgeTypeNames(const Node &node, EdgeType &type);
  llvm::LogicalResult readMetaPaths();
  llvm::LogicalResult readMetaPath(const Node &node, size_t number);
  llvm::LogicalResult readInputs();
  llvm::LogicalResult readInput(const Node &node);
  llvm::LogicalResult readPer(const Node &node, Input &input);
  llvm::LogicalResult readChannels(const Node &node, Input &input);
  llvm::LogicalResult readDType(const Node &node, Input &input);
  llvm::LogicalResult readSparse(const Node &node, Input &input);
  llvm::LogicalResult checkInputGraph(const Input &input);
  llvm::LogicalResult checkGraph();
  llvm::LogicalResult readBatch(const Node &layers);

  void createFunction();
  void addInput(const Input &input, mlir::Value argument);
  /// The rows of a sparse input, of its graph and a value per edge.
  mlir::Value createDenseRows(const Input &input, mlir::Value matrix,
                              mlir::Value argument);
  static Rows getRows(Input::Per per);
  /// Describes the port of an input.
  mlir::NamedAttrList describeInputRows(const Input &input);
  mlir::NamedAttrList describeRowPort(llvm::StringRef portName,
                                      const Features &features);
  std::string getPortName(const Input &input) const;
  llvm::LogicalResult buildLayers(const Node &layers);
  llvm::LogicalResult buildLayer(const Node &layer, size_t number);
  llvm::LogicalResult readLayerName(const Node &layer, std::string &name);
  llvm::LogicalResult readLayerInputs(const Node &layer,
                                      llvm::SmallVector<NamedValue> &inputs);
  /// Builds a layer on rows that belong together, for one node type.
  llvm::LogicalResult buildOnRows(const Node &layer, const LayerSpec &spec,
                                  llvm::StringRef layerName,
                                  llvm::ArrayRef<Features> inputs,
                                  TypedFeatures &results);
  llvm::LogicalResult buildOnTypes(const Node &layer, const LayerSpec &spec,
                                   llvm::StringRef layerName,
                                   llvm::ArrayRef<NamedValue> inputs,
                                   TypedFeatures &results);
  /// The node type or edge type of rows in a model that has them.
  std::string getTypeName(const Features &features) const;
  std::string listTypes(llvm::ArrayRef<Features> features) const;
  /// Builds a layer that reads nodes for edges or edges for nodes.
  llvm::LogicalResult buildAcrossEdges(const Node &layer, const LayerSpec &spec,
                                       llvm::StringRef layerName,
                                       llvm::ArrayRef<NamedValue> inputs,
                                       TypedFeatures &results);
  llvm::FailureOr<int> readEdgeTypeArgument(const Node &layer,
                                            const LayerSpec &spec);
  llvm::FailureOr<Features> getEnd(const Node &layer, const LayerSpec &spec,
                                   const NamedValue &value, NodeSide side,
                                   int edgeType);
  llvm::LogicalResult checkRows(const Node &layer, const LayerSpec &spec,
                                llvm::ArrayRef<Features> inputs, Rows &result);
  /// Checks that a layer reads floats or, where it looks them up, whole
  /// numbers.
  llvm::LogicalResult checkElements(const LayerSpec &spec, const Node &place,
                                    const Features &input);
  /// Checks what message passing on the model's graph needs.
  llvm::LogicalResult checkGraphInputs(const Node &layer, const LayerSpec &spec,
                                       llvm::ArrayRef<Features> inputs,
                                       Rows &result);
  /// The same of a layer between nodes and their graphs.
  llvm::LogicalResult checkBatchInputs(const Node &place, const LayerSpec &spec,
                                       llvm::ArrayRef<Features> inputs,
                                       Rows &result);
  llvm::FailureOr<EdgeValues> readEdgeInput(const Node &layer,
                                            const LayerSpec &spec, int edgeType,
                                            mlir::Value madeGraph = {});
  /// `madeGraph` is that of the layer, or null.
  ModelContext getContext(mlir::Value madeGraph = {});
  /// Whether a layer runs between nodes and their graphs, as its `graph` says.
  bool isOnBatch(const Node &layer) const;
  /// The graph that a message passing layer on such rows runs on.
  mlir::Value getGraphOf(Rows rows);
  /// Builds a layer that makes a graph.
  llvm::LogicalResult buildGraph(const Node &layer, const LayerSpec &spec,
                                 llvm::StringRef layerName,
                                 llvm::ArrayRef<NamedValue> inputs);
  /// The graph that `graph` of a layer names, which an earlier layer made; null
  /// without.
  llvm::FailureOr<mlir::Value> readLayerGraph(const Node &layer,
                                              const LayerSpec &spec, Rows rows);
  /// What messages call a graph.
  std::string describeGraph(mlir::Value madeGraph) const;
  /// Checks that rows of edges, which `place` names, are of this graph.
  llvm::LogicalResult checkEdgesOf(const Node &place, const Features &edges,
                                   mlir::Value madeGraph);
  llvm::FailureOr<NamedValue> lookup(const Node &name);
  /// Rows of edges as values of these.
  mlir::Value getEdges(const Features &rows);
  /// The input or layer of this name, which must not be per edge.
  llvm::FailureOr<Features> findRows(const Node &name);
  /// The values per edge that an argument names, in a model without node types.
  llvm::FailureOr<mlir::Value> findEdges(const Node &name,
                                         mlir::Value madeGraph);
  llvm::LogicalResult createOutputs();

  bool hasTypes() const { return !schema.nodeTypes.empty(); }
  bool isBipartite() const { return !hasTypes() && graphType.getBipartite(); }

  const Node &description;
  Weights &weights;
  Reporter &reporter;
  mlir::OpBuilder builder;

  std::string name;
  /// Of the one graph of a model without node types.
  GNNGraphType graphType;
  Position graphPosition;
  /// Empty without node types.
  Schema schema;
  std::vector<Input> inputs;
  /// Whether the graphs of a batch are an argument.
  bool hasBatch = false;
  bool hasClusters = false;

  mlir::func::FuncOp function;
  mlir::Value graph;
  /// Null without a batch.
  mlir::Value batch;
  /// From nodes to clusters, null without a layer that reads them; and between
  /// all clusters, null until it is needed.
  mlir::Value clusters, clusterPairs;
  /// What `getEdges` has made of rows.
  llvm::DenseMap<mlir::Value, mlir::Value> edgesOfRows;
  /// What layers have made of entries of the state_dict.
  llvm::StringMap<mlir::Value> constants;
  /// In the order they are made, for messages; names differ.
  std::vector<std::pair<std::string, NamedValue>> values;
  /// Graphs that layers made.
  std::vector<std::pair<std::string, mlir::Value>> madeGraphs;
  /// The result of the layer before, or the first input.
  NamedValue current;
  std::string currentName;
  bool lastLayerHasName = false;
  llvm::SmallVector<std::string> layerTexts;
};

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_MODELBUILDER_H
