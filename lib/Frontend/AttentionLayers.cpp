//===- AttentionLayers.cpp - Attention over the edges of a graph ----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every layer here is message (a score), edge softmax, message (a value times
// its weight), sum: what -gnn-fuse-attention makes one op of.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// GATConv and GATv2Conv
//===----------------------------------------------------------------------===//

/// What a self loop carries, by PyG's `fill_value`: a number, or a reduction of
/// the node's in-edges that are no self loops.
static Value makeLoopValues(LayerBuilder &layer, Value edges) {
  Value graph = layer.getGraph();
  const Node &fill = layer.getArgument("fill_value");
  if (std::optional<double> number = fill.getNumber()) {
    Value rows = layer.getNumRows(layer.getDestinations());
    return layer.filled(rows, cast<EdgesType>(edges.getType()).getShape(),
                        *number);
  }

  // Self loops take part as a value that changes nothing.
  Aggregator aggregator = layer.getAggregators("fill_value").front();
  bool isMean = aggregator == Aggregator::Mean;
  double neutral = 0;
  if (aggregator == Aggregator::Max || aggregator == Aggregator::Min)
    neutral = aggregator == Aggregator::Max ? -INFINITY : INFINITY;
  else if (aggregator == Aggregator::Mul)
    neutral = 1;
  EdgeOperands operands;
  operands.edge = {edges};
  bool hasChannels = !cast<EdgesType>(edges.getType()).getShape().empty();
  StringRef subscripts = hasChannels ? "f -> f" : "->";
  Value others = layer.message(
      graph, operands, subscripts, [&](ScalarBuilder &s, ValueRange v) {
        return s.select(s.isSelfLoop(), s.constant(neutral), v[0]);
      });
  Value result =
      layer.aggregate(isMean ? Aggregator::Sum : aggregator, graph, others);
  if (aggregator == Aggregator::Sum || aggregator == Aggregator::Mul)
    return result;

  // The mean needs their number; the largest of none is 0.
  operands.edge.clear();
  operands.src = {layer.filled(layer.getNumRows(layer.getSources()), {}, 1)};
  Value ones =
      layer.message(graph, operands, "->", [&](ScalarBuilder &s, ValueRange v) {
        return s.select(s.isSelfLoop(), s.constant(0), v[0]);
      });
  Value count = layer.aggregate(Aggregator::Sum, graph, ones);
  return layer.update({result, count}, {}, hasChannels ? "f, -> f" : ", ->",
                      [&](ScalarBuilder &s, ValueRange v) {
                        if (isMean)
                          return s.div(v[0], s.max(v[1], s.constant(1)));
                        return s.select(s.isZero(v[1]), s.constant(0), v[0]);
                      });
}

/// The graph and edge values that attention runs over.
static LayerBuilder::SelfLoops getLoopedEdges(LayerBuilder &layer) {
  Value edges = layer.getEdgeValues();
  if (!layer.getBoolean("add_self_loops"))
    return {layer.getGraph(), edges};
  return layer.addSelfLoops(SelfLoopMode::Replace, edges,
                            [&] { return makeLoopValues(layer, edges); });
}

/// What follows attention in both: heads, residual and bias.
static Value finishGAT(LayerBuilder &layer, Value result) {
  result = joinHeads(layer, result);
  int64_t width = getNumChannels(result);
  if (layer.getBoolean("residual"))
    result = layer.add(result, layer.linear(layer.getDestinations(), "res",
                                            width, /*hasBias=*/false));
  return addBias(layer, result);
}

