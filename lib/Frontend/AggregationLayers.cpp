//===- AggregationLayers.cpp - Choices of how to aggregate ------*- C++ -*-===//
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

//===----------------------------------------------------------------------===//
// GeneralConv
//===----------------------------------------------------------------------===//

namespace {
/// The messages of a GeneralConv: sums of what the operands hold for an edge.
struct GeneralMessages {
  EdgeOperands operands;
  /// `hf` for each operand.
  std::string subscripts;

  Value add(ScalarBuilder &s, ValueRange v) const {
    Value sum = v[0];
    for (Value part : v.slice(1, getNumOperands() - 1))
      sum = s.add(sum, part);
    return sum;
  }
  size_t getNumOperands() const {
    return operands.dst.size() + operands.src.size() + operands.edge.size();
  }
};
} // namespace

/// The weights of messages within their neighbourhood, by a product with a
/// learned vector.
static Value scoreByVector(LayerBuilder &layer,
                           const GeneralMessages &messages) {
  int64_t heads = layer.getSize("heads"), out = layer.getSize("out_channels");
  EdgeOperands operands = messages.operands;
  operands.uniform = {layer.weight("att_msg", {1, heads, out}, {heads, out})};
  return layer.message(layer.getGraph(), operands,
                       messages.subscripts + ", hf -> h",
                       [&](ScalarBuilder &s, ValueRange v) {
                         return s.mul(messages.add(s, v), v.back());
                       });
}

/// The same by a product with the message in the other direction, where sources
/// and destinations change places. `back` are its dst and src operands.
static Value scoreByReverse(LayerBuilder &layer,
                            const GeneralMessages &messages,
                            const EdgeOperands &back) {
  EdgeOperands operands = messages.operands;
  size_t numDst = operands.dst.size(), numBackDst = back.dst.size(),
         numSrc = operands.src.size(), numBackSrc = back.src.size();
  operands.dst.append(back.dst);
  operands.src.append(back.src);
  std::string subscripts = messages.subscripts;
  for (size_t i = 0; i < numBackDst + numBackSrc; ++i)
    subscripts += ", hf";
  std::vector<float> stored = layer.readWeight("scaler", {});
  double scale = stored.empty() ? 1 : 1 / double(stored.front());
  return layer.message(layer.getGraph(), operands, subscripts + " -> h",
                       [&](ScalarBuilder &s, ValueRange v) {
                         Value forth, other;
                         for (auto [i, part] : llvm::enumerate(v)) {
                           size_t j = i - numDst - numBackDst;
                           bool isDst = i < numDst + numBackDst;
                           bool isEdge = !isDst && j >= numSrc + numBackSrc;
                           bool isForth = isDst ? i < numDst : j < numSrc;
                           if (isForth || isEdge)
                             forth = forth ? s.add(forth, part) : part;
                           if (!isForth || isEdge)
                             other = other ? s.add(other, part) : part;
                         }
                         return s.mul(s.mul(forth, other), s.constant(scale));
                       });
}

