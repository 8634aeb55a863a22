//===- TransformerLayers.cpp - Attention of torch.nn ----------------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's attention reads every pair of rows, or those that a mask leaves.
// Here the edges of the graph say which.
//
//===----------------------------------------------------------------------===//

#include "AttentionPositions.h"
#include "LayerParts.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// MultiheadAttention
//===----------------------------------------------------------------------===//

LogicalResult gnn::frontend::checkHeads(LayerBuilder &layer, StringRef heads,
                                        StringRef width) {
  if (layer.getSize(width) % layer.getSize(heads) == 0)
    return success();
  return layer.argumentError(heads, "'" + heads + "' of " + layer.getType() +
                                        " must divide " + width + ", " +
                                        Twine(layer.getSize(width)) + ", got " +
                                        Twine(layer.getSize(heads)));
}

/// Queries, keys or values (`part` 0, 1 or 2) of `rows`, times `factor`, split
/// into heads. The three are parts of one linear layer, or have a weight each;
/// the bias is one vector in both cases. Queries and keys have their features
/// in the order that `positions` wants.
static Value projectIn(LayerBuilder &layer, const AttentionShape &attention,
                       const AttentionPositions &positions, Value rows,
                       int64_t part, double factor) {
  const std::string &prefix = attention.prefix;
  constexpr StringRef names[] = {"query", "key", "value"};
  std::string name = names[part].str();
  int64_t in = getNumChannels(rows), out = attention.width;
  int64_t headWidth = out / attention.heads;
  auto getRow = [&](int64_t i) {
    return part == 2 ? i
                     : i / headWidth * headWidth +
                           positions.getProjected(i % headWidth);
  };
  std::vector<float> weight;
  if (attention.hasOwnWeights) {
    weight =
        layer.readWeight(prefix + name.front() + "_proj_weight", {out, in});
  } else {
    auto all = layer.readWeight(prefix + "in_proj_weight", {3 * out, in});
    auto own = ArrayRef(all).slice(part * all.size() / 3, all.size() / 3);
    weight.assign(own.begin(), own.end());
  }
  std::vector<float> transposed(weight.size());
  for (int64_t i = 0, e = transposed.size(); i < e; ++i)
    transposed[i] = factor * weight[getRow(i % out) * in + i / out];
  Value result = layer.matmul(
      rows, layer.constant(prefix + name + "_weight", transposed, {in, out}));
  if (attention.hasBias) {
    auto all = layer.readWeight(prefix + "in_proj_bias", {3 * out});
    std::vector<float> own;
    for (int64_t i = 0, e = all.size() / 3; i < e; ++i)
      own.push_back(all[part * e + getRow(i)] * factor);
    result = layer.addUniform(
        result, layer.constant(prefix + name + "_bias", own, {out}));
  }
  return layer.splitHeads(result, attention.heads);
}

/// The rows of `key_padding_mask`, a number per source, null without one. Fails
/// after an error.
static FailureOr<Value> readPaddingMask(LayerBuilder &layer) {
  StringRef name = "key_padding_mask";
  if (layer.isNull(name))
    return Value();
  FailureOr<Features> mask = layer.getRows(name);
  if (failed(mask))
    return failure();
  const Features &sources = layer.getInputs().front();
  if (mask->rows != sources.rows || mask->type != sources.type ||
      !getRowShape(mask->value).empty())
    return layer.argumentError(
        name,
        "'key_padding_mask' of " + layer.getType() +
            " must name an input with 'channels: []' and one number per " +
            (sources.rows == Rows::Sources ? "source" : "node") + ", and '" +
            mask->name + "' is none");
  return mask->value;
}

