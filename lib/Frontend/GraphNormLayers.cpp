//===- GraphNormLayers.cpp - Norms with statistics of graphs ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Of all rows together
//===----------------------------------------------------------------------===//

/// The number of elements of `rows`, as f32.
static Value countElements(LayerBuilder &layer, Value rows) {
  OpBuilder &builder = layer.getBuilder();
  Location loc = layer.getLoc();
  Value count = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                           layer.getNumRows(rows));
  Value numRows =
      arith::SIToFPOp::create(builder, loc, builder.getF32Type(), count);
  return arith::MulFOp::create(builder, loc, numRows,
                               layer.constant(double(getNumChannels(rows))));
}

/// Weights of LayerNorm as operands of an update or message, and their
/// subscripts.
static std::string addAffine(LayerBuilder &layer, const std::string &prefix,
                             int64_t channels, bool isAffine,
                             SmallVectorImpl<Value> &uniform) {
  if (!isAffine)
    return "";
  for (const char *name : {"weight", "bias"})
    uniform.push_back(layer.weight(prefix + name, {channels}));
  return ", f, f";
}

// Here and below, the mean of what a mean leaves of the elements is added to
// it. A rounded sum makes it differ from elements that are equal, and norms
// divide that by no more than eps.

Value gnn::frontend::normalizeGraph(LayerBuilder &layer, Value rows,
                                    const std::string &prefix, double epsilon,
                                    bool isAffine) {
  ScalarBuilder scalars(layer.getBuilder(), layer.getLoc());
  Value count = countElements(layer, rows);
  Value sums = layer.update(rows, {}, "f ->",
                            [](ScalarBuilder &, ValueRange v) { return v[0]; });
  Value mean = scalars.div(layer.sumOverRows(sums), count);
  // In the loop that sums the squares.
  Value rests =
      layer.update(rows, mean, "f, ->", [](ScalarBuilder &s, ValueRange v) {
        return s.sub(v[0], v[1]);
      });
  Value squares =
      layer.update(rows, mean, "f, ->", [](ScalarBuilder &s, ValueRange v) {
        Value centred = s.sub(v[0], v[1]);
        return s.mul(centred, centred);
      });
  Value rest = scalars.div(layer.sumOverRows(rests), count);
  Value variance = scalars.div(layer.sumOverRows(squares), count);
  variance = scalars.max(scalars.sub(variance, scalars.mul(rest, rest)),
                         scalars.constant(0));
  mean = scalars.add(mean, rest);
  Value eps = layer.constant(epsilon);
  Value scale = scalars.inverse(scalars.add(scalars.sqrt(variance), eps));

  SmallVector<Value> uniform{mean, scale};
  std::string subscripts =
      "f, , " +
      addAffine(layer, prefix, getNumChannels(rows), isAffine, uniform);
  return layer.update(
      rows, uniform, subscripts + " -> f", [&](ScalarBuilder &s, ValueRange v) {
        Value result = s.mul(s.sub(v[0], v[1]), v[2]);
        return isAffine ? s.add(s.mul(result, v[3]), v[4]) : result;
      });
}

//===----------------------------------------------------------------------===//
// Of each graph
//===----------------------------------------------------------------------===//

namespace {
/// The rows of a layer in the graphs of the batch, or in one without a batch.
class GraphRows {
public:
  GraphRows(LayerBuilder &layer, Value rows);

  /// Of each channel: the mean, and the mean of the squares of what it leaves.
  struct Moments {
    Value mean, variance;
  };
  Moments getMoments();
  Value getMean();
  /// The same of all channels together.
  Moments getMomentsOfAll();
  /// A function of a node's row, values of its graph, and uniform ones, for
  /// each node.
  Value spread(ValueRange ofGraph, ValueRange uniform, StringRef subscripts,
               ScalarFunction function);
  Value getSizes() const { return sizes; }
  /// Rows less a mean, by the root of a variance, by channel ("f") or of all
  /// channels (""), and the affine map after that.
  Value normalize(Moments moments, const std::string &channel, double eps,
                  const std::string &prefix, bool isAffine);

private:
  /// A sum over the nodes of graphs by their number. That is no factor: a
  /// rounded inverse would make another mean of equal values.
  Value average(Value sum);
  /// Rows added up and by their number. Rounded, see above.
  Value getRoundedMean();
  /// What such a mean leaves of each row, aggregated for each graph.
  SmallVector<Value> aggregateRests(Value mean,
                                    ArrayRef<Aggregator> aggregators);

  LayerBuilder &layer;
  Value rows;
  /// From nodes to their graphs, and back: one edge into each node.
  Value graphs, nodes;
  /// How many nodes graphs have, at least 1.
  Value sizes;
};
} // namespace

