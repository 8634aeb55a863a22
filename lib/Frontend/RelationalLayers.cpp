//===- RelationalLayers.cpp - A matrix for each relation --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelationalLayers.h"
#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

LogicalResult gnn::frontend::checkDecomposition(LayerBuilder &layer, int64_t in,
                                                int64_t out) {
  if (!layer.isNull("num_bases") && !layer.isNull("num_blocks"))
    return layer.argumentError("num_blocks",
                               layer.describe() +
                                   " has 'num_bases' and 'num_blocks', but its "
                                   "matrices are decomposed in one way");
  if (layer.isNull("num_blocks"))
    return success();
  int64_t numBlocks = layer.getSize("num_blocks");
  if (in % numBlocks == 0 && out % numBlocks == 0)
    return success();
  return layer.argumentError("num_blocks",
                             "'num_blocks' of " + layer.getType() +
                                 " must divide in_channels, " + Twine(in) +
                                 ", and out_channels, " + Twine(out) +
                                 ", got " + Twine(numBlocks));
}

bool gnn::frontend::hasNumbers(Value rows) {
  return isa<IntegerType>(getElementTypeOrSelf(rows.getType()));
}

//===----------------------------------------------------------------------===//
// A graph for each relation
//===----------------------------------------------------------------------===//

namespace {
/// Builds one RGCNConv of a model with node types. Every edge type has a graph
/// of its own, so that a relation is an aggregation on it and a product:
/// nothing is kept per edge, and no node has a row for each relation.
class RGCNBuilder {
public:
  explicit RGCNBuilder(LayerBuilder &layer)
      : layer(layer), schema(layer.getSchema()),
        numRelations(schema.edgeTypes.size()), in(layer.getSize("in_channels")),
        out(layer.getSize("out_channels")), received(schema.nodeTypes.size()) {}

  SmallVector<Value> build();

private:
  LogicalResult check();
  void aggregate();
  Value transform(ArrayRef<std::pair<int, Value>> messages);
  Value transformBases(ArrayRef<std::pair<int, Value>> messages);
  Value transformBlocks(ArrayRef<std::pair<int, Value>> messages);
  Value addUp(Value sum, Value term) {
    return sum ? layer.add(sum, term) : term;
  }
  std::vector<float> getSlice(ArrayRef<float> values, int64_t number,
                              int64_t size) const {
    if (values.empty())
      return {};
    return values.slice(number * size, size).vec();
  }

  LayerBuilder &layer;
  const Schema &schema;
  int64_t numRelations, in, out;
  /// For each node type, the aggregated rows of each relation into it.
  SmallVector<SmallVector<std::pair<int, Value>>> received;
};
} // namespace

LogicalResult RGCNBuilder::check() {
  if (!layer.isNull("edge_type"))
    return layer.argumentError("edge_type",
                               layer.describe() +
                                   " takes no 'edge_type': its relations are "
                                   "the model's edge types");
  if (layer.getArgument("in_channels").isSequence())
    return layer.argumentError("in_channels",
                               "'in_channels' of " + layer.getType() +
                                   " must be one number for all node types");
  for (int type = 0, e = schema.nodeTypes.size(); type < e; ++type) {
    Value rows = layer.getRowsOf(type);
    if (rows && hasNumbers(rows)) {
      (void)layer.error(layer.describe() +
                        " reads float32 in a model with node types, but the "
                        "rows of '" +
                        schema.nodeTypes[type] + "' are whole numbers");
      return failure();
    }
  }
  if (failed(layer.checkChannels("in_channels")))
    return failure();
  if (layer.getSize("num_relations") != numRelations)
    return layer.argumentError(
        "num_relations", layer.describe() + " has a relation per edge type, " +
                             Twine(numRelations) +
                             ", but its num_relations says " +
                             Twine(layer.getSize("num_relations")));
  if (failed(layer.checkRowsOfEnds(
          llvm::to_vector(llvm::seq<int>(schema.edgeTypes.size())))))
    return failure();
  return checkDecomposition(layer, in, out);
}

void RGCNBuilder::aggregate() {
  Aggregator aggregator = layer.getAggregators("aggr").front();
  for (auto [number, edgeType] : llvm::enumerate(schema.edgeTypes)) {
    Value messages = sendRows(layer, edgeType.graph,
                              layer.getRowsOf(edgeType.source), Value());
    received[edgeType.destination].emplace_back(
        number, layer.aggregate(aggregator, edgeType.graph, messages));
  }
}

