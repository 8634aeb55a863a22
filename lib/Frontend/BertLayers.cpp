//===- BertLayers.cpp - Encoder layers of Transformers ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The encoder layers of Hugging Face's Transformers compute what PyTorch's
// TransformerEncoderLayer does with norms after the sums, and differ from it
// and from each other in what they call their weights.
//
//===----------------------------------------------------------------------===//

#include "AttentionPositions.h"
#include "LayerParts.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

namespace {
/// What a class calls its arguments and the parts of its state_dict.
struct EncoderNames {
  StringRef width, heads, hiddenWidth, activation;
  StringRef query, key, value, attentionOutput, attentionNorm;
  StringRef hidden, output, norm;
};
} // namespace

static Value activate(LayerBuilder &layer, StringRef name, Value rows) {
  return layer.elementwise(rows, [&](ScalarBuilder &s, ValueRange v) {
    if (name == "relu")
      return s.relu(v[0]);
    if (name == "silu")
      return s.silu(v[0]);
    return name == "gelu" ? s.gelu(v[0]) : s.geluTanh(v[0]);
  });
}

/// Attention of the nodes of each edge's two ends.
static Value selfAttention(LayerBuilder &layer, const EncoderNames &names,
                           AttentionPositions &positions, Value rows) {
  int64_t width = layer.getSize(names.width);
  int64_t heads = layer.getSize(names.heads);
  int64_t headWidth = width / heads;
  auto project = [&](StringRef name) {
    return layer.linear(rows, name, width, /*hasBias=*/true);
  };
  EdgeOperands operands;
  // Scaling N queries is less work than scaling E scores.
  Value queries =
      layer.scale(project(names.query), 1 / std::sqrt(double(headWidth)));
  operands.dst = {layer.splitHeads(queries, heads)};
  operands.src = {layer.splitHeads(project(names.key), heads)};
  Value scores = layer.message(
      layer.getGraph(), operands, "hf, hf -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  scores = positions.changeScores(scores, layer.getGraph());
  Value values = layer.splitHeads(project(names.value), heads);
  return layer.linear(
      layer.mergeHeads(attend(layer, layer.getGraph(), scores, values)),
      names.attentionOutput, width, /*hasBias=*/true);
}

static Value buildEncoderLayer(LayerBuilder &layer, const EncoderNames &names,
                               double eps, AttentionPositions positions) {
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkChannels(names.width)))
    return {};
  int64_t width = layer.getSize(names.width);
  if (width % layer.getSize(names.heads) != 0) {
    (void)layer.argumentError(names.heads,
                              "'" + names.heads + "' must divide " +
                                  names.width + ", " + Twine(width) + ", got " +
                                  Twine(layer.getSize(names.heads)));
    return {};
  }
  auto addAndNormalize = [&](Value rows, Value change, StringRef name) {
    return layer.layerNorm(layer.add(rows, change), eps, name.str() + ".weight",
                           name.str() + ".bias");
  };
  Value rows = layer.getInput();
  rows = addAndNormalize(rows, selfAttention(layer, names, positions, rows),
                         names.attentionNorm);
  Value hidden =
      layer.linear(rows, names.hidden, layer.getSize(names.hiddenWidth), true);
  hidden = activate(layer, layer.getChoice(names.activation), hidden);
  return addAndNormalize(rows, layer.linear(hidden, names.output, width, true),
                         names.norm);
}

static constexpr EncoderNames kBertNames{"hidden_size",
                                         "num_attention_heads",
                                         "intermediate_size",
                                         "hidden_act",
                                         "attention.self.query",
                                         "attention.self.key",
                                         "attention.self.value",
                                         "attention.output.dense",
                                         "attention.output.LayerNorm",
                                         "intermediate.dense",
                                         "output.dense",
                                         "output.LayerNorm"};

static Value buildBertLayer(LayerBuilder &layer) {
  return buildEncoderLayer(layer, kBertNames, layer.getNumber("layer_norm_eps"),
                           AttentionPositions(layer, 0, 0));
}

