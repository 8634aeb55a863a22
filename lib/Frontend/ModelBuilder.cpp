//===- ModelBuilder.cpp - Descriptions to functions -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// Elements of one row of an input, at most: products of widths stay small.
static constexpr int64_t kMaxRowSize = int64_t(1) << 24;

/// The entry of a mapping, with an error where there is none.
static const Node *require(const Node &mapping, StringRef key, StringRef what,
                           Reporter &reporter) {
  const Node *value = mapping.find(key);
  if (!value)
    (void)reporter.error(mapping, what + " needs '" + key + "'");
  return value;
}

/// Reports keys that are none of `accepted`.
static LogicalResult checkKeys(const Node &mapping,
                               ArrayRef<StringRef> accepted, StringRef what,
                               Reporter &reporter) {
  for (const auto &[key, value] : mapping.entries)
    if (!llvm::is_contained(accepted, key.text))
      return reporter.error(key, "unknown key '" + key.text + "' in " + what +
                                     suggest(key.text, accepted) +
                                     " (accepted are " +
                                     llvm::join(accepted, ", ") + ")");
  return success();
}

static bool isName(StringRef text, StringRef extraCharacters) {
  return !text.empty() && llvm::all_of(text, [&](char c) {
    return llvm::isAlnum(c) || extraCharacters.contains(c);
  });
}

//===----------------------------------------------------------------------===//
// Reading what stands above the layers
//===----------------------------------------------------------------------===//

LogicalResult ModelBuilder::readModel() {
  if (!description.isMapping())
    return reporter.error(description,
                          "a model is a mapping with the keys name, graph, "
                          "inputs, layers and output, got " +
                              description.describe());
  if (failed(checkKeys(description,
                       {"name", "graph", "inputs", "layers", "output"},
                       "the model", reporter)) ||
      failed(readName()) || failed(readInputs()) || failed(readGraph()))
    return failure();
  return checkGraph();
}

LogicalResult ModelBuilder::readName() {
  const Node *node = require(description, "name", "a model", reporter);
  if (!node)
    return failure();
  // It becomes part of C symbols.
  if (!node->isScalar() || !isName(node->text, "-_") ||
      llvm::isDigit(node->text.front()) || node->text.front() == '-')
    return reporter.error(*node, "the model's name must consist of letters, "
                                 "digits, '-' and '_' and begin with a letter, "
                                 "got " +
                                     node->describe());
  name = node->text;
  return success();
}

