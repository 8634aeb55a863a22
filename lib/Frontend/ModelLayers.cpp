//===- ModelLayers.cpp - What the layers of a model read --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

StringRef gnn::frontend::describeRows(Rows rows) {
  switch (rows) {
  case Rows::Nodes:
    return "nodes";
  case Rows::Sources:
    return "sources";
  case Rows::Destinations:
    return "destinations";
  case Rows::Graphs:
    return "graphs";
  case Rows::Clusters:
    return "clusters";
  case Rows::Edges:
    return "edges";
  }
  llvm_unreachable("covered switch");
}

/// `name: Type(argument=value, ...)`, as the compiled model lists its layers.
static std::string formatLayer(const Node &layer, StringRef name) {
  std::string arguments;
  for (const auto &[key, value] : layer.entries)
    if (!llvm::is_contained({"name", "type", "input", "inputs"}, key.text))
      arguments +=
          (arguments.empty() ? "" : ", ") + key.text + "=" + value.format();
  std::string text =
      (name + ": " + layer.find("type")->text + "(" + arguments + ")").str();
  // The list has one layer per line.
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string ModelBuilder::getTypeName(const Features &features) const {
  return features.rows == Rows::Edges
             ? schema.edgeTypes[features.type].getName()
             : schema.nodeTypes[features.type];
}

/// `paper, author`.
std::string ModelBuilder::listTypes(ArrayRef<Features> features) const {
  SmallVector<std::string> names;
  for (const Features &one : features)
    names.push_back(getTypeName(one));
  return llvm::join(names, ", ");
}

LogicalResult ModelBuilder::readLayerName(const Node &layer,
                                          std::string &layerName) {
  const Node *weightsOf = layer.find("weights");
  if (weightsOf && failed(checkLayerName(*weightsOf, reporter)))
    return failure();
  const Node *node = layer.find("name");
  if (!node)
    return success();
  if (failed(checkLayerName(*node, reporter)))
    return failure();
  for (const auto &[known, value] : values)
    if (known == node->text)
      return reporter.error(*node, (value.isInput ? "an input" : "a layer") +
                                       Twine(" is called '") + known +
                                       "' already");
  for (const auto &[known, made] : madeGraphs)
    if (known == node->text)
      return reporter.error(*node, "a graph is called '" + known + "' already");
  layerName = node->text;
  return success();
}

LogicalResult
ModelBuilder::readLayerInputs(const Node &layer,
                              SmallVector<NamedValue> &layerInputs) {
  const Node *one = layer.find("input"), *several = layer.find("inputs");
  if (one && several)
    return reporter.error(*several, "a layer has 'input' or 'inputs', not "
                                    "both");
  SmallVector<const Node *> names;
  if (one)
    names.push_back(one);
  if (several) {
    if (!several->isSequence() || several->elements.empty())
      return reporter.error(*several, "'inputs' must be a list of names, got " +
                                          several->describe());
    for (const Node &element : several->elements)
      names.push_back(&element);
  }
  for (const Node *inputName : names) {
    FailureOr<NamedValue> value = lookup(*inputName);
    if (failed(value))
      return failure();
    layerInputs.push_back(*value);
  }
  if (names.empty()) {
    if (current.features.empty())
      return reporter.error(layer, "there is no input with rows per node that "
                                   "the first layer could read");
    layerInputs.push_back(current);
  }
  return success();
}

LogicalResult ModelBuilder::checkBatchInputs(const Node &place,
                                             const LayerSpec &spec,
                                             ArrayRef<Features> layerInputs,
                                             Rows &result) {
  result = Rows::Graphs;
  if (layerInputs.size() == 2 && layerInputs[0].rows == Rows::Nodes &&
      layerInputs[1].rows == Rows::Graphs)
    return success();
  std::string got;
  for (const Features &input : layerInputs)
    got += (got.empty() ? "" : ", ") + describeRows(input.rows).str();
  return reporter.error(place, spec.type +
                                   " on 'graph: batch' needs 'inputs: [NODES, "
                                   "GRAPHS]', got rows of " +
                                   got);
}

LogicalResult ModelBuilder::checkGraphInputs(const Node &layer,
                                             const LayerSpec &spec,
                                             ArrayRef<Features> layerInputs,
                                             Rows &result) {
  const Node *several = layer.find("inputs");
  const Node &place = several ? *several : layer;
  if (isOnBatch(layer) && spec.reads == Reads::Graph)
    return checkBatchInputs(place, spec, layerInputs, result);
  if (spec.reads == Reads::Incidence) {
    if (!isBipartite())
      return reporter.error(layer, spec.type +
                                       " runs on the graph from nodes to "
                                       "hyperedges, whose inputs are 'per: "
                                       "source' and 'per: destination'");
    if (layerInputs.size() != 1 || layerInputs.front().rows != Rows::Sources)
      return reporter.error(place, spec.type +
                                       " reads one value, of nodes, which "
                                       "are the sources; got " +
                                       Twine(layerInputs.size()) + ", of " +
                                       describeRows(layerInputs.front().rows));
    result = Rows::Sources;
    return success();
  }
  // Clusters are in no graph of the batch.
  if (spec.reads != Reads::GraphAndBatch &&
      llvm::all_of(layerInputs, [](const Features &input) {
        return input.rows == Rows::Clusters;
      })) {
    SmallVector<StringRef> keys{"edge_weight", "edge_attr"};
    for (const Argument &argument : spec.arguments)
      if (argument.kind == ArgumentKind::Edges)
        keys.push_back(argument.name);
    for (StringRef key : keys)
      if (const Node *node = layer.find(key); node && !node->isNull())
        return reporter.error(*node, "'" + key +
                                         "' belongs to edges between nodes, "
                                         "but '" +
                                         layerInputs.front().name +
                                         "' has rows of clusters");
    result = Rows::Clusters;
    return success();
  }
  if (!isBipartite()) {
    for (const Features &input : layerInputs)
      if (input.rows != Rows::Nodes)
        return reporter.error(place, spec.type + " reads rows of nodes, but '" +
                                         input.name + "' has rows of " +
                                         describeRows(input.rows));
    size_t limit = spec.reads == Reads::Graph ? 2 : 1;
    if (layerInputs.size() > limit)
      return reporter.error(place, spec.type + " reads " +
                                       (limit == 1 ? "one value"
                                                   : "one value or [sources, "
                                                     "destinations]") +
                                       ", got " + Twine(layerInputs.size()));
    result = Rows::Nodes;
    return success();
  }
  if (spec.reads != Reads::Graph)
    return reporter.error(layer, spec.type + " is not defined on bipartite "
                                             "graphs, and this model has "
                                             "inputs per source or "
                                             "destination");
  if (layerInputs.size() != 2 || layerInputs[0].rows != Rows::Sources ||
      layerInputs[1].rows != Rows::Destinations) {
    std::string got;
    for (const Features &input : layerInputs)
      got += (got.empty() ? "" : ", ") + describeRows(input.rows).str();
    return reporter.error(place, spec.type +
                                     " on a bipartite graph needs 'inputs: "
                                     "[SOURCES, DESTINATIONS]', got rows of " +
                                     got);
  }
  result = Rows::Destinations;
  return success();
}

LogicalResult ModelBuilder::checkElements(const LayerSpec &spec,
                                          const Node &place,
                                          const Features &input) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(input.value.getType()));
  bool wantsFloat = spec.reads != Reads::Numbers;
  if (isFloat == wantsFloat || spec.takesNumbers)
    return success();
  if (wantsFloat)
    return reporter.error(place, spec.type + " reads float32, but '" +
                                     input.name +
                                     "' has whole numbers, which an Embedding "
                                     "makes rows of");
  return reporter.error(place,
                        spec.type +
                            " reads whole numbers, an input with 'dtype: "
                            "int64' or 'int32', but '" +
                            input.name + "' is float32");
}

