//===- ConvolutionLayers.cpp - Graph convolutions ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

static Value buildGCNConv(LayerBuilder &layer) {
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

  Propagation propagation = getPropagation(
      layer, normalize, selfLoops, layer.getBoolean("improved") ? 2 : 1);
  if (!propagation.graph)
    return {};
  Value rows = layer.linear(layer.getInput(), "lin",
                            layer.getSize("out_channels"), /*hasBias=*/false);
  return addBias(layer, propagate(layer, propagation, rows));
}

static Value buildSAGEConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()))
    return {};
  int64_t out = layer.getSize("out_channels");
  Value sources = layer.getSources();
  if (layer.getBoolean("project")) {
    Value projected =
        layer.linear(sources, "lin", getNumChannels(sources), /*hasBias=*/true);
    sources = relu(layer, projected);
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

static Value buildGraphConv(LayerBuilder &layer) {
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

static Value buildGINConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  return finishGIN(
      layer, sendRows(layer, layer.getGraph(), layer.getSources(), Value()));
}

/// Ranjan et al. 2020: the differences of rows at both ends of an edge.
static Value buildLEConv(LayerBuilder &layer) {
  if (failed(layer.checkConvolutionChannels()))
    return {};
  int64_t out = layer.getSize("out_channels");
  bool hasBias = layer.getBoolean("bias");
  Value destinations = layer.getDestinations();
  EdgeOperands operands;
  operands.dst = {layer.linear(destinations, "lin2", out, /*hasBias=*/false)};
  operands.src = {layer.linear(layer.getSources(), "lin1", out, hasBias)};
  if (layer.getEdgeValues())
    operands.edge = {layer.getEdgeValues()};
  Value messages = layer.message(
      layer.getGraph(), operands,
      layer.getEdgeValues() ? "f, f, -> f" : "f, f -> f",
      [](ScalarBuilder &s, ValueRange v) {
        Value difference = s.sub(v[1], v[0]);
        return v.size() == 3 ? s.mul(difference, v[2]) : difference;
      });
  Value received = layer.aggregate(Aggregator::Sum, layer.getGraph(), messages);
  return layer.add(received, layer.linear(destinations, "lin3", out, hasBias));
}

Value gnn::frontend::finishGIN(LayerBuilder &layer, Value messages) {
  Value destinations = layer.getDestinations();
  if (failed(layer.checkEqualRows(
          "adds rows of sources to those of destinations")))
    return {};
  // A state_dict may have been saved without the buffer of a fixed eps.
  double eps = layer.getNumber("eps");
  if (layer.getBoolean("train_eps") || layer.hasWeight("eps"))
    eps = layer.readNumber("eps");
  Value received = layer.aggregate(Aggregator::Sum, layer.getGraph(), messages);
  Value sum = layer.elementwise(
      {received, destinations}, [&](ScalarBuilder &s, ValueRange v) {
        return s.add(v[0], s.mul(s.constant(1 + eps), v[1]));
      });
  return layer.sequential("nn", sum);
}

//===----------------------------------------------------------------------===//
// SimpleConv
//===----------------------------------------------------------------------===//

/// An aggregation and nothing else, with the node's own row in one of three
/// ways.
static Value buildSimpleConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value graph = layer.getGraph(), weight = layer.getEdgeValues(),
        own = layer.getDestinations();
  StringRef root =
      layer.isNull("combine_root") ? "" : layer.getChoice("combine_root");
  if (root == "self_loop") {
    // Those of dense graphs would count twice.
    if (layer.getGraphType().getBipartite() ||
        layer.getGraphType().hasContiguousRows())
      return layer.error(
          layer.describe() +
          " adds a self loop to each node, which only a graph of "
          "listed edges among nodes of one kind can have; use "
          "'combine_root: sum' or 'cat'");
    auto looped = layer.addSelfLoops(SelfLoopMode::Keep, weight, [&] {
      return layer.filled(layer.getNumRows(own), {}, 1);
    });
    if (!looped.graph)
      return {};
    graph = looped.graph;
    weight = looped.edges;
  }
  Value result = layer.concat(
      layer.aggregate(layer.getAggregators("aggr"), graph,
                      sendRows(layer, graph, layer.getSources(), weight)));
  if (root == "sum" && getNumChannels(own) != getNumChannels(result))
    return layer.error(layer.describe() + " adds rows of " +
                       Twine(getNumChannels(own)) + " channels to those of " +
                       Twine(getNumChannels(result)) +
                       "; use 'combine_root: cat'");
  if (root == "sum")
    return layer.add(result, own);
  return root == "cat" ? layer.concat({own, result}) : result;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getConvolutionLayers() {
  using Kind = ArgumentKind;
  const SmallVector<StringRef> aggregators(getAggregatorNames());
  return {
      {"GCNConv",
       buildGCNConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"improved", Kind::Boolean, "false"},
        {"cached", Kind::Ignored, "false"},
        {"add_self_loops", Kind::Boolean, "null"},
        {"normalize", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"SAGEConv",
       buildSAGEConv,
       Reads::Graph,
       EdgeInput::None,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"aggr", Kind::Choices, "mean", aggregators},
        {"normalize", Kind::Boolean, "false"},
        {"root_weight", Kind::Boolean, "true"},
        {"project", Kind::Boolean, "false"},
        {"bias", Kind::Boolean, "true"}}},
      {"GraphConv",
       buildGraphConv,
       Reads::Graph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"aggr", Kind::Choice, "add", aggregators},
        {"bias", Kind::Boolean, "true"}}},
      {"SimpleConv",
       buildSimpleConv,
       Reads::Graph,
       EdgeInput::Weight,
       {{"aggr", Kind::Choices, "sum", aggregators},
        {"combine_root",
         Kind::ChoiceOrNull,
         "null",
         {"sum", "cat", "self_loop"}}}},
      {"LEConv",
       buildLEConv,
       Reads::Graph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Channels},
        {"out_channels", Kind::Size},
        {"bias", Kind::Boolean, "true"}}},
      {"GINConv",
       buildGINConv,
       Reads::Graph,
       EdgeInput::None,
       {{"nn", Kind::Layers},
        {"eps", Kind::Number, "0.0"},
        {"train_eps", Kind::Boolean, "false"}}},
  };
}
