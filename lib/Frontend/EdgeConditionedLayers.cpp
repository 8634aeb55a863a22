//===- EdgeConditionedLayers.cpp - Networks on edges ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions whose messages are computed by a network of the edge: from its
// attributes, from its two ends, or from both.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// Messages at their destinations, side by side for several aggregators.
static Value aggregateAll(LayerBuilder &layer, Value graph, Value messages) {
  return layer.concat(
      layer.aggregate(layer.getAggregators("aggr"), graph, messages));
}

//===----------------------------------------------------------------------===//
// GINEConv
//===----------------------------------------------------------------------===//

/// Makes attributes of edges operands of a message that adds them to rows of
/// `width`: by the linear layer `name`, or as they are, which must be as wide.
static LogicalResult addEdgeTerms(LayerBuilder &layer, Value edges,
                                  int64_t width, bool isLinear, StringRef name,
                                  bool hasBias, EdgeOperands &operands,
                                  std::string &subscripts) {
  subscripts += ", f";
  if (!isLinear) {
    ArrayRef<int64_t> shape = cast<EdgesType>(edges.getType()).getShape();
    if (shape != ArrayRef<int64_t>(width)) {
      layer.error(layer.describe() + " adds an edge_attr of shape " +
                  formatShape(shape) + " to rows with " + Twine(width) +
                  " channels; give its width as 'edge_dim' to have it "
                  "transformed");
      return failure();
    }
    operands.edge = {edges};
    return success();
  }
  SplitLinear linear(layer, name, width, layer.getSize("edge_dim"));
  operands.edge = {linear.applyToEdges(layer.getGraph(), edges, 0)};
  if (hasBias) {
    operands.uniform = {layer.weight((name + ".bias").str(), {width})};
    subscripts += ", f";
  }
  return success();
}

static Value buildGINEConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value sources = layer.getSources();
  int64_t width = getNumChannels(sources);
  Value edges = layer.getEdgeValues();
  if (!edges)
    return layer.error(layer.describe() +
                       " adds edge attributes to rows and needs 'edge_attr: "
                       "NAME'");
  EdgeOperands operands;
  operands.src = {sources};
  std::string subscripts = "f";
  bool isLinear = !layer.isNull("edge_dim");
  if ((isLinear && failed(layer.checkEdgeAttributes())) ||
      failed(addEdgeTerms(layer, edges, width, isLinear, "lin",
                          /*hasBias=*/true, operands, subscripts)))
    return {};
  Value messages =
      layer.message(layer.getGraph(), operands, subscripts + " -> f",
                    [](ScalarBuilder &s, ValueRange v) {
                      Value edge = v.size() == 3 ? s.add(v[1], v[2]) : v[1];
                      return s.relu(s.add(v[0], edge));
                    });
  return finishGIN(layer, messages);
}

//===----------------------------------------------------------------------===//
// GENConv
//===----------------------------------------------------------------------===//

/// ReLU of rows of sources and attributes of edges, and a little more than
/// that.
static Value sendPositive(LayerBuilder &layer, Value sources, int64_t width) {
  EdgeOperands operands;
  operands.src = {sources};
  std::string subscripts = "f";
  bool hasWidth = !layer.isNull("edge_dim");
  if (hasWidth && failed(layer.checkEdgeAttributes()))
    return {};
  bool isLinear = hasWidth && layer.getSize("edge_dim") != width;
  Value edges = layer.getEdgeValues();
  if (edges &&
      failed(addEdgeTerms(layer, edges, width, isLinear, "lin_edge",
                          layer.getBoolean("bias"), operands, subscripts)))
    return {};
  double epsilon = layer.getNumber("eps");
  return layer.message(layer.getGraph(), operands, subscripts + " -> f",
                       [&](ScalarBuilder &s, ValueRange v) {
                         Value sum = v[0];
                         for (Value term : v.drop_front())
                           sum = s.add(sum, term);
                         return s.add(s.relu(sum), s.constant(epsilon));
                       });
}

