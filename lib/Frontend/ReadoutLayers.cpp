//===- ReadoutLayers.cpp - Rows of graphs by attention ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pooling with learned weights: each graph of the batch attends to its nodes.
//
//===----------------------------------------------------------------------===//

#include "RecurrentCells.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// The sum of each graph's rows, weighted by the softmax of `scores`: values of
/// the edges from nodes to their graphs, one for each or one for each channel.
static Value weigh(LayerBuilder &layer, Value scores, Value rows) {
  Value batch = layer.getBatch();
  auto type = cast<EdgesType>(scores.getType());
  EdgeOperands operands;
  operands.src = {rows};
  operands.edge = {EdgeSoftmaxOp::create(layer.getBuilder(), layer.getLoc(),
                                         type, batch, scores)};
  Value messages = layer.message(
      batch, operands, type.getShape().empty() ? "f, -> f" : "f, f -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  return layer.aggregate(Aggregator::Sum, batch, messages);
}

/// The name of a network in the state_dict. PyTorch Geometric's own MLP, whose
/// layers have names, goes by another one.
static StringRef getNetworkName(LayerBuilder &layer, StringRef argument,
                                StringRef ofMLP) {
  bool isMLP = llvm::any_of(layer.getArgument(argument).elements,
                            [](const Node &node) { return node.find("name"); });
  return isMLP ? ofMLP : argument;
}

/// Li et al. 2019 (Graph Matching Networks).
static Value buildAttentionalAggregation(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value gate = layer.sequential("gate_nn", layer.getInput(),
                                getNetworkName(layer, "gate_nn", "gate_mlp"));
  if (!gate)
    return {};
  Value rows = layer.getInput();
  if (!layer.isNull("nn"))
    rows = layer.sequential("nn", rows, getNetworkName(layer, "nn", "mlp"));
  if (!rows)
    return {};
  int64_t width = getNumChannels(gate);
  if (width != 1 && width != getNumChannels(rows)) {
    (void)layer.argumentError(
        "gate_nn", "'gate_nn' of " + layer.describe() +
                       " must yield 1 channel or as many as are weighed, " +
                       Twine(getNumChannels(rows)) + ", got " + Twine(width));
    return {};
  }
  EdgeOperands operands;
  operands.src = {gate};
  // One channel is the sum over itself.
  Value scores =
      layer.message(layer.getBatch(), operands, width == 1 ? "c -> " : "f -> f",
                    [](ScalarBuilder &, ValueRange v) { return v[0]; });
  return weigh(layer, scores, rows);
}

/// Vinyals et al. 2016: an LSTM asks for rows like its own, and reads what it
/// gets.
static Value buildSet2Set(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  int64_t width = layer.getSize("in_channels");
  Value rows = layer.getInput(), batch = layer.getBatch(), result;
  RecurrentWeights weights(layer, "lstm.", /*gates=*/4, {2 * width, width},
                           layer.getBoolean("bias"));
  LSTMState state;
  for (int64_t i = 0, e = layer.getSize("processing_steps"); i < e; ++i) {
    state = i == 0 ? startLSTM(layer, weights,
                               getDegree(layer, batch, NodeSide::Destination))
                   : stepLSTM(layer, weights, result, state);
    EdgeOperands operands;
    operands.dst = {state.hidden};
    operands.src = {rows};
    Value scores = layer.message(
        batch, operands, "f, f -> ",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
    result = layer.concat({state.hidden, weigh(layer, scores, rows)});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getReadoutLayers() {
  using Kind = ArgumentKind;
  return {
      {"AttentionalAggregation",
       buildAttentionalAggregation,
       Reads::Batch,
       EdgeInput::None,
       {{"gate_nn", Kind::Layers}, {"nn", Kind::Layers, "null"}}},
      {"Set2Set",
       buildSet2Set,
       Reads::Batch,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"processing_steps", Kind::Repeats},
        {"bias", Kind::Boolean, "true"}}},
  };
}