/// The part of each head's score that comes from the attributes of an edge. It
/// is linear in them: `lin_edge` and `att_edge` are one matrix [edge_dim,
/// heads].
static Value scoreAttributes(LayerBuilder &layer, Value graph, Value edges,
                             int64_t heads, int64_t width) {
  int64_t in = layer.getSize("edge_dim");
  auto linear = layer.readWeight("lin_edge.weight", {heads * width, in});
  auto attention = layer.readWeight("att_edge", {1, heads, width});
  std::vector<float> combined;
  if (!linear.empty() && !attention.empty())
    combined.resize(in * heads);
  for (int64_t i = 0; i < int64_t(combined.size()) / heads; ++i)
    for (int64_t head = 0; head < heads; ++head) {
      double sum = 0;
      for (int64_t row = head * width; row < (head + 1) * width; ++row)
        sum += double(linear[row * in + i]) * attention[row];
      combined[i * heads + head] = sum;
    }
  SmallVector<int64_t> shape(cast<EdgesType>(edges.getType()).getShape());
  StringRef subscripts = shape.empty() ? ", h -> h" : "d, dh -> h";
  shape.push_back(heads);
  EdgeOperands operands;
  operands.edge = {edges};
  operands.uniform = {layer.constant("lin_edge.att_edge", combined, shape)};
  return layer.message(
      graph, operands, subscripts,
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

static Value buildGATConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()) ||
      failed(layer.checkEdgeAttributes()))
    return {};
  int64_t heads = layer.getSize("heads"), width = layer.getSize("out_channels");
  Value sources, destinations;
  if (layer.getArgument("in_channels").isScalar()) {
    Value weight = layer.transposedWeight(
        "lin.weight", layer.getSize("in_channels"), heads * width);
    auto transform = [&](Value rows) {
      return layer.splitHeads(layer.matmul(rows, weight), heads);
    };
    sources = transform(layer.getSources());
    destinations = layer.getSources() == layer.getDestinations()
                       ? sources
                       : transform(layer.getDestinations());
  } else {
    auto transform = [&](Value rows, StringRef name) {
      return layer.splitHeads(
          layer.linear(rows, name, heads * width, /*hasBias=*/false), heads);
    };
    sources = transform(layer.getSources(), "lin_src");
    destinations = transform(layer.getDestinations(), "lin_dst");
  }

  LayerBuilder::SelfLoops looped = getLoopedEdges(layer);
  if (!looped.graph)
    return {};
  auto dotWith = [&](Value rows, StringRef name) {
    Value attention = layer.weight(name, {1, heads, width}, {heads, width});
    return layer.update(
        rows, attention, "hf, hf -> h",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  };
  EdgeOperands operands;
  operands.dst = {dotWith(destinations, "att_dst")};
  operands.src = {dotWith(sources, "att_src")};
  std::string subscripts = "h, h";
  if (looped.edges) {
    operands.edge = {
        scoreAttributes(layer, looped.graph, looped.edges, heads, width)};
    subscripts += ", h";
  }
  double slope = layer.getNumber("negative_slope");
  Value scores = layer.message(looped.graph, operands, subscripts + " -> h",
                               [&](ScalarBuilder &s, ValueRange v) {
                                 Value sum = v[0];
                                 for (Value part : v.drop_front())
                                   sum = s.add(sum, part);
                                 return s.leakyReLU(sum, slope);
                               });
  return finishGAT(layer, attend(layer, looped.graph, scores, sources));
}

/// With `share_weights` the entries of `lin_r` are those of `lin_l`, or absent.
static LogicalResult checkSharedWeights(LayerBuilder &layer, int64_t out,
                                        bool hasBias) {
  int64_t in = getNumChannels(layer.getSources());
  if (getNumChannels(layer.getDestinations()) != in)
    return layer.argumentError(
        "share_weights", layer.describe() +
                             " shares the weights of sources and destinations, "
                             "which then must be equally wide");
  auto check = [&](StringRef left, StringRef right, ArrayRef<int64_t> shape) {
    if (!layer.hasWeight(right) ||
        layer.readWeight(right, shape) == layer.readWeight(left, shape))
      return success();
    return layer.argumentError("share_weights",
                               layer.describe() +
                                   " has 'share_weights: true', "
                                   "but its " +
                                   left + " and " + right + " differ");
  };
  if (failed(check("lin_l.weight", "lin_r.weight", {out, in})))
    return failure();
  return hasBias ? check("lin_l.bias", "lin_r.bias", {out}) : success();
}