/// The mean of messages by the softmax, for each channel, of `t` times these.
static Value averageBySoftmax(LayerBuilder &layer, Value messages) {
  double t = layer.getNumber("t");
  if (layer.getBoolean("learn_t"))
    t = layer.readNumber("aggr_module.t");
  Value graph = layer.getGraph();
  EdgeOperands operands;
  operands.edge = {messages};
  Value scores = layer.message(graph, operands, "f -> f",
                               [&](ScalarBuilder &s, ValueRange v) {
                                 return s.mul(v[0], s.constant(t));
                               });
  Value weights = EdgeSoftmaxOp::create(layer.getBuilder(), layer.getLoc(),
                                        scores.getType(), graph, scores);
  operands.edge = {messages, weights};
  return layer.aggregate(Aggregator::Sum, graph,
                         layer.message(graph, operands, "f, f -> f",
                                       [](ScalarBuilder &s, ValueRange v) {
                                         return s.mul(v[0], v[1]);
                                       }));
}

/// Linear layers with a norm and a ReLU between them, by the places that these
/// and a Dropout have in PyTorch Geometric's Sequential.
static Value applyNetwork(LayerBuilder &layer, Value rows, int64_t width) {
  bool hasNorm = !layer.isNull("norm");
  int64_t place = 0;
  for (int64_t i = 1, e = layer.getSize("num_layers"); i <= e; ++i) {
    bool isLast = i == e;
    rows = layer.linear(rows, ("mlp." + Twine(place)).str(),
                        isLast ? width : width * layer.getSize("expansion"),
                        layer.getBoolean("bias"));
    if (isLast)
      break;
    std::string norm = ("mlp." + Twine(place + 1) + ".").str();
    if (hasNorm && layer.getChoice("norm") == "batch")
      rows = normalizeBatch(layer, rows, norm, /*eps=*/1e-5,
                            /*isAffine=*/true);
    else if (hasNorm)
      rows =
          layer.layerNorm(rows, /*eps=*/1e-5, norm + "weight", norm + "bias");
    rows = relu(layer, rows);
    place += hasNorm ? 4 : 3;
  }
  return rows;
}

/// Li et al. 2020 (DeeperGCN).
static Value buildGENConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()))
    return {};
  int64_t out = layer.getSize("out_channels");
  auto widen = [&](Value rows, StringRef name) {
    return getNumChannels(rows) == out
               ? rows
               : layer.linear(rows, name, out, layer.getBoolean("bias"));
  };
  Value destinations = layer.getDestinations();
  Value messages =
      sendPositive(layer, widen(layer.getSources(), "lin_src"), out);
  if (!messages)
    return {};
  StringRef aggregator = layer.getChoice("aggr");
  Value received = aggregator.starts_with("softmax")
                       ? averageBySoftmax(layer, messages)
                       : layer.aggregate(layer.getAggregators("aggr").front(),
                                         layer.getGraph(), messages);
  if (layer.getBoolean("msg_norm"))
    received =
        normalizeMessages(layer, destinations, received, "msg_norm.scale");
  return applyNetwork(layer,
                      layer.add(received, widen(destinations, "lin_dst")), out);
}

//===----------------------------------------------------------------------===//
// EdgeConv
//===----------------------------------------------------------------------===//

Value gnn::frontend::convolveEdges(LayerBuilder &layer, Value graph) {
  EdgeOperands operands;
  operands.dst = {layer.getDestinations()};
  Value own = layer.message(graph, operands, "f -> f",
                            [](ScalarBuilder &, ValueRange v) { return v[0]; });
  Value difference = sendDifferences(layer, graph, layer.getSources(),
                                     layer.getDestinations());
  Value messages = sequentialOnEdges(layer, graph, "nn", {own, difference});
  return messages ? aggregateAll(layer, graph, messages) : Value();
}

static Value buildEdgeConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkEqualRows(
          "subtracts rows of destinations from those of sources")))
    return {};
  return convolveEdges(layer, layer.getGraph());
}

//===----------------------------------------------------------------------===//
// NNConv
//===----------------------------------------------------------------------===//

