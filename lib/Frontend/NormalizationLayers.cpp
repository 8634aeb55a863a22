//===- NormalizationLayers.cpp - Layer and batch normalisation --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// LayerNorm
//===----------------------------------------------------------------------===//

/// Reports arguments of the other library's LayerNorm.
static LogicalResult checkUnused(LayerBuilder &layer, StringRef given,
                                 ArrayRef<StringRef> others) {
  for (StringRef other : others)
    if (!layer.isNull(other))
      return layer.argumentError(
          other, "'" + other + "' does not go with '" + given +
                     "'; PyTorch's LayerNorm has normalized_shape, eps, "
                     "elementwise_affine and bias, PyTorch Geometric's has "
                     "in_channels, eps, affine, mode and batch");
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
                           {"in_channels", "affine", "mode", "batch"})) ||
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
  bool readsBatch = getBooleanOr(layer, "batch", false);
  if (layer.isNull("mode") || layer.getChoice("mode") == "graph")
    return readsBatch && layer.getBatch()
               ? normalizeGraphs(layer, layer.getInput(), "", eps, isAffine)
               : normalizeGraph(layer, layer.getInput(), "", eps, isAffine);
  if (readsBatch) {
    (void)layer.argumentError("batch", "'batch' is for 'mode: graph'; with "
                                       "'mode: node' each row has a norm of "
                                       "its own");
    return {};
  }
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
    return s.inverse(s.sqrt(s.add(mean, s.constant(eps))));
  });
  if (!layer.getBoolean("elementwise_affine"))
    return scaleRows(layer, rows, scale);
  return layer.update({rows, scale}, layer.weight("weight", {channels}),
                      "f, , f -> f", [](ScalarBuilder &s, ValueRange v) {
                        return s.mul(s.mul(v[0], v[1]), v[2]);
                      });
}

static Value buildMessageNorm(LayerBuilder &layer) {
  ArrayRef<Features> inputs = layer.getInputs();
  if (failed(layer.checkPlainRows()))
    return {};
  if (inputs.size() != 2)
    return layer.error(layer.describe() +
                       " reads two values, rows and their messages, got " +
                       Twine(inputs.size()));
  return normalizeMessages(layer, inputs[0].value, inputs[1].value, "scale");
}

Value gnn::frontend::normalizeMessages(LayerBuilder &layer, Value rows,
                                       Value messages, StringRef scaleName) {
  double scale = layer.readNumber(scaleName);
  Value lengths = layer.elementwise(
      squaredLengths(layer, rows), [&](ScalarBuilder &s, ValueRange v) {
        return s.mul(s.sqrt(v[0]), s.constant(scale));
      });
  return scaleRows(layer, normalizeRows(layer, messages), lengths);
}

//===----------------------------------------------------------------------===//
// BatchNorm
//===----------------------------------------------------------------------===//

namespace {
/// What BatchNorm does to channels at inference: one multiplication and one
/// addition, with numbers that are known at import.
struct FoldedNorm {
  Value scale, shift;
};
} // namespace

/// The channels have the shape `shape`.
static FoldedNorm foldBatchNorm(LayerBuilder &layer, ArrayRef<int64_t> shape,
                                const std::string &prefix, double eps,
                                bool isAffine) {
  int64_t channels = 1;
  for (int64_t extent : shape)
    channels *= extent;
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
  Value scales = layer.constant(prefix + "scale", scale, shape);
  Value shifts = layer.constant(prefix + "shift", shift, shape);
  return {scales, shifts};
}

Value gnn::frontend::normalizeBatch(LayerBuilder &layer, Value rows,
                                    const std::string &prefix, double eps,
                                    bool isAffine) {
  FoldedNorm norm =
      foldBatchNorm(layer, getNumChannels(rows), prefix, eps, isAffine);
  return layer.update(rows, {norm.scale, norm.shift}, "f, f, f -> f",
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

/// A batch norm of the row in each of some groups, which it belongs to more or
/// less.
static Value buildDiffGroupNorm(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Value rows = layer.getInput();
  int64_t groups = layer.getSize("groups");
  double lamda = layer.getNumber("lamda");
  Value shares =
      softmax(layer, layer.linear(rows, "lin", groups, /*hasBias=*/false));
  FoldedNorm norm =
      foldBatchNorm(layer, {groups, getNumChannels(rows)}, "norm.",
                    layer.getNumber("eps"), layer.getBoolean("affine"));
  Value sum =
      layer.update({shares, rows}, {norm.scale, norm.shift},
                   "g, f, gf, gf -> f", [](ScalarBuilder &s, ValueRange v) {
                     Value part = s.mul(v[0], v[1]);
                     return s.add(s.mul(part, v[2]), v[3]);
                   });
  return layer.add(rows, layer.scale(sum, lamda));
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
        {"mode", Kind::Choice, "null", {"graph", "node"}},
        {"batch", Kind::Boolean, "null"}}},
      {"RMSNorm",
       buildRMSNorm,
       Reads::Rows,
       EdgeInput::None,
       {{"normalized_shape", Kind::Shape},
        {"eps", Kind::Number, "null"},
        {"elementwise_affine", Kind::Boolean, "true"}}},
      {"MessageNorm",
       buildMessageNorm,
       Reads::SeveralRows,
       EdgeInput::None,
       {{"learn_scale", Kind::Ignored, "false"}}},
      {"DiffGroupNorm",
       buildDiffGroupNorm,
       Reads::Rows,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"groups", Kind::Size},
        {"lamda", Kind::Number, "0.01"},
        {"eps", Kind::Number, "1e-5"},
        {"momentum", Kind::Ignored, "0.1"},
        {"affine", Kind::Boolean, "true"},
        {"track_running_stats", Kind::Choice, "true", {"true"}}}},
      {"BatchNorm",
       buildBatchNorm,
       Reads::Rows,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"eps", Kind::Number, "1e-5"},
        {"momentum", Kind::Ignored, "0.1"},
        {"affine", Kind::Boolean, "true"},
        {"track_running_stats", Kind::Choice, "true", {"true"}},
        {"allow_single_element", Kind::Ignored, "false"}}},
      {"BatchNorm1d",
       buildBatchNorm1d,
       Reads::Rows,
       EdgeInput::None,
       {{"num_features", Kind::Size},
        {"eps", Kind::Number, "1e-5"},
        {"momentum", Kind::Ignored, "0.1"},
        {"affine", Kind::Boolean, "true"},
        {"track_running_stats", Kind::Choice, "true", {"true"}}}},
  };
}
