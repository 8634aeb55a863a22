//===- SimilarityLayers.cpp - Attention by similar rows ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// AGNNConv
//===----------------------------------------------------------------------===//

static Value buildAGNNConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value graph = getLoopedGraph(layer);
  if (!graph)
    return {};
  double beta = layer.readNumber("beta");
  // One head, whose scores are cosines.
  Value rows = layer.splitHeads(layer.getInput(), 1);
  Value directions =
      layer.splitHeads(normalizeRows(layer, layer.getInput()), 1);
  EdgeOperands operands;
  operands.dst = {layer.scale(directions, beta)};
  operands.src = {directions};
  Value scores = layer.message(
      graph, operands, "hf, hf -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  return layer.mergeHeads(attend(layer, graph, scores, rows));
}

//===----------------------------------------------------------------------===//
// SuperGATConv
//===----------------------------------------------------------------------===//

static Value buildSuperGATConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Value graph = getLoopedGraph(layer);
  if (!graph)
    return {};
  int64_t heads = layer.getSize("heads"), width = layer.getSize("out_channels");
  bool isScaled = layer.getChoice("attention_type") == "SD";
  double slope = layer.getNumber("negative_slope");
  Value rows = layer.splitHeads(
      layer.linear(layer.getInput(), "lin", heads * width, /*hasBias=*/false),
      heads);
  // How likely an edge is, by the product of its ends.
  EdgeOperands operands;
  operands.dst = {isScaled ? layer.scale(rows, 1 / std::sqrt(double(width)))
                           : rows};
  operands.src = {rows};
  Value products = layer.message(
      graph, operands, "hf, hf -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  operands = {};
  operands.edge = {products};
  if (!isScaled) {
    auto dotWith = [&](StringRef name) {
      Value attention = layer.weight(name, {1, heads, width}, {heads, width});
      return layer.update(
          rows, attention, "hf, hf -> h",
          [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
    };
    operands.dst = {dotWith("att_r")};
    operands.src = {dotWith("att_l")};
  }
  Value scores =
      layer.message(graph, operands, isScaled ? "h -> h" : "h, h, h -> h",
                    [&](ScalarBuilder &s, ValueRange v) {
                      Value score = v[0];
                      if (!isScaled)
                        score = s.mul(s.add(v[0], v[1]), s.sigmoid(v[2]));
                      return s.leakyReLU(score, slope);
                    });
  return addBias(layer, joinHeads(layer, attend(layer, graph, scores, rows)));
}

//===----------------------------------------------------------------------===//
// FeaStConv
//===----------------------------------------------------------------------===//

/// Verma et al. 2018: each edge mixes several linear layers of its source, by a
/// softmax over these of how its ends differ.
static Value buildFeaStConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()))
    return {};
  Value graph = getLoopedGraph(layer);
  if (!graph)
    return {};
  int64_t heads = layer.getSize("heads");
  Value weight =
      layer.transposedWeight("u.weight", layer.getSize("in_channels"), heads);
  auto transform = [&](Value rows) { return layer.matmul(rows, weight); };
  EdgeOperands operands;
  operands.dst = {transform(layer.getDestinations())};
  operands.src = {layer.addUniform(transform(layer.getSources()),
                                   layer.weight("c", heads))};
  operands.edge = {layer.message(
      graph, operands, "h, h -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[1], v[0]); })};
  // A share is the inverse of a sum, in which its own exponential is 1: where
  // others overflow, it is 0 as it should be.
  operands = {{}, {}, {operands.edge[0], operands.edge[0]}, {}};
  Value sums = layer.message(
      graph, operands, "h, k -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.exp(s.sub(v[1], v[0])); });
  // Shares of rows are added up before they are multiplied: an edge reads a row
  // of its source, not one for each head.
  int64_t in = layer.getSize("in_channels"),
          out = layer.getSize("out_channels");
  operands.edge = {sums};
  operands.edge = {layer.message(
      graph, operands, "h -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.inverse(v[0]); })};
  operands.src = {layer.getSources()};
  Value messages = layer.message(
      graph, operands, "i, h -> hi",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Value received =
      layer.mergeHeads(layer.aggregate(Aggregator::Mean, graph, messages));
  auto stored = layer.readWeight("lin.weight", {heads * out, in});
  std::vector<float> perHead(stored.size());
  for (int64_t i = 0, e = stored.size(); i < e; ++i) {
    int64_t row = i / in, head = row / out;
    perHead[(head * in + i % in) * out + row % out] = stored[i];
  }
  return addBias(layer,
                 layer.matmul(received, layer.constant("lin.weight", perHead,
                                                       {heads * in, out})));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getSimilarityLayers() {
  using Kind = ArgumentKind;
  return {
      {"AGNNConv",
       buildAGNNConv,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"requires_grad", Kind::Ignored, "true"},
        {"add_self_loops", Kind::Boolean, "true"}}},
      {"FeaStConv",
       buildFeaStConv,
       Reads::Graph,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"heads", Kind::Size, "1"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"SuperGATConv",
       buildSuperGATConv,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"heads", Kind::Size, "1"},
        {"concat", Kind::Boolean, "true"},
        {"negative_slope", Kind::Number, "0.2"},
        {"dropout", Kind::Ignored, "0.0"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"},
        {"attention_type", Kind::Choice, "MX", {"MX", "SD"}},
        {"neg_sample_ratio", Kind::Ignored, "0.5"},
        {"edge_sample_ratio", Kind::Ignored, "1.0"},
        {"is_undirected", Kind::Ignored, "false"}}},
  };
}
