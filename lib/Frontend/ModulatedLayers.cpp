//===- ModulatedLayers.cpp - Receivers that change messages -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "RelationalLayers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// FiLMConv
//===----------------------------------------------------------------------===//

namespace {
/// Builds one FiLMConv (Brockschmidt 2020): receivers scale and shift messages,
/// by numbers of their own for each relation.
class FiLMBuilder {
public:
  explicit FiLMBuilder(LayerBuilder &layer)
      : layer(layer), numRelations(layer.getSize("num_relations")),
        out(layer.getSize("out_channels")),
        activation(getActivation(layer, "act")) {}

  Value build();

private:
  /// `out` of the results, from `first` on, of linear layers that have
  /// `height`: [n, layers, out].
  Value transform(Value rows, ArrayRef<std::string> names, int64_t height,
                  int64_t first, bool hasBias);
  /// Shift and scale of destinations, in this order in the state_dict.
  std::pair<Value, Value> modulate(ArrayRef<std::string> names, bool hasBias) {
    Value rows = layer.getDestinations();
    return {transform(rows, names, 2 * out, 0, hasBias),
            transform(rows, names, 2 * out, out, hasBias)};
  }
  LogicalResult readRelations();
  Value receive(Value shift, Value scale, Value rows);
  Value receiveByRelation(Value shift, Value scale, Value rows);

  LayerBuilder &layer;
  int64_t numRelations, out;
  Activation activation;
  /// Of several.
  EdgeRelations relations;
};
} // namespace

Value FiLMBuilder::transform(Value rows, ArrayRef<std::string> names,
                             int64_t height, int64_t first, bool hasBias) {
  int64_t in = getNumChannels(rows), count = names.size(), width = count * out;
  std::vector<float> weights(in * width), biases(width);
  for (auto [i, name] : llvm::enumerate(names)) {
    std::vector<float> matrix = SplitLinear(layer, name, height, in).getPart(0);
    for (int64_t k = 0; k < in && !matrix.empty(); ++k)
      llvm::copy(ArrayRef(matrix).slice(k * height + first, out),
                 &weights[k * width + i * out]);
    if (!hasBias)
      continue;
    auto bias = layer.readWeight(name + ".bias", {height});
    if (!bias.empty())
      llvm::copy(ArrayRef(bias).slice(first, out), &biases[i * out]);
  }
  std::string constant = names.front() + "." + std::to_string(first);
  Value result = layer.matmul(
      rows, layer.constant(constant + ".weight", weights, {in, width}));
  if (hasBias)
    result = layer.addUniform(
        result, layer.constant(constant + ".bias", biases, {width}));
  return layer.splitHeads(result, count);
}

Value FiLMBuilder::receive(Value shift, Value scale, Value rows) {
  EdgeOperands operands;
  operands.dst = {scale, shift};
  operands.src = {rows};
  Value messages = layer.message(layer.getGraph(), operands, "rf, rf, rf -> rf",
                                 [&](ScalarBuilder &s, ValueRange v) {
                                   return activation.apply(
                                       s, s.add(s.mul(v[0], v[2]), v[1]));
                                 });
  return layer.mergeHeads(layer.aggregate(layer.getAggregators("aggr").front(),
                                          layer.getGraph(), messages));
}

LogicalResult FiLMBuilder::readRelations() {
  FailureOr<EdgeRelations> read = EdgeRelations::read(layer, numRelations);
  if (failed(read))
    return failure();
  relations = *read;
  Aggregator aggregator = layer.getAggregators("aggr").front();
  if (aggregator == Aggregator::Mean || aggregator == Aggregator::Sum)
    return success();
  (void)layer.error(layer.describe() +
                    " takes 'aggr: mean' or 'aggr: add' where 'num_relations' "
                    "is more than 1");
  return failure();
}

/// Nodes have rows for all relations, of which an edge's relation chooses.
Value FiLMBuilder::receiveByRelation(Value shift, Value scale, Value rows) {
  Value shares;
  if (layer.getAggregators("aggr").front() == Aggregator::Mean)
    shares = EdgeRelations::getShares(layer, relations.countEdges(layer));
  EdgeOperands operands;
  operands.edge = {relations.numbers};
  operands.uniform = {getOnes(layer, {out})};
  Value messages = layer.message(
      layer.getGraph(), operands, ", f -> f",
      [&](ScalarBuilder &s, ValueRange v) {
        Value relation = relations.getRow(s, v[0]);
        Value receiver = s.index(NodeSide::Destination);
        auto read = [&](Value table, Value node) {
          return s.lookup(table, {node, relation, s.featureIndex('f')});
        };
        Value message = activation.apply(
            s, s.add(s.mul(read(scale, receiver),
                           read(rows, s.index(NodeSide::Source))),
                     read(shift, receiver)));
        message = s.mul(message, v[1]);
        return shares ? s.mul(message, s.lookup(shares, {receiver, relation}))
                      : message;
      });
  return layer.aggregate(Aggregator::Sum, layer.getGraph(), messages);
}