static Value buildGeneralConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()) ||
      failed(layer.checkEdgeAttributes("in_edge_channels")))
    return {};
  Value graph = layer.getGraph(), sources = layer.getSources(),
        destinations = layer.getDestinations(), edges = layer.getEdgeValues();
  int64_t heads = layer.getSize("heads"), out = layer.getSize("out_channels");
  bool hasBias = layer.getBoolean("bias");
  bool isDirected = layer.getBoolean("directed_msg");
  bool attends = layer.getBoolean("attention");
  bool isProduct =
      attends && layer.getChoice("attention_type") == "dot_product";
  if ((!isDirected || isProduct) &&
      getNumChannels(sources) != getNumChannels(destinations))
    return layer.error(layer.describe() +
                       " transforms rows of sources and of destinations by one "
                       "weight; both must have one and the same number of "
                       "channels");

  auto transform = [&](Value rows, StringRef name) {
    Value result = layer.linear(rows, name, heads * out, hasBias);
    // Adding this bias to nodes is less work than adding it to edges.
    if (edges && hasBias && name == "lin_msg")
      result = layer.addUniform(result,
                                layer.weight("lin_edge.bias", {heads * out}));
    return layer.splitHeads(result, heads);
  };
  GeneralMessages parts;
  parts.operands.src = {transform(sources, "lin_msg")};
  if (!isDirected)
    parts.operands.dst = {transform(destinations, "lin_msg_i")};
  if (edges)
    parts.operands.edge = {
        layer.edgeLinear(graph, edges, "lin_edge", heads, out)};
  parts.subscripts = "hf";
  for (size_t i = 1; i < parts.getNumOperands(); ++i)
    parts.subscripts += ", hf";

  Value messages;
  if (attends) {
    Value scores;
    if (isProduct) {
      EdgeOperands back;
      back.dst = {transform(destinations, "lin_msg")};
      if (!isDirected)
        back.src = {transform(sources, "lin_msg_i")};
      scores = scoreByReverse(layer, parts, back);
    } else {
      scores = scoreByVector(layer, parts);
    }
    EdgeOperands operands;
    operands.edge = {scores};
    scores = layer.message(
        graph, operands, "h -> h",
        [](ScalarBuilder &s, ValueRange v) { return s.leakyReLU(v[0], 0.2); });
    Value weights = EdgeSoftmaxOp::create(layer.getBuilder(), layer.getLoc(),
                                          scores.getType(), graph, scores);
    operands = parts.operands;
    operands.edge.push_back(weights);
    messages = layer.message(graph, operands, parts.subscripts + ", h -> hf",
                             [&](ScalarBuilder &s, ValueRange v) {
                               return s.mul(parts.add(s, v), v.back());
                             });
  } else {
    messages = layer.message(
        graph, parts.operands, parts.subscripts + " -> hf",
        [&](ScalarBuilder &s, ValueRange v) { return parts.add(s, v); });
  }
  Value result = layer.meanOverHeads(
      layer.aggregate(layer.getAggregators("aggr").front(), graph, messages));

  // The row itself, unless it has another width or `in_channels` is a pair,
  // which no width equals.
  const Node &channels = layer.getArgument("in_channels");
  Value own = destinations;
  if (layer.getBoolean("skip_linear") || !channels.isScalar() ||
      channels.getInteger() != out)
    own = layer.linear(destinations, "lin_self", out, hasBias);
  result = layer.add(result, own);
  return layer.getBoolean("l2_normalize") ? normalizeRows(layer, result)
                                          : result;
}

//===----------------------------------------------------------------------===//
// PNAConv
//===----------------------------------------------------------------------===//

namespace {
/// Several networks side by side, each on its own slice of the rows or on all
/// of the row: first a linear layer on several values, then activations and
/// linear layers.
class Towers {
public:
  /// Networks `name`.0, `name`.1, ... that read values of the given widths and
  /// compute `out` channels.
  Towers(LayerBuilder &layer, StringRef name, ArrayRef<int64_t> widths,
         int64_t out)
      : layer(layer), name(name), widths(widths), out(out),
        count(layer.getSize("towers")) {
    for (int64_t i = 0; i < count; ++i)
      first.emplace_back(layer, getName(i, 0), out, widths);
  }

  /// The part of the first linear layer on rows [n, width], the same for all
  /// towers, or [n, towers, width].
  Value apply(Value rows, size_t part) const {
    std::string constant = getConstantName(0) + "." + std::to_string(part);
    if (getRowShape(rows).size() == 2)
      return stackedLinear(
          layer, rows,
          layer.constant(constant, stack(part), {count, widths[part], out}));
    Value weight =
        layer.constant(constant, interleave(part), {widths[part], count * out});
    return layer.splitHeads(layer.matmul(rows, weight), count);
  }

  /// The weights of a part as [width, towers, out]. None if they are faulty.
  std::vector<float> interleave(size_t part) const {
    std::vector<float> result;
    std::vector<float> stacked = stack(part);
    for (int64_t i = 0, e = stacked.empty() ? 0 : widths[part]; i < e; ++i)
      for (int64_t tower = 0; tower < count; ++tower)
        for (int64_t column = 0; column < out; ++column)
          result.push_back(stacked[(tower * widths[part] + i) * out + column]);
    return result;
  }

  /// The biases of linear layer `number`, [towers, out].
  std::vector<float> readBias(int64_t number) const {
    return collect([&](int64_t i) {
      return layer.readWeight(getName(i, number) + ".bias", {out});
    });
  }
  Value getBias(int64_t number) const {
    return layer.constant(getConstantName(number) + ".bias", readBias(number),
                          {count, out});
  }
  /// The weights of a later linear layer, [towers, out, out].
  Value getWeight(int64_t number) const {
    std::vector<float> weights = collect([&](int64_t i) {
      return SplitLinear(layer, getName(i, number), out, out).getPart(0);
    });
    return layer.constant(getConstantName(number), weights, {count, out, out});
  }

private:
  /// Linear layers are every other module of a tower.
  std::string getName(int64_t tower, int64_t number) const {
    return name + "." + std::to_string(tower) + "." +
           std::to_string(2 * number);
  }
  std::string getConstantName(int64_t number) const {
    return name + "." + std::to_string(2 * number);
  }
  /// The weights of a part as [towers, width, out].
  std::vector<float> stack(size_t part) const {
    return collect([&](int64_t i) { return first[i].getPart(part); });
  }
  /// What `get` has for each tower. None if it has none for one of them.
  std::vector<float>
  collect(function_ref<std::vector<float>(int64_t)> get) const {
    std::vector<float> result;
    bool isFaulty = false;
    for (int64_t i = 0; i < count; ++i) {
      std::vector<float> values = get(i);
      isFaulty |= values.empty();
      llvm::append_range(result, values);
    }
    return isFaulty ? std::vector<float>() : result;
  }