GraphRows::GraphRows(LayerBuilder &layer, Value rows)
    : layer(layer), rows(rows), graphs(getGraphsOf(layer, rows)) {
  nodes = reverseGraph(layer, graphs);
  sizes = layer.elementwise(getDegree(layer, graphs, NodeSide::Destination),
                            [](ScalarBuilder &s, ValueRange v) {
                              return s.max(v[0], s.constant(1));
                            });
}

Value GraphRows::spread(ValueRange ofGraph, ValueRange uniform,
                        StringRef subscripts, ScalarFunction function) {
  EdgeOperands operands;
  operands.dst = {rows};
  operands.src = SmallVector<Value>(ofGraph);
  operands.uniform = SmallVector<Value>(uniform);
  return layer.aggregate(Aggregator::Sum, nodes,
                         layer.message(nodes, operands, subscripts, function));
}

Value GraphRows::average(Value sum) {
  return layer.update(
      {sum, sizes}, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.div(v[0], v[1]); });
}

Value GraphRows::getRoundedMean() {
  EdgeOperands operands;
  operands.src = {rows};
  Value same =
      layer.message(graphs, operands, "f -> f",
                    [](ScalarBuilder &, ValueRange v) { return v[0]; });
  return average(layer.aggregate(Aggregator::Sum, graphs, same));
}

SmallVector<Value> GraphRows::aggregateRests(Value mean,
                                             ArrayRef<Aggregator> aggregators) {
  EdgeOperands operands;
  operands.dst = {mean};
  operands.src = {rows};
  Value rests = layer.message(
      graphs, operands, "f, f -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[1], v[0]); });
  return layer.aggregate(aggregators, graphs, rests);
}

Value GraphRows::getMean() {
  Value mean = getRoundedMean();
  return layer.add(mean,
                   average(aggregateRests(mean, Aggregator::Sum).front()));
}

GraphRows::Moments GraphRows::getMoments() {
  Value mean = getRoundedMean();
  // In one loop. What the mean leaves is next to nothing on average, so that
  // its variance loses nothing by the difference of two averages, but its sign
  // where there is none.
  SmallVector<Value> rests =
      aggregateRests(mean, {Aggregator::Sum, Aggregator::Var});
  Value variance =
      layer.elementwise(rests[1], [](ScalarBuilder &s, ValueRange v) {
        return s.max(v[0], s.constant(0));
      });
  return {layer.add(mean, average(rests[0])), variance};
}

GraphRows::Moments GraphRows::getMomentsOfAll() {
  Moments moments = getMoments();
  double numChannels = getNumChannels(rows);
  auto averageChannels = [&](Value sum) {
    return layer.update(sum, {}, "->", [&](ScalarBuilder &s, ValueRange v) {
      return s.div(v[0], s.constant(numChannels));
    });
  };
  Value mean = averageChannels(
      layer.update(moments.mean, {}, "f ->",
                   [](ScalarBuilder &, ValueRange v) { return v[0]; }));
  Value rest = averageChannels(layer.update(
      {moments.mean, mean}, {}, "f, ->",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[0], v[1]); }));
  mean = layer.add(mean, rest);
  // Within channels, and between them.
  Value variance = averageChannels(
      layer.update({moments.variance, moments.mean, mean}, {}, "f, f, ->",
                   [](ScalarBuilder &s, ValueRange v) {
                     Value between = s.sub(v[1], v[2]);
                     return s.add(v[0], s.mul(between, between));
                   }));
  return {mean, variance};
}

Value GraphRows::normalize(Moments moments, const std::string &channel,
                           double eps, const std::string &prefix,
                           bool isAffine) {
  Value scale =
      layer.elementwise(moments.variance, [&](ScalarBuilder &s, ValueRange v) {
        return s.inverse(s.sqrt(s.add(v[0], s.constant(eps))));
      });
  SmallVector<Value> uniform;
  std::string subscripts =
      "f, " + channel + ", " + channel +
      addAffine(layer, prefix, getNumChannels(rows), isAffine, uniform);
  return spread({moments.mean, scale}, uniform, subscripts + " -> f",
                [&](ScalarBuilder &s, ValueRange v) {
                  Value result = s.mul(s.sub(v[0], v[1]), v[2]);
                  return isAffine ? s.add(s.mul(result, v[3]), v[4]) : result;
                });
}

