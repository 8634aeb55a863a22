//===- RecurrentCells.cpp - Steps of recurrent networks ---------*- C++ -*-===//
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
// Weights
//===----------------------------------------------------------------------===//

RecurrentWeights::RecurrentWeights(LayerBuilder &layer, StringRef prefix,
                                   int64_t gates, std::array<int64_t, 2> widths,
                                   bool hasBias)
    : layer(layer), prefix(prefix.str()), widths(widths) {
  if (!layer.hasWeight(getName("weight", Input)) &&
      layer.hasWeight(getName("weight", Input) + "_l0"))
    suffix = "_l0";
  int64_t rows = gates * widths[Hidden];
  for (Side side : {Input, Hidden}) {
    weights[side] =
        layer.readWeight(getName("weight", side), {rows, widths[side]});
    if (hasBias)
      biases[side] = layer.readWeight(getName("bias", side), {rows});
  }
}

std::string RecurrentWeights::getName(StringRef kind, Side side) const {
  return (prefix + kind + (side == Input ? "_ih" : "_hh") + suffix).str();
}

Value RecurrentWeights::apply(Value rows, Side side, int64_t gate) const {
  int64_t in = widths[side], out = widths[Hidden];
  std::vector<float> part;
  ArrayRef<float> all = weights[side];
  for (int64_t i = 0, e = all.empty() ? 0 : in * out; i < e; ++i)
    part.push_back(all[(gate * out + i % out) * in + i / out]);
  Value result = layer.matmul(
      rows, layer.constant(getName("weight", side) + "." + std::to_string(gate),
                           part, {in, out}));
  return biases[side].empty() ? result
                              : layer.addUniform(result, getBias(side, gate));
}

Value RecurrentWeights::getBias(Side side, int64_t gate) const {
  int64_t out = widths[Hidden];
  std::vector<float> zeros(out);
  ArrayRef<float> bias = zeros;
  if (!biases[side].empty())
    bias = ArrayRef(biases[side]).slice(gate * out, out);
  return layer.constant(getName("bias", side) + "." + std::to_string(gate),
                        bias, {out});
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Value gnn::frontend::stepGRU(LayerBuilder &layer,
                             const RecurrentWeights &weights, Value input,
                             Value hidden) {
  // Sums of what both say about reset and update; new rows are reset between.
  SmallVector<Value> node;
  for (int64_t gate = 0; gate < 3; ++gate) {
    node.push_back(weights.apply(input, RecurrentWeights::Input, gate));
    node.push_back(weights.apply(hidden, RecurrentWeights::Hidden, gate));
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

/// The rows that an LSTM yields: `v` are two parts of the output gate, and the
/// cell.
static Value yieldCell(ScalarBuilder &s, ValueRange v) {
  return s.mul(s.sigmoid(s.add(v[0], v[1])), s.tanh(v[2]));
}

LSTMState gnn::frontend::stepLSTM(LayerBuilder &layer,
                                  const RecurrentWeights &weights, Value input,
                                  const LSTMState &state) {
  SmallVector<Value> gates;
  for (int64_t gate = 0; gate < 4; ++gate) {
    gates.push_back(weights.apply(input, RecurrentWeights::Input, gate));
    gates.push_back(
        weights.apply(state.hidden, RecurrentWeights::Hidden, gate));
  }
  LSTMState next;
  SmallVector<Value> node(ArrayRef(gates).take_front(6));
  node.push_back(state.cell);
  next.cell = layer.elementwise(node, [](ScalarBuilder &s, ValueRange v) {
    Value entered =
        s.mul(s.sigmoid(s.add(v[0], v[1])), s.tanh(s.add(v[4], v[5])));
    return s.add(s.mul(s.sigmoid(s.add(v[2], v[3])), v[6]), entered);
  });
  next.hidden = layer.elementwise({gates[6], gates[7], next.cell}, yieldCell);
  return next;
}

LSTMState gnn::frontend::startLSTM(LayerBuilder &layer,
                                   const RecurrentWeights &weights,
                                   Value numbers) {
  auto getBiases = [&](int64_t gate) {
    return SmallVector<Value>{weights.getBias(RecurrentWeights::Input, gate),
                              weights.getBias(RecurrentWeights::Hidden, gate)};
  };
  LSTMState state;
  SmallVector<Value> uniform = getBiases(0);
  uniform.append(getBiases(2));
  state.cell = layer.update(numbers, uniform, ", f, f, f, f -> f",
                            [](ScalarBuilder &s, ValueRange v) {
                              return s.mul(s.sigmoid(s.add(v[1], v[2])),
                                           s.tanh(s.add(v[3], v[4])));
                            });
  state.hidden = layer.update(state.cell, getBiases(3), "f, f, f -> f",
                              [](ScalarBuilder &s, ValueRange v) {
                                return yieldCell(s, {v[1], v[2], v[0]});
                              });
  return state;
}
