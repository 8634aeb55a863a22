//===- GatedLayers.cpp - Convolutions with gates ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentCells.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// GatedGraphConv
//===----------------------------------------------------------------------===//

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
  RecurrentWeights cell(layer, "rnn.", /*gates=*/3, {out, out},
                        layer.getBoolean("bias"));
  Aggregator aggregator = layer.getAggregators("aggr").front();
  for (int64_t i = 0; i < count; ++i) {
    ArrayRef<float> weight(weights);
    weight = weight.slice(i * (weight.size() / count), weight.size() / count);
    Value sent =
        layer.matmul(rows, layer.constant("weight." + std::to_string(i), weight,
                                          {out, out}));
    Value messages =
        sendRows(layer, layer.getGraph(), sent, layer.getEdgeValues());
    rows =
        stepGRU(layer, cell,
                layer.aggregate(aggregator, layer.getGraph(), messages), rows);
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// GRUCell
//===----------------------------------------------------------------------===//

static Value buildGRUCell(LayerBuilder &layer) {
  ArrayRef<Features> rows = layer.getInputs();
  if (rows.size() != 2)
    return layer.error(layer.describe() +
                       " reads what comes in and what is there, 'inputs: "
                       "[INPUT, HIDDEN]', got " +
                       Twine(rows.size()) + " values");
  if (failed(layer.checkWidth(rows[0], "input_size",
                              layer.getSize("input_size"))) ||
      failed(layer.checkWidth(rows[1], "hidden_size",
                              layer.getSize("hidden_size"))))
    return {};
  RecurrentWeights weights(
      layer, "", /*gates=*/3,
      {layer.getSize("input_size"), layer.getSize("hidden_size")},
      layer.getBoolean("bias"));
  return stepGRU(layer, weights, rows[0].value, rows[1].value);
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
      {"GRUCell",
       buildGRUCell,
       Reads::SeveralRows,
       EdgeInput::None,
       {{"input_size", Kind::Size},
        {"hidden_size", Kind::Size},
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
