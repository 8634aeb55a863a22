//===- PointLayers.cpp - Convolutions of points -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions of nodes that have coordinates, by where their neighbours are
// from them.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// PointNetConv
//===----------------------------------------------------------------------===//

/// Qi et al. 2017 (PointNet++): networks of a neighbour's row and of how far it
/// is away, and of what is aggregated of them. Without `pos`, the rows are
/// positions.
static Value buildPointNetConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value graph = getLoopedGraph(layer), positions = layer.getInput();
  if (!graph)
    return {};
  SmallVector<Value> parts;
  EdgeOperands operands;
  if (!layer.isNull("pos")) {
    positions = getRowsBeside(layer, "pos", /*isAsWide=*/false);
    if (!positions)
      return {};
    parts.push_back(sendRows(layer, graph, layer.getInput(), Value()));
  }
  parts.push_back(sendDifferences(layer, graph, positions, positions));
  SmallVector<Value> results;
  if (layer.isNull("local_nn")) {
    // What is aggregated side by side need not be put together for each edge.
    for (Value part : parts)
      results.append(
          layer.aggregate(layer.getAggregators("aggr"), graph, part));
  } else {
    Value messages = sequentialOnEdges(layer, graph, "local_nn", parts);
    if (!messages)
      return {};
    results = layer.aggregate(layer.getAggregators("aggr"), graph, messages);
  }
  Value result = layer.concat(results);
  return layer.isNull("global_nn") ? result
                                   : layer.sequential("global_nn", result);
}

//===----------------------------------------------------------------------===//
// PointGNNConv
//===----------------------------------------------------------------------===//

/// The layers of `argument` on `rows`, which must yield as many channels as
/// `as` has: `what`. Null after an error.
static Value sequentialAsWide(LayerBuilder &layer, StringRef argument,
                              Value rows, Value as, StringRef what) {
  Value result = layer.sequential(argument, rows);
  if (!result || getNumChannels(result) == getNumChannels(as))
    return result;
  (void)layer.argumentError(
      argument, "'" + argument + "' of " + layer.describe() + " must yield " +
                    Twine(getNumChannels(as)) + " channels, as " + what +
                    " has, got " + Twine(getNumChannels(result)));
  return {};
}

/// Shi and Rajkumar 2020 (Point-GNN): as PointNetConv, where a node says by how
/// much its neighbours are to be moved. What is aggregated is added to the row.
static Value buildPointGNNConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value rows = layer.getInput();
  Value positions = getRowsBeside(layer, "pos", /*isAsWide=*/false);
  Value offset =
      positions ? sequentialAsWide(layer, "mlp_h", rows, positions, "'pos'")
                : Value();
  if (!offset)
    return {};
  Value graph = layer.getGraph();
  EdgeOperands operands;
  operands.dst = {positions, offset};
  operands.src = {positions};
  Value moved = layer.message(graph, operands, "f, f, f -> f",
                              [](ScalarBuilder &s, ValueRange v) {
                                return s.add(s.sub(v[2], v[0]), v[1]);
                              });
  Value messages = sequentialOnEdges(
      layer, graph, "mlp_f", {moved, sendRows(layer, graph, rows, Value())});
  if (!messages)
    return {};
  Value change =
      sequentialAsWide(layer, "mlp_g",
                       layer.concat(layer.aggregate(
                           layer.getAggregators("aggr"), graph, messages)),
                       rows, "its input");
  return change ? layer.add(rows, change) : Value();
}

//===----------------------------------------------------------------------===//
// PointTransformerConv
//===----------------------------------------------------------------------===//

/// What `pos_nn` makes of how far a node is from its neighbour; without the
/// argument it is one linear layer. Null after an error.
static Value encodePositions(LayerBuilder &layer, Value graph,
                             Value positions) {
  EdgeOperands operands;
  operands.dst = {positions};
  operands.src = {positions};
  Value difference = layer.message(
      graph, operands, "f, f -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[0], v[1]); });
  int64_t width = layer.getSize("out_channels");
  if (!layer.isNull("pos_nn"))
    return sequentialOnEdges(layer, graph, "pos_nn", difference, width);
  constexpr int64_t dimensions = 3;
  if (getNumChannels(positions) != dimensions) {
    (void)layer.argumentError(
        "pos", "'pos' of " + layer.describe() +
                   " must have 3 channels where there is no 'pos_nn', got " +
                   Twine(getNumChannels(positions)));
    return {};
  }
  operands = {};
  operands.edge = {SplitLinear(layer, "pos_nn", width, dimensions)
                       .applyToEdges(graph, difference, 0)};
  operands.uniform = {layer.weight("pos_nn.bias", width)};
  return layer.message(
      graph, operands, "f, f -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
}

/// Zhao et al. 2021: a softmax for each channel, of what ends and positions
/// differ in.
static Value buildPointTransformerConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Value graph = getLoopedGraph(layer);
  Value positions =
      graph ? getRowsBeside(layer, "pos", /*isAsWide=*/false) : Value();
  if (!positions)
    return {};
  Value delta = encodePositions(layer, graph, positions);
  if (!delta)
    return {};
  int64_t width = layer.getSize("out_channels");
  auto transform = [&](StringRef name) {
    return layer.linear(layer.getInput(), name, width, /*hasBias=*/false);
  };
  EdgeOperands operands;
  operands.dst = {transform("lin_dst")};
  operands.src = {transform("lin_src")};
  operands.edge = {delta};
  Value scores = layer.message(graph, operands, "f, f, f -> f",
                               [](ScalarBuilder &s, ValueRange v) {
                                 return s.add(s.sub(v[0], v[1]), v[2]);
                               });
  if (!layer.isNull("attn_nn"))
    scores = sequentialOnEdges(layer, graph, "attn_nn", scores, width);
  if (!scores)
    return {};
  operands = {};
  operands.src = {transform("lin")};
  operands.edge = {delta,
                   EdgeSoftmaxOp::create(layer.getBuilder(), layer.getLoc(),
                                         scores.getType(), graph, scores)};
  Value messages = layer.message(graph, operands, "f, f, f -> f",
                                 [](ScalarBuilder &s, ValueRange v) {
                                   return s.mul(v[2], s.add(v[0], v[1]));
                                 });
  return layer.aggregate(Aggregator::Sum, graph, messages);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getPointLayers() {
  using Kind = ArgumentKind;
  const SmallVector<StringRef> aggregators(getAggregatorNames());
  return {
      {"PointNetConv",
       buildPointNetConv,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"local_nn", Kind::Layers, "null"},
        {"global_nn", Kind::Layers, "null"},
        {"pos", Kind::Rows, "null"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"aggr", Kind::Choice, "max", aggregators}}},
      {"PointGNNConv",
       buildPointGNNConv,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"mlp_h", Kind::Layers},
        {"mlp_f", Kind::Layers},
        {"mlp_g", Kind::Layers},
        {"pos", Kind::Rows},
        {"aggr", Kind::Choices, "max", aggregators}}},
      {"PointTransformerConv",
       buildPointTransformerConv,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"pos_nn", Kind::Layers, "null"},
        {"attn_nn", Kind::Layers, "null"},
        {"pos", Kind::Rows},
        {"add_self_loops", Kind::Boolean, "true"}}},
  };
}
