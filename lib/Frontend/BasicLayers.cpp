//===- BasicLayers.cpp - Layers that read rows one by one -------*- C++ -*-===//
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

static Value buildLinear(LayerBuilder &layer) {
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
// Single rows
//===----------------------------------------------------------------------===//

static Value buildIdentity(LayerBuilder &layer) { return layer.getInput(); }

static Value buildNormalize(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  return normalizeRows(layer, layer.getInput());
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

static Value buildAdd(LayerBuilder &layer) {
  if (layer.isNull("factors"))
    return combine(
        layer, [](ScalarBuilder &s, Value a, Value b) { return s.add(a, b); });
  ArrayRef<Node> factors = layer.getArgument("factors").elements;
  if (factors.size() != layer.getInputs().size()) {
    (void)layer.argumentError(
        "factors", layer.describe() + " needs a factor for each of " +
                       Twine(layer.getInputs().size()) + " inputs, got " +
                       Twine(factors.size()));
    return {};
  }
  const Node *next = factors.begin();
  auto scale = [&](ScalarBuilder &s, Value value) {
    return s.mul(s.constant(*(next++)->getNumber()), value);
  };
  return combine(layer, [&](ScalarBuilder &s, Value a, Value b) {
    Value sum = next == factors.begin() ? scale(s, a) : a;
    return s.add(sum, scale(s, b));
  });
}

static Value buildMul(LayerBuilder &layer) {
  return combine(
      layer, [](ScalarBuilder &s, Value a, Value b) { return s.mul(a, b); });
}

static Value buildConcat(LayerBuilder &layer) {
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

static Value buildJumpingKnowledge(LayerBuilder &layer) {
  if (layer.getChoice("mode") == "cat")
    return buildConcat(layer);
  return combine(
      layer, [](ScalarBuilder &s, Value a, Value b) { return s.max(a, b); });
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// The sum, mean, ... over each graph's nodes of what `function` makes of an
/// element of the input and the scalars of `extra`, with an element for each
/// graph (`dst`) or node (`src`). The nodes are sources, the graph their
/// destination.
static Value pool(
    LayerBuilder &layer, Aggregator aggregator, EdgeOperands extra = {},
    ScalarFunction function = [](ScalarBuilder &, ValueRange v) {
      return v.back();
    }) {
  Value rows = layer.getInput();
  if (getRowShape(rows).size() != 1)
    return layer.error(layer.describe() + " needs rows with one dimension");
  std::string subscripts;
  for (size_t i = 0, e = extra.dst.size() + extra.src.size(); i < e; ++i)
    subscripts += ", ";
  extra.src.push_back(rows);
  Value messages =
      layer.message(layer.getBatch(), extra, subscripts + "f -> f", function);
  return layer.aggregate(aggregator, layer.getBatch(), messages);
}

static Value buildGlobalAddPool(LayerBuilder &layer) {
  return pool(layer, Aggregator::Sum);
}

static Value buildGlobalMeanPool(LayerBuilder &layer) {
  return pool(layer, Aggregator::Mean);
}

static Value buildGlobalMaxPool(LayerBuilder &layer) {
  return pool(layer, Aggregator::Max);
}

/// The number of each node within its graph, from 0.
static Value getPositions(LayerBuilder &layer) {
  OpBuilder &builder = layer.getBuilder();
  // Graphs are the segments of the batch.
  auto parts = GraphPartsOp::create(builder, layer.getLoc(), layer.getBatch());
  Value pointers = parts.getParts()[1];
  Value segments = MakeGraphOp::create(
      builder, layer.getLoc(),
      GNNGraphType::get(builder.getContext(), Topology::BlockDiagonal),
      ValueRange{pointers, pointers});
  return PositionOp::create(
      builder, layer.getLoc(),
      RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type()),
      segments);
}

/// How many nodes each graph has.
static Value getGraphSizes(LayerBuilder &layer) {
  return getDegree(layer, layer.getBatch(), NodeSide::Destination);
}

/// The sum of a row and of zeros.
static Value buildGlobalFirstPool(LayerBuilder &layer) {
  EdgeOperands operands;
  operands.src = {getPositions(layer)};
  return pool(layer, Aggregator::Sum, operands,
              [](ScalarBuilder &s, ValueRange v) {
                return s.select(s.isZero(v[0]), v[1], s.constant(0));
              });
}

static Value buildGlobalLastPool(LayerBuilder &layer) {
  EdgeOperands operands;
  operands.dst = {getGraphSizes(layer)};
  operands.src = {getPositions(layer)};
  return pool(layer, Aggregator::Sum, operands,
              [](ScalarBuilder &s, ValueRange v) {
                Value last = s.sub(v[0], s.constant(1));
                Value isLast = s.isZero(s.sub(s.toFloat(v[1]), last));
                return s.select(isLast, v[2], s.constant(0));
              });
}

/// Divides sums of each graph's rows by what `function` makes of its size,
/// which counts as 1 where there are no nodes.
static Value
divideBySize(LayerBuilder &layer, Value sums,
             llvm::function_ref<Value(ScalarBuilder &, Value)> function) {
  if (!sums)
    return {};
  return layer.update({sums, getGraphSizes(layer)}, {}, "f, -> f",
                      [&](ScalarBuilder &s, ValueRange v) {
                        Value size = s.max(v[1], s.constant(1));
                        return s.div(v[0], function(s, size));
                      });
}

static Value buildGlobalMeanSqrtPool(LayerBuilder &layer) {
  return divideBySize(
      layer, pool(layer, Aggregator::Sum),
      [](ScalarBuilder &s, Value size) { return s.sqrt(size); });
}

/// Of weights 1, 2, 3, ..., whose sum is known.
static Value buildGlobalWeightedMeanPool(LayerBuilder &layer) {
  EdgeOperands operands;
  operands.src = {getPositions(layer)};
  Value sums = pool(layer, Aggregator::Sum, operands,
                    [](ScalarBuilder &s, ValueRange v) {
                      Value weight = s.add(s.toFloat(v[0]), s.constant(1));
                      return s.mul(weight, v[1]);
                    });
  return divideBySize(layer, sums, [](ScalarBuilder &s, Value size) {
    Value next = s.add(size, s.constant(1));
    return s.mul(s.mul(size, next), s.constant(0.5));
  });
}

//===----------------------------------------------------------------------===//
// Rows of graphs
//===----------------------------------------------------------------------===//

static Value buildGatherGraphs(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  return gatherGroupRows(layer, layer.getBatch(), layer.getInput());
}

/// The same row for each graph.
static Value buildGraphEmbedding(LayerBuilder &layer) {
  int64_t width = layer.getSize("embedding_dim");
  Value row =
      layer.constant("weight", layer.readWeight("weight", {1, width}), {width});
  return layer.update({getGraphSizes(layer)}, {row}, ", f -> f",
                      [](ScalarBuilder &, ValueRange v) { return v[1]; });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getBasicLayers() {
  using Kind = ArgumentKind;
  return {
      {"Linear",
       buildLinear,
       Reads::Rows,
       EdgeInput::None,
       {{"in_channels", Kind::Size, "null"},
        {"in_features", Kind::Size, "null"},
        {"out_channels", Kind::Size, "null"},
        {"out_features", Kind::Size, "null"},
        {"bias", Kind::Boolean, "true"},
        {"weight_initializer", Kind::Ignored, "null"},
        {"bias_initializer", Kind::Ignored, "null"}}},
      {"Dropout",
       buildIdentity,
       Reads::Rows,
       EdgeInput::None,
       {{"p", Kind::Ignored, "0.5"}, {"inplace", Kind::Ignored, "false"}}},
      {"Identity", buildIdentity},
      {"Add",
       buildAdd,
       Reads::SeveralRows,
       EdgeInput::None,
       {{"factors", Kind::Numbers, "null"}}},
      {"Mul", buildMul, Reads::SeveralRows},
      {"Concat", buildConcat, Reads::SeveralRows},
      {"JumpingKnowledge",
       buildJumpingKnowledge,
       Reads::SeveralRows,
       EdgeInput::None,
       {{"mode", Kind::Choice, nullptr, {"cat", "max"}},
        {"channels", Kind::Ignored, "null"},
        {"num_layers", Kind::Ignored, "null"}}},
      {"Normalize", buildNormalize},
      {"GatherGraphs", buildGatherGraphs, Reads::GraphRows},
      {"GraphEmbedding",
       buildGraphEmbedding,
       Reads::Batch,
       EdgeInput::None,
       {{"embedding_dim", Kind::Size}}},
      {"global_first_pool", buildGlobalFirstPool, Reads::Batch},
      {"global_last_pool", buildGlobalLastPool, Reads::Batch},
      {"global_mean_sqrt_pool", buildGlobalMeanSqrtPool, Reads::Batch},
      {"global_weighted_mean_pool", buildGlobalWeightedMeanPool, Reads::Batch},
      {"global_add_pool", buildGlobalAddPool, Reads::Batch},
      {"global_mean_pool", buildGlobalMeanPool, Reads::Batch},
      {"global_max_pool", buildGlobalMaxPool, Reads::Batch},
  };
}
