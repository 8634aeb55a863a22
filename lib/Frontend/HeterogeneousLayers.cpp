//===- HeterogeneousLayers.cpp - Layers on typed graphs ---------*- C++ -*-===//
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

//===----------------------------------------------------------------------===//
// HeteroConv
//===----------------------------------------------------------------------===//

/// Values of shape [n, channels] as [n, values, channels].
static Value stack(LayerBuilder &layer, ArrayRef<Value> values) {
  return layer.splitHeads(layer.concat(values), values.size());
}

/// What several edge types sent to one node type, as PyTorch Geometric's
/// `group`.
static Value join(LayerBuilder &layer, ArrayRef<Value> values) {
  if (layer.isNull("aggr"))
    return stack(layer, values);
  if (values.size() == 1)
    return values.front();
  StringRef aggr = layer.getChoice("aggr");
  if (aggr == "cat")
    return layer.concat(values);
  return layer.elementwise(values, [&](ScalarBuilder &s, ValueRange v) {
    Value result = v[0];
    for (Value other : v.drop_front()) {
      if (aggr == "max")
        result = s.max(result, other);
      else if (aggr == "min")
        result = s.neg(s.max(s.neg(result), s.neg(other)));
      else
        result = s.add(result, other);
    }
    return aggr == "mean" ? s.div(result, s.constant(values.size())) : result;
  });
}

/// Checks what joining needs of the results for one node type.
static LogicalResult checkJoin(LayerBuilder &layer, StringRef nodeType,
                               ArrayRef<Value> values) {
  bool mayDiffer = !layer.isNull("aggr") && layer.getChoice("aggr") == "cat";
  for (Value value : values) {
    if (getRowShape(value).size() == 1 &&
        (mayDiffer || getRowShape(value) == getRowShape(values.front())))
      continue;
    return layer.argumentError(
        "convs",
        "the layers for edges into '" + nodeType + "' yield rows of " +
            "shape " + formatShape(getRowShape(values.front())) + " and " +
            formatShape(getRowShape(value)) + "; joined by 'aggr: " +
            layer.getArgument("aggr").format() + "' they must be equal");
  }
  return success();
}

static SmallVector<Value> buildHeteroConv(LayerBuilder &layer) {
  const Schema &schema = layer.getSchema();
  SmallVector<SmallVector<Value>> received(schema.nodeTypes.size());
  for (const auto &[key, node] : layer.getArgument("convs").entries) {
    std::optional<int> number = layer.findEdgeType(key);
    if (!number)
      return {};
    const EdgeType &edgeType = schema.edgeTypes[*number];
    Value result = layer.buildOnEdgeType("convs", node, *number);
    if (!result)
      return {};
    received[edgeType.destination].push_back(result);
  }
  SmallVector<Value> results;
  for (auto [nodeType, values] : llvm::zip(schema.nodeTypes, received)) {
    if (failed(checkJoin(layer, nodeType, values)))
      return {};
    results.push_back(values.empty() ? Value() : join(layer, values));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getHeterogeneousLayers() {
  using Kind = ArgumentKind;
  return {
      {"HeteroConv",
       nullptr,
       Reads::NodeTypes,
       EdgeInput::None,
       {{"convs", Kind::EdgeTypeLayers},
        {"aggr",
         Kind::ChoiceOrNull,
         "sum",
         {"sum", "mean", "min", "max", "cat"}}},
       buildHeteroConv},
  };
}
