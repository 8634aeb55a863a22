//===- GraphTransformerLayers.cpp - Edges and all pairs of nodes ----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers with two graphs: that of the model, and all pairs of nodes of each
// graph of the batch, made from the batch.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// GPSConv
//===----------------------------------------------------------------------===//

namespace {
/// The three norms of a GPSConv are alike.
struct NormShape {
  StringRef kind;
  double eps = 1e-5;
  bool isAffine = true;
  bool isPerNode = false;
};
} // namespace

/// What `norm_kwargs` may say, in words.
static StringRef describeNormArguments(StringRef kind) {
  return llvm::StringSwitch<StringRef>(kind)
      .Case("batch_norm", "batch_norm takes eps and momentum, numbers, and "
                          "affine, true or false")
      .Case("layer_norm", "layer_norm takes eps, a number, affine, true or "
                          "false, and mode, graph or node")
      .Case("instance_norm", "instance_norm takes eps and momentum, numbers, "
                             "and affine, true or false")
      .Case("graph_norm", "graph_norm takes eps, a number")
      .Default("without a norm it is empty");
}

static FailureOr<NormShape> readNorm(LayerBuilder &layer) {
  NormShape norm;
  if (!layer.isNull("norm"))
    norm.kind = layer.getChoice("norm");
  bool isInstanceNorm = norm.kind == "instance_norm";
  norm.isAffine = !isInstanceNorm;
  if (layer.isNull("norm_kwargs"))
    return norm;
  for (const auto &[key, value] : layer.getArgument("norm_kwargs").entries) {
    bool isValid = false;
    if (key.text == "eps" && value.getNumber()) {
      norm.eps = *value.getNumber();
      isValid = !norm.kind.empty();
    } else if (key.text == "affine" && value.getBoolean()) {
      norm.isAffine = *value.getBoolean();
      isValid = !norm.kind.empty() && norm.kind != "graph_norm";
    } else if (key.text == "mode" && norm.kind == "layer_norm") {
      norm.isPerNode = value.text == "node";
      isValid = norm.isPerNode || value.text == "graph";
    } else if (key.text == "momentum" && value.getNumber()) {
      // It means nothing at inference.
      isValid = norm.kind == "batch_norm" || isInstanceNorm;
    }
    if (!isValid)
      return layer.argumentError(
          "norm_kwargs", "'norm_kwargs' of " + layer.describe() + " has '" +
                             key.text + ": " + value.format() + "'; " +
                             describeNormArguments(norm.kind));
  }
  return norm;
}

static Value normalize(LayerBuilder &layer, const NormShape &norm, Value rows,
                       const std::string &name) {
  std::string prefix = name + ".";
  if (norm.kind.empty())
    return rows;
  if (norm.kind == "batch_norm")
    return normalizeBatch(layer, rows, prefix + "module.", norm.eps,
                          norm.isAffine);
  if (norm.kind != "layer_norm")
    return normalizeChannels(layer, rows, prefix, norm.eps, norm.isAffine,
                             /*hasMeanScale=*/norm.kind == "graph_norm");
  if (norm.isPerNode)
    return layer.layerNorm(rows, norm.eps,
                           norm.isAffine ? prefix + "weight" : "",
                           norm.isAffine ? prefix + "bias" : "");
  return layer.getBatch()
             ? normalizeGraphs(layer, rows, prefix, norm.eps, norm.isAffine)
             : normalizeGraph(layer, rows, prefix, norm.eps, norm.isAffine);
}

/// Whether the attention has biases: what `attn_kwargs` may say.
static FailureOr<bool> readAttentionBias(LayerBuilder &layer) {
  bool hasBias = true;
  if (layer.isNull("attn_kwargs"))
    return hasBias;
  for (const auto &[key, value] : layer.getArgument("attn_kwargs").entries) {
    if (key.text == "dropout" && value.getNumber())
      continue;
    std::optional<bool> boolean = value.getBoolean();
    if (key.text != "bias" || !boolean)
      return layer.argumentError(
          "attn_kwargs", "'attn_kwargs' of " + layer.describe() + " has '" +
                             key.text + ": " + value.format() +
                             "'; it takes bias, true or false, and "
                             "dropout, a number");
    hasBias = *boolean;
  }
  return hasBias;
}