  LayerBuilder &layer;
  std::string name;
  SmallVector<int64_t> widths;
  int64_t out, count;
  std::vector<SplitLinear> first;
};
} // namespace

/// Edge attributes through `edge_encoder` and then the last part of the first
/// layer of all towers: together one linear layer. What it adds to every
/// message is added to `bias`.
static Value encodeEdges(LayerBuilder &layer, const Towers &towers,
                         int64_t width, std::vector<float> &bias) {
  int64_t count = layer.getSize("towers"), in = layer.getSize("edge_dim");
  auto encoder = layer.readWeight("edge_encoder.weight", {width, in});
  auto shift = layer.readWeight("edge_encoder.bias", {width});
  std::vector<float> last = towers.interleave(2), combined;
  int64_t columns = count * width;
  if (!encoder.empty() && !shift.empty() && !last.empty() && !bias.empty())
    combined.resize(in * columns);
  for (int64_t column = 0; column < columns && !combined.empty(); ++column) {
    double sum = bias[column];
    for (int64_t k = 0; k < width; ++k)
      sum += double(shift[k]) * last[k * columns + column];
    bias[column] = sum;
    for (int64_t i = 0; i < in; ++i) {
      sum = 0;
      for (int64_t k = 0; k < width; ++k)
        sum += double(encoder[k * in + i]) * last[k * columns + column];
      combined[i * columns + column] = sum;
    }
  }
  return edgeProduct(layer, layer.getGraph(), layer.getEdgeValues(),
                     "edge_encoder.pre_nns", combined, {count, width});
}

/// What a scaler multiplies a node's aggregations with; null for 1.
static Value getScale(LayerBuilder &layer, StringRef scaler, Value degree) {
  if (scaler == "identity")
    return {};
  bool isLog = scaler == "amplification" || scaler == "attenuation";
  bool isInverse = scaler == "attenuation" || scaler == "inverse_linear";
  double average = layer.readNumber(isLog ? "aggr_module.avg_deg_log"
                                          : "aggr_module.avg_deg_lin");
  return layer.elementwise(degree, [&](ScalarBuilder &s, ValueRange v) {
    // A node without edges has nothing to scale, but must not divide by 0.
    Value size = isInverse ? s.max(v[0], s.constant(1)) : v[0];
    if (isLog)
      size = s.log(s.add(size, s.constant(1)));
    return isInverse ? s.div(s.constant(average), size)
                     : s.div(size, s.constant(average));
  });
}

