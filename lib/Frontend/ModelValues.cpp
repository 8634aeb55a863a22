//===- ModelValues.cpp - What the names in layers stand for -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

FailureOr<ModelBuilder::NamedValue> ModelBuilder::lookup(const Node &name) {
  if (!name.isScalar())
    return reporter.error(name, "expected the name of an input or of a layer, "
                                "got " +
                                    name.describe());
  SmallVector<StringRef> names;
  for (const auto &[known, value] : values) {
    if (known == name.text)
      return value;
    names.push_back(known);
  }
  // The rows of one type.
  auto [whole, part] = StringRef(name.text).rsplit('.');
  for (const auto &[known, value] : values) {
    std::optional<int> type = value.isPerEdge() ? schema.findEdgeType(part)
                                                : schema.findNodeType(part);
    if (!type || known != whole)
      continue;
    NamedValue result;
    result.isInput = value.isInput;
    result.isPart = true;
    for (const Features &features : value.features)
      if (features.type == *type)
        result.features.push_back(features);
    if (!result.features.empty())
      return result;
    return reporter.error(name, "'" + known + "' has no value for '" + part +
                                    "'; it has one for " +
                                    listTypes(value.features));
  }
  return reporter.error(name, "no input and no earlier layer is called '" +
                                  name.text + "'" + suggest(name.text, names) +
                                  " (known are " + llvm::join(names, ", ") +
                                  ")");
}

FailureOr<Features> ModelBuilder::findRows(const Node &name) {
  FailureOr<NamedValue> value = lookup(name);
  if (failed(value))
    return failure();
  if (value->isPerEdge())
    return reporter.error(name, "'" + name.text +
                                    "' has rows per edge, not per node");
  if (value->features.size() != 1)
    return reporter.error(name, "'" + name.text +
                                    "' has rows of several node types; say '" +
                                    name.text + ".TYPE'");
  return value->features.front();
}

FailureOr<Value> ModelBuilder::findEdges(const Node &name, Value madeGraph) {
  FailureOr<NamedValue> value = lookup(name);
  if (failed(value))
    return failure();
  if (!value->isPerEdge())
    return reporter.error(name, "'" + name.text +
                                    "' has rows per node, not per edge");
  if (hasTypes())
    return reporter.error(name, "'" + name.text +
                                    "' has values of edge types, and this is "
                                    "read on one graph");
  if (failed(checkEdgesOf(name, value->features.front(), madeGraph)))
    return failure();
  return getEdges(value->features.front());
}

Value ModelBuilder::getEdges(const Features &rows) {
  Value &edges = edgesOfRows[rows.value];
  if (!edges) {
    auto rowType = cast<RankedTensorType>(rows.value.getType());
    auto type =
        EdgesType::get(builder.getContext(), rowType.getShape().drop_front(),
                       rowType.getElementType());
    Value ofEdges = rows.graph      ? rows.graph
                    : rows.type < 0 ? graph
                                    : schema.edgeTypes[rows.type].graph;
    edges = EdgesFromTensorOp::create(builder, function.getLoc(), type, ofEdges,
                                      rows.value);
  }
  return edges;
}

/// One number per edge in the place of rows of one channel.
static Value dropChannel(OpBuilder &builder, Location loc, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  return tensor::CollapseShapeOp::create(
      builder, loc,
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType()),
      rows, ArrayRef<ReassociationIndices>{{0, 1}});
}

/// What values per edge the layer takes, in the end.
static EdgeInput getEdgeInput(const Node &layer, const LayerSpec &spec,
                              Reporter &reporter) {
  bool isPhi = spec.edgeInput == EdgeInput::OfPhi;
  if (spec.edgeInput != EdgeInput::OfConv && !isPhi)
    return spec.edgeInput;
  // Faulty ones are reported when the layer is built.
  const Node *conv = layer.find(isPhi ? "phi" : "conv");
  if (!conv || !conv->isMapping() || !conv->find("type"))
    return isPhi ? EdgeInput::Weight : EdgeInput::None;
  const LayerSpec *nested = findLayer(*conv, reporter);
  return nested ? nested->edgeInput : EdgeInput::None;
}

FailureOr<EdgeValues> ModelBuilder::readEdgeInput(const Node &layer,
                                                  const LayerSpec &spec,
                                                  int edgeType,
                                                  Value madeGraph) {
  EdgeInput edgeInput = getEdgeInput(layer, spec, reporter);
  if (reporter.hadError())
    return failure();
  EdgeValues edges;
  for (StringRef key : {"edge_weight", "edge_attr"}) {
    const Node *node = layer.find(key);
    if (!node)
      continue;
    bool isWeight = key == "edge_weight";
    if (edgeInput != EdgeInput::WeightAndAttributes &&
        edgeInput != (isWeight ? EdgeInput::Weight : EdgeInput::Attributes)) {
      StringRef takes = edgeInput == EdgeInput::None ? "no values per edge"
                        : isWeight                   ? "'edge_attr'"
                                                     : "'edge_weight'";
      return reporter.error(*node, spec.type + " takes no '" + key +
                                       "'; it takes " + takes);
    }
    FailureOr<NamedValue> value = lookup(*node);
    if (failed(value))
      return failure();
    if (!value->isPerEdge())
      return reporter.error(
          *node, "'" + key + "' must name an input with " +
                     (hasTypes() ? "values per edge type" : "'per: edge'") +
                     " or a layer on one, and '" + node->text + "' is none");
    auto *ofType =
        llvm::find_if(value->features, [&](const Features &features) {
          return features.type == edgeType;
        });
    if (ofType == value->features.end())
      return reporter.error(*node, "'" + node->text +
                                       "' has no values for the edges " +
                                       schema.edgeTypes[edgeType].getName());
    Features rows = *ofType;
    if (failed(checkEdgesOf(*node, rows, madeGraph)))
      return failure();
    if (!isa<FloatType>(getElementTypeOrSelf(rows.value.getType())))
      return reporter.error(*node, "'" + key + "' must be float32, but '" +
                                       node->text +
                                       "' has whole numbers, which an "
                                       "Embedding makes rows of");
    ArrayRef<int64_t> shape = getRowShape(rows.value);
    if (isWeight && shape == ArrayRef<int64_t>(1))
      rows.value = dropChannel(builder, function.getLoc(), rows.value);
    else if (isWeight && !shape.empty())
      return reporter.error(*node, "an edge weight is one number per edge, but "
                                   "'" +
                                       node->text + "' has " +
                                       formatShape(shape));
    if (!isWeight && shape.size() > 1)
      return reporter.error(*node, "edge attributes have one dimension, but '" +
                                       node->text + "' has " +
                                       formatShape(shape));
    (isWeight ? edges.weight : edges.attributes) = getEdges(rows);
  }
  return edges;
}
