//===- ConvolutionLayers.cpp - Graph convolutions ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// Sends each source's row, times `weight` of the edge where it is not null.
static Value sendRows(LayerBuilder &layer, Value graph, Value rows,
                      Value weight) {
  EdgeOperands operands;
  operands.src = {rows};
  if (weight)
    operands.edge = {weight};
  return layer.message(graph, operands, weight ? "f, -> f" : "f -> f",
                       [](ScalarBuilder &s, ValueRange v) {
                         return v.size() == 1 ? v[0] : s.mul(v[0], v[1]);
                       });
}

/// Rows divided by their Euclidean length, as torch's normalize.
static Value normalizeRows(LayerBuilder &layer, Value rows) {
  Value squares =
      layer.update(rows, {}, "f ->", [](ScalarBuilder &s, ValueRange v) {
        return s.mul(v[0], v[0]);
      });
  return layer.update(
      {rows, squares}, {}, "f, -> f", [](ScalarBuilder &s, ValueRange v) {
        return s.div(v[0], s.max(s.sqrt(v[1]), s.constant(1e-12)));
      });
}

Value gnn::frontend::buildGCNConv(LayerBuilder &layer) {
  bool normalize = layer.getBoolean("normalize");
  bool selfLoops = layer.isNull("add_self_loops")
                       ? normalize
                       : layer.getBoolean("add_self_loops");
  if (selfLoops && !normalize) {
    (void)layer.argumentError("add_self_loops",
                              "GCNConv adds self loops only where it "
                              "normalizes; say 'add_self_loops: false' or "
                              "'normalize: true'");
    return {};
  }
  if (failed(layer.checkChannels("in_channels")))
    return {};

  Value graph = layer.getGraph(), weight = layer.getEdgeValues();
  Value scale;
  if (normalize) {
    if (selfLoops) {
      auto looped = layer.addSelfLoops(SelfLoopMode::Reuse, weight, [&] {
        Value rows = layer.getNumRows(layer.getInput());
        return layer.filled(rows, {}, layer.getBoolean("improved") ? 2 : 1);
      });
      if (!looped.graph)
        return {};
      graph = looped.graph;
      weight = looped.edges;
    }
    Value degree;
    if (weight)
      degree = layer.aggregate(Aggregator::Sum, graph, weight);
    else
      degree = DegreeOp::create(
          layer.getBuilder(), layer.getLoc(),
          RankedTensorType::get({ShapedType::kDynamic},
                                layer.getBuilder().getF32Type()),
          NodeSide::Destination, graph);
    scale = layer.elementwise(degree, [](ScalarBuilder &s, ValueRange v) {
      Value inverse = s.div(s.constant(1), s.sqrt(v[0]));
      return s.select(s.isZero(v[0]), s.constant(0), inverse);
    });
  }

  Value rows = layer.linear(layer.getInput(), "lin",
                            layer.getSize("out_channels"), /*hasBias=*/false);
  EdgeOperands operands;
  operands.src = {rows};
  std::string subscripts = "f";
  if (scale) {
    operands.dst = {scale};
    operands.src.push_back(scale);
    subscripts = ", f,";
  }
  if (weight) {
    operands.edge = {weight};
    subscripts += ",";
  }
  Value messages = layer.message(graph, operands, subscripts + " -> f",
                                 [](ScalarBuilder &s, ValueRange v) {
                                   Value product = v[0];
                                   for (Value factor : v.drop_front())
                                     product = s.mul(product, factor);
                                   return product;
                                 });
  Value result = layer.aggregate(Aggregator::Sum, graph, messages);
  if (layer.getBoolean("bias"))
    result = layer.addUniform(
        result, layer.weight("bias", {layer.getSize("out_channels")}));
  return result;
}

Value gnn::frontend::buildSAGEConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()))
    return {};
  int64_t out = layer.getSize("out_channels");
  Value sources = layer.getSources();
  if (layer.getBoolean("project")) {
    Value projected =
        layer.linear(sources, "lin", getNumChannels(sources), /*hasBias=*/true);
    sources = layer.elementwise(
        projected, [](ScalarBuilder &s, ValueRange v) { return s.relu(v[0]); });
  }
  Value messages = sendRows(layer, layer.getGraph(), sources, Value());
  Value received = layer.concat(layer.aggregate(layer.getAggregators("aggr"),
                                                layer.getGraph(), messages));
  Value result = layer.linear(received, "lin_l", out, layer.getBoolean("bias"));
  if (layer.getBoolean("root_weight"))
    result = layer.add(result, layer.linear(layer.getDestinations(), "lin_r",
                                            out, /*hasBias=*/false));
  return layer.getBoolean("normalize") ? normalizeRows(layer, result) : result;
}

Value gnn::frontend::buildGraphConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()))
    return {};
  int64_t out = layer.getSize("out_channels");
  Value messages = sendRows(layer, layer.getGraph(), layer.getSources(),
                            layer.getEdgeValues());
  Value received = layer.aggregate(layer.getAggregators("aggr").front(),
                                   layer.getGraph(), messages);
  Value result =
      layer.linear(received, "lin_rel", out, layer.getBoolean("bias"));
  return layer.add(result, layer.linear(layer.getDestinations(), "lin_root",
                                        out, /*hasBias=*/false));
}

Value gnn::frontend::buildGINConv(LayerBuilder &layer) {
  Value sources = layer.getSources(), destinations = layer.getDestinations();
  if (getRowShape(sources).size() != 1 ||
      getRowShape(sources) != getRowShape(destinations))
    return layer.error(layer.describe() +
                       " adds rows of sources to those of destinations, which "
                       "must have one and the same number of channels");
  // A state_dict may have been saved without the buffer of a fixed eps.
  double eps = layer.getNumber("eps");
  if (layer.getBoolean("train_eps") || layer.hasWeight("eps"))
    for (float stored : layer.readWeight("eps", {1}))
      eps = stored;
  Value messages = sendRows(layer, layer.getGraph(), sources, Value());
  Value received = layer.aggregate(Aggregator::Sum, layer.getGraph(), messages);
  Value sum = layer.elementwise(
      {received, destinations}, [&](ScalarBuilder &s, ValueRange v) {
        return s.add(v[0], s.mul(s.constant(1 + eps), v[1]));
      });
  return layer.sequential("nn", sum);
}
