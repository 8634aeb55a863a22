//===- PropagationLayers.cpp - Layers of several hops -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "LayerRegistry.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// TAGConv and SSGConv
//===----------------------------------------------------------------------===//

/// Rows of as many hops as `powers` say, through a linear layer each.
static SmallVector<Value> multiplyHops(LayerBuilder &layer,
                                       const Propagation &propagation,
                                       ArrayRef<int64_t> powers) {
  Value rows = layer.getInput();
  llvm::SmallDenseMap<int64_t, Value> products;
  for (int64_t hops = 0, e = *llvm::max_element(powers); hops <= e; ++hops) {
    if (hops > 0)
      rows = propagate(layer, propagation, rows);
    if (llvm::is_contained(powers, hops))
      products[hops] =
          layer.linear(rows, llvm::formatv("lins.{0}", hops).str(),
                       layer.getSize("out_channels"), /*hasBias=*/false);
  }
  return llvm::map_to_vector(powers,
                             [&](int64_t hops) { return products[hops]; });
}

/// Du et al. 2017: a linear layer for each number of hops.
static Value buildTAGConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Propagation propagation =
      getPropagation(layer, layer.getBoolean("normalize"), /*selfLoops=*/false);
  if (!propagation.graph)
    return {};
  SmallVector<Value> products = multiplyHops(
      layer, propagation, llvm::to_vector(llvm::seq(layer.getSize("K") + 1)));
  Value result = products.front();
  for (Value product : llvm::drop_begin(products))
    result = layer.add(result, product);
  return addBias(layer, result);
}

/// Zhu and Koniusz 2021: the mean over numbers of hops, and the rows
/// themselves, before one linear layer.
static Value buildSSGConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Propagation propagation =
      normalizeEdges(layer, layer.getBoolean("add_self_loops"));
  if (!propagation.graph)
    return {};
  double alpha = layer.getNumber("alpha");
  int64_t hops = layer.getSize("K");
  Value rows = layer.getInput();
  Value sum = layer.scale(rows, alpha);
  for (int64_t i = 0; i < hops; ++i) {
    rows = propagate(layer, propagation, rows);
    sum = mixRows(layer, sum, 1, rows, (1 - alpha) / static_cast<double>(hops));
  }
  return layer.linear(sum, "lin", layer.getSize("out_channels"),
                      layer.getBoolean("bias"));
}

//===----------------------------------------------------------------------===//
// MixHopConv
//===----------------------------------------------------------------------===//

/// Abu-El-Haija et al. 2019: rows of several numbers of hops, through a linear
/// layer each, side by side.
static Value buildMixHopConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Propagation propagation =
      normalizeEdges(layer, layer.getBoolean("add_self_loops"));
  if (!propagation.graph)
    return {};
  SmallVector<int64_t> powers;
  for (const Node &power : layer.getArgument("powers").elements)
    powers.push_back(*power.getInteger());
  return addBias(layer, layer.concat(multiplyHops(layer, propagation, powers)));
}

//===----------------------------------------------------------------------===//
// ClusterGCNConv
//===----------------------------------------------------------------------===//

/// Chiang et al. 2019: the mean over neighbours, with more of a node's own row
/// where `diag_lambda` says so.
static Value buildClusterGCNConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Value graph = getLoopedGraph(layer), rows = layer.getInput();
  if (!graph)
    return {};
  double lambda = layer.getNumber("diag_lambda");
  EdgeOperands operands;
  operands.src = {rows};
  Value messages = layer.message(
      graph, operands, "f -> f", [&](ScalarBuilder &s, ValueRange v) {
        if (lambda == 0)
          return v[0];
        return s.mul(v[0], s.select(s.isSelfLoop(), s.constant(1 + lambda),
                                    s.constant(1)));
      });
  int64_t out = layer.getSize("out_channels");
  return layer.add(
      layer.linear(layer.aggregate(Aggregator::Mean, graph, messages),
                   "lin_out", out, layer.getBoolean("bias")),
      layer.linear(rows, "lin_root", out, /*hasBias=*/false));
}