Value FiLMBuilder::build() {
  if (failed(layer.checkConvolutionChannels()) ||
      (numRelations > 1 && failed(readRelations())))
    return {};
  std::vector<std::string> films, lins;
  for (int64_t i = 0; i < numRelations; ++i) {
    films.push_back(llvm::formatv("films.{0}", i));
    lins.push_back(llvm::formatv("lins.{0}", i));
  }
  auto [shift, scale] = modulate(films, /*hasBias=*/true);
  Value rows = transform(layer.getSources(), lins, out, 0, /*hasBias=*/false);
  Value received = numRelations == 1 ? receive(shift, scale, rows)
                                     : receiveByRelation(shift, scale, rows);
  auto [ownShift, ownScale] =
      modulate({std::string("film_skip")}, /*hasBias=*/false);
  Value own = layer.linear(layer.getDestinations(), "lin_skip", out,
                           /*hasBias=*/false);
  return layer.elementwise(
      {received, layer.mergeHeads(ownScale), own, layer.mergeHeads(ownShift)},
      [&](ScalarBuilder &s, ValueRange v) {
        Value kept = s.add(s.mul(v[1], v[2]), v[3]);
        return s.add(v[0], activation.apply(s, kept));
      });
}

static Value buildFiLMConv(LayerBuilder &layer) {
  return FiLMBuilder(layer).build();
}

//===----------------------------------------------------------------------===//
// EGConv
//===----------------------------------------------------------------------===//

/// What EGConv takes besides sums, means, extrema and variances: the sum with
/// the weights of GCNConv, and a standard deviation that is never zero.
static constexpr StringLiteral kSymnorm = "symnorm", kStd = "std";

/// Tailor et al. 2022: receivers combine aggregations of a few bases by weights
/// of their own.
static Value buildEGConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")) ||
      failed(checkHeads(layer, "num_heads", "out_channels")))
    return {};
  int64_t heads = layer.getSize("num_heads"),
          bases = layer.getSize("num_bases");
  int64_t width = layer.getSize("out_channels") / heads;
  SmallVector<StringRef> names = layer.getChoices("aggregators");
  Propagation propagation =
      normalizeEdges(layer, layer.getBoolean("add_self_loops"));
  if (!propagation.graph)
    return {};
  Value rows = layer.linear(layer.getInput(), "bases_lin", bases * width,
                            /*hasBias=*/false);
  Value weights =
      layer.linear(layer.getInput(), "comb_lin",
                   heads * bases * int64_t(names.size()), /*hasBias=*/true);

  // One pass over edges for all that have the same messages.
  llvm::SetVector<StringRef> plain(names.begin(), names.end());
  plain.remove(kSymnorm);
  llvm::StringMap<Value> aggregated;
  if (!plain.empty()) {
    auto aggregators = llvm::map_to_vector(plain, [](StringRef name) {
      return name == kStd ? Aggregator::Var : *symbolizeAggregator(name);
    });
    for (auto [name, value] : llvm::zip_equal(
             plain, layer.aggregate(aggregators, propagation.graph,
                                    sendRows(layer, propagation.graph, rows,
                                             /*weight=*/Value()))))
      aggregated[name] = value;
  }
  if (Value &variance = aggregated[kStd])
    variance = layer.elementwise(variance, [](ScalarBuilder &s, ValueRange v) {
      return s.sqrt(s.max(v[0], s.constant(1e-5)));
    });
  if (llvm::is_contained(names, kSymnorm))
    aggregated[kSymnorm] = propagate(layer, propagation, rows);
  auto parts = llvm::map_to_vector(
      names, [&](StringRef name) { return aggregated[name]; });

  int64_t numParts = bases * int64_t(names.size());
  Value combined =
      layer.update({layer.splitHeads(weights, heads),
                    layer.splitHeads(layer.concat(parts), numParts)},
                   {}, "hb, bf -> hf", [](ScalarBuilder &s, ValueRange v) {
                     return s.mul(v[0], v[1]);
                   });
  return addBias(layer, layer.mergeHeads(combined));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getModulatedLayers() {
  using Kind = ArgumentKind;
  return {
      {"FiLMConv",
       buildFiLMConv,
       Reads::Graph,
       EdgeInput::None,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"num_relations", Kind::Size, "1"},
        {"edge_type", Kind::Edges, "null"},
        {"act", Kind::ChoiceOrNull, "relu",
         SmallVector<StringRef>(getActivationNames())},
        {"aggr", Kind::Choice, "mean",
         SmallVector<StringRef>(getAggregatorNames())}}},
      {"EGConv",
       buildEGConv,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"aggregators",
         Kind::Choices,
         "symnorm",
         {"sum", "mean", kSymnorm, "min", "max", "var", kStd}},
        {"num_heads", Kind::Size, "8"},
        {"num_bases", Kind::Size, "4"},
        {"cached", Kind::Ignored, "false"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
  };
}
