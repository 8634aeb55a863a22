//===- LocalityLayers.cpp - Attention to few, to pairs, to clusters -------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers that no library has: their names and arguments are this project's and
// documented in docs/model-format.md.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// DotProductAttention
//===----------------------------------------------------------------------===//

static LogicalResult checkWidths(LayerBuilder &layer) {
  int64_t in = getNumChannels(layer.getDestinations());
  int64_t out = layer.getSize("out_channels");
  if (layer.getBoolean("concat"))
    out *= layer.getSize("heads");
  if (layer.getBoolean("residual") && in != out)
    return layer.argumentError(
        "residual", layer.describe() + " adds its rows of " + Twine(in) +
                        " channels to a result of " + Twine(out) +
                        "; make them equal or say 'residual: false'");
  if (layer.getBoolean("share_query_key") &&
      getNumChannels(layer.getSources()) != in)
    return layer.argumentError(
        "share_query_key",
        layer.describe() + " has one weight for queries and keys, so sources "
                           "and destinations must be equally wide");
  if (!layer.isNull("top_k") && layer.getSize("top_k") > 65536)
    return layer.argumentError("top_k", "'top_k' must be at most 65536, got " +
                                            Twine(layer.getSize("top_k")));
  return success();
}

/// What says of the two ends of an edge which is which.
static LogicalResult checkReverse(LayerBuilder &layer) {
  if (!layer.getBoolean("symmetrize"))
    return success();
  GNNGraphType type = layer.getGraphType();
  if (type.getBipartite())
    return layer.argumentError("symmetrize",
                               layer.describe() +
                                   " adds the transposed weights, which a "
                                   "bipartite graph does not have");
  if (type.getTopology() == Topology::Causal)
    return layer.argumentError("symmetrize",
                               layer.describe() +
                                   " adds the transposed weights, which would "
                                   "show later nodes on a causal graph");
  return success();
}

/// The product of a query and a key per head, and the terms added to it.
static Value scoreEdges(LayerBuilder &layer) {
  int64_t heads = layer.getSize("heads"), width = layer.getSize("out_channels");
  bool hasBias = layer.getBoolean("bias");
  auto transform = [&](Value rows, StringRef name) {
    return layer.linear(rows, name, heads * width, hasBias);
  };
  Value query = transform(layer.getDestinations(), "lin_query"), key = query;
  bool shares = layer.getBoolean("share_query_key");
  if (!shares || layer.getSources() != layer.getDestinations())
    key = transform(layer.getSources(), shares ? "lin_query" : "lin_key");
  if (layer.getBoolean("scale"))
    query = layer.scale(query, 1 / std::sqrt(double(width)));

  EdgeOperands operands;
  operands.dst = {layer.splitHeads(query, heads)};
  operands.src = {layer.splitHeads(key, heads)};
  auto multiply = [](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], v[1]);
  };
  Value graph = layer.getGraph();
  Value scores = layer.message(graph, operands, "hf, hf -> h", multiply);

  EdgeOperands terms;
  terms.edge = {scores};
  if (layer.getEdgeValues())
    terms.edge.push_back(
        SplitLinear(layer, "lin_edge", heads, layer.getSize("edge_dim"))
            .applyToEdges(graph, layer.getEdgeValues(), 0));
  Value table;
  int64_t limit = 0;
  if (!layer.isNull("max_distance")) {
    limit = layer.getSize("max_distance");
    table = layer.weight("distance_bias", {limit + 1, heads});
  }
  if (terms.edge.size() == 1 && !table)
    return scores;
  return layer.message(
      graph, terms, terms.edge.size() == 1 ? "h -> h" : "h, h -> h",
      [&](ScalarBuilder &s, ValueRange v) {
        Value sum = v.size() == 1 ? v[0] : s.add(v[0], v[1]);
        if (!table)
          return sum;
        Value i = s.index(NodeSide::Destination);
        Value j = s.index(NodeSide::Source);
        Value distance = s.clamp(s.absIndex(s.subIndex(i, j)), 0, limit);
        return s.add(sum, s.lookup(table, {distance, s.featureIndex('h')}));
      });
}

