//===- NormalizationLayers.cpp - Layer and batch normalisation --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// LayerNorm
//===----------------------------------------------------------------------===//

/// The number of elements of `rows`, as f32.
static Value countElements(LayerBuilder &layer, Value rows) {
  OpBuilder &builder = layer.getBuilder();
  Location loc = layer.getLoc();
  Value count = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                           layer.getNumRows(rows));
  Value numRows =
      arith::SIToFPOp::create(builder, loc, builder.getF32Type(), count);
  return arith::MulFOp::create(builder, loc, numRows,
                               layer.constant(double(getNumChannels(rows))));
}

/// Weights of LayerNorm as operands of an update or message, and their
/// subscripts.
static std::string addAffine(LayerBuilder &layer, const std::string &prefix,
                             int64_t channels, bool isAffine,
                             SmallVectorImpl<Value> &uniform) {
  if (!isAffine)
    return "";
  for (const char *name : {"weight", "bias"})
    uniform.push_back(layer.weight(prefix + name, {channels}));
  return ", f, f";
}

Value gnn::frontend::normalizeGraph(LayerBuilder &layer, Value rows,
                                    const std::string &prefix, double epsilon,
                                    bool isAffine) {
  ScalarBuilder scalars(layer.getBuilder(), layer.getLoc());
  Value count = countElements(layer, rows);
  Value sums = layer.update(rows, {}, "f ->",
                            [](ScalarBuilder &, ValueRange v) { return v[0]; });
  Value mean = scalars.div(layer.sumOverRows(sums), count);
  Value squares =
      layer.update(rows, mean, "f, ->", [](ScalarBuilder &s, ValueRange v) {
        Value centred = s.sub(v[0], v[1]);
        return s.mul(centred, centred);
      });
  Value variance = scalars.div(layer.sumOverRows(squares), count);
  Value eps = layer.constant(epsilon);
  Value deviation = scalars.add(scalars.sqrt(variance), eps);

  SmallVector<Value> uniform{mean, deviation};
  std::string subscripts =
      "f, , " +
      addAffine(layer, prefix, getNumChannels(rows), isAffine, uniform);
  return layer.update(
      rows, uniform, subscripts + " -> f", [&](ScalarBuilder &s, ValueRange v) {
        Value result = s.div(s.sub(v[0], v[1]), v[2]);
        return isAffine ? s.add(s.mul(result, v[3]), v[4]) : result;
      });
}

/// From graphs back to their nodes: one edge into each.
static Value reverse(LayerBuilder &layer, Value graph) {
  return ReverseOp::create(layer.getBuilder(), layer.getLoc(), graph.getType(),
                           TypeRange{}, graph, ValueRange{})
      .getResult();
}

/// How many values each graph has, at least 1, with `channels` for each node.
/// Sums are divided by it: times a rounded inverse, equal values would have
/// another mean.
static Value countValues(LayerBuilder &layer, Value graphs, int64_t channels) {
  return layer.elementwise(getDegree(layer, graphs, NodeSide::Destination),
                           [&](ScalarBuilder &s, ValueRange v) {
                             return s.mul(s.max(v[0], s.constant(1)),
                                          s.constant(double(channels)));
                           });
}

/// The graphs of the batch, or one that all rows are in.
static Value getGraphs(LayerBuilder &layer, Value rows) {
  if (Value batch = layer.getBatch())
    return batch;
  OpBuilder &builder = layer.getBuilder();
  auto type = GNNGraphType::get(builder.getContext(), Topology::Complete,
                                /*window=*/0, /*bipartite=*/true);
  Value one = arith::ConstantIndexOp::create(builder, layer.getLoc(), 1);
  return MakeGraphOp::create(builder, layer.getLoc(), type,
                             ValueRange{one, layer.getNumRows(rows)});
}

/// The sums of the rows of each graph, by channel ("f") or of all ("").
static Value sumRows(LayerBuilder &layer, Value graphs, Value rows,
                     const std::string &channel) {
  EdgeOperands operands;
  operands.src = {rows};
  return layer.aggregate(
      Aggregator::Sum, graphs,
      layer.message(graphs, operands, "f -> " + channel,
                    [](ScalarBuilder &, ValueRange v) { return v[0]; }));
}

/// The sums of the squares of the rows less `mean`, which is of that shape.
static Value sumSquares(LayerBuilder &layer, Value graphs, Value rows,
                        Value mean, const std::string &channel) {
  EdgeOperands operands;
  operands.src = {rows};
  operands.dst = {mean};
  return layer.aggregate(Aggregator::Sum, graphs,
                         layer.message(graphs, operands,
                                       channel + ", f -> " + channel,
                                       [](ScalarBuilder &s, ValueRange v) {
                                         Value centred = s.sub(v[1], v[0]);
                                         return s.mul(centred, centred);
                                       }));
}

