//===- ModelEdges.cpp - Layers between nodes and edges ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// Reads the edge type whose ends a layer reads, -1 in models without.
FailureOr<int> ModelBuilder::readEdgeTypeArgument(const Node &layer,
                                                  const LayerSpec &spec) {
  const Node *node = layer.find("edge_type");
  if (!hasTypes()) {
    if (node && !node->isNull())
      return reporter.error(*node, "'edge_type' is for models with node types, "
                                   "and this model has none");
    return -1;
  }
  if (!node || node->isNull())
    return reporter.error(
        layer, spec.type + " needs 'edge_type: [SOURCE, RELATION, "
                           "DESTINATION]' in a model with node types");
  EdgeType type;
  if (failed(readEdgeTypeNames(*node, type)))
    return failure();
  std::optional<int> number = schema.findEdgeType(type.getName());
  if (!number)
    return reporter.error(*node, "'edge_types' has no " + node->format());
  return *number;
}

/// The rows of a value at an end of edges of this type.
FailureOr<Features> ModelBuilder::getEnd(const Node &layer,
                                         const LayerSpec &spec,
                                         const NamedValue &value, NodeSide side,
                                         int edgeType) {
  bool isSource = side == NodeSide::Source;
  Features end;
  std::string wanted = "nodes";
  if (isBipartite()) {
    end.rows = isSource ? Rows::Sources : Rows::Destinations;
    wanted = isSource ? "sources" : "destinations";
  }
  if (hasTypes()) {
    const EdgeType &type = schema.edgeTypes[edgeType];
    end.type = isSource ? type.source : type.destination;
    wanted = "'" + schema.nodeTypes[end.type] + "'";
  }
  const Features *found =
      llvm::find_if(value.features, [&](const Features &features) {
        return features.rows == end.rows && features.type == end.type;
      });
  if (found != value.features.end())
    return *found;
  const Features &first = value.features.front();
  std::string got =
      hasTypes() ? listTypes(value.features) : describeRows(first.rows).str();
  const Node *several = layer.find("inputs");
  return reporter.error(several ? *several : layer,
                        spec.type + " reads rows of " + wanted + ", but '" +
                            first.name + "' has rows of " + got);
}

LogicalResult ModelBuilder::buildAcrossEdges(const Node &layer,
                                             const LayerSpec &spec,
                                             StringRef layerName,
                                             ArrayRef<NamedValue> layerInputs,
                                             TypedFeatures &results) {
  const Node *several = layer.find("inputs");
  const Node &place = several ? *several : layer;
  size_t limit = spec.reads == Reads::EndsOfEdge ? 2 : 1;
  if (layerInputs.size() > limit)
    return reporter.error(place, spec.type + " reads " +
                                     (limit == 1 ? "one value"
                                                 : "one value or [sources, "
                                                   "destinations]") +
                                     ", got " + Twine(layerInputs.size()));
  const NamedValue &first = layerInputs.front();
  SmallVector<Features> rows;
  Features result;
  FailureOr<Value> madeGraph = readLayerGraph(layer, spec, Rows::Nodes);
  if (failed(madeGraph))
    return failure();
  if (spec.reads == Reads::InEdges) {
    if (!first.isPerEdge())
      return reporter.error(place, spec.type + " reads rows of edges, but '" +
                                       first.features.front().name +
                                       "' has rows of " +
                                       describeRows(first.features[0].rows));
    if (first.features.size() > 1)
      return reporter.error(place,
                            spec.type + " reads edges of one type, but '" +
                                first.features.front().name + "' has rows of " +
                                listTypes(first.features) +
                                "; one type's are called 'NAME.TYPE'");
    rows.push_back(first.features.front());
    if (layer.find("graph") &&
        failed(checkEdgesOf(place, rows.front(), *madeGraph)))
      return failure();
    madeGraph = rows.front().graph;
    int edgeType = rows.front().type;
    result.rows = isBipartite() ? Rows::Destinations : Rows::Nodes;
    result.type = hasTypes() ? schema.edgeTypes[edgeType].destination : -1;
  } else {
    FailureOr<int> edgeType = readEdgeTypeArgument(layer, spec);
    if (failed(edgeType))
      return failure();
    SmallVector<NodeSide> sides;
    if (spec.reads != Reads::DestinationOfEdge)
      sides.push_back(NodeSide::Source);
    if (spec.reads != Reads::SourceOfEdge)
      sides.push_back(NodeSide::Destination);
    for (NodeSide side : sides) {
      const NamedValue &value =
          side == NodeSide::Destination ? layerInputs.back() : first;
      FailureOr<Features> end = getEnd(layer, spec, value, side, *edgeType);
      if (failed(end))
        return failure();
      rows.push_back(*end);
    }
    result.rows = Rows::Edges;
    result.type = *edgeType;
    result.graph = *madeGraph;
  }
  for (const Features &input : rows)
    if (failed(checkElements(spec, place, input)))
      return failure();

  ModelContext context = getContext(*madeGraph);
  int edgeType = result.rows == Rows::Edges ? result.type : rows.front().type;
  if (hasTypes())
    context.graph = schema.edgeTypes[edgeType].graph;
  auto type = cast<GNNGraphType>(context.graph.getType());
  if (type.hasDenseEdges())
    return reporter.error(layer, spec.type +
                                     " makes a row for each edge, but those of "
                                     "a " +
                                     stringifyTopology(type.getTopology()) +
                                     " graph are not listed; use 'graph: csr'");
  LayerBuilder layerBuilder(context, spec, layer, layerName, rows,
                            EdgeValues());
  result.value = layerBuilder.build();
  if (!result.value)
    return failure();
  result.name = layerName.empty() ? spec.type.str() : layerName.str();
  results.push_back(std::move(result));
  return success();
}