static Value buildGPSConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("channels")) ||
      failed(checkHeads(layer, "heads", "channels")))
    return {};
  FailureOr<NormShape> norm = readNorm(layer);
  FailureOr<bool> hasBias = readAttentionBias(layer);
  if (failed(norm) || failed(hasBias))
    return {};
  int64_t channels = layer.getSize("channels");
  Value rows = layer.getInput();

  Value local;
  if (layer.isNull("conv")) {
    // PyTorch Geometric makes the norm all the same.
    for (const char *entry : {"weight", "bias", "mean_scale", "running_mean",
                              "running_var", "num_batches_tracked"}) {
      layer.ignoreWeight(std::string("norm1.") + entry);
      layer.ignoreWeight(std::string("norm1.module.") + entry);
    }
  } else {
    local = layer.nested("conv");
    if (!local || failed(checkYields(layer, "conv", local, "channels")))
      return {};
    local = normalize(layer, *norm, layer.add(local, rows), "norm1");
  }

  AttentionShape attention{"attn.", channels, layer.getSize("heads"), *hasBias};
  Value global =
      multiheadAttention(layer, attention, getPairGraph(layer), rows, rows);
  global = normalize(layer, *norm, layer.add(global, rows), "norm2");

  Value both = local ? layer.add(local, global) : global;
  Activation act = getActivation(layer, "act", "act_kwargs");
  Value hidden = layer.linear(both, "mlp.0", 2 * channels, /*hasBias=*/true);
  hidden = layer.elementwise(hidden, [&](ScalarBuilder &s, ValueRange v) {
    return act.apply(s, v[0]);
  });
  hidden = layer.linear(hidden, "mlp.3", channels, /*hasBias=*/true);
  return normalize(layer, *norm, layer.add(both, hidden), "norm3");
}

//===----------------------------------------------------------------------===//
// SANLayer
//===----------------------------------------------------------------------===//

/// A linear layer of the attention, split into heads.
static Value projectHeads(LayerBuilder &layer, const std::string &name,
                          double factor = 1) {
  Value rows =
      layer.linear(layer.getInput(), "attention." + name,
                   layer.getSize("out_dim"), layer.getBoolean("use_bias"));
  if (factor != 1)
    rows = layer.scale(rows, factor);
  return layer.splitHeads(rows, layer.getSize("num_heads"));
}

