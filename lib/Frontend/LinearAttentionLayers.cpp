//===- LinearAttentionLayers.cpp - Attention without pairs ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention to all nodes of a graph whose scores are products that no softmax
// stands around. So a graph adds up what its nodes say, a matrix, once for all
// that ask: messages to the graph and back take the place of those of pairs.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// Rows [n, heads, width] divided by the length of each head. A zero in them
/// counts as a little more, as in PyTorch Geometric.
static Value normalizeHeads(LayerBuilder &layer, Value rows) {
  rows = layer.elementwise(rows, [](ScalarBuilder &s, ValueRange v) {
    return s.select(s.isZero(v[0]), s.constant(1e-6), v[0]);
  });
  Value squares =
      layer.update(rows, {}, "hf -> h", [](ScalarBuilder &s, ValueRange v) {
        return s.mul(v[0], v[0]);
      });
  Value scale = layer.elementwise(squares, [](ScalarBuilder &s, ValueRange v) {
    return s.inverse(s.sqrt(v[0]));
  });
  return layer.update(
      {rows, scale}, {}, "hf, h -> hf",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

/// Wu et al. 2023 (SGFormer). The score of a pair is the product of a query and
/// a key, both of length 1; that of a node with itself is more by the number of
/// nodes. Scores are divided by their sum.
static Value buildSGFormerAttention(LayerBuilder &layer) {
  if (failed(layer.checkChannels("channels")))
    return {};
  int64_t heads = layer.getSize("heads"),
          width = layer.getSize("head_channels");
  bool hasBias = layer.getBoolean("qkv_bias");
  Value rows = layer.getInput();
  auto transform = [&](StringRef name) {
    return layer.splitHeads(layer.linear(rows, name, heads * width, hasBias),
                            heads);
  };
  Value queries = normalizeHeads(layer, transform("q")),
        keys = normalizeHeads(layer, transform("k")), values = transform("v");

  auto multiply = [](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], v[1]);
  };
  auto first = [](ScalarBuilder &, ValueRange v) { return v[0]; };
  Value graphs = getGraphsOf(layer, rows);
  auto addUp = [&](ValueRange ofNodes, StringRef subscripts,
                   ScalarFunction function) {
    EdgeOperands operands;
    operands.src = SmallVector<Value>(ofNodes);
    return layer.aggregate(
        Aggregator::Sum, graphs,
        layer.message(graphs, operands, subscripts, function));
  };
  Value products = addUp({keys, values}, "hi, hf -> hif", multiply);
  Value sums = addUp(keys, "hi -> hi", first);

  // Each node receives from one graph.
  Value nodes = reverseGraph(layer, graphs);
  auto ask = [&](Value ofGraph, StringRef subscripts) {
    EdgeOperands operands;
    operands.dst = {queries};
    operands.src = {ofGraph};
    return layer.aggregate(
        Aggregator::Sum, nodes,
        layer.message(nodes, operands, subscripts, multiply));
  };
  Value received = ask(products, "hi, hif -> hf");
  Value total = ask(sums, "hi, hi -> h");
  EdgeOperands operands;
  operands.src = {getDegree(layer, graphs, NodeSide::Destination)};
  Value sizes = layer.aggregate(Aggregator::Sum, nodes,
                                layer.message(nodes, operands, " -> ", first));
  Value scale = layer.update({total, sizes}, {}, "h, -> h",
                             [](ScalarBuilder &s, ValueRange v) {
                               return s.inverse(s.add(v[0], v[1]));
                             });
  return layer.meanOverHeads(
      layer.update({received, values, sizes, scale}, {}, "hf, hf, , h -> hf",
                   [](ScalarBuilder &s, ValueRange v) {
                     return s.mul(s.add(v[0], s.mul(v[2], v[1])), v[3]);
                   }));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getLinearAttentionLayers() {
  using Kind = ArgumentKind;
  return {
      {"SGFormerAttention",
       buildSGFormerAttention,
       Reads::GraphAndBatch,
       EdgeInput::None,
       {{"channels", Kind::Size},
        {"heads", Kind::Size, "1"},
        {"head_channels", Kind::Size, "64"},
        {"qkv_bias", Kind::Boolean, "false"}}},
  };
}
