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

static FailureOr<NormShape> readNorm(LayerBuilder &layer) {
  NormShape norm;
  if (!layer.isNull("norm"))
    norm.kind = layer.getChoice("norm");
  if (layer.isNull("norm_kwargs"))
    return norm;
  for (const auto &[key, value] : layer.getArgument("norm_kwargs").entries) {
    bool isLayerNorm = norm.kind == "layer_norm";
    bool isValid = false;
    if (key.text == "eps" && value.getNumber()) {
      norm.eps = *value.getNumber();
      isValid = !norm.kind.empty();
    } else if (key.text == "affine" && value.getBoolean()) {
      norm.isAffine = *value.getBoolean();
      isValid = !norm.kind.empty();
    } else if (key.text == "mode" && isLayerNorm) {
      norm.isPerNode = value.text == "node";
      isValid = norm.isPerNode || value.text == "graph";
    } else if (key.text == "momentum" && norm.kind == "batch_norm") {
      isValid = true; // It means nothing at inference.
    }
    if (!isValid)
      return layer.argumentError(
          "norm_kwargs",
          "'norm_kwargs' of " + layer.describe() + " has '" + key.text + ": " +
              value.format() + "'; " +
              (norm.kind.empty() ? "without a norm it is empty"
               : isLayerNorm     ? "layer_norm takes eps, a number, affine, "
                                   "true or false, and mode, graph or node"
                                 : "batch_norm takes eps and momentum, "
                                   "numbers, and affine, true or false"));
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
    for (const char *entry : {"weight", "bias", "running_mean", "running_var",
                              "num_batches_tracked"}) {
      layer.ignoreWeight(std::string("norm1.") + entry);
      layer.ignoreWeight(std::string("norm1.module.") + entry);
    }
  } else {
    local = layer.nested("conv");
    if (!local)
      return {};
    if (getRowShape(local) != ArrayRef<int64_t>(channels)) {
      (void)layer.argumentError(
          "conv", "'conv' of " + layer.describe() + " must yield " +
                      Twine(channels) + " channels, as 'channels' says, got " +
                      Twine(getNumChannels(local)));
      return {};
    }
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
         {"batch_norm", "layer_norm"}},
        {"norm_kwargs", Kind::Mapping, "null"},
        {"attn_type", Kind::Choice, "multihead", {"multihead"}},
        {"attn_kwargs", Kind::Mapping, "null"}}},
  };
}
