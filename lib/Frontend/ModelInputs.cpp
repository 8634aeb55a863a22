//===- ModelInputs.cpp - The tensors that a model takes ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// Elements of one row of an input, at most: products of widths stay small.
static constexpr int64_t kMaxRowSize = int64_t(1) << 24;

LogicalResult ModelBuilder::readInputs() {
  const Node *node = require(description, "inputs", "a model", reporter);
  if (!node)
    return failure();
  if (!node->isSequence() || node->elements.empty())
    return reporter.error(*node, "'inputs' must be a list such as "
                                 "[{name: x, channels: 34}], got " +
                                     node->describe());
  for (const Node &element : node->elements)
    if (failed(readInput(element)))
      return failure();
  return success();
}

LogicalResult ModelBuilder::readInput(const Node &node) {
  if (!node.isMapping())
    return reporter.error(node, "an input is a mapping such as {name: x, "
                                "channels: 34}, got " +
                                    node.describe());
  if (failed(checkKeys(node, {"name", "channels", "per", "dtype", "sparse"},
                       "an input", reporter)))
    return failure();
  Input input;
  input.position = node.position;
  const Node *inputName = require(node, "name", "an input", reporter);
  const Node *channels =
      inputName ? require(node, "channels", "an input", reporter) : nullptr;
  if (!channels)
    return failure();
  if (!inputName->isScalar() || !isName(inputName->text, "-_"))
    return reporter.error(*inputName, "an input's name must consist of "
                                      "letters, digits, '-' and '_', got " +
                                          inputName->describe());
  input.name = inputName->text;
  if (llvm::is_contained({"graph", "batch", "cluster"}, input.name))
    return reporter.error(*inputName, "an input cannot be called '" +
                                          input.name +
                                          "', as a graph of the model is");
  const Node *per = node.find("per");
  if ((per || hasTypes()) && failed(readPer(per ? *per : node, input)))
    return failure();
  for (const Input &other : inputs) {
    if (other.name != input.name)
      continue;
    bool isEdge = input.per == Input::Per::Edge;
    if (hasTypes() && (other.per == Input::Per::Edge) != isEdge)
      return reporter.error(*inputName, "input '" + input.name +
                                            "' is per edge type and per node "
                                            "type; give one another name");
    if (!hasTypes() || other.type == input.type)
      return reporter.error(*inputName, "two inputs are called '" +
                                            getPortName(input) + "'");
  }
  if (failed(readChannels(*channels, input)) ||
      failed(readDType(node, input)) || failed(readSparse(node, input)))
    return failure();
  inputs.push_back(std::move(input));
  return success();
}

LogicalResult ModelBuilder::readPer(const Node &node, Input &input) {
  if (!hasTypes()) {
    SmallVector<StringRef> names{"node", "source", "destination", "edge"};
    auto *found = llvm::find(names, node.text);
    if (!node.isScalar() || found == names.end())
      return reporter.error(
          node, "'per' must be " + formatChoices(names) + ", got " +
                    node.describe() +
                    (node.isScalar() ? suggest(node.text, names) : ""));
    input.per = static_cast<Input::Per>(found - names.begin());
    return success();
  }
  if (node.isMapping())
    return reporter.error(node, "an input of a model with node types needs "
                                "'per', a node type or [SOURCE, RELATION, "
                                "DESTINATION]");
  if (node.isSequence()) {
    EdgeType type;
    if (failed(readEdgeTypeNames(node, type)))
      return failure();
    std::optional<int> number = schema.findEdgeType(type.getName());
    if (!number || !schema.edgeTypes[*number].path.empty())
      return reporter.error(node, "'edge_types' has no " + node.format() +
                                      ", which 'per' of input '" + input.name +
                                      "' names");
    input.per = Input::Per::Edge;
    input.type = *number;
    return success();
  }
  std::optional<int> number = schema.findNodeType(node.text);
  SmallVector<StringRef> known(schema.nodeTypes.begin(),
                               schema.nodeTypes.end());
  if (!number)
    return reporter.error(node,
                          "'per' must be a node type (" + formatChoices(known) +
                              ") or [SOURCE, RELATION, DESTINATION], "
                              "got " +
                              node.describe() + suggest(node.text, known));
  input.type = *number;
  return success();
}

LogicalResult ModelBuilder::readChannels(const Node &node, Input &input) {
  SmallVector<const Node *> sizes;
  if (node.isScalar())
    sizes.push_back(&node);
  for (const Node &element : node.elements)
    sizes.push_back(&element);
  // With the leading dimension, as many as the C interface has.
  bool isValid = !node.isMapping() && sizes.size() <= 7;
  int64_t total = 1;
  for (const Node *size : sizes) {
    std::optional<int64_t> value = size->getInteger();
    isValid &= value && *value >= 1 && *value <= kMaxRowSize;
    if (!isValid)
      break;
    input.shape.push_back(*value);
    total *= *value;
    isValid &= total <= kMaxRowSize;
  }
  if (isValid)
    return success();
  return reporter.error(
      node, "'channels' must be a whole number of at least "
            "1, or a list of up to seven with a product of "
            "at most " +
                Twine(kMaxRowSize) + ", got " +
                (node.isScalar() ? node.describe() : node.format()));
}

LogicalResult ModelBuilder::readDType(const Node &node, Input &input) {
  SmallVector<StringRef> names{"float32", "int32", "int64"};
  const Node *dtype = node.find("dtype");
  StringRef name = dtype ? StringRef(dtype->text) : names.front();
  if (dtype && (!dtype->isScalar() || !llvm::is_contained(names, name)))
    return reporter.error(*dtype,
                          "'dtype' must be " + formatChoices(names) + ", got " +
                              dtype->describe() +
                              (dtype->isScalar() ? suggest(name, names) : ""));
  input.elementType = name == "float32"
                          ? Type(builder.getF32Type())
                          : builder.getIntegerType(name == "int32" ? 32 : 64);
  return success();
}

LogicalResult ModelBuilder::readSparse(const Node &node, Input &input) {
  const Node *sparse = node.find("sparse");
  if (!sparse)
    return success();
  std::optional<bool> value = sparse->getBoolean();
  if (!value)
    return reporter.error(*sparse, "'sparse' must be true or false, got " +
                                       sparse->describe());
  input.isSparse = *value;
  if (!*value)
    return success();
  if (input.per == Input::Per::Edge)
    return reporter.error(*sparse, "input '" + input.name +
                                       "' is per edge, but 'sparse' is for "
                                       "rows of nodes");
  if (!input.elementType.isF32())
    return reporter.error(*sparse, "a sparse input must be float32, but '" +
                                       input.name + "' has whole numbers");
  if (input.shape.size() != 1)
    return reporter.error(*sparse, "a sparse input is a matrix, whose "
                                   "'channels' is one number, but '" +
                                       input.name + "' has " +
                                       formatShape(input.shape));
  return success();
}

LogicalResult ModelBuilder::checkInputGraph(const Input &input) {
  if (isBipartite() && input.per == Input::Per::Node)
    return reporter.error(input.position,
                          "input '" + input.name +
                              "' is per node, but inputs per source or "
                              "destination make the graph bipartite; say "
                              "'per: source' or 'per: destination'");
  if (input.per != Input::Per::Edge)
    return success();
  GNNGraphType type =
      hasTypes() ? schema.edgeTypes[input.type].graphType : graphType;
  if (type.hasDenseEdges())
    return reporter.error(input.position,
                          "input '" + input.name +
                              "' is per edge, but the edges of a " +
                              stringifyTopology(type.getTopology()) +
                              " graph are not listed; use 'graph: csr'");
  return success();
}