/// A matrix [in, out] per relation.
Value RGCNBuilder::transform(ArrayRef<std::pair<int, Value>> messages) {
  auto weight = layer.readWeight("weight", {numRelations, in, out});
  Value sum;
  for (auto [relation, rows] : messages)
    sum = addUp(
        sum,
        layer.matmul(rows, layer.constant("weight." + std::to_string(relation),
                                          getSlice(weight, relation, in * out),
                                          {in, out})));
  return sum;
}

/// Matrices that are weighted sums of a few: rows are weighted instead, and
/// multiplied by those few.
Value RGCNBuilder::transformBases(ArrayRef<std::pair<int, Value>> messages) {
  int64_t numBases = layer.getSize("num_bases");
  auto weight = layer.readWeight("weight", {numBases, in, out});
  auto comp = layer.readWeight("comp", {numRelations, numBases});
  SmallVector<Value> rows(llvm::make_second_range(messages));
  Value sum;
  for (int64_t base = 0; base < numBases; ++base) {
    Value weighted =
        layer.elementwise(rows, [&](ScalarBuilder &s, ValueRange v) {
          Value total;
          for (auto [value, message] : llvm::zip(v, messages)) {
            double share =
                comp.empty() ? 0 : comp[message.first * numBases + base];
            Value term = s.mul(value, s.constant(share));
            total = total ? s.add(total, term) : term;
          }
          return total;
        });
    sum =
        addUp(sum, layer.matmul(weighted,
                                layer.constant("weight." + std::to_string(base),
                                               getSlice(weight, base, in * out),
                                               {in, out})));
  }
  return sum;
}

/// Matrices that are zero but for blocks on the diagonal.
Value RGCNBuilder::transformBlocks(ArrayRef<std::pair<int, Value>> messages) {
  int64_t numBlocks = layer.getSize("num_blocks");
  int64_t height = in / numBlocks, width = out / numBlocks;
  auto weight =
      layer.readWeight("weight", {numRelations, numBlocks, height, width});
  Value sum;
  for (auto [relation, rows] : messages) {
    Value blocks =
        layer.constant("weight." + std::to_string(relation),
                       getSlice(weight, relation, numBlocks * height * width),
                       {numBlocks, height, width});
    sum = addUp(
        sum, stackedLinear(layer, layer.splitHeads(rows, numBlocks), blocks));
  }
  return layer.mergeHeads(sum);
}

SmallVector<Value> RGCNBuilder::build() {
  if (failed(check()))
    return {};
  aggregate();
  Value root, bias;
  if (layer.getBoolean("root_weight"))
    root = layer.weight("root", {in, out});
  if (layer.getBoolean("bias"))
    bias = layer.weight("bias", {out});
  SmallVector<Value> results;
  for (auto [type, messages] : llvm::enumerate(received)) {
    Value rows = layer.getRowsOf(type), result;
    if (!rows) {
      results.push_back({});
      continue;
    }
    if (!messages.empty())
      result = !layer.isNull("num_blocks")  ? transformBlocks(messages)
               : !layer.isNull("num_bases") ? transformBases(messages)
                                            : transform(messages);
    if (root)
      result = addUp(result, layer.matmul(rows, root));
    if (!result)
      result = layer.filled(layer.getNumRows(rows), {out}, 0);
    results.push_back(bias ? layer.addUniform(result, bias) : result);
  }
  return results;
}

static SmallVector<Value> buildRGCNConvOnTypes(LayerBuilder &layer) {
  return RGCNBuilder(layer).build();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// FastRGCNConv computes the same, with all edges at once.
static LayerSpec getRGCNConv(StringRef type, ArrayRef<StringRef> aggregators) {
  using Kind = ArgumentKind;
  return {type,
          buildNumberedRGCNConv,
          Reads::Graph,
          EdgeInput::None,
          {{"in_channels", Kind::Channels},
           {"out_channels", Kind::Size},
           {"num_relations", Kind::Size},
           {"num_bases", Kind::Size, "null"},
           {"num_blocks", Kind::Size, "null"},
           {"aggr", Kind::Choice, "mean", llvm::to_vector(aggregators)},
           {"root_weight", Kind::Boolean, "true"},
           {"is_sorted", Kind::Ignored, "false"},
           {"bias", Kind::Boolean, "true"},
           {"edge_type", Kind::Edges, "null"}},
          buildRGCNConvOnTypes,
          /*takesNumbers=*/true};
}

std::vector<LayerSpec> gnn::frontend::getRelationalLayers() {
  static const StringRef aggregators[] = {"mean", "add", "sum", "max", "min"};
  return {getRGCNConv("RGCNConv", aggregators),
          getRGCNConv("FastRGCNConv", ArrayRef(aggregators).take_front(3))};
}
