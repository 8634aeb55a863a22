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
  Value joined = layer.elementwise(values, [&](ScalarBuilder &s, ValueRange v) {
    Value result = v[0];
    for (Value other : v.drop_front()) {
      if (aggr == "max")
        result = s.max(result, other);
      else if (aggr == "min")
        result = s.neg(s.max(s.neg(result), s.neg(other)));
      else
        result = s.add(result, other);
    }
    return result;
  });
  if (aggr != "mean")
    return joined;
  return layer.elementwise(joined, [&](ScalarBuilder &s, ValueRange v) {
    return s.div(v[0], s.constant(values.size()));
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
// Linear layers of node types
//===----------------------------------------------------------------------===//

/// `types`, or those that a mapping in `in_channels` has; by default the
/// model's.
static std::optional<SmallVector<int>> getTypes(LayerBuilder &layer) {
  if (!layer.isNull("types"))
    return layer.findNodeTypes(layer.getArgument("types").elements);
  SmallVector<Node> names;
  for (const auto &[key, size] : layer.getArgument("in_channels").entries)
    names.push_back(key);
  if (!names.empty())
    return layer.findNodeTypes(names);
  return llvm::to_vector(llvm::seq<int>(0, layer.getSchema().nodeTypes.size()));
}

static SmallVector<Value> buildHeteroDictLinear(LayerBuilder &layer) {
  const Schema &schema = layer.getSchema();
  auto types = getTypes(layer);
  if (!types)
    return {};
  auto sizes = layer.getSizePerNodeType("in_channels", *types);
  if (!sizes)
    return {};
  bool hasBias = layer.getBoolean("bias");
  SmallVector<Value> results(schema.nodeTypes.size());
  for (int type : *types) {
    std::string name = "lins." + schema.nodeTypes[type];
    // Types that the input lacks have entries all the same.
    if (Value rows = layer.getRowsOf(type)) {
      results[type] =
          layer.linear(rows, name, layer.getSize("out_channels"), hasBias);
      continue;
    }
    layer.ignoreWeight(name + ".weight");
    layer.ignoreWeight(name + ".bias");
  }
  if (llvm::none_of(results, [](Value value) { return value; })) {
    (void)layer.error(layer.describe() +
                      " has none of the node types that its input has");
    return {};
  }
  return results;
}

/// The part of a stacked weight that belongs to a node type.
static Value getPart(LayerBuilder &layer, StringRef name,
                     ArrayRef<float> weight, int type,
                     ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return layer.constant(
      (name + "." + layer.getSchema().nodeTypes[type]).str(),
      weight.empty() ? weight : weight.slice(type * size, size), shape);
}

/// PyTorch Geometric's layer on the rows of all types, one after the other, and
/// a vector that says the type of each: here types are known.
static SmallVector<Value> buildHeteroLinear(LayerBuilder &layer) {
  int64_t numTypes = layer.getSchema().nodeTypes.size();
  int64_t in = layer.getSize("in_channels");
  int64_t out = layer.getSize("out_channels");
  if (failed(layer.checkChannels("in_channels")))
    return {};
  auto weight = layer.readWeight("weight", {numTypes, in, out});
  std::vector<float> bias;
  bool hasBias = layer.getBoolean("bias");
  if (hasBias)
    bias = layer.readWeight("bias", {numTypes, out});
  SmallVector<Value> results(numTypes);
  for (int type = 0; type < numTypes; ++type) {
    Value rows = layer.getRowsOf(type);
    if (!rows)
      continue;
    results[type] =
        layer.matmul(rows, getPart(layer, "weight", weight, type, {in, out}));
    if (hasBias)
      results[type] = layer.addUniform(
          results[type], getPart(layer, "bias", bias, type, {out}));
  }
  return results;
}

/// A projection that node types share but for a term of low rank of their own:
/// W_t = W + U_t V_t, which is never made.
static SmallVector<Value> buildLowRankHeteroLinear(LayerBuilder &layer) {
  const Schema &schema = layer.getSchema();
  if (failed(layer.checkChannels("in_channels")))
    return {};
  int64_t in = layer.getSize("in_channels");
  int64_t out = layer.getSize("out_channels"), rank = layer.getSize("rank");
  Value shared = layer.transposedWeight("weight", in, out);
  bool hasBias = layer.getBoolean("bias");
  Value bias = hasBias ? layer.weight("bias", {out}) : Value();
  SmallVector<Value> results(schema.nodeTypes.size());
  for (auto [type, name] : llvm::enumerate(schema.nodeTypes)) {
    Value rows = layer.getRowsOf(type);
    if (!rows) {
      layer.ignoreWeight("u." + name);
      layer.ignoreWeight("v." + name);
      continue;
    }
    Value narrow =
        layer.matmul(rows, layer.transposedWeight("v." + name, in, rank));
    Value own =
        layer.matmul(narrow, layer.transposedWeight("u." + name, rank, out));
    results[type] = layer.add(layer.matmul(rows, shared), own);
    if (hasBias)
      results[type] = layer.addUniform(results[type], bias);
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
      {"HeteroDictLinear",
       nullptr,
       Reads::NodeTypes,
       EdgeInput::None,
       {{"in_channels", Kind::SizePerNodeType},
        {"out_channels", Kind::Size},
        {"types", Kind::NodeTypes, "null"},
        {"bias", Kind::Boolean, "true"}},
       buildHeteroDictLinear},
      {"HeteroLinear",
       nullptr,
       Reads::NodeTypes,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"bias", Kind::Boolean, "true"}},
       buildHeteroLinear},
      {"LowRankHeteroLinear",
       nullptr,
       Reads::NodeTypes,
       EdgeInput::None,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"rank", Kind::Size},
        {"bias", Kind::Boolean, "true"}},
       buildLowRankHeteroLinear},
  };
}