LogicalResult ModelBuilder::checkRows(const Node &layer, const LayerSpec &spec,
                                      ArrayRef<Features> layerInputs,
                                      Rows &result) {
  const Node *several = layer.find("inputs");
  const Node &place = several ? *several : layer;
  const Features &first = layerInputs.front();
  result = first.rows;
  for (const Features &input : layerInputs)
    if (failed(checkElements(spec, place, input)))
      return failure();
  Reads reads = getReads(spec, layer);
  switch (reads) {
  case Reads::Graph:
  case Reads::SquareGraph:
  case Reads::Incidence:
  case Reads::GraphAndBatch:
    return checkGraphInputs(layer, spec, layerInputs, result);
  case Reads::SeveralRows:
    if (layerInputs.size() < 2)
      return reporter.error(place, spec.type + " needs 'inputs' with at least "
                                               "two names");
    for (const Features &input : layerInputs) {
      if (input.rows == first.rows && input.graph == first.graph)
        continue;
      auto describe = [&](const Features &one) {
        return input.rows == first.rows ? describeGraph(one.graph)
                                        : describeRows(one.rows).str();
      };
      return reporter.error(place, spec.type +
                                       " needs rows that belong together, but "
                                       "'" +
                                       first.name + "' has rows of " +
                                       describe(first) + " and '" + input.name +
                                       "' of " + describe(input));
    }
    return success();
  case Reads::SourceOfEdge:
  case Reads::DestinationOfEdge:
  case Reads::EndsOfEdge:
  case Reads::InEdges:
    llvm_unreachable("built across edges");
  case Reads::NodeTypes:
    return reporter.error(layer, spec.type +
                                     " reads a value per node type, and this "
                                     "model has no 'node_types'");
  case Reads::Rows:
  case Reads::Numbers:
  case Reads::RowsAndBatch:
  case Reads::Batch:
  case Reads::GraphRows:
  case Reads::Clusters:
  case Reads::ClusterRows:
    if (layerInputs.size() != 1)
      return reporter.error(place, spec.type + " reads one value, got " +
                                       Twine(layerInputs.size()));
    if (reads == Reads::Rows || reads == Reads::Numbers)
      return success();
    if (reads == Reads::RowsAndBatch) {
      if (!hasBatch || first.rows == Rows::Nodes)
        return success();
      return reporter.error(
          place, spec.type +
                     " reads the graphs of the batch, which are of "
                     "nodes, but '" +
                     first.name + "' has rows of " + describeRows(first.rows) +
                     (first.rows == Rows::Graphs
                          ? ""
                          : "; with 'batch: false' all rows are one graph"));
    }
    if (reads == Reads::ClusterRows || reads == Reads::GraphRows) {
      Rows wanted = reads == Reads::GraphRows ? Rows::Graphs : Rows::Clusters;
      if (first.rows != wanted)
        return reporter.error(place, spec.type + " reads rows of " +
                                         describeRows(wanted) + ", but '" +
                                         first.name + "' has rows of " +
                                         describeRows(first.rows));
      result = Rows::Nodes;
      return success();
    }
    if (first.rows != Rows::Nodes)
      return reporter.error(place, spec.type + " pools rows of nodes, but '" +
                                       first.name + "' has rows of " +
                                       describeRows(first.rows));
    result = reads == Reads::Batch ? Rows::Graphs : Rows::Clusters;
    return success();
  }
  llvm_unreachable("covered switch");
}