/// DistilBERT's.
static Value buildTransformerBlock(LayerBuilder &layer) {
  EncoderNames names{"dim",
                     "n_heads",
                     "hidden_dim",
                     "activation",
                     "attention.q_lin",
                     "attention.k_lin",
                     "attention.v_lin",
                     "attention.out_lin",
                     "sa_layer_norm",
                     "ffn.lin1",
                     "ffn.lin2",
                     "output_layer_norm"};
  return buildEncoderLayer(layer, names, 1e-12,
                           AttentionPositions(layer, 0, 0));
}

/// Half of MPNet's buckets, those of keys before their query: one for each of
/// the distances below half of them, then one for distances of a growing
/// range, up to 128. As T5's (Raffel et al. 2020), whatever the table's size.
static constexpr int64_t kBucketsOfSide = 16;
static constexpr int64_t kMaxBucketDistance = 128;

/// The bucket of a key's distance from its query, in the arithmetic of float32
/// that Transformers has: at powers of two it decides.
static int64_t getBucket(int64_t distance) {
  constexpr int64_t exact = kBucketsOfSide / 2;
  int64_t side = distance > 0 ? kBucketsOfSide : 0;
  distance = std::abs(distance);
  if (distance < exact)
    return side + distance;
  float range =
      std::log(static_cast<float>(distance) / exact) /
      static_cast<float>(std::log(double(kMaxBucketDistance) / exact));
  auto bucket = exact + static_cast<int64_t>(range * (kBucketsOfSide - exact));
  return side + std::min(bucket, kBucketsOfSide - 1);
}

static Value buildMPNetLayer(LayerBuilder &layer) {
  EncoderNames names = kBertNames;
  names.query = "attention.attn.q";
  names.key = "attention.attn.k";
  names.value = "attention.attn.v";
  names.attentionOutput = "attention.attn.o";
  names.attentionNorm = "attention.LayerNorm";
  StringRef bucketsName = "relative_attention_num_buckets";
  int64_t numBuckets = layer.getSize(bucketsName);
  if (numBuckets < 2 * kBucketsOfSide) {
    (void)layer.argumentError(bucketsName, "'" + bucketsName +
                                               "' must be at least " +
                                               Twine(2 * kBucketsOfSide) +
                                               ", got " + Twine(numBuckets));
    return {};
  }
  int64_t heads = layer.getSize(names.heads);
  std::vector<float> table = layer.readOuterWeight(
      "relative_attention_bias.weight", {numBuckets, heads});
  std::vector<float> biases;
  if (!table.empty())
    for (int64_t i = -kMaxBucketDistance; i <= kMaxBucketDistance; ++i)
      llvm::append_range(biases,
                         ArrayRef(table).slice(getBucket(i) * heads, heads));
  return buildEncoderLayer(layer, names, layer.getNumber("layer_norm_eps"),
                           AttentionPositions::createBiases(
                               layer, heads, layer.getSize(names.width) / heads,
                               biases, kMaxBucketDistance));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getBertLayers() {
  using Kind = ArgumentKind;
  SmallVector<StringRef> activations{"gelu", "relu", "silu", "gelu_new",
                                     "gelu_pytorch_tanh"};
  SmallVector<Argument> ofBert{
      {"hidden_size", Kind::Size},
      {"num_attention_heads", Kind::Size},
      {"intermediate_size", Kind::Size},
      {"hidden_act", Kind::Choice, "gelu", activations},
      {"layer_norm_eps", Kind::Number, "1e-12"}};
  SmallVector<Argument> ofMPNet = ofBert;
  ofMPNet.push_back({"relative_attention_num_buckets", Kind::Size, "32"});
  return {
      {"BertLayer", buildBertLayer, Reads::SquareGraph, EdgeInput::None,
       ofBert},
      {"TransformerBlock",
       buildTransformerBlock,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"dim", Kind::Size},
        {"n_heads", Kind::Size},
        {"hidden_dim", Kind::Size},
        {"activation", Kind::Choice, "gelu", activations}}},
      {"MPNetLayer", buildMPNetLayer, Reads::SquareGraph, EdgeInput::None,
       ofMPNet},
  };
}
