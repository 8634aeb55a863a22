//===- GraphormerLayers.cpp - Attention by degrees and paths --------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphormer (Ying et al. 2021): the edges are pairs of nodes, and what is
// known of the paths between them comes as inputs.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

static bool isInteger(Value value) {
  Type type = value.getType();
  if (auto edges = dyn_cast<EdgesType>(type))
    return isa<IntegerType>(edges.getElementType());
  return isa<IntegerType>(getElementTypeOrSelf(type));
}

//===----------------------------------------------------------------------===//
// GraphormerEncoding
//===----------------------------------------------------------------------===//

static FailureOr<Value> readDegrees(LayerBuilder &layer, StringRef name) {
  FailureOr<Features> degrees = layer.getRows(name);
  if (failed(degrees))
    return failure();
  const Features &rows = layer.getInputs().front();
  if (degrees->rows == rows.rows && degrees->type == rows.type &&
      getRowShape(degrees->value).empty() && isInteger(degrees->value))
    return degrees->value;
  return layer.argumentError(
      name, "'" + name + "' of " + layer.getType() +
                " must name an input with 'channels: []' and a whole number "
                "per node, and '" +
                degrees->name + "' is none");
}

static Value buildGraphormerEncoding(LayerBuilder &layer) {
  int64_t width = layer.getSize("embedding_dim");
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkChannels("embedding_dim")))
    return {};
  Value rows = layer.getInput();
  for (const char *side : {"in", "out"}) {
    std::string name = std::string(side) + "_degree";
    FailureOr<Value> degrees = readDegrees(layer, name);
    if (failed(degrees))
      return {};
    int64_t size = layer.getSize("num_" + name);
    Value table = layer.weight(name + "_encoder.weight", {size, width});
    rows = layer.update(
        {rows, *degrees}, {}, "f, -> f", [&](ScalarBuilder &s, ValueRange v) {
          Value row = s.clamp(s.toIndex(v[1]), 0, size - 1);
          return s.add(v[0], s.lookup(table, {row, s.featureIndex('f')}));
        });
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// GraphormerToken
//===----------------------------------------------------------------------===//

/// The paper's virtual node is the first of its graph.
static Value buildGraphormerToken(LayerBuilder &layer) {
  int64_t width = layer.getSize("embedding_dim");
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkChannels("embedding_dim")))
    return {};
  Value token = layer.weight("graph_token.weight", {1, width}, {width});
  OpBuilder &builder = layer.getBuilder();
  Value positions = PositionOp::create(
      builder, layer.getLoc(),
      RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type()),
      layer.getGraph());
  return layer.update({layer.getInput(), positions}, token, "f, , f -> f",
                      [](ScalarBuilder &s, ValueRange v) {
                        return s.select(s.isZero(v[1]), v[2], v[0]);
                      });
}

//===----------------------------------------------------------------------===//
// GraphormerLayer
//===----------------------------------------------------------------------===//

/// An input of one whole number per pair.
static FailureOr<Value> readNumbers(LayerBuilder &layer, StringRef name) {
  FailureOr<Value> numbers = layer.getEdges(name);
  if (failed(numbers))
    return failure();
  if (cast<EdgesType>(numbers->getType()).getShape().empty() &&
      isInteger(*numbers))
    return *numbers;
  return layer.argumentError(name, "'" + name + "' of " + layer.getType() +
                                       " must name an input with 'channels: "
                                       "[]' and a whole number per edge, and "
                                       "'" +
                                       layer.getArgument(name).text +
                                       "' is none");
}

namespace {
/// What is known of a path between two nodes. `products` is null where edges
/// have no features.
struct Paths {
  Value distances;
  /// The sum over the edges of the path of their features times the weight of
  /// their place, per head.
  Value products;
  Value lengths;
};
} // namespace

