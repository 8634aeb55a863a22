//===- ModelSchema.cpp - Graphs, node types and edge types ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// Widths of windows, at most.
static constexpr int64_t kMaxWindow = int64_t(1) << 24;

//===----------------------------------------------------------------------===//
// Schema
//===----------------------------------------------------------------------===//

std::optional<int> Schema::findNodeType(StringRef name) const {
  auto it = llvm::find(nodeTypes, name);
  if (it == nodeTypes.end())
    return std::nullopt;
  return it - nodeTypes.begin();
}

std::optional<int> Schema::findEdgeType(StringRef name) const {
  for (auto [i, type] : llvm::enumerate(edgeTypes))
    if (type.getName() == name)
      return i;
  return std::nullopt;
}

std::vector<std::string> Schema::getEdgeTypeNames() const {
  std::vector<std::string> names;
  names.reserve(edgeTypes.size());
  for (const EdgeType &type : edgeTypes)
    names.push_back(type.getName());
  return names;
}

//===----------------------------------------------------------------------===//
// Topologies
//===----------------------------------------------------------------------===//

FailureOr<GNNGraphType> ModelBuilder::readTopology(const Node *node,
                                                   bool isBipartite) {
  Topology topology = Topology::CSR;
  int64_t window = 0;
  if (node) {
    SmallVector<StringRef> names{"csr", "complete", "causal", "block_diagonal"};
    const Node *size = node->find("window");
    if (size && node->entries.size() == 1) {
      std::optional<int64_t> value = size->getInteger();
      if (!value || *value < 0 || *value > kMaxWindow)
        return reporter.error(*size, "'window' must be a whole number from 0 "
                                     "to " +
                                         Twine(kMaxWindow) + ", got " +
                                         size->describe());
      topology = Topology::Window;
      window = *value;
    } else if (node->isScalar() && llvm::is_contained(names, node->text)) {
      topology = *symbolizeTopology(node->text);
    } else {
      return reporter.error(
          *node, "'graph' must be " + llvm::join(names, ", ") +
                     " or {window: SIZE}, got " +
                     (node->isScalar() ? node->describe() : node->format()) +
                     (node->isScalar() ? suggest(node->text, names) : ""));
    }
  }
  if (isBipartite &&
      (topology == Topology::Causal || topology == Topology::Window))
    return reporter.error(
        *node, "a " + stringifyTopology(topology) +
                   " graph compares positions of the same nodes and " +
                   (hasTypes() ? "cannot lead from one node type to another"
                               : "has no inputs per source or destination"));
  return GNNGraphType::get(builder.getContext(), topology, window, isBipartite);
}

//===----------------------------------------------------------------------===//
// Node and edge types
//===----------------------------------------------------------------------===//

/// Whether names of types can be joined by two underscores, as PyTorch
/// Geometric does, and taken apart again.
static bool isTypeName(const Node &node) {
  StringRef text = node.text;
  return node.isScalar() && !text.empty() && !text.contains("__") &&
         !text.starts_with("_") && !text.ends_with("_") &&
         llvm::all_of(text, [](char c) {
           return llvm::isAlnum(c) || c == '-' || c == '_';
         });
}

static constexpr StringLiteral kTypeNameRule =
    "must consist of letters, digits, '-' and single '_' in between, got ";

LogicalResult ModelBuilder::readNodeTypes() {
  const Node *types = description.find("node_types");
  const Node *edges = description.find("edge_types");
  if (!types) {
    for (StringRef key : {"edge_types", "metapaths"})
      if (const Node *node = description.find(key))
        return reporter.error(*node,
                              "a model with '" + key + "' needs 'node_types'");
    return success();
  }
  if (const Node *node = description.find("graph"))
    return reporter.error(*node,
                          "a model with 'node_types' has a graph per edge type "
                          "and no 'graph'; one type's is given by {type: "
                          "[SOURCE, RELATION, DESTINATION], graph: ...} in "
                          "'edge_types'");
  if (!edges)
    return reporter.error(*types, "a model with 'node_types' needs "
                                  "'edge_types'");
  if (!types->isSequence() || types->elements.empty())
    return reporter.error(*types, "'node_types' must be a list such as [paper, "
                                  "author], got " +
                                      types->describe());
  for (const Node &element : types->elements) {
    if (!isTypeName(element))
      return reporter.error(element, "the name of a node type " +
                                         kTypeNameRule + element.describe());
    if (schema.findNodeType(element.text))
      return reporter.error(element,
                            "two node types are called '" + element.text + "'");
    schema.nodeTypes.push_back(element.text);
  }
  return success();
}

