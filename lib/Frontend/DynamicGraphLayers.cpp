//===- DynamicGraphLayers.cpp - Graphs made of rows -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs whose edges follow from rows, such as those of nearest neighbours, and
// layers that make one of what they read. Neighbours are nodes of the same
// graph of the batch.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include <limits>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// A score of each edge of `pairs`: less the square of the distance between its
/// ends' rows, or the cosine of the angle between these.
static Value scorePairs(LayerBuilder &layer, Value pairs, Value rows,
                        bool isCosine) {
  if (isCosine)
    rows = normalizeRows(layer, rows);
  EdgeOperands operands;
  operands.dst = {rows};
  operands.src = {rows};
  return layer.message(pairs, operands, "f, f -> ",
                       [&](ScalarBuilder &s, ValueRange v) {
                         if (isCosine)
                           return s.mul(v[0], v[1]);
                         Value difference = s.sub(v[1], v[0]);
                         return s.neg(s.mul(difference, difference));
                       });
}

/// The graph of the `k` edges of each node that score most, at least `lowest`;
/// without an edge from a node to itself unless `hasLoops`. Null after an
/// error.
static Value keepBest(LayerBuilder &layer, Value pairs, Value scores,
                      StringRef argument, double lowest, bool hasLoops) {
  constexpr int64_t most = 65536;
  int64_t k = layer.getSize(argument);
  if (k > most) {
    (void)layer.argumentError(argument, "'" + argument + "' must be at most " +
                                            Twine(most) + ", got " + Twine(k));
    return {};
  }
  constexpr double none = -std::numeric_limits<double>::infinity();
  if (lowest != none || !hasLoops) {
    EdgeOperands operands;
    operands.edge = {scores};
    scores = layer.message(
        pairs, operands, " -> ", [&](ScalarBuilder &s, ValueRange v) {
          Value score = v[0];
          if (lowest != none)
            score = s.select(s.isPositive(s.sub(s.constant(lowest), score)),
                             s.constant(none), score);
          if (!hasLoops)
            score = s.select(s.isSelfLoop(), s.constant(none), score);
          return score;
        });
  }
  return layer.topKGraph(pairs, scores, k);
}

/// As PyTorch Geometric's knn, of a node in the rows of its graph: itself among
/// them.
static Value joinNearest(LayerBuilder &layer, Value rows) {
  Value pairs = getPairGraph(layer);
  return keepBest(layer, pairs,
                  scorePairs(layer, pairs, rows, /*isCosine=*/false), "k",
                  -std::numeric_limits<double>::infinity(), /*hasLoops=*/true);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static Value buildKNNGraph(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value pairs = getPairGraph(layer);
  return keepBest(
      layer, pairs,
      scorePairs(layer, pairs, layer.getInput(), layer.getBoolean("cosine")),
      "k", -std::numeric_limits<double>::infinity(), layer.getBoolean("loop"));
}

static Value buildRadiusGraph(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  double radius = layer.getNumber("r");
  if (!(radius >= 0)) {
    (void)layer.argumentError("r", "'r' must be at least 0, got " +
                                       layer.getArgument("r").format());
    return {};
  }
  Value pairs = getPairGraph(layer);
  return keepBest(layer, pairs,
                  scorePairs(layer, pairs, layer.getInput(),
                             /*isCosine=*/false),
                  "max_num_neighbors", -radius * radius,
                  layer.getBoolean("loop"));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Wang et al. 2019: EdgeConv on the nearest neighbours of the rows it reads.
static Value buildDynamicEdgeConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value graph = joinNearest(layer, layer.getInput());
  return graph ? convolveEdges(layer, graph) : Value();
}

/// Qasim et al. 2019: neighbours are near in a space of their own, and the
/// nearer the more they weigh.
static Value buildGravNetConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  int64_t out = layer.getSize("out_channels");
  Value places =
      layer.linear(layer.getInput(), "lin_s", layer.getSize("space_dimensions"),
                   /*hasBias=*/true);
  Value rows = layer.linear(layer.getInput(), "lin_h",
                            layer.getSize("propagate_dimensions"),
                            /*hasBias=*/true);
  Value graph = joinNearest(layer, places);
  if (!graph)
    return {};
  EdgeOperands operands;
  operands.edge = {scorePairs(layer, graph, places, /*isCosine=*/false)};
  Value weights = layer.message(
      graph, operands, " -> ", [](ScalarBuilder &s, ValueRange v) {
        return s.expOfNegative(s.mul(s.constant(10), v[0]));
      });
  Value received =
      layer.concat(layer.aggregate({Aggregator::Mean, Aggregator::Max}, graph,
                                   sendRows(layer, graph, rows, weights)));
  return layer.add(layer.linear(layer.getInput(), "lin_out1", out,
                                /*hasBias=*/false),
                   layer.linear(received, "lin_out2", out, /*hasBias=*/true));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getDynamicGraphLayers() {
  using Kind = ArgumentKind;
  LayerSpec nearest{"KNNGraph",
                    buildKNNGraph,
                    Reads::GraphAndBatch,
                    EdgeInput::None,
                    {{"k", Kind::Size},
                     {"loop", Kind::Boolean, "false"},
                     {"cosine", Kind::Boolean, "false"}}};
  LayerSpec near{"RadiusGraph",
                 buildRadiusGraph,
                 Reads::GraphAndBatch,
                 EdgeInput::None,
                 {{"r", Kind::Number},
                  {"loop", Kind::Boolean, "false"},
                  {"max_num_neighbors", Kind::Size, "32"}}};
  nearest.makesGraph = near.makesGraph = true;
  return {
      nearest,
      near,
      {"DynamicEdgeConv",
       buildDynamicEdgeConv,
       Reads::GraphAndBatch,
       EdgeInput::None,
       {{"nn", Kind::Layers},
        {"k", Kind::Size},
        {"aggr", Kind::Choices, "max",
         SmallVector<StringRef>(getAggregatorNames())}}},
      {"GravNetConv",
       buildGravNetConv,
       Reads::GraphAndBatch,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"space_dimensions", Kind::Size},
        {"propagate_dimensions", Kind::Size},
        {"k", Kind::Size}}},
  };
}
