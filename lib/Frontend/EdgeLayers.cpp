//===- EdgeLayers.cpp - Between rows of nodes and of edges ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// The row of one of the edge's ends, for each edge.
static Value gather(LayerBuilder &layer, NodeSide side) {
  if (failed(layer.checkPlainRows()))
    return {};
  EdgeOperands operands;
  (side == NodeSide::Source ? operands.src : operands.dst) = {layer.getInput()};
  Value edges =
      layer.message(layer.getGraph(), operands, "f -> f",
                    [](ScalarBuilder &, ValueRange v) { return v[0]; });
  return edgesToTensor(layer, layer.getGraph(), edges);
}

static Value buildGatherSources(LayerBuilder &layer) {
  return gather(layer, NodeSide::Source);
}

static Value buildGatherDestinations(LayerBuilder &layer) {
  return gather(layer, NodeSide::Destination);
}

static Value buildAggregateEdges(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value rows = layer.getInput();
  auto type = EdgesType::get(layer.getBuilder().getContext(), getRowShape(rows),
                             layer.getBuilder().getF32Type());
  Value edges = EdgesFromTensorOp::create(layer.getBuilder(), layer.getLoc(),
                                          type, layer.getGraph(), rows);
  return layer.concat(
      layer.aggregate(layer.getAggregators("aggr"), layer.getGraph(), edges));
}

static Value buildInnerProductDecoder(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkEqualRows(
          "multiplies rows of sources by those of destinations")))
    return {};
  EdgeOperands operands;
  operands.dst = {layer.getDestinations()};
  operands.src = {layer.getSources()};
  Value edges = layer.message(
      layer.getGraph(), operands, "f, f ->",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Value products = edgesToTensor(layer, layer.getGraph(), edges);
  if (!layer.getBoolean("sigmoid"))
    return products;
  return layer.elementwise(
      products, [](ScalarBuilder &s, ValueRange v) { return s.sigmoid(v[0]); });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getEdgeLayers() {
  using Kind = ArgumentKind;
  const SmallVector<StringRef> aggregators(getAggregatorNames());
  const Argument edgeType{"edge_type", Kind::EdgeType, "null"};
  return {
      {"GatherSources",
       buildGatherSources,
       Reads::SourceOfEdge,
       EdgeInput::None,
       {edgeType}},
      {"GatherDestinations",
       buildGatherDestinations,
       Reads::DestinationOfEdge,
       EdgeInput::None,
       {edgeType}},
      {"AggregateEdges",
       buildAggregateEdges,
       Reads::InEdges,
       EdgeInput::None,
       {{"aggr", Kind::Choices, "add", aggregators}}},
      {"InnerProductDecoder",
       buildInnerProductDecoder,
       Reads::EndsOfEdge,
       EdgeInput::None,
       {{"sigmoid", Kind::Boolean, "true"}, edgeType}},
  };
}