/// What `normalize` makes of a row, the mean and the scale of its graph, and
/// the affine map after it, for each row. `nodes` has graphs as sources and
/// rows as destinations.
static Value spreadNormalized(
    LayerBuilder &layer, Value nodes, ArrayRef<Value> values,
    const std::string &subscripts, const std::string &prefix, bool isAffine,
    llvm::function_ref<Value(ScalarBuilder &, ValueRange)> normalize) {
  EdgeOperands operands;
  operands.dst = {values[0]};
  operands.src = {values[1], values[2]};
  std::string all =
      subscripts + addAffine(layer, prefix, getNumChannels(values[0]), isAffine,
                             operands.uniform);
  return layer.aggregate(
      Aggregator::Sum, nodes,
      layer.message(
          nodes, operands, all + " -> f", [&](ScalarBuilder &s, ValueRange v) {
            Value result = normalize(s, v);
            return isAffine ? s.add(s.mul(result, v[3]), v[4]) : result;
          }));
}

Value gnn::frontend::normalizeChannels(LayerBuilder &layer, Value rows,
                                       const std::string &prefix, double eps,
                                       bool isAffine, bool hasMeanScale) {
  int64_t channels = getNumChannels(rows);
  Value graphs = getGraphs(layer, rows);
  Value count = countValues(layer, graphs, 1);
  Value sum = sumRows(layer, graphs, rows, "f");
  Value mean = layer.update(
      {sum, count}, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.div(v[0], v[1]); });
  if (hasMeanScale)
    mean = layer.update(
        mean, layer.weight(prefix + "mean_scale", {channels}), "f, f -> f",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Value squares = sumSquares(layer, graphs, rows, mean, "f");
  Value deviation = layer.update(
      {squares, count}, {}, "f, -> f", [&](ScalarBuilder &s, ValueRange v) {
        return s.sqrt(s.add(s.div(v[0], v[1]), s.constant(eps)));
      });
  return spreadNormalized(layer, reverse(layer, graphs),
                          {rows, mean, deviation}, "f, f, f", prefix, isAffine,
                          [](ScalarBuilder &s, ValueRange v) {
                            return s.div(s.sub(v[0], v[1]), v[2]);
                          });
}

Value gnn::frontend::normalizeGraphs(LayerBuilder &layer, Value rows,
                                     const std::string &prefix, double eps,
                                     bool isAffine) {
  Value batch = layer.getBatch();
  Value spread = reverse(layer, batch);
  Value count = countValues(layer, batch, getNumChannels(rows));
  Value sum = sumRows(layer, batch, rows, "");
  Value mean =
      layer.elementwise({sum, count}, [](ScalarBuilder &s, ValueRange v) {
        return s.div(v[0], v[1]);
      });
  Value squares = sumSquares(layer, batch, rows, mean, "");
  Value scale =
      layer.elementwise({squares, count}, [&](ScalarBuilder &s, ValueRange v) {
        Value variance = s.div(v[0], v[1]);
        return s.div(s.constant(1), s.sqrt(s.add(variance, s.constant(eps))));
      });
  return spreadNormalized(layer, spread, {rows, mean, scale}, "f, , ", prefix,
                          isAffine, [](ScalarBuilder &s, ValueRange v) {
                            return s.mul(s.sub(v[0], v[1]), v[2]);
                          });
}

/// Reports arguments of the other library's LayerNorm.
static LogicalResult checkUnused(LayerBuilder &layer, StringRef given,
                                 ArrayRef<StringRef> others) {
  for (StringRef other : others)
    if (!layer.isNull(other))
      return layer.argumentError(
          other, "'" + other + "' does not go with '" + given +
                     "'; PyTorch's LayerNorm has normalized_shape, eps, "
                     "elementwise_affine and bias, PyTorch Geometric's has "
                     "in_channels, eps, affine and mode");
  return success();
}

static bool getBooleanOr(LayerBuilder &layer, StringRef argument,
                         bool otherwise) {
  return layer.isNull(argument) ? otherwise : layer.getBoolean(argument);
}

static Value buildLayerNorm(LayerBuilder &layer) {
  double eps = layer.getNumber("eps");
  if (!layer.isNull("normalized_shape")) {
    if (failed(checkUnused(layer, "normalized_shape",
                           {"in_channels", "affine", "mode"})) ||
        failed(layer.checkChannels("normalized_shape")))
      return {};
    bool hasWeight = getBooleanOr(layer, "elementwise_affine", true);
    bool hasBias = hasWeight && getBooleanOr(layer, "bias", true);
    return layer.layerNorm(layer.getInput(), eps, hasWeight ? "weight" : "",
                           hasBias ? "bias" : "");
  }
  if (layer.isNull("in_channels"))
    return layer.error(layer.describe() +
                       " needs one of 'normalized_shape' and 'in_channels'");
  if (failed(
          checkUnused(layer, "in_channels", {"elementwise_affine", "bias"})) ||
      failed(layer.checkChannels("in_channels")))
    return {};
  bool isAffine = getBooleanOr(layer, "affine", true);
  if (layer.isNull("mode") || layer.getChoice("mode") == "graph")
    return normalizeGraph(layer, layer.getInput(), "", eps, isAffine);
  return layer.layerNorm(layer.getInput(), eps, isAffine ? "weight" : "",
                         isAffine ? "bias" : "");
}

