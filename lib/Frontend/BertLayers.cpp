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
                           Value rows) {
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
  Value values = layer.splitHeads(project(names.value), heads);
  return layer.linear(
      layer.mergeHeads(attend(layer, layer.getGraph(), scores, values)),
      names.attentionOutput, width, /*hasBias=*/true);
}

static Value buildEncoderLayer(LayerBuilder &layer, const EncoderNames &names,
                               double eps) {
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
  rows = addAndNormalize(rows, selfAttention(layer, names, rows),
                         names.attentionNorm);
  Value hidden =
      layer.linear(rows, names.hidden, layer.getSize(names.hiddenWidth), true);
  hidden = activate(layer, layer.getChoice(names.activation), hidden);
  return addAndNormalize(rows, layer.linear(hidden, names.output, width, true),
                         names.norm);
}

static Value buildBertLayer(LayerBuilder &layer) {
  EncoderNames names{"hidden_size",
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
  return buildEncoderLayer(layer, names, layer.getNumber("layer_norm_eps"));
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
  return buildEncoderLayer(layer, names, 1e-12);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getBertLayers() {
  using Kind = ArgumentKind;
  SmallVector<StringRef> activations{"gelu", "relu", "silu", "gelu_new",
                                     "gelu_pytorch_tanh"};
  return {
      {"BertLayer",
       buildBertLayer,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"hidden_size", Kind::Size},
        {"num_attention_heads", Kind::Size},
        {"intermediate_size", Kind::Size},
        {"hidden_act", Kind::Choice, "gelu", activations},
        {"layer_norm_eps", Kind::Number, "1e-12"}}},
      {"TransformerBlock",
       buildTransformerBlock,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"dim", Kind::Size},
        {"n_heads", Kind::Size},
        {"hidden_dim", Kind::Size},
        {"activation", Kind::Choice, "gelu", activations}}},
  };
}