/// Of an edge's features a factor for each channel of the scores.
static Value projectEdges(LayerBuilder &layer) {
  int64_t heads = layer.getSize("num_heads");
  int64_t width = layer.getSize("out_dim") / heads;
  Value factors = layer.edgeLinear(layer.getGraph(), layer.getEdgeValues(),
                                   "attention.E", heads, width);
  if (!layer.getBoolean("use_bias"))
    return factors;
  EdgeOperands operands;
  operands.edge = {factors};
  operands.uniform = {
      layer.weight("attention.E.bias", {heads * width}, {heads, width})};
  return layer.message(
      layer.getGraph(), operands, "hf, hf -> hf",
      [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
}

/// What projectEdges computes is the same for all pairs that are no edges:
/// E_2 of their one feature vector, known at import.
static Value projectFakeEdge(LayerBuilder &layer, double factor) {
  int64_t heads = layer.getSize("num_heads"), out = layer.getSize("out_dim");
  int64_t in = layer.getSize("edge_dim");
  auto feature = layer.readWeight("attention.fake_edge", {in});
  auto weight = layer.readWeight("attention.E_2.weight", {out, in});
  std::vector<float> bias(out, 0);
  if (layer.getBoolean("use_bias"))
    bias = layer.readWeight("attention.E_2.bias", {out});
  std::vector<float> values;
  if (!feature.empty() && !weight.empty() && !bias.empty())
    for (int64_t row = 0; row < out; ++row) {
      double sum = bias[row];
      for (int64_t i = 0; i < in; ++i)
        sum += double(weight[row * in + i]) * feature[i];
      values.push_back(sum * factor);
    }
  return layer.constant("attention.fake_edge.E_2", values,
                        {heads, out / heads});
}

/// Attention to the neighbours, whose edges have features.
static Value attendToEdges(LayerBuilder &layer, Value values, double factor) {
  EdgeOperands operands;
  operands.dst = {projectHeads(layer, "Q", factor)};
  operands.src = {projectHeads(layer, "K")};
  operands.edge = {projectEdges(layer)};
  Value scores = layer.message(layer.getGraph(), operands, "hf, hf, hf -> h",
                               [](ScalarBuilder &s, ValueRange v) {
                                 return s.mul(s.mul(v[0], v[1]), v[2]);
                               });
  return attend(layer, layer.getGraph(), scores, values);
}

/// Attention to all other nodes of the same graph.
static Value attendToOthers(LayerBuilder &layer, Value values, double factor) {
  Value pairs = getPairGraph(layer), graph = layer.getGraph();
  EdgeOperands ones;
  ones.dst = {layer.filled(layer.getNumRows(layer.getInput()), {}, 1)};
  Value isEdge = layer.message(
      graph, ones, "->", [](ScalarBuilder &, ValueRange v) { return v[0]; });
  Value count = SpreadEdgesOp::create(layer.getBuilder(), layer.getLoc(),
                                      isEdge.getType(), isEdge, graph, pairs);
  Value fake = projectFakeEdge(layer, factor);
  Value queries = layer.update(
      projectHeads(layer, "Q_2"), fake, "hf, hf -> hf",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  EdgeOperands operands;
  operands.dst = {queries};
  operands.src = {projectHeads(layer, "K_2")};
  operands.edge = {count};
  Value scores = layer.message(
      pairs, operands, "hf, hf, -> h", [](ScalarBuilder &s, ValueRange v) {
        // A sum of -inf is the score of a pair that is not there.
        Value hidden = s.constant(-INFINITY);
        Value product = s.select(s.isSelfLoop(), hidden, s.mul(v[0], v[1]));
        return s.select(s.isPositive(v[2]), hidden, product);
      });
  return attend(layer, pairs, scores, values);
}

static Value normalizeSAN(LayerBuilder &layer, Value rows,
                          const std::string &number) {
  if (layer.getBoolean("layer_norm")) {
    std::string name = "layer_norm" + number + "_h.";
    rows = layer.layerNorm(rows, 1e-5, name + "weight", name + "bias");
  }
  if (layer.getBoolean("batch_norm"))
    rows = normalizeBatch(layer, rows, "batch_norm" + number + "_h.", 1e-5,
                          /*isAffine=*/true);
  return rows;
}

static Value buildSANLayer(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_dim")) ||
      failed(checkHeads(layer, "num_heads", "out_dim")) ||
      failed(layer.checkEdgeAttributes()))
    return {};
  int64_t out = layer.getSize("out_dim");
  bool isResidual = layer.getBoolean("residual");
  if (isResidual && layer.getSize("in_dim") != out) {
    (void)layer.argumentError(
        "residual", layer.describe() +
                        " has a residual and needs in_dim and out_dim to be "
                        "the same, got " +
                        Twine(layer.getSize("in_dim")) + " and " + Twine(out));
    return {};
  }
  double gamma = layer.getNumber("gamma");
  if (gamma < 0) {
    (void)layer.argumentError("gamma", "'gamma' of " + layer.describe() +
                                           " must be at least 0, got " +
                                           layer.getArgument("gamma").text);
    return {};
  }
  double factor =
      1 / std::sqrt(double(out) / double(layer.getSize("num_heads")));
  Value values = projectHeads(layer, "V");
  Value real = layer.mergeHeads(attendToEdges(layer, values, factor));
  Value fake = layer.mergeHeads(attendToOthers(layer, values, factor));
  Value received =
      layer.elementwise({real, fake}, [&](ScalarBuilder &s, ValueRange v) {
        return s.add(s.mul(v[0], s.constant(1 / (1 + gamma))),
                     s.mul(v[1], s.constant(gamma / (1 + gamma))));
      });
  Value rows = layer.linear(received, "O_h", out, /*hasBias=*/true);
  if (isResidual)
    rows = layer.add(layer.getInput(), rows);
  rows = normalizeSAN(layer, rows, "1");

  Value hidden = layer.linear(rows, "FFN_h_layer1", 2 * out, /*hasBias=*/true);
  hidden = relu(layer, hidden);
  hidden = layer.linear(hidden, "FFN_h_layer2", out, /*hasBias=*/true);
  if (isResidual)
    hidden = layer.add(rows, hidden);
  return normalizeSAN(layer, hidden, "2");
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getGraphTransformerLayers() {
  using Kind = ArgumentKind;
  SmallVector<StringRef> activations(getActivationNames());
  return {
      {"GPSConv",
       buildGPSConv,
       Reads::GraphAndBatch,
       EdgeInput::OfConv,
       {{"channels", Kind::Size},
        {"conv", Kind::Layer, "null"},
        {"heads", Kind::Size, "1"},
        {"dropout", Kind::Ignored, "0.0"},
        {"act", Kind::Choice, "relu", activations},
        {"act_kwargs", Kind::Mapping, "null"},
        {"norm",
         Kind::ChoiceOrNull,
         "batch_norm",
         {"batch_norm", "layer_norm", "instance_norm", "graph_norm"}},
        {"norm_kwargs", Kind::Mapping, "null"},
        {"attn_type", Kind::Choice, "multihead", {"multihead"}},
        {"attn_kwargs", Kind::Mapping, "null"}}},
      {"SANLayer",
       buildSANLayer,
       Reads::GraphAndBatch,
       EdgeInput::Attributes,
       {{"in_dim", Kind::Size},
        {"out_dim", Kind::Size},
        {"num_heads", Kind::Size},
        {"edge_dim", Kind::Size},
        {"gamma", Kind::Number},
        {"dropout", Kind::Ignored, "0.0"},
        {"layer_norm", Kind::Boolean, "false"},
        {"batch_norm", Kind::Boolean, "true"},
        {"residual", Kind::Boolean, "true"},
        {"use_bias", Kind::Boolean, "false"}}},
  };
}