static Value buildNNConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()))
    return {};
  if (!layer.getEdgeValues())
    return layer.error(layer.describe() +
                       " computes weights from edge attributes and needs "
                       "'edge_attr: NAME'");
  int64_t in = getNumChannels(layer.getSources()),
          out = layer.getSize("out_channels");
  Value weights = sequentialOnEdges(layer, layer.getGraph(), "nn",
                                    layer.getEdgeValues(), {in, out});
  if (!weights)
    return {};
  EdgeOperands operands;
  operands.src = {layer.getSources()};
  operands.edge = {weights};
  Value messages = layer.message(
      layer.getGraph(), operands, "i, io -> o",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Value result = aggregateAll(layer, layer.getGraph(), messages);
  if (layer.getBoolean("root_weight"))
    result = layer.add(result, layer.linear(layer.getDestinations(), "lin", out,
                                            /*hasBias=*/false));
  return addBias(layer, result);
}

//===----------------------------------------------------------------------===//
// GMMConv
//===----------------------------------------------------------------------===//

/// The sum over dimensions of -(edge - mu)^2 / 2 sigma^2, one of each kernel;
/// `kernels` are the letters of these, and their shape.
static Value measureDistances(LayerBuilder &layer, Value edges,
                              const std::string &kernels,
                              ArrayRef<int64_t> shape) {
  int64_t dim = layer.getSize("dim");
  SmallVector<int64_t> stored(shape);
  stored.push_back(dim);
  std::vector<float> factors = layer.readWeight("sigma", stored);
  for (float &value : factors)
    value = -0.5 / (1e-15 + double(value) * value);
  // One number per edge counts as one channel.
  bool hasChannels = !cast<EdgesType>(edges.getType()).getShape().empty();
  ArrayRef<int64_t> as = hasChannels ? ArrayRef<int64_t>(stored) : shape;
  EdgeOperands operands;
  operands.edge = {edges};
  operands.uniform = {layer.weight("mu", stored, as),
                      layer.constant("sigma", factors, as)};
  std::string d = hasChannels ? "d" : "", all = kernels + d;
  return layer.message(layer.getGraph(), operands,
                       d + ", " + all + ", " + all + " -> " + kernels,
                       [](ScalarBuilder &s, ValueRange v) {
                         Value distance = s.sub(v[0], v[1]);
                         return s.mul(s.mul(distance, distance), v[2]);
                       });
}

