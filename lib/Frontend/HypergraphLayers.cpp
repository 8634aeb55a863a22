//===- HypergraphLayers.cpp - Edges with any number of ends -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers on the graph from nodes to the hyperedges that they belong to, whose
// results are rows of nodes.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

namespace {
/// A hypergraph both ways, with a weight for each node of each hyperedge and
/// head, or without.
struct Incidence {
  Value toHyperedges;
  Value toNodes;
  Value weightsToHyperedges = {};
  Value weightsToNodes = {};
};
} // namespace

/// Rows of hyperedges that an argument names, or null. Fails after an error.
static FailureOr<Value> getHyperedgeRows(LayerBuilder &layer,
                                         StringRef argument, int64_t channels) {
  if (layer.isNull(argument))
    return Value();
  FailureOr<Features> named = layer.getRows(argument);
  if (failed(named))
    return failure();
  ArrayRef<int64_t> shape = getRowShape(named->value);
  bool isNumber = channels == 1 && shape.empty();
  if (named->rows == Rows::Destinations &&
      (isNumber || shape == ArrayRef<int64_t>(channels)))
    return named->value;
  return layer.argumentError(
      argument, "'" + argument + "' of " + layer.getType() +
                    " must name rows of hyperedges, the destinations, with " +
                    Twine(channels) +
                    (channels == 1 ? " channel" : " channels") + ", and '" +
                    named->name + "' has others");
}