LogicalResult ModelBuilder::readGraph() {
  bool isBipartite = llvm::any_of(inputs, [](const Input &input) {
    return input.per == Input::Per::Source ||
           input.per == Input::Per::Destination;
  });
  Topology topology = Topology::CSR;
  int64_t window = 0;
  if (const Node *node = description.find("graph")) {
    graphPosition = node->position;
    SmallVector<StringRef> names{"csr", "complete", "causal", "block_diagonal"};
    const Node *size = node->find("window");
    if (size && node->entries.size() == 1) {
      std::optional<int64_t> value = size->getInteger();
      if (!value || *value < 0 || *value > kMaxRowSize)
        return reporter.error(*size, "'window' must be a whole number of at "
                                     "least 0, got " +
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
    return reporter.error(graphPosition,
                          "a " + stringifyTopology(topology) +
                              " graph compares positions of the same nodes and "
                              "has no inputs per source or destination");
  graphType =
      GNNGraphType::get(builder.getContext(), topology, window, isBipartite);
  return success();
}

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
  if (failed(
          checkKeys(node, {"name", "channels", "per"}, "an input", reporter)))
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
  if (input.name == "graph" || input.name == "batch")
    return reporter.error(*inputName, "an input cannot be called '" +
                                          input.name +
                                          "', as a graph of the model is");
  if (llvm::any_of(
          inputs, [&](const Input &other) { return other.name == input.name; }))
    return reporter.error(*inputName,
                          "two inputs are called '" + input.name + "'");
  if (const Node *per = node.find("per")) {
    SmallVector<StringRef> names{"node", "source", "destination", "edge"};
    auto *found = llvm::find(names, per->text);
    if (!per->isScalar() || found == names.end())
      return reporter.error(
          *per, "'per' must be " + formatChoices(names) + ", got " +
                    per->describe() +
                    (per->isScalar() ? suggest(per->text, names) : ""));
    input.per = static_cast<Input::Per>(found - names.begin());
  }
  if (failed(readChannels(*channels, input)))
    return failure();
  inputs.push_back(std::move(input));
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

/// Checks that inputs fit the graph, and that pooling has one to pool.
LogicalResult ModelBuilder::checkGraph() {
  const Node *layers = require(description, "layers", "a model", reporter);
  if (!layers)
    return failure();
  if (!layers->isSequence() || layers->elements.empty())
    return reporter.error(*layers, "'layers' must be a list such as "
                                   "[{type: ReLU}], got " +
                                       layers->describe());
  for (const Node &layer : layers->elements) {
    const LayerSpec *spec = findLayer(layer, reporter);
    if (!spec)
      return failure();
    hasPooling |= spec->reads == Reads::Batch;
  }
  for (const Input &input : inputs) {
    if (isBipartite() && input.per == Input::Per::Node)
      return reporter.error(input.position,
                            "input '" + input.name +
                                "' is per node, but inputs per source or "
                                "destination make the graph bipartite; say "
                                "'per: source' or 'per: destination'");
    if (input.per == Input::Per::Edge && graphType.hasDenseEdges())
      return reporter.error(input.position,
                            "input '" + input.name +
                                "' is per edge, but the edges of a " +
                                stringifyTopology(graphType.getTopology()) +
                                " graph are not listed; use 'graph: csr'");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Function and outputs
//===----------------------------------------------------------------------===//

/// The attributes that describe a port to the C interface.
static NamedAttrList describePort(OpBuilder &builder, StringRef name,
                                  StringRef axis, int64_t graph) {
  NamedAttrList attributes;
  attributes.set(GNNDialect::kNameAttr, builder.getStringAttr(name));
  if (!axis.empty()) {
    attributes.set(GNNDialect::kAxisAttr, builder.getStringAttr(axis));
    attributes.set(GNNDialect::kGraphAttr, builder.getI64IntegerAttr(graph));
  }
  return attributes;
}

void ModelBuilder::createFunction() {
  MLIRContext *context = builder.getContext();
  auto getName = [](Input::Per per) -> StringRef {
    switch (per) {
    case Input::Per::Node:
    case Input::Per::Destination:
      return "destination";
    case Input::Per::Source:
      return "source";
    case Input::Per::Edge:
      return "edge";
    }
    llvm_unreachable("covered switch");
  };

  SmallVector<Type> types{graphType};
  SmallVector<NamedAttrList> ports{describePort(builder, "graph", "", 0)};
  if (hasPooling) {
    types.push_back(GNNGraphType::get(context, Topology::BlockDiagonal, 0,
                                      /*bipartite=*/true));
    ports.push_back(describePort(builder, "batch", "", 0));
  }
  for (const Input &input : inputs) {
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, input.shape);
    types.push_back(RankedTensorType::get(shape, builder.getF32Type()));
    ports.push_back(describePort(builder, input.name, getName(input.per), 0));
  }

  Location loc = FileLineColLoc::get(
      builder.getStringAttr(reporter.getDescriptionPath()),
      description.position.line, description.position.column);
  function = func::FuncOp::create(builder, loc, "forward",
                                  builder.getFunctionType(types, {}));
  for (auto [i, port] : llvm::enumerate(ports))
    function.setArgAttrs(i, port.getDictionary(context));
  function->setAttr(GNNDialect::kModelAttr, builder.getStringAttr(name));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  graph = body->getArgument(0);
  if (hasPooling)
    batch = body->getArgument(1);

  for (auto [i, input] : llvm::enumerate(inputs)) {
    Value argument = body->getArgument(i + (hasPooling ? 2 : 1));
    NamedValue value;
    value.isInput = true;
    value.features.name = input.name;
    if (input.per == Input::Per::Edge) {
      auto type = EdgesType::get(context, input.shape, builder.getF32Type());
      value.edges =
          EdgesFromTensorOp::create(builder, loc, type, graph, argument);
    } else {
      value.features.value = argument;
      value.features.rows = input.per == Input::Per::Source ? Rows::Sources
                            : input.per == Input::Per::Destination
                                ? Rows::Destinations
                                : Rows::Nodes;
      if (!current.value)
        current = value.features;
    }
    values.emplace_back(input.name, value);
  }
}

LogicalResult ModelBuilder::createOutputs() {
  SmallVector<Features> outputs;
  if (const Node *node = description.find("output")) {
    SmallVector<const Node *> names;
    if (node->isScalar())
      names.push_back(node);
    for (const Node &element : node->elements)
      names.push_back(&element);
    if (names.empty())
      return reporter.error(*node, "'output' must be the name of a layer or a "
                                   "list of names, got " +
                                       node->describe());
    for (const Node *outputName : names) {
      FailureOr<NamedValue> value = lookup(*outputName);
      if (failed(value))
        return failure();
      if (value->isInput)
        return reporter.error(*outputName, "'" + outputName->text +
                                               "' is an input; 'output' names "
                                               "layers");
      if (llvm::any_of(outputs, [&](const Features &other) {
            return other.name == outputName->text;
          }))
        return reporter.error(*outputName,
                              "'" + outputName->text + "' is given twice");
      outputs.push_back(value->features);
    }
  } else {
    outputs.push_back(current);
    if (!lastLayerHasName)
      outputs.front().name = "output";
  }

  SmallVector<Value> results;
  SmallVector<Attribute> ports;
  for (const Features &output : outputs) {
    results.push_back(output.value);
    // Graphs are the destinations of the second graph argument.
    bool isPooled = output.rows == Rows::Graphs;
    NamedAttrList port =
        describePort(builder, output.name,
                     output.rows == Rows::Sources ? "source" : "destination",
                     isPooled ? 1 : 0);
    ports.push_back(port.getDictionary(builder.getContext()));
  }
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setResAttrsAttr(builder.getArrayAttr(ports));
  SmallVector<StringRef> texts(layerTexts.begin(), layerTexts.end());
  function->setAttr(GNNDialect::kLayersAttr, builder.getStrArrayAttr(texts));
  return success();
}

OwningOpRef<ModuleOp> ModelBuilder::build() {
  if (failed(readModel()))
    return nullptr;
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(builder.getContext()));
  builder.setInsertionPointToStart(module->getBody());
  createFunction();
  if (failed(buildLayers(*description.find("layers"))) ||
      failed(createOutputs()))
    return nullptr;
  return module;
}