static Value buildRMSNorm(LayerBuilder &layer) {
  if (failed(layer.checkChannels("normalized_shape")))
    return {};
  Value rows = layer.getInput();
  int64_t channels = getNumChannels(rows);
  double eps = layer.isNull("eps") ? std::numeric_limits<float>::epsilon()
                                   : layer.getNumber("eps");
  Value squares = squaredLengths(layer, rows);
  Value scale = layer.elementwise(squares, [&](ScalarBuilder &s, ValueRange v) {
    Value mean = s.div(v[0], s.constant(double(channels)));
    return s.div(s.constant(1), s.sqrt(s.add(mean, s.constant(eps))));
  });
  if (!layer.getBoolean("elementwise_affine"))
    return layer.update(
        {rows, scale}, {}, "f, -> f",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  return layer.update({rows, scale}, layer.weight("weight", {channels}),
                      "f, , f -> f", [](ScalarBuilder &s, ValueRange v) {
                        return s.mul(s.mul(v[0], v[1]), v[2]);
                      });
}

//===----------------------------------------------------------------------===//
// BatchNorm
//===----------------------------------------------------------------------===//

/// At inference one multiplication and one addition per channel, with numbers
/// that are known at import.
Value gnn::frontend::normalizeBatch(LayerBuilder &layer, Value rows,
                                    const std::string &prefix, double eps,
                                    bool isAffine) {
  int64_t channels = getNumChannels(rows);
  std::vector<float> scale(channels, 1), shift(channels, 0);
  if (isAffine) {
    scale = layer.readWeight(prefix + "weight", {channels});
    shift = layer.readWeight(prefix + "bias", {channels});
  }
  auto mean = layer.readWeight(prefix + "running_mean", {channels});
  auto variance = layer.readWeight(prefix + "running_var", {channels});
  layer.ignoreWeight(prefix + "num_batches_tracked");
  bool isFaulty =
      scale.empty() || shift.empty() || mean.empty() || variance.empty();
  for (int64_t i = 0; !isFaulty && i < channels; ++i) {
    double factor = scale[i] / std::sqrt(variance[i] + eps);
    shift[i] = shift[i] - mean[i] * factor;
    scale[i] = factor;
  }
  SmallVector<Value> uniform{
      layer.constant(prefix + "scale", scale, {channels}),
      layer.constant(prefix + "shift", shift, {channels})};
  return layer.update(rows, uniform, "f, f, f -> f",
                      [](ScalarBuilder &s, ValueRange v) {
                        return s.add(s.mul(v[0], v[1]), v[2]);
                      });
}

static Value buildNorm(LayerBuilder &layer, StringRef width,
                       const std::string &prefix) {
  if (failed(layer.checkChannels(width)))
    return {};
  return normalizeBatch(layer, layer.getInput(), prefix, layer.getNumber("eps"),
                        layer.getBoolean("affine"));
}

static Value buildBatchNorm(LayerBuilder &layer) {
  return buildNorm(layer, "in_channels", "module.");
}

static Value buildBatchNorm1d(LayerBuilder &layer) {
  return buildNorm(layer, "num_features", "");
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getNormalizationLayers() {
  using Kind = ArgumentKind;
  return {
      {"LayerNorm",
       buildLayerNorm,
       Reads::Rows,
       EdgeInput::None,
       {{"normalized_shape", Kind::Shape, "null"},
        {"in_channels", Kind::Size, "null"},
        {"eps", Kind::Number, "1e-5"},
        {"elementwise_affine", Kind::Boolean, "null"},
        {"bias", Kind::Boolean, "null"},
        {"affine", Kind::Boolean, "null"},
        {"mode", Kind::Choice, "null", {"graph", "node"}}}},
      {"RMSNorm",
       buildRMSNorm,
       Reads::Rows,
       EdgeInput::None,
       {{"normalized_shape", Kind::Shape},
        {"eps", Kind::Number, "null"},
        {"elementwise_affine", Kind::Boolean, "true"}}},
      {"BatchNorm",
       buildBatchNorm,
       Reads::Rows,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"eps", Kind::Number, "1e-5"},
        {"momentum", Kind::Ignored, "0.1"},
        {"affine", Kind::Boolean, "true"},
        {"allow_single_element", Kind::Ignored, "false"}}},
      {"BatchNorm1d",
       buildBatchNorm1d,
       Reads::Rows,
       EdgeInput::None,
       {{"num_features", Kind::Size},
        {"eps", Kind::Number, "1e-5"},
        {"momentum", Kind::Ignored, "0.1"},
        {"affine", Kind::Boolean, "true"}}},
  };
}