static Value buildGMMConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()) ||
      failed(layer.checkEdgeAttributes("dim")))
    return {};
  Value graph = layer.getGraph(), edges = layer.getEdgeValues();
  int64_t in = getNumChannels(layer.getSources()),
          out = layer.getSize("out_channels"),
          kernels = layer.getSize("kernel_size");
  Value messages;
  EdgeOperands operands;
  if (layer.getBoolean("separate_gaussians")) {
    SmallVector<int64_t> shape{in, out, kernels};
    operands.src = {layer.getSources()};
    operands.edge = {measureDistances(layer, edges, "iok", shape)};
    operands.uniform = {layer.weight("g", {in, out * kernels}, shape)};
    // Weights of an edge first: each is used by one message only.
    EdgeOperands weighting;
    weighting.edge = operands.edge;
    weighting.uniform = operands.uniform;
    operands.edge = {layer.message(graph, weighting, "iok, iok -> io",
                                   [](ScalarBuilder &s, ValueRange v) {
                                     return s.mul(s.exp(v[0]), v[1]);
                                   })};
    operands.uniform.clear();
    messages = layer.message(
        graph, operands, "i, io -> o",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  } else {
    Value weight = layer.weight("g", {in, out * kernels});
    operands.src = {
        layer.splitHeads(layer.matmul(layer.getSources(), weight), kernels)};
    Value distances = measureDistances(layer, edges, "k", kernels);
    EdgeOperands gaussian;
    gaussian.edge = {distances};
    operands.edge = {layer.message(
        graph, gaussian, "k -> k",
        [](ScalarBuilder &s, ValueRange v) { return s.exp(v[0]); })};
    messages = layer.message(
        graph, operands, "ko, k -> o",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  }
  Value result = aggregateAll(layer, layer.getGraph(), messages);
  if (layer.getBoolean("root_weight"))
    result = layer.add(result, layer.linear(layer.getDestinations(), "root",
                                            out, /*hasBias=*/false));
  return addBias(layer, result);
}

//===----------------------------------------------------------------------===//
// CGConv
//===----------------------------------------------------------------------===//

static Value buildCGConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels("channels")) ||
      failed(layer.checkEdgeAttributes("dim")))
    return {};
  Value graph = layer.getGraph(), edges = layer.getEdgeValues();
  int64_t out = getNumChannels(layer.getDestinations());
  // The linear layers read [destination, source, edge] side by side.
  EdgeOperands operands;
  for (StringRef name : {"lin_f", "lin_s"}) {
    SplitLinear linear(
        layer, name, out,
        {out, getNumChannels(layer.getSources()), layer.getSize("dim")});
    operands.dst.push_back(linear.apply(layer.getDestinations(), 0));
    if (layer.getBoolean("bias"))
      operands.dst.back() = layer.addUniform(
          operands.dst.back(), layer.weight((name + ".bias").str(), {out}));
    operands.src.push_back(linear.apply(layer.getSources(), 1));
    if (edges)
      operands.edge.push_back(linear.applyToEdges(graph, edges, 2));
  }
  Value messages = layer.message(
      graph, operands, edges ? "f, f, f, f, f, f -> f" : "f, f, f, f -> f",
      [](ScalarBuilder &s, ValueRange v) {
        Value gate = s.add(v[0], v[2]), core = s.add(v[1], v[3]);
        if (v.size() == 6) {
          gate = s.add(gate, v[4]);
          core = s.add(core, v[5]);
        }
        return s.mul(s.sigmoid(gate), s.softplus(core));
      });
  Value result =
      layer.aggregate(layer.getAggregators("aggr").front(), graph, messages);
  if (layer.getBoolean("batch_norm"))
    result = normalizeBatch(layer, result, "bn.", /*eps=*/1e-5,
                            /*isAffine=*/true);
  return layer.add(result, layer.getDestinations());
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getEdgeConditionedLayers() {
  using Kind = ArgumentKind;
  const SmallVector<StringRef> aggregators(getAggregatorNames());
  return {
      {"GINEConv",
       buildGINEConv,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"nn", Kind::Layers},
        {"eps", Kind::Number, "0.0"},
        {"train_eps", Kind::Boolean, "false"},
        {"edge_dim", Kind::Size, "null"}}},
      {"GENConv",
       buildGENConv,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"aggr",
         Kind::Choice,
         "softmax",
         {"softmax", "softmax_sg", "add", "sum", "mean", "max", "min"}},
        {"t", Kind::Number, "1.0"},
        {"learn_t", Kind::Boolean, "false"},
        {"msg_norm", Kind::Boolean, "false"},
        {"learn_msg_scale", Kind::Ignored, "false"},
        {"norm", Kind::ChoiceOrNull, "batch", {"batch", "layer"}},
        {"num_layers", Kind::Repeats, "2"},
        {"expansion", Kind::Size, "2"},
        {"eps", Kind::Number, "1e-7"},
        {"bias", Kind::Boolean, "false"},
        {"edge_dim", Kind::Size, "null"}}},
      {"EdgeConv",
       buildEdgeConv,
       Reads::Graph,
       EdgeInput::None,
       {{"nn", Kind::Layers}, {"aggr", Kind::Choices, "max", aggregators}}},
      {"NNConv",
       buildNNConv,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"nn", Kind::Layers},
        {"aggr", Kind::Choice, "add", aggregators},
        {"root_weight", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"GMMConv",
       buildGMMConv,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"dim", Kind::Size},
        {"kernel_size", Kind::Size},
        {"separate_gaussians", Kind::Boolean, "false"},
        {"aggr", Kind::Choice, "mean", aggregators},
        {"root_weight", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"CGConv",
       buildCGConv,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"channels", Kind::Channels},
        {"dim", Kind::Count, "0"},
        {"aggr", Kind::Choice, "add", aggregators},
        {"batch_norm", Kind::Boolean, "false"},
        {"bias", Kind::Boolean, "true"}}},
  };
}
