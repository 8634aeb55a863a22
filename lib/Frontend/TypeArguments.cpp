//===- TypeArguments.cpp - Arguments on node and edge types -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// The number of a node type by its name, with an error where there is none.
static std::optional<int> findNodeType(const Schema &schema, const Node &name,
                                       Reporter &reporter) {
  std::optional<int> number;
  if (name.isScalar())
    number = schema.findNodeType(name.text);
  if (number)
    return number;
  SmallVector<StringRef> known(schema.nodeTypes.begin(),
                               schema.nodeTypes.end());
  (void)reporter.error(
      name, "no node type is called " +
                (name.isScalar() ? "'" + name.text + "'" : name.format()) +
                suggest(name.text, known) + " (node_types has " +
                llvm::join(known, ", ") + ")");
  return std::nullopt;
}

std::optional<int> LayerBuilder::findEdgeType(const Node &key) const {
  std::string name = key.text;
  if (key.isSequence()) {
    SmallVector<StringRef> parts;
    for (const Node &part : key.elements)
      parts.push_back(part.text);
    name = llvm::join(parts, "__");
  }
  std::optional<int> number = getSchema().findEdgeType(name);
  if (number)
    return number;
  std::vector<std::string> names = getSchema().getEdgeTypeNames();
  SmallVector<StringRef> known(names.begin(), names.end());
  (void)model.reporter.error(key, "no edge type is called '" + name + "'" +
                                      suggest(name, known) + " (known are " +
                                      llvm::join(known, ", ") + ")");
  return std::nullopt;
}

std::optional<SmallVector<int>>
LayerBuilder::findNodeTypes(ArrayRef<Node> names) const {
  SmallVector<int> types;
  for (const Node &name : names) {
    std::optional<int> type = findNodeType(getSchema(), name, model.reporter);
    if (!type)
      return std::nullopt;
    types.push_back(*type);
  }
  return types;
}

std::optional<SmallVector<int64_t>>
LayerBuilder::getSizePerNodeType(StringRef argument,
                                 ArrayRef<int> types) const {
  const Node &value = getArgument(argument);
  SmallVector<int64_t> sizes(getSchema().nodeTypes.size(), 0);
  if (value.isScalar())
    for (int type : types)
      sizes[type] = *value.getInteger();
  for (const auto &[key, size] : value.entries) {
    std::optional<int> type = findNodeType(getSchema(), key, model.reporter);
    if (!type)
      return std::nullopt;
    sizes[*type] = *size.getInteger();
  }
  for (const Features &input : inputs) {
    int64_t size = sizes[input.type];
    if (size == 0 || getRowShape(input.value) == ArrayRef<int64_t>(size))
      continue;
    (void)argumentError(argument, describe() + " reads '" + input.name + "." +
                                      getSchema().nodeTypes[input.type] +
                                      "' with rows of shape " +
                                      formatShape(getRowShape(input.value)) +
                                      ", but its " + argument + " says " +
                                      Twine(size));
    return std::nullopt;
  }
  return sizes;
}

std::optional<LayerBuilder::Metadata>
LayerBuilder::getMetadata(StringRef argument) const {
  Metadata result;
  if (isNull(argument)) {
    llvm::append_range(result.nodeTypes,
                       llvm::seq<int>(0, getSchema().nodeTypes.size()));
    llvm::append_range(result.edgeTypes,
                       llvm::seq<int>(0, getSchema().edgeTypes.size()));
    return result;
  }
  const Node &value = getArgument(argument);
  std::optional<SmallVector<int>> nodeTypes =
      findNodeTypes(value.elements[0].elements);
  if (!nodeTypes)
    return std::nullopt;
  result.nodeTypes = *nodeTypes;
  for (const Node &name : value.elements[1].elements) {
    std::optional<int> type = findEdgeType(name);
    if (!type)
      return std::nullopt;
    const EdgeType &edgeType = getSchema().edgeTypes[*type];
    for (int end : {edgeType.source, edgeType.destination})
      if (!llvm::is_contained(result.nodeTypes, end)) {
        (void)model.reporter.error(
            name, "'" + argument + "' of " + describe() + " has the edges " +
                      edgeType.getName() + ", but not the node type '" +
                      getSchema().nodeTypes[end] + "'");
        return std::nullopt;
      }
    result.edgeTypes.push_back(*type);
  }
  return result;
}