//===----------------------------------------------------------------------===//
// Layers that read the first rows
//===----------------------------------------------------------------------===//

/// `rows` times `beta W + (1 - beta) I`, as one matrix.
static Value multiplyMapped(LayerBuilder &layer, Value rows, StringRef name,
                            double beta) {
  int64_t channels = getNumChannels(rows);
  std::vector<float> weight = layer.readWeight(name, {channels, channels});
  for (auto [i, element] : llvm::enumerate(weight)) {
    auto size = static_cast<size_t>(channels);
    double identity = i / size == i % size ? 1 - beta : 0;
    element = static_cast<float>(beta * element + identity);
  }
  return layer.matmul(rows, layer.constant(name, weight, {channels, channels}));
}

/// Chen et al. 2020 (GCNII): initial residuals and identity mapping.
static Value buildGCN2Conv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("channels")))
    return {};
  if (layer.isNull("theta") != layer.isNull("layer")) {
    StringRef given = layer.isNull("theta") ? "layer" : "theta";
    (void)layer.argumentError(given, "'theta' and 'layer' go together");
    return {};
  }
  Value initial = getRowsBeside(layer, "initial", /*isAsWide=*/true);
  if (!initial)
    return {};
  Propagation propagation = getPropagation(layer, layer.getBoolean("normalize"),
                                           layer.getBoolean("add_self_loops"));
  if (!propagation.graph)
    return {};
  double alpha = layer.getNumber("alpha"), beta = 1;
  if (!layer.isNull("theta")) {
    double share =
        layer.getNumber("theta") / static_cast<double>(layer.getSize("layer"));
    if (share <= -1) {
      (void)layer.argumentError("theta",
                                "GCN2Conv takes the logarithm of theta / layer "
                                "+ 1, which must be more than 0");
      return {};
    }
    beta = std::log(share + 1);
  }
  Value received = propagate(layer, propagation, layer.getInput());
  if (layer.getBoolean("shared_weights"))
    return multiplyMapped(layer,
                          mixRows(layer, received, 1 - alpha, initial, alpha),
                          "weight1", beta);
  return layer.add(
      multiplyMapped(layer, layer.scale(received, 1 - alpha), "weight1", beta),
      multiplyMapped(layer, layer.scale(initial, alpha), "weight2", beta));
}

/// Bo et al. 2021: neighbours add to a row or take from it, as a signed
/// attention says.
static Value buildFAConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("channels")))
    return {};
  Value initial = getRowsBeside(layer, "initial", /*isAsWide=*/true);
  if (!initial)
    return {};
  bool normalizes = layer.getBoolean("normalize");
  if (normalizes == bool(layer.getEdgeValues())) {
    (void)layer.argumentError(
        "normalize",
        normalizes ? "FAConv with 'normalize' weighs edges by the degrees of "
                     "their ends, and takes no 'edge_weight'"
                   : "FAConv without 'normalize' needs 'edge_weight: NAME'");
    return {};
  }
  Propagation propagation =
      getPropagation(layer, normalizes, layer.getBoolean("add_self_loops"));
  if (!propagation.graph)
    return {};
  auto score = [&](StringRef name) {
    int64_t channels = layer.getSize("channels");
    return layer.update(
        layer.getInput(), layer.weight(name, {1, channels}, {channels}),
        "f, f -> ",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  };
  EdgeOperands operands;
  operands.dst = {score("att_r.weight")};
  operands.src = {score("att_l.weight")};
  operands.edge.assign(propagation.weight ? 1 : 0, propagation.weight);
  propagation.weight = layer.message(
      propagation.graph, operands, propagation.weight ? ", ,  -> " : ",  -> ",
      [](ScalarBuilder &s, ValueRange v) {
        Value weight = s.tanh(s.add(v[0], v[1]));
        return v.size() > 2 ? s.mul(weight, v[2]) : weight;
      });
  Value received = propagate(layer, propagation, layer.getInput());
  double eps = layer.getNumber("eps");
  return eps == 0 ? received : mixRows(layer, received, 1, initial, eps);
}

//===----------------------------------------------------------------------===//
// LightGCN
//===----------------------------------------------------------------------===//