Value gnn::frontend::normalizeChannels(LayerBuilder &layer, Value rows,
                                       const std::string &prefix, double eps,
                                       bool isAffine, bool hasMeanScale) {
  GraphRows graphs(layer, rows);
  GraphRows::Moments moments = graphs.getMoments();
  if (hasMeanScale) {
    Value scale = layer.weight(prefix + "mean_scale", {getNumChannels(rows)});
    // Of rows less a part of the mean.
    moments.variance =
        layer.update({moments.variance, moments.mean}, scale, "f, f, f -> f",
                     [](ScalarBuilder &s, ValueRange v) {
                       Value rest = s.sub(v[1], s.mul(v[1], v[2]));
                       return s.add(v[0], s.mul(rest, rest));
                     });
    moments.mean = layer.update(
        moments.mean, scale, "f, f -> f",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  }
  return graphs.normalize(moments, "f", eps, prefix, isAffine);
}

Value gnn::frontend::normalizeGraphs(LayerBuilder &layer, Value rows,
                                     const std::string &prefix, double eps,
                                     bool isAffine) {
  GraphRows graphs(layer, rows);
  return graphs.normalize(graphs.getMomentsOfAll(), "", eps, prefix, isAffine);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

static Value buildGraphNorm(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  return normalizeChannels(layer, layer.getInput(), "", layer.getNumber("eps"),
                           /*isAffine=*/true, /*hasMeanScale=*/true);
}

static Value buildInstanceNorm(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Value rows = layer.getInput();
  double eps = layer.getNumber("eps");
  bool isAffine = layer.getBoolean("affine");
  // At inference they take the place of the graph's own.
  if (layer.getBoolean("track_running_stats"))
    return normalizeBatch(layer, rows, "", eps, isAffine);
  return normalizeChannels(layer, rows, "", eps, isAffine,
                           /*hasMeanScale=*/false);
}

/// Each row less the mean of its graph.
static Value centre(GraphRows &graphs, Value mean) {
  return graphs.spread(
      mean, {}, "f, f -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[0], v[1]); });
}

static Value buildMeanSubtractionNorm(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  GraphRows graphs(layer, layer.getInput());
  return centre(graphs, graphs.getMean());
}

static Value buildGraphSizeNorm(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  GraphRows graphs(layer, layer.getInput());
  Value scale =
      layer.elementwise(graphs.getSizes(), [](ScalarBuilder &s, ValueRange v) {
        return s.inverse(s.sqrt(v[0]));
      });
  return graphs.spread(
      scale, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

static Value buildPairNorm(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  double scale = layer.getNumber("scale"), eps = layer.getNumber("eps");
  GraphRows graphs(layer, layer.getInput());
  GraphRows::Moments moments = graphs.getMoments();
  if (layer.getBoolean("scale_individually")) {
    Value centred = centre(graphs, moments.mean);
    return scaleRows(
        layer, centred,
        layer.elementwise(squaredLengths(layer, centred), [&](ScalarBuilder &s,
                                                              ValueRange v) {
          return s.div(s.constant(scale), s.add(s.constant(eps), s.sqrt(v[0])));
        }));
  }
  Value squares =
      layer.update(moments.variance, {}, "f ->",
                   [](ScalarBuilder &, ValueRange v) { return v[0]; });
  Value factor =
      layer.elementwise(squares, [&](ScalarBuilder &s, ValueRange v) {
        return s.div(s.constant(scale), s.sqrt(s.add(s.constant(eps), v[0])));
      });
  return graphs.spread({moments.mean, factor}, {}, "f, f, -> f",
                       [](ScalarBuilder &s, ValueRange v) {
                         return s.mul(s.sub(v[0], v[1]), v[2]);
                       });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getGraphNormLayers() {
  using Kind = ArgumentKind;
  return {
      {"GraphNorm",
       buildGraphNorm,
       Reads::RowsAndBatch,
       EdgeInput::None,
       {{"in_channels", Kind::Size}, {"eps", Kind::Number, "1e-5"}}},
      {"InstanceNorm",
       buildInstanceNorm,
       Reads::RowsAndBatch,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"eps", Kind::Number, "1e-5"},
        {"momentum", Kind::Ignored, "0.1"},
        {"affine", Kind::Boolean, "false"},
        {"track_running_stats", Kind::Boolean, "false"}}},
      {"PairNorm",
       buildPairNorm,
       Reads::RowsAndBatch,
       EdgeInput::None,
       {{"scale", Kind::Number, "1.0"},
        {"scale_individually", Kind::Boolean, "false"},
        {"eps", Kind::Number, "1e-5"}}},
      {"MeanSubtractionNorm", buildMeanSubtractionNorm, Reads::RowsAndBatch},
      {"GraphSizeNorm", buildGraphSizeNorm, Reads::RowsAndBatch},
  };
}
