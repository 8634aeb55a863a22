//===- DistanceLayers.cpp - Networks of how far nodes are apart -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions whose filters are a function of the length of an edge, as those
// between the atoms of a molecule, and the parts that these are made of.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Lengths of edges
//===----------------------------------------------------------------------===//

/// The Euclidean distance between the rows of each edge's ends.
static Value buildEdgeLength(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkEqualRows(
          "subtracts rows of destinations from those of sources")))
    return {};
  EdgeOperands operands;
  operands.dst = {layer.getDestinations()};
  operands.src = {layer.getSources()};
  Value squares = layer.message(layer.getGraph(), operands, "f, f -> ",
                                [](ScalarBuilder &s, ValueRange v) {
                                  Value difference = s.sub(v[1], v[0]);
                                  return s.mul(difference, difference);
                                });
  return layer.elementwise(
      edgesToTensor(layer, layer.getGraph(), squares),
      [](ScalarBuilder &s, ValueRange v) { return s.sqrt(v[0]); });
}

/// Gaussians around places at equal distances, as wide as these are apart.
static Value buildGaussianSmearing(LayerBuilder &layer) {
  int64_t count = layer.getSize("num_gaussians");
  if (count < 2) {
    (void)layer.argumentError("num_gaussians",
                              "'num_gaussians' must be at least 2, as how wide "
                              "they are follows from how far they are apart, "
                              "got " +
                                  Twine(count));
    return {};
  }
  double start = layer.getNumber("start"), stop = layer.getNumber("stop");
  if (start == stop) {
    (void)layer.argumentError("stop", "'stop' must not be 'start', " +
                                          layer.getArgument("start").format());
    return {};
  }
  ArrayRef<int64_t> shape = getRowShape(layer.getInput());
  if (shape.size() > 1 || (shape.size() == 1 && shape.front() != 1))
    return layer.error(layer.describe() + " reads one number per row, got " +
                       formatShape(shape));
  double gap = (stop - start) / double(count - 1);
  // A single channel is a sum over one.
  return layer.update(layer.getInput(), layer.weight("offset", {count}),
                      shape.empty() ? ", f -> f" : "c, f -> f",
                      [&](ScalarBuilder &s, ValueRange v) {
                        Value difference = s.sub(v[0], v[1]);
                        return s.expOfNegative(
                            s.mul(s.constant(-0.5 / (gap * gap)),
                                  s.mul(difference, difference)));
                      });
}

//===----------------------------------------------------------------------===//
// SchNet
//===----------------------------------------------------------------------===//

/// Checks that there are lengths, of which `edge_attr` is made, and a distance
/// at which nothing is sent any more.
static LogicalResult checkFilters(LayerBuilder &layer) {
  if (!layer.getEdgeWeight() || !layer.getEdgeAttributes()) {
    (void)layer.error(layer.describe() +
                      " needs the lengths of edges, 'edge_weight: NAME', and "
                      "what its filters are computed from, 'edge_attr: NAME'");
    return failure();
  }
  if (layer.getNumber("cutoff") == 0)
    return layer.argumentError("cutoff", "'cutoff' must not be 0");
  return success();
}

/// Schütt et al. 2017: sources' rows, times a filter of the edge that fades out
/// where it is as long as `cutoff`. Names in the state_dict begin with
/// `prefix`.
static Value convolveContinuously(LayerBuilder &layer, Value filters,
                                  const std::string &prefix, int64_t out) {
  Value graph = layer.getGraph();
  double frequency = llvm::numbers::pi / layer.getNumber("cutoff");
  EdgeOperands operands;
  operands.edge = {layer.getEdgeWeight()};
  Value strength = layer.message(
      graph, operands, " -> ", [&](ScalarBuilder &s, ValueRange v) {
        Value wave = s.cos(s.mul(v[0], s.constant(frequency)));
        return s.mul(s.constant(0.5), s.add(wave, s.constant(1)));
      });
  operands.src = {layer.linear(layer.getSources(), prefix + "lin1",
                               layer.getSize("num_filters"),
                               /*hasBias=*/false)};
  operands.edge = {filters, strength};
  Value messages = layer.message(graph, operands, "f, f, -> f",
                                 [](ScalarBuilder &s, ValueRange v) {
                                   return s.mul(v[0], s.mul(v[1], v[2]));
                                 });
  return layer.linear(layer.aggregate(Aggregator::Sum, graph, messages),
                      prefix + "lin2", out, /*hasBias=*/true);
}

static Value buildCFConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")) || failed(checkFilters(layer)))
    return {};
  Value filters = sequentialOnEdges(layer, layer.getGraph(), "nn",
                                    layer.getEdgeAttributes(),
                                    layer.getSize("num_filters"));
  if (!filters)
    return {};
  return convolveContinuously(layer, filters, "",
                              layer.getSize("out_channels"));
}

/// CFConv, and a linear layer of what it yields.
static Value buildInteractionBlock(LayerBuilder &layer) {
  if (failed(layer.checkChannels("hidden_channels")) ||
      failed(checkFilters(layer)) ||
      failed(layer.checkEdgeAttributes("num_gaussians")))
    return {};
  Value graph = layer.getGraph();
  int64_t width = layer.getSize("hidden_channels"),
          filters = layer.getSize("num_filters");
  // The block's network is its convolution's as well. A file has it under both
  // names, or where it has equal tensors once, under one of them.
  bool isOfBlock =
      layer.hasWeight("mlp.0.weight") || !layer.hasWeight("conv.nn.0.weight");
  std::string network = isOfBlock ? "mlp." : "conv.nn.";
  for (StringRef part : {"0.weight", "0.bias", "2.weight", "2.bias"})
    layer.ignoreWeight(("conv.nn." + part).str());
  Value rows = getRowsOfEdges(layer, graph, layer.getEdgeAttributes());
  rows = layer.linear(rows, network + "0", filters, /*hasBias=*/true);
  rows = layer.linear(shiftedSoftplus(layer, rows), network + "2", filters,
                      /*hasBias=*/true);
  Value received = convolveContinuously(
      layer, getEdgesOfRows(layer, graph, rows, filters), "conv.", width);
  return layer.linear(shiftedSoftplus(layer, received), "lin", width,
                      /*hasBias=*/true);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getDistanceLayers() {
  using Kind = ArgumentKind;
  return {
      {"EdgeLength",
       buildEdgeLength,
       Reads::EndsOfEdge,
       EdgeInput::None,
       {{"edge_type", Kind::EdgeType, "null"}}},
      {"GaussianSmearing",
       buildGaussianSmearing,
       Reads::Rows,
       EdgeInput::None,
       {{"start", Kind::Number, "0.0"},
        {"stop", Kind::Number, "5.0"},
        {"num_gaussians", Kind::Size, "50"}}},
      {"CFConv",
       buildCFConv,
       Reads::SquareGraph,
       EdgeInput::WeightAndAttributes,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"num_filters", Kind::Size},
        {"nn", Kind::Layers},
        {"cutoff", Kind::Number}}},
      {"InteractionBlock",
       buildInteractionBlock,
       Reads::SquareGraph,
       EdgeInput::WeightAndAttributes,
       {{"hidden_channels", Kind::Size},
        {"num_gaussians", Kind::Size},
        {"num_filters", Kind::Size},
        {"cutoff", Kind::Number}}},
  };
}