LogicalResult ModelBuilder::readEdgeTypeNames(const Node &node,
                                              EdgeType &type) {
  if (!node.isSequence() || node.elements.size() != 3 ||
      !llvm::all_of(node.elements,
                    [](const Node &name) { return name.isScalar(); }))
    return reporter.error(
        node, "an edge type is [SOURCE, RELATION, "
              "DESTINATION] such as [author, writes, paper], "
              "got " +
                  (node.isScalar() ? node.describe() : node.format()));
  for (auto [i, element] : llvm::enumerate(node.elements)) {
    type.names[i] = element.text;
    if (i == 1) {
      if (!isTypeName(element))
        return reporter.error(element, "the name of a relation " +
                                           kTypeNameRule + element.describe());
      continue;
    }
    std::optional<int> number = schema.findNodeType(element.text);
    SmallVector<StringRef> known(schema.nodeTypes.begin(),
                                 schema.nodeTypes.end());
    if (!number)
      return reporter.error(element, "no node type is called '" + element.text +
                                         "'" + suggest(element.text, known) +
                                         " (node_types has " +
                                         llvm::join(known, ", ") + ")");
    (i == 0 ? type.source : type.destination) = *number;
  }
  return success();
}

LogicalResult ModelBuilder::readEdgeType(const Node &node) {
  EdgeType type;
  type.position = node.position;
  const Node *names = node.isMapping() ? node.find("type") : &node;
  const Node *topology = node.isMapping() ? node.find("graph") : nullptr;
  if (node.isMapping() && (!names || node.entries.size() != 1U + !!topology))
    return reporter.error(node, "an edge type is [SOURCE, RELATION, "
                                "DESTINATION] or {type: [SOURCE, RELATION, "
                                "DESTINATION], graph: TOPOLOGY}, got " +
                                    node.format());
  if (failed(readEdgeTypeNames(*names, type)))
    return failure();
  if (schema.findEdgeType(type.getName()))
    return reporter.error(node,
                          "two edge types are called '" + type.getName() + "'");
  FailureOr<GNNGraphType> graph =
      readTopology(topology, type.source != type.destination);
  if (failed(graph))
    return failure();
  type.graphType = *graph;
  schema.edgeTypes.push_back(std::move(type));
  return success();
}

LogicalResult ModelBuilder::readEdgeTypes() {
  const Node *types = description.find("edge_types");
  if (!types)
    return success();
  if (!types->isSequence() || types->elements.empty())
    return reporter.error(*types, "'edge_types' must be a list such as "
                                  "[[author, writes, paper]], got " +
                                      types->describe());
  for (const Node &element : types->elements)
    if (failed(readEdgeType(element)))
      return failure();
  return readMetaPaths();
}

//===----------------------------------------------------------------------===//
// Meta-paths
//===----------------------------------------------------------------------===//

LogicalResult ModelBuilder::readMetaPath(const Node &node, size_t number) {
  if (!node.isSequence() || node.elements.size() < 2)
    return reporter.error(
        node, "a meta-path is a list of two edge types or "
              "more, got " +
                  (node.isScalar() ? node.describe() : node.format()));
  EdgeType path;
  path.position = node.position;
  for (auto [i, element] : llvm::enumerate(node.elements)) {
    EdgeType step;
    if (failed(readEdgeTypeNames(element, step)))
      return failure();
    std::optional<int> index = schema.findEdgeType(step.getName());
    if (!index || !schema.edgeTypes[*index].path.empty())
      return reporter.error(element, "'edge_types' has no " + element.format() +
                                         ", which this meta-path leads along");
    const EdgeType &known = schema.edgeTypes[*index];
    if (known.graphType.getTopology() != Topology::CSR)
      return reporter.error(
          element, "a meta-path leads along csr graphs, but that of " +
                       element.format() + " is " +
                       stringifyTopology(known.graphType.getTopology()));
    if (i == 0) {
      path.source = known.source;
    } else if (known.source != path.destination) {
      return reporter.error(
          element, "this step starts at '" + schema.nodeTypes[known.source] +
                       "', but the one before it ends at '" +
                       schema.nodeTypes[path.destination] + "'");
    }
    path.destination = known.destination;
    path.path.push_back(*index);
  }
  path.names = {schema.nodeTypes[path.source],
                "metapath_" + std::to_string(number),
                schema.nodeTypes[path.destination]};
  if (schema.findEdgeType(path.getName()))
    return reporter.error(node, "'edge_types' has '" + path.getName() +
                                    "' already, which is what this meta-path "
                                    "is called");
  path.graphType = GNNGraphType::get(builder.getContext(), Topology::CSR, 0,
                                     path.source != path.destination);
  schema.edgeTypes.push_back(std::move(path));
  return success();
}

LogicalResult ModelBuilder::readMetaPaths() {
  const Node *paths = description.find("metapaths");
  if (!paths)
    return success();
  if (!paths->isSequence() || paths->elements.empty())
    return reporter.error(*paths,
                          "'metapaths' must be a list of lists of edge types, "
                          "got " +
                              paths->describe());
  for (auto [i, path] : llvm::enumerate(paths->elements))
    if (failed(readMetaPath(path, i)))
      return failure();
  return success();
}