/// Attention between nodes and hyperedges: its softmax is over the nodes of
/// each hyperedge or, with `attention_mode: edge`, over the hyperedges of each
/// node.
static Incidence attendToIncidence(LayerBuilder &layer, Value rows,
                                   Value attributes, int64_t heads) {
  int64_t width = layer.getSize("out_channels");
  std::vector<float> attention = layer.readWeight("att", {1, heads, 2 * width});
  auto scoreRows = [&](Value values, StringRef name, int64_t first) {
    std::vector<float> part;
    for (int64_t head = 0; !attention.empty() && head < heads; ++head) {
      auto begin = attention.begin() + head * 2 * width + first;
      part.insert(part.end(), begin, begin + width);
    }
    return layer.update(
        values, layer.constant(name, part, {heads, width}), "hf, hf -> h",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  };
  Value ofNodes = scoreRows(rows, "att.nodes", 0);
  Value ofHyperedges = scoreRows(attributes, "att.hyperedges", width);

  bool isOfNodes = layer.getChoice("attention_mode") == "edge";
  Value graph =
      isOfNodes ? reverseGraph(layer, layer.getGraph()) : layer.getGraph();
  EdgeOperands operands;
  operands.dst = {isOfNodes ? ofNodes : ofHyperedges};
  operands.src = {isOfNodes ? ofHyperedges : ofNodes};
  double slope = layer.getNumber("negative_slope");
  Value scores = layer.message(graph, operands, "h, h -> h",
                               [&](ScalarBuilder &s, ValueRange v) {
                                 return s.leakyReLU(s.add(v[0], v[1]), slope);
                               });
  Value weights = EdgeSoftmaxOp::create(layer.getBuilder(), layer.getLoc(),
                                        scores.getType(), graph, scores);
  auto [turned, turnedWeights] = reverseGraph(layer, graph, weights);
  if (isOfNodes)
    return {turned, graph, turnedWeights, weights};
  return {graph, turned, weights, turnedWeights};
}

/// Rows [n, heads, width] sent along `graph`, and aggregated.
static Value sendHeads(LayerBuilder &layer, Value graph, Value rows,
                       Value weights, Aggregator aggregator) {
  EdgeOperands operands;
  operands.src = {rows};
  if (weights)
    operands.edge = {weights};
  Value messages =
      layer.message(graph, operands, weights ? "hf, h -> hf" : "hf -> hf",
                    [](ScalarBuilder &s, ValueRange v) {
                      return v.size() == 1 ? v[0] : s.mul(v[0], v[1]);
                    });
  return layer.aggregate(aggregator, graph, messages);
}

/// The sum of what hyperedges sent to each node, by that of their weights.
static Value divideByWeights(LayerBuilder &layer, Value toNodes, Value sums,
                             Value hyperedgeWeights) {
  bool isRow = !getRowShape(hyperedgeWeights).empty();
  EdgeOperands operands;
  operands.src = {hyperedgeWeights};
  Value sent =
      layer.message(toNodes, operands, isRow ? "f ->" : "->",
                    [](ScalarBuilder &, ValueRange v) { return v[0]; });
  Value degree = layer.aggregate(Aggregator::Sum, toNodes, sent);
  // What has no weight counts as nothing.
  return layer.update(ValueRange{sums, degree}, {}, "hf, -> hf",
                      [](ScalarBuilder &s, ValueRange v) {
                        return s.select(s.isZero(v[1]), s.constant(0),
                                        s.div(v[0], v[1]));
                      });
}

/// Bai et al., "Hypergraph Convolution and Hypergraph Attention" (2019): each
/// hyperedge has the mean of its nodes, and each node that of its hyperedges.
static Value buildHypergraphConv(LayerBuilder &layer) {
  int64_t in = layer.getSize("in_channels");
  if (failed(layer.checkChannels("in_channels")))
    return {};
  bool attends = layer.getBoolean("use_attention");
  FailureOr<Value> attributes = getHyperedgeRows(layer, "hyperedge_attr", in);
  FailureOr<Value> weights = getHyperedgeRows(layer, "hyperedge_weight", 1);
  if (failed(attributes) || failed(weights))
    return {};
  if (attends != bool(*attributes)) {
    (void)layer.argumentError(
        "use_attention",
        layer.describe() + (attends ? " attends to hyperedges, so "
                                      "'hyperedge_attr: NAME' must name their "
                                      "rows"
                                    : " reads 'hyperedge_attr' with "
                                      "'use_attention: true' only"));
    return {};
  }
  int64_t heads = attends ? layer.getSize("heads") : 1;
  Value weight = layer.transposedWeight("lin.weight", in,
                                        heads * layer.getSize("out_channels"));
  auto transform = [&](Value rows) {
    return layer.splitHeads(layer.matmul(rows, weight), heads);
  };
  Value rows = transform(layer.getInput());
  Incidence incidence;
  if (attends)
    incidence = attendToIncidence(layer, rows, transform(*attributes), heads);
  else
    incidence = {layer.getGraph(), reverseGraph(layer, layer.getGraph())};

  Value hyperedges = sendHeads(layer, incidence.toHyperedges, rows,
                               incidence.weightsToHyperedges, Aggregator::Mean);
  Value result =
      sendHeads(layer, incidence.toNodes, hyperedges, incidence.weightsToNodes,
                *weights ? Aggregator::Sum : Aggregator::Mean);
  if (*weights)
    result = divideByWeights(layer, incidence.toNodes, result, *weights);
  return addBias(layer,
                 attends ? joinHeads(layer, result) : layer.mergeHeads(result));
}

std::vector<LayerSpec> gnn::frontend::getHypergraphLayers() {
  using Kind = ArgumentKind;
  return {
      {"HypergraphConv",
       buildHypergraphConv,
       Reads::Incidence,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"use_attention", Kind::Boolean, "false"},
        {"attention_mode", Kind::Choice, "node", {"node", "edge"}},
        {"heads", Kind::Size, "1"},
        {"concat", Kind::Boolean, "true"},
        {"negative_slope", Kind::Number, "0.2"},
        {"dropout", Kind::Ignored, "0"},
        {"bias", Kind::Boolean, "true"},
        {"hyperedge_weight", Kind::Rows, "null"},
        {"hyperedge_attr", Kind::Rows, "null"}}},
  };
}
