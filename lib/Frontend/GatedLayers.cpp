//===- GatedLayers.cpp - Convolutions with gates ----------------*- C++ -*-===//
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
// GatedGraphConv
//===----------------------------------------------------------------------===//

namespace {
/// The weights of a torch.nn.GRUCell: one linear layer each for reset gate,
/// update gate and new rows, of what comes in and of what is there.
class GRUCell {
public:
  GRUCell(LayerBuilder &layer, StringRef name, int64_t width, bool hasBias)
      : layer(layer), name(name), width(width) {
    for (auto [i, side] : llvm::enumerate(sides)) {
      weights[i] =
          layer.readWeight(getName("weight", side), {3 * width, width});
      if (hasBias)
        biases[i] = layer.readWeight(getName("bias", side), {3 * width});
    }
  }

  Value apply(Value input, Value hidden) const {
    // Sums of what both say about reset and update; new rows are reset between.
    SmallVector<Value> node;
    for (int64_t gate = 0; gate < 3; ++gate) {
      node.push_back(linear(input, 0, gate));
      node.push_back(linear(hidden, 1, gate));
    }
    node.push_back(hidden);
    return layer.elementwise(node, [](ScalarBuilder &s, ValueRange v) {
      Value reset = s.sigmoid(s.add(v[0], v[1]));
      Value update = s.sigmoid(s.add(v[2], v[3]));
      Value fresh = s.tanh(s.add(v[4], s.mul(reset, v[5])));
      return s.add(s.mul(s.sub(s.constant(1), update), fresh),
                   s.mul(update, v[6]));
    });
  }

private:
  std::string getName(StringRef kind, StringRef side) const {
    return (name + "." + kind + "_" + side).str();
  }

  Value linear(Value rows, int64_t side, int64_t gate) const {
    std::string number = "." + std::to_string(gate);
    std::vector<float> part;
    ArrayRef<float> all = weights[side];
    for (int64_t i = 0, e = all.size() / 3; i < e; ++i)
      part.push_back(all[(gate * width + i % width) * width + i / width]);
    Value result = layer.matmul(
        rows, layer.constant(getName("weight", sides[side]) + number, part,
                             {width, width}));
    ArrayRef<float> bias = biases[side];
    if (bias.empty())
      return result;
    return layer.addUniform(
        result, layer.constant(getName("bias", sides[side]) + number,
                               bias.slice(gate * width, width), {width}));
  }

  /// What comes in and what is there.
  static constexpr const char *sides[] = {"ih", "hh"};

  LayerBuilder &layer;
  StringRef name;
  int64_t width;
  std::vector<float> weights[2], biases[2];
};
} // namespace

static Value buildGatedGraphConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value rows = layer.getInput();
  int64_t in = getNumChannels(rows), out = layer.getSize("out_channels"),
          count = layer.getSize("num_layers");
  if (in > out) {
    (void)layer.argumentError(
        "out_channels", layer.describe() + " reads rows with " + Twine(in) +
                            " channels, which must not be more than its "
                            "out_channels, " +
                            Twine(out));
    return {};
  }
  if (in < out)
    rows =
        layer.concat({rows, layer.filled(layer.getNumRows(rows), out - in, 0)});
  auto weights = layer.readWeight("weight", {count, out, out});
  GRUCell cell(layer, "rnn", out, layer.getBoolean("bias"));
  Aggregator aggregator = layer.getAggregators("aggr").front();
  for (int64_t i = 0; i < count; ++i) {
    ArrayRef<float> weight(weights);
    weight = weight.slice(i * (weight.size() / count), weight.size() / count);
    Value sent =
        layer.matmul(rows, layer.constant("weight." + std::to_string(i), weight,
                                          {out, out}));
    Value messages =
        sendRows(layer, layer.getGraph(), sent, layer.getEdgeValues());
    rows = cell.apply(layer.aggregate(aggregator, layer.getGraph(), messages),
                      rows);
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// ResGatedGraphConv
//===----------------------------------------------------------------------===//

static Value buildResGatedGraphConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()) ||
      failed(layer.checkEdgeAttributes()))
    return {};
  Value graph = layer.getGraph(), edges = layer.getEdgeValues();
  int64_t out = layer.getSize("out_channels");
  Activation activation = getActivation(layer, "act");
  EdgeOperands operands;
  // Attributes stand behind the row that each linear layer reads.
  auto add = [&](SmallVector<Value> &side, Value rows, StringRef name) {
    SmallVector<int64_t> widths{getNumChannels(rows)};
    if (edges)
      widths.push_back(layer.getSize("edge_dim"));
    SplitLinear linear(layer, name, out, widths);
    side.push_back(layer.addUniform(
        linear.apply(rows, 0), layer.weight((name + ".bias").str(), {out})));
    if (edges)
      operands.edge.push_back(linear.applyToEdges(graph, edges, 1));
  };
  add(operands.dst, layer.getDestinations(), "lin_key");
  add(operands.src, layer.getSources(), "lin_query");
  add(operands.src, layer.getSources(), "lin_value");
  Value messages = layer.message(
      graph, operands, edges ? "f, f, f, f, f, f -> f" : "f, f, f -> f",
      [&](ScalarBuilder &s, ValueRange v) {
        Value key = v[0], query = v[1], value = v[2];
        if (v.size() == 6) {
          key = s.add(key, v[3]);
          query = s.add(query, v[4]);
          value = s.add(value, v[5]);
        }
        return s.mul(activation.apply(s, s.add(key, query)), value);
      });
  Value result = layer.aggregate(Aggregator::Sum, graph, messages);
  if (layer.getBoolean("root_weight"))
    result = layer.add(result, layer.linear(layer.getDestinations(), "lin_skip",
                                            out, /*hasBias=*/false));
  return addBias(layer, result);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getGatedLayers() {
  using Kind = ArgumentKind;
  const SmallVector<StringRef> activations(getActivationNames());
  const SmallVector<StringRef> aggregators(getAggregatorNames());
  return {
      {"GatedGraphConv",
       buildGatedGraphConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"out_channels", Kind::Size},
        {"num_layers", Kind::Repeats},
        {"aggr", Kind::Choice, "add", aggregators},
        {"bias", Kind::Boolean, "true"}}},
      {"ResGatedGraphConv",
       buildResGatedGraphConv,
       Reads::Graph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"act", Kind::Choice, "sigmoid", activations},
        {"edge_dim", Kind::Size, "null"},
        {"root_weight", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
  };
}