static LogicalResult readPathFeatures(LayerBuilder &layer, Paths &paths) {
  StringRef name = "path_features", other = "path_lengths";
  if (layer.isNull(name) != layer.isNull(other)) {
    if (layer.isNull(name))
      std::swap(name, other);
    return layer.argumentError(name, "'" + name + "' of " + layer.getType() +
                                         " needs '" + other + ": NAME' too");
  }
  if (layer.isNull(name))
    return success();
  FailureOr<Value> features = layer.getEdges(name);
  if (failed(features))
    return failure();
  auto type = cast<EdgesType>(features->getType());
  if (type.getShape().size() != 2 || isInteger(*features))
    return layer.argumentError(
        name, "'path_features' of " + layer.getType() +
                  " must name a float32 input with 'channels: [LENGTH, "
                  "WIDTH]' per edge, and '" +
                  layer.getArgument(name).text + "' is none");
  FailureOr<Value> lengths = readNumbers(layer, other);
  if (failed(lengths))
    return failure();
  int64_t length = type.getShape()[0], width = type.getShape()[1];
  if (failed(limitArgument(layer, *lengths, length + 1)))
    return failure();
  EdgeOperands operands;
  operands.edge = {*features};
  operands.uniform = {layer.weight(
      "edge_encoder.weight", {length, width, layer.getSize("num_heads")})};
  paths.products = layer.message(
      layer.getGraph(), operands, "pf, pfh -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  paths.lengths = *lengths;
  return success();
}

/// Scores per pair and head, with the biases of distances and paths.
static Value addBiases(LayerBuilder &layer, Value scores, const Paths &paths) {
  Value table =
      layer.weight("spatial_pos_encoder.weight",
                   {layer.getSize("num_spatial"), layer.getSize("num_heads")});
  EdgeOperands operands;
  operands.edge = {scores, paths.distances};
  if (paths.products)
    operands.edge.append({paths.products, paths.lengths});
  int64_t last = layer.getSize("num_spatial") - 1;
  return layer.message(
      layer.getGraph(), operands, paths.products ? "h, , h, -> h" : "h, -> h",
      [&](ScalarBuilder &s, ValueRange v) {
        // The runtime checks distances, but not those of pairs that are none.
        Value row = s.clamp(s.toIndex(v[1]), 0, last);
        Value sum = s.add(v[0], s.lookup(table, {row, s.featureIndex('h')}));
        if (!paths.products)
          return sum;
        // A pair without a path has the sum 0.
        Value count = s.max(s.toFloat(v[3]), s.constant(1));
        return s.add(sum, s.div(v[2], count));
      });
}

static Value attendToPairs(LayerBuilder &layer, Value rows,
                           const Paths &paths) {
  int64_t width = layer.getSize("embedding_dim");
  int64_t heads = layer.getSize("num_heads");
  auto project = [&](const char *name, double factor = 1) {
    Value projected = layer.linear(rows, std::string("self_attn.") + name,
                                   width, /*hasBias=*/true);
    if (factor != 1)
      projected = layer.scale(projected, factor);
    return layer.splitHeads(projected, heads);
  };
  EdgeOperands operands;
  operands.dst = {
      project("q_proj", 1 / std::sqrt(double(width) / double(heads)))};
  operands.src = {project("k_proj")};
  Value scores = layer.message(
      layer.getGraph(), operands, "hf, hf -> h",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  scores = addBiases(layer, scores, paths);
  Value received = attend(layer, layer.getGraph(), scores, project("v_proj"));
  return layer.linear(layer.mergeHeads(received), "self_attn.out_proj", width,
                      /*hasBias=*/true);
}

static Value buildGraphormerLayer(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkChannels("embedding_dim")) ||
      failed(checkHeads(layer, "num_heads", "embedding_dim")))
    return {};
  Paths paths;
  FailureOr<Value> distances = readNumbers(layer, "shortest_path");
  if (failed(distances) ||
      failed(limitArgument(layer, *distances, layer.getSize("num_spatial"))))
    return {};
  paths.distances = *distances;
  if (failed(readPathFeatures(layer, paths)))
    return {};
  double eps = layer.getNumber("layer_norm_eps");
  auto normalize = [&](Value rows, const std::string &name) {
    return layer.layerNorm(rows, eps, name + ".weight", name + ".bias");
  };
  Value rows = layer.getInput();
  Value received =
      attendToPairs(layer, normalize(rows, "self_attn_layer_norm"), paths);
  rows = layer.add(rows, received);
  Value hidden = layer.linear(normalize(rows, "final_layer_norm"), "fc1",
                              layer.getSize("ffn_embedding_dim"),
                              /*hasBias=*/true);
  hidden = layer.elementwise(
      hidden, [](ScalarBuilder &s, ValueRange v) { return s.gelu(v[0]); });
  hidden = layer.linear(hidden, "fc2", getNumChannels(rows), /*hasBias=*/true);
  return layer.add(rows, hidden);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getGraphormerLayers() {
  using Kind = ArgumentKind;
  return {
      {"GraphormerEncoding",
       buildGraphormerEncoding,
       Reads::Rows,
       EdgeInput::None,
       {{"embedding_dim", Kind::Size},
        {"num_in_degree", Kind::Size},
        {"num_out_degree", Kind::Size},
        {"in_degree", Kind::Rows},
        {"out_degree", Kind::Rows}}},
      {"GraphormerToken",
       buildGraphormerToken,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"embedding_dim", Kind::Size}}},
      {"GraphormerLayer",
       buildGraphormerLayer,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"embedding_dim", Kind::Size},
        {"num_heads", Kind::Size},
        {"ffn_embedding_dim", Kind::Size},
        {"num_spatial", Kind::Size},
        {"shortest_path", Kind::Edges},
        {"path_features", Kind::Edges, "null"},
        {"path_lengths", Kind::Edges, "null"},
        {"dropout", Kind::Ignored, "0.0"},
        {"layer_norm_eps", Kind::Number, "1e-5"}}},
  };
}