/// The sigmoid of a linear layer on [destination, source, edge attributes].
static Value gateEdges(LayerBuilder &layer) {
  int64_t heads = layer.getSize("heads");
  Value graph = layer.getGraph(), edges = layer.getEdgeValues();
  SmallVector<int64_t> widths{getNumChannels(layer.getDestinations()),
                              getNumChannels(layer.getSources())};
  if (edges)
    widths.push_back(layer.getSize("edge_dim"));
  SplitLinear linear(layer, "gate", heads, widths);
  EdgeOperands operands;
  Value own = linear.apply(layer.getDestinations(), 0);
  operands.dst = {layer.addUniform(own, layer.weight("gate.bias", {heads}))};
  operands.src = {linear.apply(layer.getSources(), 1)};
  if (edges)
    operands.edge = {linear.applyToEdges(graph, edges, 2)};
  return layer.message(graph, operands, edges ? "h, h, h -> h" : "h, h -> h",
                       [](ScalarBuilder &s, ValueRange v) {
                         Value sum = s.add(v[0], v[1]);
                         return s.sigmoid(v.size() == 2 ? sum
                                                        : s.add(sum, v[2]));
                       });
}

static Value multiplyEdges(LayerBuilder &layer, Value a, Value b) {
  EdgeOperands operands;
  operands.edge = {a, b};
  return layer.message(
      layer.getGraph(), operands, "h, h -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

/// The sum of the sources' rows [n, heads, width] by weights per edge.
static Value sumWeighted(LayerBuilder &layer, Value graph, Value weights,
                         Value rows) {
  EdgeOperands operands;
  operands.src = {rows};
  operands.edge = {weights};
  Value messages = layer.message(
      graph, operands, "hf, h -> hf",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[1], v[0]); });
  return layer.aggregate(Aggregator::Sum, graph, messages);
}

/// (A + A^T) / 2 times the rows, A being a weight per edge.
static Value sumSymmetrized(LayerBuilder &layer, Value weights, Value rows) {
  Value graph = layer.getGraph();
  auto [reversed, reversedWeights] = reverseGraph(layer, graph, weights);
  Value forth = sumWeighted(layer, graph, weights, rows);
  Value back = sumWeighted(layer, reversed, reversedWeights, rows);
  return layer.elementwise({forth, back}, [](ScalarBuilder &s, ValueRange v) {
    return s.mul(s.constant(0.5), s.add(v[0], v[1]));
  });
}

static Value buildDotProductAttention(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()) ||
      failed(layer.checkEdgeAttributes()) || failed(checkWidths(layer)) ||
      failed(checkReverse(layer)))
    return {};
  int64_t heads = layer.getSize("heads");
  Value graph = layer.getGraph();
  Value scores = scoreEdges(layer);
  Value gate = layer.isNull("gate") ? Value() : gateEdges(layer);
  bool gatesWeights = gate && layer.getChoice("gate") == "after_softmax";
  if (gate && !gatesWeights)
    scores = multiplyEdges(layer, scores, gate);
  if (!layer.isNull("top_k"))
    scores =
        EdgeTopKOp::create(layer.getBuilder(), layer.getLoc(), scores.getType(),
                           graph, scores, layer.getSize("top_k"));
  Value weights = EdgeSoftmaxOp::create(layer.getBuilder(), layer.getLoc(),
                                        scores.getType(), graph, scores);
  if (gatesWeights)
    weights = multiplyEdges(layer, weights, gate);

  Value rows =
      layer.splitHeads(layer.linear(layer.getSources(), "lin_value",
                                    heads * layer.getSize("out_channels"),
                                    layer.getBoolean("bias")),
                       heads);
  Value received =
      joinHeads(layer, layer.getBoolean("symmetrize")
                           ? sumSymmetrized(layer, weights, rows)
                           : sumWeighted(layer, graph, weights, rows));
  return layer.getBoolean("residual")
             ? layer.add(received, layer.getDestinations())
             : received;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

static Value buildClusterPool(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value graph = layer.getClusters();
  return layer.aggregate(layer.getAggregators("aggr").front(), graph,
                         sendRows(layer, graph, layer.getInput(), Value()));
}

static Value buildClusterUnpool(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  return gatherGroupRows(layer, layer.getClusters(), layer.getInput());
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getLocalityLayers() {
  using Kind = ArgumentKind;
  return {
      {"DotProductAttention",
       buildDotProductAttention,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"heads", Kind::Size, "1"},
        {"concat", Kind::Boolean, "true"},
        {"scale", Kind::Boolean, "false"},
        {"residual", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "false"},
        {"share_query_key", Kind::Boolean, "false"},
        {"edge_dim", Kind::Size, "null"},
        {"max_distance", Kind::Repeats, "null"},
        {"gate", Kind::Choice, "null", {"before_softmax", "after_softmax"}},
        {"top_k", Kind::Size, "null"},
        {"symmetrize", Kind::Boolean, "false"}}},
      {"ClusterPool",
       buildClusterPool,
       Reads::Clusters,
       EdgeInput::None,
       {{"aggr", Kind::Choice, "mean", {"mean", "add", "sum", "max", "min"}}}},
      {"ClusterUnpool", buildClusterUnpool, Reads::ClusterRows},
  };
}