ModelContext ModelBuilder::getContext(Value madeGraph) {
  ModelContext context{reporter, weights, builder,
                       madeGraph ? madeGraph : graph, batch};
  context.clusters = clusters;
  context.constants = &constants;
  context.findRows = [this](const Node &rows) { return findRows(rows); };
  context.findEdges = [this, madeGraph](const Node &name) {
    return findEdges(name, madeGraph);
  };
  if (hasTypes())
    context.schema = &schema;
  context.readEdgeValues = [this](const Node &layer, const LayerSpec &spec,
                                  int edgeType) {
    return readEdgeInput(layer, spec, edgeType);
  };
  return context;
}

LogicalResult ModelBuilder::buildOnRows(const Node &layer,
                                        const LayerSpec &spec,
                                        StringRef layerName,
                                        ArrayRef<Features> layerInputs,
                                        TypedFeatures &results) {
  Rows rows;
  if (failed(checkRows(layer, spec, layerInputs, rows)))
    return failure();
  FailureOr<Value> madeGraph = readLayerGraph(layer, spec, rows);
  if (failed(madeGraph))
    return failure();
  FailureOr<EdgeValues> edges =
      readEdgeInput(layer, spec, /*edgeType=*/-1, *madeGraph);
  if (failed(edges))
    return failure();
  ModelContext context = getContext(*madeGraph);
  if (!*madeGraph &&
      (spec.reads == Reads::Graph || spec.reads == Reads::SquareGraph))
    context.graph = getGraphOf(rows);
  LayerBuilder layerBuilder(context, spec, layer, layerName, layerInputs,
                            *edges);
  Value result = layerBuilder.build();
  if (!result)
    return failure();
  std::string resultName =
      // An unnamed one has a name for messages only; nobody can refer to it.
      layerName.empty() ? spec.type.str() : layerName.str();
  results.push_back({result, rows, resultName, layerInputs.front().type,
                     layerInputs.front().graph});
  return success();
}