static Value buildGATv2Conv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()) ||
      failed(layer.checkEdgeAttributes()))
    return {};
  int64_t heads = layer.getSize("heads"), width = layer.getSize("out_channels");
  bool hasBias = layer.getBoolean("bias");
  bool shares = layer.getBoolean("share_weights");
  if (shares && failed(checkSharedWeights(layer, heads * width, hasBias)))
    return {};
  auto transform = [&](Value rows, StringRef name) {
    return layer.splitHeads(layer.linear(rows, name, heads * width, hasBias),
                            heads);
  };
  Value sources = transform(layer.getSources(), "lin_l");
  Value destinations = sources;
  if (!shares || layer.getSources() != layer.getDestinations())
    destinations =
        transform(layer.getDestinations(), shares ? "lin_l" : "lin_r");

  LayerBuilder::SelfLoops looped = getLoopedEdges(layer);
  if (!looped.graph)
    return {};
  EdgeOperands operands;
  operands.dst = {destinations};
  operands.src = {sources};
  std::string subscripts = "hf, hf, ";
  if (looped.edges) {
    operands.edge = {
        layer.edgeLinear(looped.graph, looped.edges, "lin_edge", heads, width)};
    subscripts += "hf, ";
  }
  operands.uniform = {layer.weight("att", {1, heads, width}, {heads, width})};
  double slope = layer.getNumber("negative_slope");
  Value scores =
      layer.message(looped.graph, operands, subscripts + "hf -> h",
                    [&](ScalarBuilder &s, ValueRange v) {
                      Value sum = s.add(v[0], v[1]);
                      if (v.size() == 4)
                        sum = s.add(sum, v[2]);
                      return s.mul(s.leakyReLU(sum, slope), v.back());
                    });
  return finishGAT(layer, attend(layer, looped.graph, scores, sources));
}

//===----------------------------------------------------------------------===//
// GATEConv
//===----------------------------------------------------------------------===//

/// Xiong et al. 2020 (Attentive FP): scores of what a network makes of a source
/// and of the edge, and of the destination as it is.
static Value buildGATEConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")) ||
      failed(layer.checkEdgeAttributes()))
    return {};
  constexpr double slope = 0.01;
  Value graph = layer.getGraph(), rows = layer.getInput();
  int64_t in = layer.getSize("in_channels"),
          width = layer.getSize("out_channels");
  if (in != width) {
    (void)layer.argumentError("out_channels",
                              layer.describe() +
                                  " sends rows through a square matrix: "
                                  "'out_channels' must be in_channels, " +
                                  Twine(in) + ", got " + Twine(width));
    return {};
  }
  SplitLinear linear(layer, "lin1", width, {in, layer.getSize("edge_dim")});
  EdgeOperands operands;
  operands.src = {layer.splitHeads(linear.apply(rows, 0), 1)};
  operands.edge = {edgeProduct(layer, graph, layer.getEdgeValues(),
                               "lin1.weight.1", linear.getPart(1), {1, width})};
  operands.uniform = {layer.weight("att_l", {1, width})};
  Value sent = layer.message(
      graph, operands, "hf, hf, hf -> h", [&](ScalarBuilder &s, ValueRange v) {
        return s.mul(s.leakyReLU(s.add(v[0], v[1]), slope), v[2]);
      });
  operands = {};
  operands.dst = {layer.update(
      layer.splitHeads(rows, 1), layer.weight("att_r", {1, in}), "hf, hf -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); })};
  operands.edge = {sent};
  Value scores = layer.message(graph, operands, "h, h -> h",
                               [&](ScalarBuilder &s, ValueRange v) {
                                 return s.leakyReLU(s.add(v[0], v[1]), slope);
                               });
  Value values = layer.linear(rows, "lin2", width, /*hasBias=*/false);
  Value received = layer.mergeHeads(
      attend(layer, graph, scores, layer.splitHeads(values, 1)));
  return layer.addUniform(received, layer.weight("bias", {width}));
}

//===----------------------------------------------------------------------===//
// TransformerConv
//===----------------------------------------------------------------------===//

/// The gated sum of what was received and the node's own row: the gate is the
/// sigmoid of a linear layer on [received, own, received - own].
static Value gate(LayerBuilder &layer, Value received, Value own) {
  int64_t width = getNumChannels(received);
  auto weight = layer.readWeight("lin_beta.weight", {1, 3 * width});
  std::vector<float> ofReceived, ofOwn;
  for (int64_t i = 0; i < int64_t(weight.size()) / 3; ++i) {
    ofReceived.push_back(weight[i] + weight[2 * width + i]);
    ofOwn.push_back(weight[width + i] - weight[2 * width + i]);
  }
  SmallVector<Value> uniform{
      layer.constant("lin_beta.received", ofReceived, {width}),
      layer.constant("lin_beta.own", ofOwn, {width})};
  Value logit =
      layer.update({received, own}, uniform, "f, f, f, f ->",
                   [](ScalarBuilder &s, ValueRange v) {
                     return s.add(s.mul(v[0], v[2]), s.mul(v[1], v[3]));
                   });
  Value beta = layer.elementwise(
      logit, [](ScalarBuilder &s, ValueRange v) { return s.sigmoid(v[0]); });
  return layer.update({received, own, beta}, {}, "f, f, -> f",
                      [](ScalarBuilder &s, ValueRange v) {
                        Value rest = s.sub(s.constant(1), v[2]);
                        return s.add(s.mul(v[2], v[1]), s.mul(rest, v[0]));
                      });
}

static Value buildTransformerConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()) ||
      failed(layer.checkEdgeAttributes()))
    return {};
  int64_t heads = layer.getSize("heads"), width = layer.getSize("out_channels");
  bool hasBias = layer.getBoolean("bias");
  auto transform = [&](Value rows, StringRef name) {
    return layer.linear(rows, name, heads * width, hasBias);
  };
  // Scaling N queries is less work than scaling E scores.
  Value query = layer.splitHeads(
      layer.scale(transform(layer.getDestinations(), "lin_query"),
                  1 / std::sqrt(double(width))),
      heads);
  Value key = layer.splitHeads(transform(layer.getSources(), "lin_key"), heads);
  Value value =
      layer.splitHeads(transform(layer.getSources(), "lin_value"), heads);

  Value graph = layer.getGraph(), edges;
  EdgeOperands operands;
  operands.dst = {query};
  operands.src = {key};
  if (layer.getEdgeValues()) {
    edges = layer.edgeLinear(graph, layer.getEdgeValues(), "lin_edge", heads,
                             width);
    operands.edge = {edges};
  }
  Value scores = layer.message(
      graph, operands, edges ? "hf, hf, hf -> h" : "hf, hf -> h",
      [](ScalarBuilder &s, ValueRange v) {
        return s.mul(v[0], v.size() == 2 ? v[1] : s.add(v[1], v[2]));
      });
  Value received = joinHeads(layer, attend(layer, graph, scores, value, edges));

  if (!layer.getBoolean("root_weight")) {
    // PyTorch Geometric has this layer in the state_dict all the same.
    layer.ignoreWeight("lin_skip.weight");
    layer.ignoreWeight("lin_skip.bias");
    return received;
  }
  Value own = layer.linear(layer.getDestinations(), "lin_skip",
                           getNumChannels(received), hasBias);
  return layer.getBoolean("beta") ? gate(layer, received, own)
                                  : layer.add(received, own);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// What GATConv and GATv2Conv take, the latter with one more.
