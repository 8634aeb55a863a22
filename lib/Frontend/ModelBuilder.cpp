//===- ModelBuilder.cpp - Descriptions to functions -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

const Node *gnn::frontend::require(const Node &mapping, StringRef key,
                                   StringRef what, Reporter &reporter) {
  const Node *value = mapping.find(key);
  if (!value)
    (void)reporter.error(mapping, what + " needs '" + key + "'");
  return value;
}

LogicalResult gnn::frontend::checkKeys(const Node &mapping,
                                       ArrayRef<StringRef> accepted,
                                       StringRef what, Reporter &reporter) {
  for (const auto &[key, value] : mapping.entries)
    if (!llvm::is_contained(accepted, key.text))
      return reporter.error(key, "unknown key '" + key.text + "' in " + what +
                                     suggest(key.text, accepted) +
                                     " (accepted are " +
                                     llvm::join(accepted, ", ") + ")");
  return success();
}

bool gnn::frontend::isName(StringRef text, StringRef extraCharacters) {
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
                       {"name", "graph", "batch", "node_types", "edge_types",
                        "metapaths", "inputs", "layers", "output"},
                       "the model", reporter)) ||
      failed(readName()) || failed(readNodeTypes()) ||
      failed(readEdgeTypes()) || failed(readInputs()) || failed(readGraph()))
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
  const Node *node = description.find("graph");
  if (node)
    graphPosition = node->position;
  FailureOr<GNNGraphType> type = readTopology(node, isBipartite);
  if (failed(type))
    return failure();
  graphType = *type;
  return success();
}