Value gnn::frontend::multiheadAttention(LayerBuilder &layer,
                                        const AttentionShape &attention,
                                        Value graph, Value sources,
                                        Value destinations) {
  int64_t headWidth = attention.width / attention.heads;
  auto type = cast<GNNGraphType>(graph.getType());
  bool hidesLater =
      attention.isCausal && type.getTopology() != Topology::Causal;
  if (hidesLater && type.getTopology() == Topology::Complete &&
      !type.getBipartite()) {
    // The type says it better than a mask: half of the edges never exist.
    Value count = layer.getNumRows(destinations);
    graph = MakeGraphOp::create(
        layer.getBuilder(), layer.getLoc(),
        GNNGraphType::get(type.getContext(), Topology::Causal, 0, false, false,
                          type.getSelfLoops(), false, type.getIndexWidth()),
        ValueRange{count, count});
    hidesLater = false;
  }
  FailureOr<AttentionPositions> positions =
      attention.knowsPositions
          ? AttentionPositions::create(layer, attention.prefix, attention.heads,
                                       headWidth)
          : AttentionPositions(layer, attention.heads, headWidth);
  FailureOr<Value> mask =
      attention.knowsPositions ? readPaddingMask(layer) : attention.padding;
  if (failed(positions) || failed(mask))
    return {};
  EdgeOperands operands;
  // Scaling N queries is less work than scaling E scores.
  operands.dst = {
      positions->rotate(projectIn(layer, attention, *positions, destinations, 0,
                                  1 / std::sqrt(double(headWidth))),
                        graph)};
  operands.src = {positions->rotate(
      projectIn(layer, attention, *positions, sources, 1, 1), graph)};
  if (*mask)
    operands.src.push_back(*mask);
  Value scores = layer.message(
      graph, operands, *mask ? "hf, hf, -> h" : "hf, hf -> h",
      [&](ScalarBuilder &s, ValueRange v) {
        Value product = s.mul(v[0], positions->changeKey(s, v[1]));
        // A sum of -inf is the score of an edge that is not there.
        if (hidesLater)
          product = s.select(s.isFromLater(), s.constant(-INFINITY), product);
        if (*mask)
          product = s.select(s.isZero(v[2]), product, s.constant(-INFINITY));
        return product;
      });
  scores = positions->changeScores(scores, graph);
  Value values = projectIn(layer, attention, *positions, sources, 2, 1);
  Value received =
      layer.mergeHeads(attend(layer, graph, scores, values, Value(),
                              [&](ScalarBuilder &s, Value value) {
                                return positions->changeValue(s, value);
                              }));
  return layer.linear(received, attention.prefix + "out_proj", attention.width,
                      attention.hasBias);
}

/// Keys and values are the same rows, so both widths must be theirs. Without
/// them, they are `embed_dim`.
static LogicalResult checkSourceWidths(LayerBuilder &layer) {
  int64_t width = getNumChannels(layer.getSources());
  for (StringRef argument : {"kdim", "vdim"}) {
    bool isGiven = !layer.isNull(argument);
    int64_t says = layer.getSize(isGiven ? argument : "embed_dim");
    if (says == width)
      continue;
    return layer.argumentError(
        isGiven ? argument : "embed_dim",
        layer.describe() + " reads '" + layer.getInputs().front().name +
            "' with " + Twine(width) + " channels, but its " + argument +
            (isGiven ? " says " : " is embed_dim, ") + Twine(says) +
            (isGiven ? "" : ", unless given"));
  }
  return success();
}

static Value buildMultiheadAttention(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkDestinationChannels("embed_dim")) ||
      failed(checkSourceWidths(layer)) ||
      failed(checkHeads(layer, "num_heads", "embed_dim")))
    return {};
  AttentionShape attention{"", layer.getSize("embed_dim"),
                           layer.getSize("num_heads"), layer.getBoolean("bias"),
                           layer.getBoolean("is_causal")};
  attention.knowsPositions = true;
  attention.hasOwnWeights =
      getNumChannels(layer.getSources()) != attention.width;
  return multiheadAttention(layer, attention, layer.getGraph(),
                            layer.getSources(), layer.getDestinations());
}

//===----------------------------------------------------------------------===//
// TransformerEncoderLayer
//===----------------------------------------------------------------------===//