/// He et al. 2020: rows of several numbers of hops, added up with weights.
/// These stand above the layers in PyTorch Geometric's model.
static Value buildLightGCN(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Propagation propagation =
      getPropagation(layer, layer.getBoolean("normalize"), /*selfLoops=*/false);
  int64_t hops = layer.getSize("num_layers");
  std::vector<float> alpha = layer.hasWeight("alpha")
                                 ? layer.readWeight("alpha", {hops + 1})
                                 : layer.readOuterWeight("alpha", {hops + 1});
  if (alpha.empty())
    alpha.resize(hops + 1);
  Value rows = layer.getInput();
  Value sum = layer.scale(rows, alpha.front());
  for (float share : ArrayRef(alpha).drop_front()) {
    rows = propagate(layer, propagation, rows);
    sum = mixRows(layer, sum, 1, rows, share);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// PDNConv
//===----------------------------------------------------------------------===//

/// Rozemberczki et al. 2021: GCNConv's propagation, with weights that a network
/// makes of attributes.
static Value buildPDNConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")) ||
      failed(layer.checkEdgeAttributes()))
    return {};
  Value graph = layer.getGraph();
  Value hidden = relu(
      layer, layer.linear(getRowsOfEdges(layer, graph, layer.getEdgeValues()),
                          "mlp.0", layer.getSize("hidden_channels"),
                          /*hasBias=*/true));
  EdgeOperands operands;
  operands.edge = {getEdgesOfRows(
      layer, graph, layer.linear(hidden, "mlp.2", 1, /*hasBias=*/true), 1)};
  operands.edge = {
      layer.message(graph, operands, "c -> ",
                    [](ScalarBuilder &, ValueRange v) { return v[0]; })};
  Value weight = layer.message(
      graph, operands, " -> ",
      [](ScalarBuilder &s, ValueRange v) { return s.sigmoid(v[0]); });
  Propagation propagation{graph, weight, Value()};
  if (layer.getBoolean("normalize"))
    propagation =
        normalizeEdges(layer, weight, layer.getBoolean("add_self_loops"),
                       /*loopWeight=*/1);
  if (!propagation.graph)
    return {};
  Value rows = layer.linear(layer.getInput(), "lin",
                            layer.getSize("out_channels"), /*hasBias=*/false);
  return addBias(layer, propagate(layer, propagation, rows));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getPropagationLayers() {
  using Kind = ArgumentKind;
  return {
      {"TAGConv",
       buildTAGConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"K", Kind::Count, "3"},
        {"bias", Kind::Boolean, "true"},
        {"normalize", Kind::Boolean, "true"}}},
      {"SSGConv",
       buildSSGConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"alpha", Kind::Number},
        {"K", Kind::Repeats, "1"},
        {"cached", Kind::Ignored, "false"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"MixHopConv",
       buildMixHopConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"powers", Kind::Counts, "[0, 1, 2]"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"ClusterGCNConv",
       buildClusterGCNConv,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"diag_lambda", Kind::Number, "0.0"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"FAConv",
       buildFAConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"channels", Kind::Size},
        {"initial", Kind::Rows},
        {"eps", Kind::Number, "0.1"},
        {"dropout", Kind::Ignored, "0.0"},
        {"cached", Kind::Ignored, "false"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"normalize", Kind::Boolean, "true"}}},
      {"LightGCN",
       buildLightGCN,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"num_layers", Kind::Count}, {"normalize", Kind::Boolean, "true"}}},
      {"PDNConv",
       buildPDNConv,
       Reads::SquareGraph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"edge_dim", Kind::Size},
        {"hidden_channels", Kind::Size},
        {"add_self_loops", Kind::Boolean, "true"},
        {"normalize", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"GCN2Conv",
       buildGCN2Conv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"channels", Kind::Size},
        {"alpha", Kind::Number},
        {"initial", Kind::Rows},
        {"theta", Kind::Number, "null"},
        {"layer", Kind::Size, "null"},
        {"shared_weights", Kind::Boolean, "true"},
        {"cached", Kind::Ignored, "false"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"normalize", Kind::Boolean, "true"}}},
  };
}
