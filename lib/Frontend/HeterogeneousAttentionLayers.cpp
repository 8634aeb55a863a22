//===- HeterogeneousAttentionLayers.cpp - HGTConv and HANConv ---*- C++ -*-===//
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

/// Checks that `in_channels` has the types at both ends of these edge types.
static LogicalResult checkSizes(LayerBuilder &layer, ArrayRef<int64_t> sizes,
                                ArrayRef<int> edgeTypes) {
  const Schema &schema = layer.getSchema();
  for (int number : edgeTypes)
    for (int end : {schema.edgeTypes[number].source,
                    schema.edgeTypes[number].destination})
      if (sizes[end] == 0)
        return layer.argumentError("in_channels",
                                   "'in_channels' of " + layer.describe() +
                                       " lacks '" + schema.nodeTypes[end] +
                                       "', a node type of the edges " +
                                       schema.edgeTypes[number].getName());
  return success();
}

/// `heads` of a layer whose `out_channels` they divide, or 0 after an error.
static int64_t getHeads(LayerBuilder &layer) {
  int64_t heads = layer.getSize("heads"), out = layer.getSize("out_channels");
  if (out % heads == 0)
    return heads;
  (void)layer.argumentError("heads", "'heads' of " + layer.getType() +
                                         " must divide out_channels, " +
                                         Twine(out) + ", got " + Twine(heads));
  return 0;
}

//===----------------------------------------------------------------------===//
// Attention over several graphs
//===----------------------------------------------------------------------===//

namespace {
/// What one relation sends to a node type.
struct Relation {
  Value graph;
  /// Per edge, one for each head.
  Value scores;
  /// Of sources, [n, heads, width].
  Value values;
};
} // namespace

/// The largest score of each node over all its in-edges, per head; nodes
/// without in-edges get -inf, which nobody reads.
static Value findLargestScores(LayerBuilder &layer,
                               ArrayRef<Relation> relations) {
  SmallVector<Value> operands;
  std::string subscripts;
  for (const Relation &relation : relations) {
    operands.push_back(
        layer.aggregate(Aggregator::Max, relation.graph, relation.scores));
    operands.push_back(getDegree(layer, relation.graph, NodeSide::Destination));
    subscripts += subscripts.empty() ? "h, " : ", h, ";
  }
  return layer.update(
      operands, {}, subscripts + " -> h", [](ScalarBuilder &s, ValueRange v) {
        Value lowest = s.constant(-INFINITY), result = lowest;
        for (size_t i = 0; i < v.size(); i += 2)
          // The largest of no scores is 0, which would win over negative ones.
          result = s.max(result, s.select(s.isZero(v[i + 1]), lowest, v[i]));
        return result;
      });
}