static Value feedForward(LayerBuilder &layer, const EncoderShape &encoder,
                         Value rows) {
  bool hasBias = encoder.attention.hasBias;
  Value hidden = layer.linear(rows, encoder.prefix + "linear1",
                              encoder.hiddenWidth, hasBias);
  Value active = layer.elementwise(hidden, [&](ScalarBuilder &s, ValueRange v) {
    return encoder.isGELU ? s.gelu(v[0]) : s.relu(v[0]);
  });
  return layer.linear(active, encoder.prefix + "linear2", getNumChannels(rows),
                      hasBias);
}

Value gnn::frontend::encodeRows(LayerBuilder &layer,
                                const EncoderShape &encoder, Value graph,
                                Value rows) {
  AttentionShape attention = encoder.attention;
  attention.prefix = encoder.prefix + "self_attn.";
  auto normalize = [&](Value values, const char *name) {
    std::string prefix = encoder.prefix + name;
    return layer.layerNorm(values, encoder.eps, prefix + ".weight",
                           attention.hasBias ? prefix + ".bias" : "");
  };
  Value read = encoder.isNormFirst ? normalize(rows, "norm1") : rows;
  Value received = multiheadAttention(layer, attention, graph, read, read);
  if (!received)
    return {};
  rows = layer.add(rows, received);
  if (encoder.isNormFirst)
    return layer.add(rows,
                     feedForward(layer, encoder, normalize(rows, "norm2")));
  rows = normalize(rows, "norm1");
  return normalize(layer.add(rows, feedForward(layer, encoder, rows)), "norm2");
}

static Value buildTransformerEncoderLayer(LayerBuilder &layer) {
  if (failed(layer.checkChannels("d_model")) ||
      failed(checkHeads(layer, "nhead", "d_model")))
    return {};
  EncoderShape encoder{"",
                       {"", layer.getSize("d_model"), layer.getSize("nhead"),
                        layer.getBoolean("bias"),
                        layer.getBoolean("is_causal")},
                       layer.getSize("dim_feedforward"),
                       layer.getChoice("activation") == "gelu",
                       layer.getBoolean("norm_first"),
                       layer.getNumber("layer_norm_eps")};
  encoder.attention.knowsPositions = true;
  return encodeRows(layer, encoder, layer.getGraph(), layer.getInput());
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getTransformerLayers() {
  using Kind = ArgumentKind;
  std::vector<LayerSpec> layers{
      {"MultiheadAttention",
       buildMultiheadAttention,
       Reads::Graph,
       EdgeInput::None,
       {{"embed_dim", Kind::Size},
        {"num_heads", Kind::Size},
        {"dropout", Kind::Ignored, "0.0"},
        {"bias", Kind::Boolean, "true"},
        {"add_bias_kv", Kind::Choice, "false", {"false"}},
        {"add_zero_attn", Kind::Choice, "false", {"false"}},
        {"kdim", Kind::Size, "null"},
        {"vdim", Kind::Size, "null"},
        {"batch_first", Kind::Ignored, "true"},
        {"is_causal", Kind::Boolean, "false"},
        {"key_padding_mask", Kind::Rows, "null"}}},
      {"TransformerEncoderLayer",
       buildTransformerEncoderLayer,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"d_model", Kind::Size},
        {"nhead", Kind::Size},
        {"dim_feedforward", Kind::Size, "2048"},
        {"dropout", Kind::Ignored, "0.1"},
        {"activation", Kind::Choice, "relu", {"relu", "gelu"}},
        {"layer_norm_eps", Kind::Number, "1e-5"},
        {"batch_first", Kind::Ignored, "true"},
        {"norm_first", Kind::Boolean, "false"},
        {"bias", Kind::Boolean, "true"},
        {"is_causal", Kind::Boolean, "false"},
        {"key_padding_mask", Kind::Rows, "null"}}},
  };
  for (LayerSpec &layer : layers)
    llvm::append_range(layer.arguments, getPositionArguments());
  return layers;
}
