//===- BasicLayers.cpp - Layers that read rows one by one -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

/// PyG and PyTorch call the widths of a linear layer differently.
static std::optional<StringRef> pickArgument(LayerBuilder &layer, StringRef a,
                                             StringRef b) {
  if (layer.isNull(a) == layer.isNull(b)) {
    (void)layer.error(layer.describe() + " needs one of '" + a + "' and '" + b +
                      "'");
    return std::nullopt;
  }
  return layer.isNull(a) ? b : a;
}

Value gnn::frontend::buildLinear(LayerBuilder &layer) {
  std::optional<StringRef> in =
      pickArgument(layer, "in_channels", "in_features");
  if (!in)
    return {};
  std::optional<StringRef> out =
      pickArgument(layer, "out_channels", "out_features");
  if (!out || failed(layer.checkChannels(*in)))
    return {};
  return layer.linear(layer.getInput(), "", layer.getSize(*out),
                      layer.getBoolean("bias"));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value gnn::frontend::buildIdentity(LayerBuilder &layer) {
  return layer.getInput();
}

Value gnn::frontend::buildReLU(LayerBuilder &layer) {
  return layer.elementwise(
      layer.getInput(),
      [](ScalarBuilder &s, ValueRange v) { return s.relu(v[0]); });
}

Value gnn::frontend::buildELU(LayerBuilder &layer) {
  double alpha = layer.getNumber("alpha");
  return layer.elementwise(
      layer.getInput(),
      [&](ScalarBuilder &s, ValueRange v) { return s.elu(v[0], alpha); });
}

Value gnn::frontend::buildLeakyReLU(LayerBuilder &layer) {
  double slope = layer.getNumber("negative_slope");
  return layer.elementwise(
      layer.getInput(),
      [&](ScalarBuilder &s, ValueRange v) { return s.leakyReLU(v[0], slope); });
}

Value gnn::frontend::buildGELU(LayerBuilder &layer) {
  bool isExact = layer.getChoice("approximate") == "none";
  return layer.elementwise(
      layer.getInput(), [&](ScalarBuilder &s, ValueRange v) {
        Value x = v[0];
        if (isExact)
          return s.gelu(x);
        Value cube = s.mul(s.mul(x, x), x);
        Value sum = s.add(x, s.mul(s.constant(0.044715), cube));
        Value inner = s.tanh(s.mul(s.constant(0.79788456080286535588), sum));
        return s.mul(s.mul(s.constant(0.5), x), s.add(s.constant(1), inner));
      });
}

Value gnn::frontend::buildSiLU(LayerBuilder &layer) {
  return layer.elementwise(
      layer.getInput(),
      [](ScalarBuilder &s, ValueRange v) { return s.silu(v[0]); });
}

Value gnn::frontend::buildSigmoid(LayerBuilder &layer) {
  return layer.elementwise(
      layer.getInput(),
      [](ScalarBuilder &s, ValueRange v) { return s.sigmoid(v[0]); });
}

Value gnn::frontend::buildTanh(LayerBuilder &layer) {
  return layer.elementwise(
      layer.getInput(),
      [](ScalarBuilder &s, ValueRange v) { return s.tanh(v[0]); });
}

/// Rows minus their maximum, and the sum of the exponentials of these. Null
/// where rows are not plain rows of channels.
static std::pair<Value, Value> prepareSoftmax(LayerBuilder &layer) {
  Value rows = layer.getInput();
  if (getRowShape(rows).size() != 1) {
    (void)layer.error(layer.describe() + " needs rows with one dimension");
    return {};
  }
  Value shifted = layer.update(
      {rows, layer.maxOverChannels(rows)}, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[0], v[1]); });
  Value sum =
      layer.update(shifted, {}, "f ->",
                   [](ScalarBuilder &s, ValueRange v) { return s.exp(v[0]); });
  return {shifted, sum};
}

Value gnn::frontend::buildSoftmax(LayerBuilder &layer) {
  auto [shifted, sum] = prepareSoftmax(layer);
  if (!shifted)
    return {};
  return layer.update(
      {shifted, sum}, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.div(s.exp(v[0]), v[1]); });
}

Value gnn::frontend::buildLogSoftmax(LayerBuilder &layer) {
  auto [shifted, sum] = prepareSoftmax(layer);
  if (!shifted)
    return {};
  return layer.update(
      {shifted, sum}, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[0], s.log(v[1])); });
}

//===----------------------------------------------------------------------===//
// Several values
//===----------------------------------------------------------------------===//

/// Combines all inputs, which must have the same shape, element by element.
static Value combine(LayerBuilder &layer,
                     function_ref<Value(ScalarBuilder &, Value, Value)> f) {
  SmallVector<Value> values;
  for (const Features &input : layer.getInputs()) {
    const Features &first = layer.getInputs().front();
    if (getRowShape(input.value) != getRowShape(first.value))
      return layer.error(
          layer.describe() + " needs rows of one shape, but '" + first.name +
          "' has " + formatShape(getRowShape(first.value)) + " and '" +
          input.name + "' " + formatShape(getRowShape(input.value)));
    values.push_back(input.value);
  }
  return layer.elementwise(values, [&](ScalarBuilder &s, ValueRange v) {
    Value result = v[0];
    for (Value other : v.drop_front())
      result = f(s, result, other);
    return result;
  });
}

Value gnn::frontend::buildAdd(LayerBuilder &layer) {
  return combine(
      layer, [](ScalarBuilder &s, Value a, Value b) { return s.add(a, b); });
}

Value gnn::frontend::buildMul(LayerBuilder &layer) {
  return combine(
      layer, [](ScalarBuilder &s, Value a, Value b) { return s.mul(a, b); });
}

Value gnn::frontend::buildConcat(LayerBuilder &layer) {
  SmallVector<Value> values;
  for (const Features &input : layer.getInputs()) {
    if (getRowShape(input.value).size() != 1)
      return layer.error(layer.describe() +
                         " needs rows with one dimension, but '" + input.name +
                         "' has rows of shape " +
                         formatShape(getRowShape(input.value)));
    values.push_back(input.value);
  }
  return layer.concat(values);
}

Value gnn::frontend::buildJumpingKnowledge(LayerBuilder &layer) {
  if (layer.getChoice("mode") == "cat")
    return buildConcat(layer);
  return combine(
      layer, [](ScalarBuilder &s, Value a, Value b) { return s.max(a, b); });
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// The nodes of a graph are sources, the graph their destination.
static Value pool(LayerBuilder &layer, Aggregator aggregator) {
  Value rows = layer.getInput();
  if (getRowShape(rows).size() != 1)
    return layer.error(layer.describe() + " needs rows with one dimension");
  EdgeOperands operands;
  operands.src = {rows};
  Value messages =
      layer.message(layer.getBatch(), operands, "f -> f",
                    [](ScalarBuilder &, ValueRange v) { return v[0]; });
  return layer.aggregate(aggregator, layer.getBatch(), messages);
}

Value gnn::frontend::buildGlobalAddPool(LayerBuilder &layer) {
  return pool(layer, Aggregator::Sum);
}

Value gnn::frontend::buildGlobalMeanPool(LayerBuilder &layer) {
  return pool(layer, Aggregator::Mean);
}

Value gnn::frontend::buildGlobalMaxPool(LayerBuilder &layer) {
  return pool(layer, Aggregator::Max);
}