/// A batch is there if a layer reads its graphs, unless the description says
/// that all nodes are one.
LogicalResult ModelBuilder::readBatch(const Node &layers) {
  const Node *pooling = nullptr;
  for (const Node &layer : layers.elements) {
    const LayerSpec *spec = findLayer(layer, reporter);
    if (!spec)
      return failure();
    Reads reads = getReads(*spec, layer);
    const Node *onGraph = layer.find("graph");
    bool isOnBatch = reads == Reads::Graph && onGraph && onGraph->isScalar() &&
                     onGraph->text == "batch" && !hasTypes();
    if (reads == Reads::Batch || reads == Reads::GraphRows || isOnBatch)
      pooling = &layer;
    // Node types have no batch: all nodes of one are a graph.
    hasBatch |= reads == Reads::Batch || reads == Reads::GraphRows ||
                reads == Reads::GraphAndBatch || isOnBatch ||
                (reads == Reads::RowsAndBatch && !hasTypes());
  }
  const Node *node = description.find("batch");
  if (!node)
    return success();
  std::optional<bool> value = node->getBoolean();
  if (!value)
    return reporter.error(*node, "'batch' must be true or false, got " +
                                     node->describe());
  if (*value && !hasBatch)
    return reporter.error(*node, "'batch' is true, but no layer reads the "
                                 "graphs of a batch");
  if (!*value && pooling)
    return reporter.error(*node, "'batch' is false, but " +
                                     pooling->find("type")->text +
                                     " reads the graphs of a batch");
  hasBatch = *value;
  return success();
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
  if (failed(readBatch(*layers)))
    return failure();
  for (const Node &layer : layers->elements) {
    const LayerSpec *spec = findLayer(layer, reporter);
    if (!spec)
      return failure();
    hasClusters |=
        spec->reads == Reads::Clusters || spec->reads == Reads::ClusterRows;
  }
  for (const Input &input : inputs)
    if (failed(checkInputGraph(input)))
      return failure();
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

/// What the C interface and array names call an input: `x`, or `x/paper`.
std::string ModelBuilder::getPortName(const Input &input) const {
  if (input.type < 0)
    return input.name;
  return input.name + "/" +
         (input.per == Input::Per::Edge ? schema.edgeTypes[input.type].getName()
                                        : schema.nodeTypes[input.type]);
}

/// Describes a port by what its rows are. The type of nodes is known by any
/// graph that has it.
NamedAttrList ModelBuilder::describeRowPort(StringRef portName,
                                            const Features &features) {
  // How many edges there are is not known before.
  if (features.graph)
    return describePort(builder, portName, "any", 0);
  if (features.rows == Rows::Edges)
    return describePort(builder, portName, "edge", std::max(features.type, 0));
  if (features.type < 0) {
    // Graphs and clusters are the destinations of further graph arguments.
    int64_t number = features.rows == Rows::Graphs     ? 1
                     : features.rows == Rows::Clusters ? 1 + hasBatch
                                                       : 0;
    return describePort(
        builder, portName,
        features.rows == Rows::Sources ? "source" : "destination", number);
  }
  NamedAttrList port = describePort(builder, portName, "any", 0);
  for (auto [i, edgeType] : llvm::enumerate(schema.edgeTypes)) {
    bool isSource = edgeType.source == features.type;
    if (!isSource && edgeType.destination != features.type)
      continue;
    port =
        describePort(builder, portName, isSource ? "source" : "destination", i);
    break;
  }
  port.set(GNNDialect::kNodeTypesAttr,
           builder.getStrArrayAttr(StringRef(schema.nodeTypes[features.type])));
  return port;
}

void ModelBuilder::addInput(const Input &input, Value argument) {
  auto it = llvm::find_if(
      values, [&](const auto &value) { return value.first == input.name; });
  if (it == values.end())
    it = values.insert(it, {input.name, NamedValue()});
  NamedValue &value = it->second;
  value.isInput = true;
  Rows rows = getRows(input.per);
  value.features.push_back({argument, rows, input.name, input.type});
  if (rows == Rows::Edges)
    return;
  if (currentName.empty())
    currentName = input.name;
  if (currentName == input.name)
    current = value;
}

Rows ModelBuilder::getRows(Input::Per per) {
  switch (per) {
  case Input::Per::Node:
    return Rows::Nodes;
  case Input::Per::Source:
    return Rows::Sources;
  case Input::Per::Destination:
    return Rows::Destinations;
  case Input::Per::Edge:
    return Rows::Edges;
  }
  llvm_unreachable("covered switch");
}

NamedAttrList ModelBuilder::describeInputRows(const Input &input) {
  Features features;
  features.type = input.type;
  features.rows = getRows(input.per);
  return describeRowPort(getPortName(input), features);
}

Value ModelBuilder::createDenseRows(const Input &input, Value matrix,
                                    Value argument) {
  Location loc = function.getLoc();
  MLIRContext *context = builder.getContext();
  auto edgesType = EdgesType::get(context, {}, input.elementType);
  Value edges =
      EdgesFromTensorOp::create(builder, loc, edgesType, matrix, argument);
  auto allType = GNNGraphType::get(context, Topology::Complete, 0,
                                   /*bipartite=*/true);
  Value numRows =
      NumNodesOp::create(builder, loc, NodeSide::Destination, matrix);
  Value numColumns =
      arith::ConstantIndexOp::create(builder, loc, input.shape.front());
  Value all = MakeGraphOp::create(builder, loc, allType,
                                  ValueRange{numRows, numColumns});
  Value spread =
      SpreadEdgesOp::create(builder, loc, edgesType, edges, matrix, all);
  SmallVector<int64_t> shape(2, ShapedType::kDynamic);
  Value dense = EdgesToTensorOp::create(
      builder, loc, RankedTensorType::get(shape, input.elementType), all,
      spread);
  // The runtime checks the number of columns.
  shape.back() = input.shape.front();
  return tensor::CastOp::create(
      builder, loc, RankedTensorType::get(shape, input.elementType), dense);
}

void ModelBuilder::createFunction() {
  MLIRContext *context = builder.getContext();
  SmallVector<Type> types;
  SmallVector<NamedAttrList> ports;
  for (const EdgeType &edgeType : schema.edgeTypes) {
    types.push_back(edgeType.graphType);
    NamedAttrList port = describePort(builder, edgeType.getName(), "", 0);
    port.set(GNNDialect::kNodeTypesAttr,
             builder.getStrArrayAttr({schema.nodeTypes[edgeType.source],
                                      schema.nodeTypes[edgeType.destination]}));
    if (!edgeType.path.empty())
      port.set(GNNDialect::kPathAttr,
               builder.getDenseI32ArrayAttr(edgeType.path));
    ports.push_back(port);
  }
  if (!hasTypes()) {
    types.push_back(graphType);
    ports.push_back(describePort(builder, "graph", "", 0));
  }
  if (hasBatch) {
    types.push_back(GNNGraphType::get(context, Topology::BlockDiagonal, 0,
                                      /*bipartite=*/true));
    ports.push_back(describePort(builder, "batch", "destination", 0));
  }
  if (hasClusters) {
    types.push_back(GNNGraphType::get(context, Topology::CSR, 0,
                                      /*bipartite=*/true));
    ports.push_back(describePort(builder, "cluster", "destination", 0));
  }
  size_t numModelGraphs = types.size();
  llvm::SmallDenseMap<const Input *, size_t> matrices;
  for (const Input &input : inputs) {
    if (!input.isSparse)
      continue;
    matrices[&input] = types.size();
    types.push_back(GNNGraphType::get(context, Topology::CSR, 0,
                                      /*bipartite=*/true));
    NamedAttrList port = describeInputRows(input);
    port.erase(GNNDialect::kNodeTypesAttr);
    port.set(GNNDialect::kColumnsAttr,
             builder.getI64IntegerAttr(input.shape.front()));
    ports.push_back(port);
  }
  size_t numGraphs = types.size();
  for (const Input &input : inputs) {
    if (input.isSparse) {
      types.push_back(
          RankedTensorType::get(ShapedType::kDynamic, input.elementType));
      ports.push_back(describePort(builder, getPortName(input) + ".data",
                                   "edge", matrices[&input]));
      continue;
    }
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, input.shape);
    types.push_back(RankedTensorType::get(shape, input.elementType));
    ports.push_back(describeInputRows(input));
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
  for (auto [i, edgeType] : llvm::enumerate(schema.edgeTypes))
    edgeType.graph = body->getArgument(i);
  if (!hasTypes())
    graph = body->getArgument(0);
  if (hasBatch)
    batch = body->getArgument(1);
  if (hasClusters)
    clusters = body->getArgument(numModelGraphs - 1);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Value argument = body->getArgument(numGraphs + i);
    if (input.isSparse)
      argument =
          createDenseRows(input, body->getArgument(matrices[&input]), argument);
    addInput(input, argument);
  }
}

LogicalResult ModelBuilder::createOutputs() {
  SmallVector<std::pair<std::string, Features>> outputs;
  auto add = [&](StringRef outputName, const NamedValue &value) {
    for (const Features &features : value.features) {
      std::string type = features.type < 0 ? "" : "/" + getTypeName(features);
      outputs.emplace_back(outputName.str() + type, features);
    }
  };
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
      size_t numBefore = outputs.size();
      add(value->isPart
              ? outputName->text.substr(0, outputName->text.rfind('.'))
              : outputName->text,
          *value);
      for (size_t i = numBefore; i < outputs.size(); ++i)
        if (llvm::any_of(ArrayRef(outputs).take_front(i),
                         [&](const auto &other) {
                           return other.first == outputs[i].first;
                         }))
          return reporter.error(*outputName,
                                "'" + outputName->text + "' is given twice");
    }
  } else {
    add(lastLayerHasName ? StringRef(currentName) : "output", current);
  }

  SmallVector<Value> results;
  SmallVector<Attribute> ports;
  for (const auto &[outputName, features] : outputs) {
    results.push_back(features.value);
    ports.push_back(describeRowPort(outputName, features)
                        .getDictionary(builder.getContext()));
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
