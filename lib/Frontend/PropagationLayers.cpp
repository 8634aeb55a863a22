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

/// Du et al. 2017: a linear layer for each number of hops.
static Value buildTAGConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Propagation propagation =
      getPropagation(layer, layer.getBoolean("normalize"), /*selfLoops=*/false);
  if (!propagation.graph)
    return {};
  Value rows = layer.getInput(), result;
  for (int64_t i = 0, e = layer.getSize("K"); i <= e; ++i) {
    if (i > 0)
      rows = propagate(layer, propagation, rows);
    Value product =
        layer.linear(rows, llvm::formatv("lins.{0}", i).str(),
                     layer.getSize("out_channels"), /*hasBias=*/false);
    result = result ? layer.add(result, product) : product;
  }
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
// GCN2Conv
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
  FailureOr<Features> initial = layer.getRows("initial");
  if (failed(initial))
    return {};
  const Features &input = layer.getInputs().front();
  if (initial->rows != input.rows || initial->type != input.type ||
      getRowShape(initial->value) != getRowShape(input.value)) {
    (void)layer.argumentError("initial",
                              "'initial' of GCN2Conv must name rows like those "
                              "of '" +
                                  input.name + "', and '" + initial->name +
                                  "' has others");
    return {};
  }
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
    return multiplyMapped(
        layer, mixRows(layer, received, 1 - alpha, initial->value, alpha),
        "weight1", beta);
  return layer.add(
      multiplyMapped(layer, layer.scale(received, 1 - alpha), "weight1", beta),
      multiplyMapped(layer, layer.scale(initial->value, alpha), "weight2",
                     beta));
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