static SmallVector<Argument> getGATArguments(bool canShareWeights) {
  using Kind = ArgumentKind;
  SmallVector<Argument> arguments{{"in_channels", Kind::Channels},
                                  {"out_channels", Kind::Size},
                                  {"heads", Kind::Size, "1"},
                                  {"concat", Kind::Boolean, "true"},
                                  {"negative_slope", Kind::Number, "0.2"},
                                  {"dropout", Kind::Ignored, "0.0"},
                                  {"add_self_loops", Kind::Boolean, "true"},
                                  {"edge_dim", Kind::Size, "null"},
                                  {"fill_value",
                                   Kind::NumberOrChoice,
                                   "mean",
                                   {"mean", "add", "sum", "max", "min", "mul"}},
                                  {"bias", Kind::Boolean, "true"}};
  if (canShareWeights)
    arguments.push_back({"share_weights", Kind::Boolean, "false"});
  arguments.push_back({"residual", Kind::Boolean, "false"});
  return arguments;
}

std::vector<LayerSpec> gnn::frontend::getAttentionLayers() {
  using Kind = ArgumentKind;
  return {
      {"GATConv", buildGATConv, Reads::Graph, EdgeInput::Attributes,
       getGATArguments(/*canShareWeights=*/false)},
      {"GATv2Conv", buildGATv2Conv, Reads::Graph, EdgeInput::Attributes,
       getGATArguments(/*canShareWeights=*/true)},
      {"GATEConv",
       buildGATEConv,
       Reads::SquareGraph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"edge_dim", Kind::Size},
        {"dropout", Kind::Ignored, "0.0"}}},
      {"TransformerConv",
       buildTransformerConv,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"heads", Kind::Size, "1"},
        {"concat", Kind::Boolean, "true"},
        {"beta", Kind::Boolean, "false"},
        {"dropout", Kind::Ignored, "0.0"},
        {"edge_dim", Kind::Size, "null"},
        {"bias", Kind::Boolean, "true"},
        {"root_weight", Kind::Boolean, "true"}}},
  };
}
