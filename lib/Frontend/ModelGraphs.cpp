//===- ModelGraphs.cpp - The graphs of a model's layers ---------*- C++ -*-===//
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

Value ModelBuilder::getGraphOf(Rows rows) {
  if (rows != Rows::Clusters)
    return graph;
  if (clusterPairs)
    return clusterPairs;
  Location loc = function.getLoc();
  Value count =
      NumNodesOp::create(builder, loc, NodeSide::Destination, clusters);
  auto type = GNNGraphType::get(builder.getContext(), Topology::Complete, 0,
                                /*bipartite=*/false, /*symmetric=*/false,
                                /*selfLoops=*/true);
  clusterPairs =
      MakeGraphOp::create(builder, loc, type, ValueRange{count, count});
  return clusterPairs;
}

/// Whether layers of type `spec` run on edges.
static bool readsEdges(const LayerSpec &spec) {
  return llvm::is_contained({Reads::Graph, Reads::SquareGraph, Reads::Incidence,
                             Reads::GraphAndBatch, Reads::SourceOfEdge,
                             Reads::DestinationOfEdge, Reads::EndsOfEdge,
                             Reads::InEdges},
                            spec.reads);
}

LogicalResult ModelBuilder::buildGraph(const Node &layer, const LayerSpec &spec,
                                       StringRef layerName,
                                       ArrayRef<NamedValue> layerInputs) {
  if (layerName.empty())
    return reporter.error(layer, spec.type +
                                     " makes a graph, which layers on it "
                                     "call by its 'name'");
  if (layerName == "batch")
    return reporter.error(*layer.find("name"),
                          "'batch' is the graph from nodes to their graphs; "
                          "call this one otherwise");
  TypedFeatures results;
  SmallVector<Features> rows;
  if (hasTypes()) {
    // Which reports why it cannot.
    if (failed(buildOnTypes(layer, spec, layerName, layerInputs, results)))
      return failure();
  } else {
    for (const NamedValue &input : layerInputs)
      rows.push_back(input.features.front());
    if (failed(buildOnRows(layer, spec, layerName, rows, results)))
      return failure();
  }
  madeGraphs.emplace_back(layerName, results.front().value);
  return success();
}

bool ModelBuilder::isOnBatch(const Node &layer) const {
  const Node *node = layer.find("graph");
  return hasBatch && node && node->isScalar() && node->text == "batch";
}

FailureOr<Value> ModelBuilder::readLayerGraph(const Node &layer,
                                              const LayerSpec &spec,
                                              Rows rows) {
  const Node *node = layer.find("graph");
  if (!node)
    return Value();
  if (spec.makesGraph || !readsEdges(spec))
    return reporter.error(*node, spec.type + " has no 'graph'; it reads rows");
  if (hasTypes())
    return reporter.error(*node, "a layer has a 'graph' in models without node "
                                 "types, and this model has some");
  if (rows == Rows::Clusters)
    return reporter.error(*node, "'graph' joins nodes, but " + spec.type +
                                     " reads rows of clusters");
  if (isOnBatch(layer)) {
    if (spec.reads == Reads::Graph)
      return batch;
    return reporter.error(*node, spec.type +
                                     " has no 'graph: batch', which is for "
                                     "convolutions from nodes to their graphs");
  }
  SmallVector<StringRef> names;
  for (const auto &[known, made] : madeGraphs) {
    if (node->isScalar() && known == node->text)
      return made;
    names.push_back(known);
  }
  if (!node->isScalar())
    return reporter.error(*node, "'graph' must be the name of a layer that "
                                 "makes one, got " +
                                     node->describe());
  return reporter.error(
      *node,
      "no earlier layer makes a graph called '" + node->text + "'" +
          (names.empty() ? Twine("; a KNNGraph or RadiusGraph does")
                         : suggest(node->text, names) + Twine(" (known are ") +
                               llvm::join(names, ", ") + ")"));
}

std::string ModelBuilder::describeGraph(Value madeGraph) const {
  for (const auto &[known, made] : madeGraphs)
    if (made == madeGraph)
      return "edges of '" + known + "'";
  if (madeGraph && madeGraph == batch)
    return "edges from nodes to their graphs";
  return "the model's edges";
}

LogicalResult ModelBuilder::checkEdgesOf(const Node &place,
                                         const Features &edges,
                                         Value madeGraph) {
  if (edges.graph == madeGraph)
    return success();
  return reporter.error(
      place, "'" + edges.name + "' has rows of " + describeGraph(edges.graph) +
                 ", and this layer reads " + describeGraph(madeGraph));
}