static Value buildPNAConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")) ||
      failed(layer.checkEdgeAttributes()))
    return {};
  int64_t towers = layer.getSize("towers"), in = layer.getSize("in_channels"),
          out = layer.getSize("out_channels");
  bool divides = layer.getBoolean("divide_input");
  for (StringRef argument : {"in_channels", "out_channels"})
    if (layer.getSize(argument) % towers != 0 &&
        (divides || argument == "out_channels")) {
      (void)layer.argumentError(
          "towers", "'towers' of " + layer.describe() + " must divide " +
                        argument + ", " + Twine(layer.getSize(argument)) +
                        ", got " + Twine(towers));
      return {};
    }
  int64_t width = divides ? in / towers : in, outWidth = out / towers;
  Activation activation = getActivation(layer, "act", "act_kwargs");
  Value graph = layer.getGraph(), rows = layer.getInput();
  if (divides)
    rows = layer.splitHeads(rows, towers);

  // Messages: a network of both ends and the edge's attributes.
  SmallVector<int64_t> widths(layer.getEdgeValues() ? 3 : 2, width);
  Towers pre(layer, "pre_nns", widths, width);
  std::vector<float> bias = pre.readBias(0);
  EdgeOperands operands;
  std::string subscripts = "tf, tf, ";
  if (layer.getEdgeValues()) {
    operands.edge = {encodeEdges(layer, pre, width, bias)};
    subscripts += "tf, ";
  }
  auto add = [](ScalarBuilder &s, ValueRange v) {
    Value sum = v[0];
    for (Value part : v.drop_front())
      sum = s.add(sum, part);
    return sum;
  };
  operands.dst = {pre.apply(rows, 0)};
  operands.src = {pre.apply(rows, 1)};
  operands.uniform = {layer.constant("pre_nns.0.bias", bias, {towers, width})};
  Value messages = layer.message(graph, operands, subscripts + "tf -> tf", add);
  for (int64_t i = 1, e = layer.getSize("pre_layers"); i < e; ++i) {
    operands = {};
    operands.edge = {messages};
    operands.edge = {layer.message(graph, operands, "tf -> tf",
                                   [&](ScalarBuilder &s, ValueRange v) {
                                     return activation.apply(s, v[0]);
                                   })};
    operands.uniform = {pre.getWeight(i)};
    operands.edge = {layer.message(
        graph, operands, "tf, tfg -> tg",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); })};
    operands.uniform = {pre.getBias(i)};
    messages = layer.message(graph, operands, "tf, tf -> tf", add);
  }

  // A network of the node and its aggregations, all of them times each scaler:
  // rows are scaled after the linear layer, which makes them narrow.
  SmallVector<Aggregator> aggregators = layer.getAggregators("aggregators");
  SmallVector<StringRef> scalers = layer.getChoices("scalers");
  Value received = layer.concat(layer.aggregate(aggregators, graph, messages));
  widths = {width};
  widths.append(scalers.size(), int64_t(aggregators.size()) * width);
  Towers post(layer, "post_nns", widths, outWidth);
  Value degree = getDegree(layer, graph, NodeSide::Destination);
  // Both averages are in the state_dict, whatever the scalers.
  for (StringRef name : {"avg_deg_log", "avg_deg_lin"})
    layer.ignoreWeight(("aggr_module." + name).str());
  Value result = post.apply(rows, 0);
  for (auto [i, scaler] : llvm::enumerate(scalers)) {
    Value part = post.apply(received, i + 1);
    if (Value scale = getScale(layer, scaler, degree))
      result = layer.update({result, part, scale}, {}, "tf, tf, -> tf",
                            [](ScalarBuilder &s, ValueRange v) {
                              return s.add(v[0], s.mul(v[1], v[2]));
                            });
    else
      result = layer.add(result, part);
  }
  result = layer.update(result, post.getBias(0), "tf, tf -> tf", add);
  for (int64_t i = 1, e = layer.getSize("post_layers"); i < e; ++i) {
    Value active =
        layer.elementwise(result, [&](ScalarBuilder &s, ValueRange v) {
          return activation.apply(s, v[0]);
        });
    result = layer.update(stackedLinear(layer, active, post.getWeight(i)),
                          post.getBias(i), "tf, tf -> tf", add);
  }
  return layer.linear(layer.mergeHeads(result), "lin", out, /*hasBias=*/true);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getAggregationLayers() {
  using Kind = ArgumentKind;
  const SmallVector<StringRef> activations(getActivationNames());
  const SmallVector<StringRef> aggregators(getAggregatorNames());
  return {
      {"GeneralConv",
       buildGeneralConv,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"in_edge_channels", Kind::Size, "null"},
        {"aggr", Kind::Choice, "add", aggregators},
        {"skip_linear", Kind::Boolean, "false"},
        {"directed_msg", Kind::Boolean, "true"},
        {"heads", Kind::Size, "1"},
        {"attention", Kind::Boolean, "false"},
        {"attention_type",
         Kind::Choice,
         "additive",
         {"additive", "dot_product"}},
        {"l2_normalize", Kind::Boolean, "false"},
        {"bias", Kind::Boolean, "true"}}},
      {"PNAConv",
       buildPNAConv,
       Reads::SquareGraph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"aggregators", Kind::Choices, nullptr, aggregators},
        {"scalers",
         Kind::Choices,
         nullptr,
         {"identity", "amplification", "attenuation", "linear",
          "inverse_linear"}},
        {"deg", Kind::Ignored, "null"},
        {"edge_dim", Kind::Size, "null"},
        {"towers", Kind::Size, "1"},
        {"pre_layers", Kind::Repeats, "1"},
        {"post_layers", Kind::Repeats, "1"},
        {"divide_input", Kind::Boolean, "false"},
        {"act", Kind::ChoiceOrNull, "relu", activations},
        {"act_kwargs", Kind::Mapping, "null"},
        {"train_norm", Kind::Ignored, "false"}}},
  };
}