/// Attention whose softmax runs over the in-edges from all relations together:
/// `attend` on the graph that has the edges of all, which is never made.
static Value attendRelations(LayerBuilder &layer,
                             ArrayRef<Relation> relations) {
  if (relations.size() == 1)
    return attend(layer, relations[0].graph, relations[0].scores,
                  relations[0].values);
  Value largest = findLargestScores(layer, relations);
  SmallVector<Value> sums;
  std::string subscripts;
  for (const Relation &relation : relations) {
    EdgeOperands operands;
    operands.dst = {largest};
    operands.edge = {relation.scores};
    Value weights = layer.message(relation.graph, operands, "h, h -> h",
                                  [](ScalarBuilder &s, ValueRange v) {
                                    return s.exp(s.sub(v[1], v[0]));
                                  });
    operands.dst.clear();
    operands.src = {relation.values};
    operands.edge = {weights};
    Value weighted = layer.message(
        relation.graph, operands, "hf, h -> hf",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
    sums.push_back(layer.aggregate(Aggregator::Sum, relation.graph, weighted));
    sums.push_back(layer.aggregate(Aggregator::Sum, relation.graph, weights));
    subscripts += subscripts.empty() ? "hf, h" : ", hf, h";
  }
  return layer.update(sums, {}, subscripts + " -> hf",
                      [](ScalarBuilder &s, ValueRange v) {
                        Value sum = v[0], weight = v[1];
                        for (size_t i = 2; i < v.size(); i += 2) {
                          sum = s.add(sum, v[i]);
                          weight = s.add(weight, v[i + 1]);
                        }
                        // As PyTorch Geometric's softmax: without in-edges, 0.
                        return s.div(sum, s.add(weight, s.constant(1e-16)));
                      });
}

namespace {
/// What HGTConv and HANConv read from their arguments.
struct TypedAttention {
  LayerBuilder::Metadata metadata;
  /// Per node type.
  SmallVector<int64_t> inChannels;
  int64_t heads;
};
} // namespace

/// None after an error.
static std::optional<TypedAttention> readArguments(LayerBuilder &layer) {
  int64_t heads = getHeads(layer);
  auto metadata = layer.getMetadata("metadata");
  if (!heads || !metadata || failed(layer.checkRowsOfEnds(metadata->edgeTypes)))
    return std::nullopt;
  auto inChannels =
      layer.getSizePerNodeType("in_channels", metadata->nodeTypes);
  if (!inChannels ||
      failed(checkSizes(layer, *inChannels, metadata->edgeTypes)))
    return std::nullopt;
  return TypedAttention{std::move(*metadata), std::move(*inChannels), heads};
}

//===----------------------------------------------------------------------===//
// HGTConv
//===----------------------------------------------------------------------===//

namespace {
/// Builds one HGTConv.
class HGTBuilder {
public:
  HGTBuilder(LayerBuilder &layer, const LayerBuilder::Metadata &metadata,
             ArrayRef<int64_t> inChannels, int64_t heads)
      : layer(layer), schema(layer.getSchema()), metadata(metadata),
        inChannels(inChannels), heads(heads),
        out(layer.getSize("out_channels")), width(out / heads) {}

  SmallVector<Value> build();

private:
  enum Part { Key = 0, Query = 1, Value_ = 2 };

  Value project(int nodeType, Part part);
  Value transform(Value rows, StringRef name, size_t edgeType,
                  ArrayRef<float> factors);
  std::vector<float> readFactors(int edgeType);
  Value finish(int nodeType, Value received);
  std::string getSkipName(int nodeType) const;

  LayerBuilder &layer;
  const Schema &schema;
  const LayerBuilder::Metadata &metadata;
  ArrayRef<int64_t> inChannels;
  int64_t heads, out, width;
};
} // namespace

/// Keys, queries or values, [n, heads, width]: a third of `kqv_lin`.
Value HGTBuilder::project(int nodeType, Part part) {
  std::string name = "kqv_lin.lins." + schema.nodeTypes[nodeType];
  int64_t in = inChannels[nodeType];
  auto weight = layer.readWeight(name + ".weight", {3 * out, in});
  auto bias = layer.readWeight(name + ".bias", {3 * out});
  std::vector<float> transposed;
  for (int64_t i = 0, e = weight.empty() ? 0 : in; i < e; ++i)
    for (int64_t column = part * out; column < (part + 1) * out; ++column)
      transposed.push_back(weight[column * in + i]);
  std::string suffix = "." + std::to_string(part);
  Value product = layer.matmul(
      layer.getRowsOf(nodeType),
      layer.constant(name + ".weight" + suffix, transposed, {in, out}));
  ArrayRef<float> partOfBias(bias);
  if (!bias.empty())
    partOfBias = partOfBias.slice(part * out, out);
  return layer.splitHeads(
      layer.addUniform(
          product, layer.constant(name + ".bias" + suffix, partOfBias, {out})),
      heads);
}

/// Rows times the matrices of an edge type, one per head, and its `factors`.
Value HGTBuilder::transform(Value rows, StringRef name, size_t position,
                            ArrayRef<float> factors) {
  int64_t numTypes = metadata.edgeTypes.size();
  auto weight = layer.readWeight((name + ".weight").str(),
                                 {heads * numTypes, width, width});
  std::vector<float> matrices;
  for (int64_t head = 0, e = weight.empty() ? 0 : heads; head < e; ++head) {
    auto matrix = ArrayRef(weight).slice(
        (head * numTypes + position) * width * width, width * width);
    for (float value : matrix)
      matrices.push_back(factors.empty() ? value : value * factors[head]);
  }
  return stackedLinear(layer, rows,
                       layer.constant((name + "." + Twine(position)).str(),
                                      matrices, {heads, width, width}));
}

/// What the scores of an edge type are multiplied by, per head.
std::vector<float> HGTBuilder::readFactors(int edgeType) {
  std::vector<float> factors = layer.readWeight(
      "p_rel." + schema.edgeTypes[edgeType].getName(), {1, heads});
  for (float &factor : factors)
    factor = float(factor / std::sqrt(double(width)));
  return factors;
}

/// PyTorch Geometric's ParameterDict puts a key in angle brackets that is the
/// name of one of its methods, such as `items`.
std::string HGTBuilder::getSkipName(int nodeType) const {
  std::string bracketed = "skip.<" + schema.nodeTypes[nodeType] + ">";
  return layer.hasWeight(bracketed) ? bracketed
                                    : "skip." + schema.nodeTypes[nodeType];
}

/// What follows attention: GELU, `out_lin` and a gated residual.
Value HGTBuilder::finish(int nodeType, Value received) {
  Value activated = layer.elementwise(
      layer.mergeHeads(received),
      [](ScalarBuilder &s, ValueRange v) { return s.gelu(v[0]); });
  Value result =
      layer.linear(activated, "out_lin.lins." + schema.nodeTypes[nodeType], out,
                   /*hasBias=*/true);
  if (inChannels[nodeType] != out)
    return result;
  std::vector<float> skip = layer.readWeight(getSkipName(nodeType), {1});
  double gate = skip.empty() ? 0 : 1 / (1 + std::exp(-double(skip.front())));
  return layer.elementwise({result, layer.getRowsOf(nodeType)},
                           [&](ScalarBuilder &s, ValueRange v) {
                             return s.add(s.mul(v[0], s.constant(gate)),
                                          s.mul(v[1], s.constant(1 - gate)));
                           });
}

SmallVector<Value> HGTBuilder::build() {
  // The state_dict has entries of types that take no part, too.
  for (int type : metadata.nodeTypes) {
    const std::string &name = schema.nodeTypes[type];
    for (StringRef entry : {".weight", ".bias"}) {
      layer.ignoreWeight(("kqv_lin.lins." + name + entry).str());
      layer.ignoreWeight(("out_lin.lins." + name + entry).str());
    }
    layer.ignoreWeight(getSkipName(type));
  }
  SmallVector<SmallVector<Relation>> relations(schema.nodeTypes.size());
  SmallVector<Value> keys(schema.nodeTypes.size()), queries(keys), values(keys);
  auto once = [&](SmallVector<Value> &projected, int type, Part part) {
    if (!projected[type])
      projected[type] = project(type, part);
    return projected[type];
  };
  for (auto [position, number] : llvm::enumerate(metadata.edgeTypes)) {
    const EdgeType &edgeType = schema.edgeTypes[number];
    EdgeOperands operands;
    operands.dst = {once(queries, edgeType.destination, Query)};
    operands.src = {transform(once(keys, edgeType.source, Key), "k_rel",
                              position, readFactors(number))};
    Relation relation;
    relation.graph = edgeType.graph;
    relation.scores = layer.message(
        edgeType.graph, operands, "hf, hf -> h",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
    relation.values =
        transform(once(values, edgeType.source, Value_), "v_rel", position, {});
    relations[edgeType.destination].push_back(relation);
  }
  SmallVector<Value> results;
  for (auto [type, received] : llvm::enumerate(relations))
    results.push_back(received.empty()
                          ? Value()
                          : finish(type, attendRelations(layer, received)));
  return results;
}

static SmallVector<Value> buildHGTConv(LayerBuilder &layer) {
  std::optional<TypedAttention> arguments = readArguments(layer);
  if (!arguments)
    return {};
  return HGTBuilder(layer, arguments->metadata, arguments->inChannels,
                    arguments->heads)
      .build();
}

//===----------------------------------------------------------------------===//
// HANConv
//===----------------------------------------------------------------------===//

/// What several edge types sent to one node type, weighted by a softmax over
/// the edge types: PyTorch Geometric's `group`.
static Value attendSemantics(LayerBuilder &layer, ArrayRef<Value> received) {
  if (received.size() == 1) {
    // Its weight is 1; the entries have no part in the result.
    for (StringRef name : {"k_lin.weight", "k_lin.bias", "q"})
      layer.ignoreWeight(name);
    return received.front();
  }
  int64_t out = layer.getSize("out_channels");
  Value weight = layer.transposedWeight("k_lin.weight", out, out);
  Value bias = layer.weight("k_lin.bias", {out});
  Value query = layer.weight("q", {1, out}, {out});
  ScalarBuilder scalars(layer.getBuilder(), layer.getLoc());
  Value rows = layer.getNumRows(received.front());
  Value count = scalars.toFloat(rows);
  SmallVector<Value> scores;
  for (Value value : received) {
    Value product = layer.matmul(value, weight);
    Value ofRows = layer.update(product, {bias, query}, "f, f, f ->",
                                [](ScalarBuilder &s, ValueRange v) {
                                  return s.mul(v[2], s.tanh(s.add(v[0], v[1])));
                                });
    scores.push_back(scalars.div(layer.sumOverRows(ofRows), count));
  }
  Value largest = scores.front(), sum;
  for (Value score : ArrayRef(scores).drop_front())
    largest = scalars.max(largest, score);
  for (Value &score : scores) {
    score = scalars.exp(scalars.sub(score, largest));
    sum = sum ? scalars.add(sum, score) : score;
  }
  std::string subscripts = "f";
  for (Value &score : scores)
    score = scalars.div(score, sum);
  for (size_t i = 1; i < received.size(); ++i)
    subscripts += ", f";
  for (size_t i = 0; i < received.size(); ++i)
    subscripts += ", ";
  return layer.update(received, scores, subscripts + " -> f",
                      [](ScalarBuilder &s, ValueRange v) {
                        size_t half = v.size() / 2;
                        Value result = s.mul(v[0], v[half]);
                        for (size_t i = 1; i < half; ++i)
                          result = s.add(result, s.mul(v[i], v[half + i]));
                        return result;
                      });
}

static SmallVector<Value> buildHANConv(LayerBuilder &layer) {
  const Schema &schema = layer.getSchema();
  std::optional<TypedAttention> arguments = readArguments(layer);
  if (!arguments)
    return {};
  int64_t heads = arguments->heads, out = layer.getSize("out_channels");
  const LayerBuilder::Metadata &metadata = arguments->metadata;
  SmallVector<Value> projected(schema.nodeTypes.size());
  auto project = [&](int type) {
    if (!projected[type])
      projected[type] = layer.splitHeads(
          layer.linear(layer.getRowsOf(type), "proj." + schema.nodeTypes[type],
                       out, /*hasBias=*/true),
          heads);
    return projected[type];
  };
  for (int type : metadata.nodeTypes)
    for (StringRef entry : {".weight", ".bias"})
      layer.ignoreWeight(("proj." + schema.nodeTypes[type] + entry).str());

  double slope = layer.getNumber("negative_slope");
  SmallVector<SmallVector<Value>> received(schema.nodeTypes.size());
  for (int number : metadata.edgeTypes) {
    const EdgeType &edgeType = schema.edgeTypes[number];
    auto score = [&](Value rows, StringRef name) {
      Value attention =
          layer.weight((name + "." + edgeType.getName()).str(),
                       {1, heads, out / heads}, {heads, out / heads});
      return layer.update(
          rows, attention, "hf, hf -> h",
          [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
    };
    Value sources = project(edgeType.source);
    EdgeOperands operands;
    operands.dst = {score(project(edgeType.destination), "lin_dst")};
    operands.src = {score(sources, "lin_src")};
    Value scores = layer.message(edgeType.graph, operands, "h, h -> h",
                                 [&](ScalarBuilder &s, ValueRange v) {
                                   return s.leakyReLU(s.add(v[1], v[0]), slope);
                                 });
    Value result =
        layer.mergeHeads(attend(layer, edgeType.graph, scores, sources));
    received[edgeType.destination].push_back(relu(layer, result));
  }
  SmallVector<Value> results;
  for (ArrayRef<Value> values : received)
    results.push_back(values.empty() ? Value()
                                     : attendSemantics(layer, values));
  return results;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getHeterogeneousAttentionLayers() {
  using Kind = ArgumentKind;
  return {
      {"HGTConv",
       nullptr,
       Reads::NodeTypes,
       EdgeInput::None,
       {{"in_channels", Kind::SizePerNodeType},
        {"out_channels", Kind::Size},
        {"metadata", Kind::Metadata, "null"},
        {"heads", Kind::Size, "1"}},
       buildHGTConv},
      {"HANConv",
       nullptr,
       Reads::NodeTypes,
       EdgeInput::None,
       {{"in_channels", Kind::SizePerNodeType},
        {"out_channels", Kind::Size},
        {"metadata", Kind::Metadata, "null"},
        {"heads", Kind::Size, "1"},
        {"negative_slope", Kind::Number, "0.2"},
        {"dropout", Kind::Ignored, "0"}},
       buildHANConv},
  };
}