/// Layers on single rows and on graphs run for every node type that their
/// inputs have; those that read node types run once.
LogicalResult ModelBuilder::buildOnTypes(const Node &layer,
                                         const LayerSpec &spec,
                                         StringRef layerName,
                                         ArrayRef<NamedValue> layerInputs,
                                         TypedFeatures &results) {
  const NamedValue &first = layerInputs.front();
  if (spec.buildTypes) {
    if (first.isPerEdge())
      return reporter.error(layer, spec.type + " reads rows of nodes, but '" +
                                       first.features.front().name +
                                       "' has rows of edges");
    if (layerInputs.size() != 1)
      return reporter.error(layer, spec.type + " reads one value, got " +
                                       Twine(layerInputs.size()));
    ModelContext context = getContext();
    LayerBuilder layerBuilder(context, spec, layer, layerName, first.features,
                              EdgeValues());
    SmallVector<Value> values = layerBuilder.buildTypes();
    if (values.empty())
      return failure();
    for (auto [type, value] : llvm::enumerate(values))
      if (value)
        results.push_back({value, Rows::Nodes, layerName.str(), int(type)});
    return success();
  }
  if (spec.reads == Reads::Incidence)
    return reporter.error(layer, spec.type + " reads one graph from nodes to "
                                             "hyperedges, and this model "
                                             "has one per edge type");
  if (spec.reads == Reads::Graph || spec.reads == Reads::SquareGraph ||
      spec.reads == Reads::GraphAndBatch)
    return reporter.error(layer, spec.type +
                                     " reads one graph, and this model has one "
                                     "per edge type; put it into the 'convs' "
                                     "of a HeteroConv");
  if (spec.reads == Reads::Batch || spec.reads == Reads::GraphRows ||
      spec.reads == Reads::Clusters || spec.reads == Reads::ClusterRows)
    return reporter.error(layer, spec.type + " pools the nodes of one graph, "
                                             "and this model has 'node_types'");
  for (const NamedValue &other : layerInputs)
    if (!llvm::equal(other.features, first.features,
                     [](const Features &a, const Features &b) {
                       return a.rows == b.rows && a.type == b.type;
                     }))
      return reporter.error(
          layer, spec.type + " needs rows that belong together, but '" +
                     first.features.front().name + "' has rows of " +
                     listTypes(first.features) + " and '" +
                     other.features.front().name + "' of " +
                     listTypes(other.features) +
                     "; one type's are called 'NAME.TYPE'");
  for (size_t i = 0; i < first.features.size(); ++i) {
    SmallVector<Features> rows;
    for (const NamedValue &input : layerInputs)
      rows.push_back(input.features[i]);
    if (failed(buildOnRows(layer, spec, layerName, rows, results)))
      return failure();
  }
  return success();
}

LogicalResult ModelBuilder::buildLayer(const Node &layer, size_t number) {
  const LayerSpec *spec = findLayer(layer, reporter);
  std::string layerName;
  SmallVector<NamedValue> layerInputs;
  if (!spec || failed(readLayerName(layer, layerName)) ||
      failed(readLayerInputs(layer, layerInputs)))
    return failure();
  layerTexts.push_back(formatLayer(
      layer, layerName.empty() ? std::to_string(number) : layerName));
  if (spec->makesGraph)
    return buildGraph(layer, *spec, layerName, layerInputs);
  NamedValue result;
  if (llvm::is_contained({Reads::SourceOfEdge, Reads::DestinationOfEdge,
                          Reads::EndsOfEdge, Reads::InEdges},
                         spec->reads)) {
    if (failed(buildAcrossEdges(layer, *spec, layerName, layerInputs,
                                result.features)))
      return failure();
  } else if (hasTypes()) {
    if (failed(buildOnTypes(layer, *spec, layerName, layerInputs,
                            result.features)))
      return failure();
  } else {
    SmallVector<Features> rows;
    for (const NamedValue &input : layerInputs)
      rows.push_back(input.features.front());
    if (failed(buildOnRows(layer, *spec, layerName, rows, result.features)))
      return failure();
  }
  lastLayerHasName = !layerName.empty();
  if (!layerName.empty())
    values.emplace_back(layerName, result);
  currentName = layerName;
  current = std::move(result);
  return success();
}

LogicalResult ModelBuilder::buildLayers(const Node &layers) {
  for (auto [i, layer] : llvm::enumerate(layers.elements))
    if (failed(buildLayer(layer, i)))
      return failure();
  return success();
}
