//===- WrappedConvolutions.cpp - Layers around another layer ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers that have a message passing layer for an argument, and run it along
// edges in both directions or several times.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// DirGNNConv
//===----------------------------------------------------------------------===//

/// Rossi et al., "Edge Directionality Improves Learning on Heterophilic Graphs"
/// (2023): what a layer makes of a node's predecessors and, with weights of its
/// own, of its successors. Neither sees the node itself, unless by `lin`.
static Value buildDirGNNConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  if (layer.getGraphType().getTopology() == Topology::Causal)
    return layer.error(layer.describe() +
                       " turns edges around, which would show later nodes on a "
                       "causal graph");
  // The class makes its two copies of the layer so, whatever that says.
  constexpr StringRef cleared[] = {"add_self_loops", "root_weight"};
  // These were made before.
  for (const char *entry : {"lin_r.weight", "lin_skip.weight", "lin_skip.bias"})
    for (const char *copy : {"conv_in.", "conv_out."})
      layer.ignoreWeight(std::string(copy) + entry);
  Nesting received{"conv_in"}, sent{"conv_out"};
  received.cleared = sent.cleared = cleared;
  sent.graph = reverseGraph(layer, layer.getGraph());
  Value in = layer.nested("conv", received);
  Value out = in ? layer.nested("conv", sent) : Value();
  if (!out)
    return {};

  double alpha = layer.getNumber("alpha");
  Value both = mixRows(layer, out, alpha, in, 1 - alpha);
  if (!layer.getBoolean("root_weight"))
    return both;
  return layer.add(both, layer.linear(layer.getInput(), "lin",
                                      getNumChannels(both), /*hasBias=*/true));
}

//===----------------------------------------------------------------------===//
// AntiSymmetricConv
//===----------------------------------------------------------------------===//

/// `(W - W^T - gamma I)^T`, by which rows are multiplied, with the I of the
/// state_dict.
static Value getAntisymmetricWeight(LayerBuilder &layer, int64_t channels) {
  std::vector<float> weight = layer.readWeight("W", {channels, channels});
  std::vector<float> identity = layer.readWeight("eye", {channels, channels});
  double gamma = layer.getNumber("gamma");
  std::vector<float> values;
  if (!weight.empty() && !identity.empty())
    for (int64_t in = 0; in < channels; ++in)
      for (int64_t out = 0; out < channels; ++out) {
        int64_t at = out * channels + in;
        values.push_back(weight[at] - weight[in * channels + out] -
                         gamma * identity[at]);
      }
  return layer.constant("W.antisymmetric", values, {channels, channels});
}

/// The layer in `phi`, or the GCNConv without bias that is there by default.
static Value sendPhi(LayerBuilder &layer, Value rows, int64_t channels) {
  if (!layer.isNull("phi")) {
    Nesting nesting{"phi"};
    nesting.rows = rows;
    return layer.nested("phi", nesting);
  }
  Propagation propagation = normalizeEdges(layer, /*selfLoops=*/true);
  if (!propagation.graph)
    return {};
  return propagate(layer, propagation,
                   layer.linear(rows, "phi.lin", channels, /*hasBias=*/false));
}

/// Gravina et al., "Anti-Symmetric DGN" (2023): steps of Euler's method for an
/// ordinary differential equation that is stable.
static Value buildAntiSymmetricConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  int64_t channels = layer.getSize("in_channels");
  Activation act = getActivation(layer, "act", "act_kwargs");
  Value weight = getAntisymmetricWeight(layer, channels);
  double epsilon = layer.getNumber("epsilon");
  Value rows = layer.getInput();
  for (int64_t i = 0, e = layer.getSize("num_iters"); i < e; ++i) {
    Value sent = sendPhi(layer, rows, channels);
    if (!sent || failed(checkYields(layer, "phi", sent, "in_channels")))
      return {};
    Value change = addBias(layer, layer.add(layer.matmul(rows, weight), sent));
    rows =
        layer.elementwise({rows, change}, [&](ScalarBuilder &s, ValueRange v) {
          return s.add(v[0], s.mul(s.constant(epsilon), act.apply(s, v[1])));
        });
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getWrappedConvolutions() {
  using Kind = ArgumentKind;
  SmallVector<StringRef> activations(getActivationNames());
  return {
      {"DirGNNConv",
       buildDirGNNConv,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"conv", Kind::Layer},
        {"alpha", Kind::Number, "0.5"},
        {"root_weight", Kind::Boolean, "true"}}},
      {"AntiSymmetricConv",
       buildAntiSymmetricConv,
       Reads::SquareGraph,
       EdgeInput::OfPhi,
       {{"in_channels", Kind::Size},
        {"phi", Kind::Layer, "null"},
        {"num_iters", Kind::Count, "1"},
        {"epsilon", Kind::Number, "0.1"},
        {"gamma", Kind::Number, "0.1"},
        {"act", Kind::ChoiceOrNull, "tanh", activations},
        {"act_kwargs", Kind::Mapping, "null"},
        {"bias", Kind::Boolean, "true"}}},
  };
}
