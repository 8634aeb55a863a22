//===- LayerBuilder.cpp - What layer functions work with --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cstring>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

Location gnn::frontend::getLayerLocation(OpBuilder &builder,
                                         const Reporter &reporter,
                                         const Node &layer, StringRef name) {
  Location place =
      FileLineColLoc::get(builder.getStringAttr(reporter.getDescriptionPath()),
                          layer.position.line, layer.position.column);
  return NameLoc::get(builder.getStringAttr(name), place);
}

const LayerSpec *gnn::frontend::findLayer(const Node &layer,
                                          Reporter &reporter) {
  if (!layer.isMapping()) {
    (void)reporter.error(layer, "a layer is a mapping such as {type: ReLU}, "
                                "got " +
                                    layer.describe());
    return nullptr;
  }
  const Node *type = layer.find("type");
  if (!type || !type->isScalar()) {
    (void)reporter.error(type ? *type : layer, "a layer needs a 'type'");
    return nullptr;
  }
  SmallVector<StringRef> names;
  for (const LayerSpec &spec : getLayerSpecs()) {
    if (spec.type == type->text)
      return &spec;
    names.push_back(spec.type);
  }
  (void)reporter.error(*type, "unknown layer type '" + type->text + "'" +
                                  suggest(type->text, names) + " (known are " +
                                  llvm::join(names, ", ") + ")");
  return nullptr;
}

Reads gnn::frontend::getReads(const LayerSpec &spec, const Node &layer) {
  if (spec.reads != Reads::Rows ||
      llvm::none_of(spec.arguments,
                    [](const Argument &a) { return a.name == "batch"; }))
    return spec.reads;
  const Node *batch = layer.find("batch");
  bool isRead = batch && batch->getBoolean().value_or(false);
  return isRead ? Reads::RowsAndBatch : Reads::Rows;
}

/// The name of the layer whose weights a layer has.
static StringRef getOwnerOfWeights(const Node &layer, StringRef name) {
  const Node *owner = layer.find("weights");
  return owner ? StringRef(owner->text) : name;
}

LayerBuilder::LayerBuilder(ModelContext &model, const LayerSpec &spec,
                           const Node &layer, StringRef prefix,
                           ArrayRef<Features> inputs, EdgeValues edgeValues)
    : TensorBuilder(model.builder,
                    getLayerLocation(model.builder, model.reporter, layer,
                                     prefix.empty() ? spec.type : prefix)),
      model(model), spec(spec), layer(layer), prefix(prefix),
      weightPrefix(getOwnerOfWeights(layer, prefix)), inputs(inputs),
      edgeValues(edgeValues) {}

Value LayerBuilder::build() {
  if (failed(checkArguments()))
    return {};
  Value result = spec.build(*this);
  return model.reporter.hadError() ? Value() : result;
}

SmallVector<Value> LayerBuilder::buildTypes() {
  if (failed(checkArguments()))
    return {};
  SmallVector<Value> results = spec.buildTypes(*this);
  if (model.reporter.hadError())
    return {};
  return results;
}

//===----------------------------------------------------------------------===//
// Node types
//===----------------------------------------------------------------------===//

Value LayerBuilder::getRowsOf(int nodeType) const {
  for (const Features &input : inputs)
    if (input.type == nodeType)
      return input.value;
  return {};
}

LogicalResult LayerBuilder::checkRowsOfEnds(ArrayRef<int> edgeTypes) const {
  const Schema &schema = getSchema();
  for (int number : edgeTypes) {
    const EdgeType &edgeType = schema.edgeTypes[number];
    for (int end : {edgeType.source, edgeType.destination})
      if (!getRowsOf(end)) {
        (void)error(describe() + " needs rows of '" + schema.nodeTypes[end] +
                    "' for the edges " + edgeType.getName() +
                    ", and its input has none for this type");
        return failure();
      }
  }
  return success();
}

Value LayerBuilder::buildOnEdgeType(StringRef argument, const Node &node,
                                    int number) {
  const EdgeType &edgeType = getSchema().edgeTypes[number];
  const LayerSpec *nested = findLayer(node, model.reporter);
  if (!nested)
    return {};
  auto fail = [&](const Node &place, const Twine &message) {
    (void)model.reporter.error(place, message);
    return Value();
  };
  bool isBipartite = edgeType.source != edgeType.destination;
  if (nested->reads != Reads::Graph && nested->reads != Reads::SquareGraph)
    return fail(node, nested->type + " cannot stand in '" + argument + "' of " +
                          spec.type + ", which holds message passing layers");
  if (nested->buildTypes)
    return fail(node, nested->type + " cannot stand in '" + argument + "' of " +
                          spec.type + ": it reads all edge types itself");
  if (isBipartite && nested->reads == Reads::SquareGraph)
    return fail(node, nested->type + " is not defined on the edges " +
                          edgeType.getName() +
                          ", which lead from one node type to another");
  for (const auto &[key, value] : node.entries)
    if (llvm::is_contained({"name", "input", "inputs", "weights", "graph"},
                           key.text))
      return fail(key, "a layer in '" + argument + "' has no '" + key.text +
                           "'; it reads the nodes of its edge type");
  SmallVector<Features> rows;
  for (int type : {edgeType.source, edgeType.destination}) {
    const auto *found = llvm::find_if(
        inputs, [&](const Features &input) { return input.type == type; });
    if (found == inputs.end())
      return fail(node, describe() + " needs rows of '" +
                            getSchema().nodeTypes[type] + "' for the edges " +
                            edgeType.getName() +
                            ", and its input has none for this type");
    rows.push_back(*found);
    rows.back().rows = !isBipartite       ? Rows::Nodes
                       : rows.size() == 1 ? Rows::Sources
                                          : Rows::Destinations;
    if (!isBipartite)
      break;
  }
  FailureOr<EdgeValues> values = model.readEdgeValues(node, *nested, number);
  if (failed(values))
    return {};
  ModelContext context = model;
  context.graph = edgeType.graph;
  // PyTorch Geometric's ModuleDict has tuples as keys this way.
  std::string name =
      getPartName(argument + ".<" + edgeType.names[0] + "___" +
                  edgeType.names[1] + "___" + edgeType.names[2] + ">");
  LayerBuilder builder(context, *nested, node, name, rows, *values);
  if (failed(builder.checkArguments()))
    return {};
  if (isBipartite && builder.arguments.contains("add_self_loops") &&
      builder.getBoolean("add_self_loops"))
    return fail(node, nested->type + " adds self loops, which the edges " +
                          edgeType.getName() +
                          " from one node type to another cannot have; say "
                          "'add_self_loops: false'");
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string LayerBuilder::describe() const {
  return prefix.empty() ? ("this " + spec.type).str()
                        : "layer '" + prefix + "'";
}

Value LayerBuilder::error(const Twine &message) const {
  (void)model.reporter.error(layer, message);
  return {};
}

LogicalResult LayerBuilder::argumentError(StringRef argument,
                                          const Twine &message) const {
  return model.reporter.error(getArgument(argument), message);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

std::string LayerBuilder::getWeightName(StringRef name) const {
  return weightPrefix + "." + name.str();
}

std::string LayerBuilder::getPartName(const Twine &part) const {
  return weightPrefix.empty() ? "" : (weightPrefix + "." + part).str();
}

WeightOwner LayerBuilder::getOwner() const {
  return {describe(), layer.position};
}

bool LayerBuilder::hasWeight(StringRef name) const {
  return model.weights.has(getWeightName(name));
}

void LayerBuilder::ignoreWeight(StringRef name) const {
  model.weights.ignore(getWeightName(name));
}

std::vector<float> LayerBuilder::readEntry(StringRef name,
                                           ArrayRef<int64_t> shape) const {
  if (weightPrefix.empty()) {
    (void)error(spec.type + " has weights and needs a 'name', their prefix in "
                            "model.safetensors");
    return {};
  }
  return model.weights.read(name, shape, getOwner());
}

std::vector<float> LayerBuilder::readWeight(StringRef name,
                                            ArrayRef<int64_t> shape) const {
  return readEntry(getWeightName(name), shape);
}

double LayerBuilder::readNumber(StringRef name) const {
  std::vector<float> values = readWeight(name, {1});
  return values.empty() ? 0 : values.front();
}

std::vector<float>
LayerBuilder::readOuterWeight(StringRef name, ArrayRef<int64_t> shape) const {
  StringRef list = StringRef(weightPrefix).rsplit('.').first;
  if (!list.contains('.')) // The model itself is the module.
    return readEntry(name, shape);
  return readEntry((list.rsplit('.').first + "." + name).str(), shape);
}

/// Whether a constant made of a resource has this shape and these values.
static bool isConstantOf(Value constant, ArrayRef<float> values,
                         ArrayRef<int64_t> shape) {
  DenseF32ResourceElementsAttr attribute;
  if (cast<RankedTensorType>(constant.getType()).getShape() != shape ||
      !matchPattern(constant, m_Constant(&attribute)))
    return false;
  std::optional<ArrayRef<float>> held = attribute.tryGetAsArrayRef();
  // By bytes, of which NaN have some as well.
  return held && held->size() == values.size() &&
         !std::memcmp(held->data(), values.data(),
                      values.size() * sizeof(float));
}

Value LayerBuilder::constant(StringRef name, ArrayRef<float> values,
                             ArrayRef<int64_t> shape) {
  if (values.empty()) // The weight is faulty, and the model given up.
    return tensor::EmptyOp::create(getBuilder(), getLoc(), shape,
                                   getBuilder().getF32Type());
  std::string fullName = getWeightName(name);
  Value &known = (*model.constants)[fullName];
  if (known && isConstantOf(known, values, shape))
    return known;
  known = arith::ConstantOp::create(
      getBuilder(), getLoc(),
      cast<TypedAttr>(
          makeResource(getBuilder().getContext(), fullName, values, shape)));
  return known;
}

Value LayerBuilder::weight(StringRef name, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> as) {
  return constant(name, readWeight(name, shape), as);
}

/// The transpose of a matrix with `rows` rows; none if there are no values.
static std::vector<float> transpose(ArrayRef<float> values, int64_t rows) {
  std::vector<float> result(values.size());
  int64_t columns = values.size() / rows;
  // In blocks: one of the two sides strides through memory.
  constexpr int64_t block = 16;
  for (int64_t rowBlock = 0; rowBlock < rows; rowBlock += block)
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t row = rowBlock; row < std::min(rows, rowBlock + block);
           ++row)
        result[column * rows + row] = values[row * columns + column];
  return result;
}

Value LayerBuilder::transposedWeight(StringRef name, int64_t in, int64_t out,
                                     ArrayRef<int64_t> as) {
  SmallVector<int64_t> shape{in, out};
  return constant(name, transpose(readWeight(name, {out, in}), out),
                  as.empty() ? ArrayRef<int64_t>(shape) : as);
}

//===----------------------------------------------------------------------===//
// Parts of layers
//===----------------------------------------------------------------------===//

Value LayerBuilder::linear(Value rows, StringRef name, int64_t out,
                           bool hasBias) {
  std::string dot = name.empty() ? "" : name.str() + ".";
  Value weights = transposedWeight(dot + "weight", getNumChannels(rows), out);
  Value result = matmul(rows, weights);
  return hasBias ? addUniform(result, weight(dot + "bias", {out})) : result;
}

LogicalResult gnn::frontend::checkLayerName(const Node &name,
                                            Reporter &reporter) {
  if (name.isScalar() && !name.text.empty() &&
      llvm::all_of(name.text, [](char c) {
        return llvm::isAlnum(c) || StringRef("-_.").contains(c);
      }))
    return success();
  return reporter.error(name, "a layer's name must consist of letters, digits, "
                              "'-', '_' and '.', got " +
                                  name.describe());
}

Value LayerBuilder::sequential(StringRef argument, Value rows, StringRef name) {
  Features current{rows, inputs.back().rows, argument.str()};
  llvm::StringSet<> parts;
  for (auto [i, node] : llvm::enumerate(getArgument(argument).elements)) {
    const LayerSpec *nested = findLayer(node, model.reporter);
    if (!nested)
      return {};
    if (getReads(*nested, node) != Reads::Rows) {
      (void)model.reporter.error(
          node, nested->type + " cannot stand in '" + argument + "' of " +
                    spec.type + "; layers there read one value row by row");
      return {};
    }
    for (const auto &[key, value] : node.entries)
      if (llvm::is_contained({"input", "inputs", "weights", "edge_weight",
                              "edge_attr", "graph"},
                             key.text)) {
        (void)model.reporter.error(key, "a layer in '" + argument +
                                            "' has no '" + key.text +
                                            "'; it reads the layer before it");
        return {};
      }
    std::string part = std::to_string(i);
    const Node *given = node.find("name");
    if (given && failed(checkLayerName(*given, model.reporter)))
      return {};
    if (given)
      part = given->text;
    if (!parts.insert(part).second) {
      (void)model.reporter.error(given ? *given : node,
                                 "a layer in '" + argument + "' is called '" +
                                     part + "' already");
      return {};
    }
    part = ((name.empty() ? argument : name) + "." + part).str();
    LayerBuilder builder(model, *nested, node, getPartName(part), current,
                         EdgeValues());
    current.value = builder.build();
    if (!current.value)
      return {};
    current.name = part;
  }
  return current.value;
}

/// A layer of a description whose arguments `cleared`, of those that it has,
/// are false.
static Node clearArguments(Node layer, const LayerSpec &spec,
                           ArrayRef<StringRef> cleared) {
  for (const Argument &argument : spec.arguments) {
    if (!llvm::is_contained(cleared, argument.name))
      continue;
    llvm::erase_if(layer.entries, [&](const std::pair<Node, Node> &entry) {
      return entry.first.text == argument.name;
    });
    Node key, value;
    key.position = value.position = layer.position;
    key.text = argument.name.str();
    value.text = "false";
    layer.entries.emplace_back(key, value);
  }
  return layer;
}

Value LayerBuilder::nested(StringRef argument, const Nesting &nesting) {
  const Node &node = getArgument(argument);
  const LayerSpec *spec = findLayer(node, model.reporter);
  if (!spec)
    return {};
  if (spec->reads != Reads::Graph && spec->reads != Reads::SquareGraph) {
    (void)model.reporter.error(node, spec->type + " cannot stand in '" +
                                         argument + "' of " + getType() +
                                         ", which is a message passing layer");
    return {};
  }
  for (const auto &[key, value] : node.entries)
    if (llvm::is_contained({"name", "input", "inputs", "weights", "edge_weight",
                            "edge_attr", "graph"},
                           key.text)) {
      (void)model.reporter.error(key,
                                 "the layer in '" + argument + "' has no '" +
                                     key.text + "'; it is called " + argument +
                                     " and reads what " + getType() + " reads");
      return {};
    }
  Node cleared = clearArguments(node, *spec, nesting.cleared);
  ModelContext context = model;
  if (nesting.graph)
    context.graph = nesting.graph;
  SmallVector<Features> rows = inputs;
  if (nesting.rows)
    for (Features &input : rows)
      input.value = nesting.rows;
  StringRef name = nesting.name.empty() ? argument : nesting.name;
  return LayerBuilder(context, *spec, cleared, getPartName(name), rows,
                      edgeValues)
      .build();
}

Value LayerBuilder::edgeLinear(Value graph, Value edges, StringRef name,
                               int64_t heads, int64_t width) {
  ArrayRef<int64_t> shape = cast<EdgesType>(edges.getType()).getShape();
  int64_t in = shape.empty() ? 1 : shape.front();
  SmallVector<int64_t> weightShape(shape);
  weightShape.append({heads, width});
  EdgeOperands operands;
  operands.edge = {edges};
  operands.uniform = {
      transposedWeight(name.str() + ".weight", in, heads * width, weightShape)};
  return message(
      graph, operands, shape.empty() ? ", hf -> hf" : "d, dhf -> hf",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

Value LayerBuilder::layerNorm(Value rows, double eps, StringRef weightName,
                              StringRef biasName) {
  // Sums are divided by a number, not times its rounded inverse. A mean that is
  // off by a rounding error would still make rows of equal elements something
  // else than 0, as 1 / sqrt(eps) is large; so it is corrected by the mean of
  // what is left over, and exact there, as PyTorch's is.
  int64_t channels = getNumChannels(rows);
  auto average = [&](ScalarBuilder &s, Value sum) {
    return s.div(sum, s.constant(double(channels)));
  };
  Value sum = update(rows, {}, "f ->",
                     [](ScalarBuilder &, ValueRange v) { return v[0]; });
  Value rest =
      update({rows, sum}, {}, "f, ->", [&](ScalarBuilder &s, ValueRange v) {
        return s.sub(v[0], average(s, v[1]));
      });
  Value squares =
      update({rows, sum}, {}, "f, ->", [&](ScalarBuilder &s, ValueRange v) {
        Value centred = s.sub(v[0], average(s, v[1]));
        return s.mul(centred, centred);
      });
  Value scale =
      elementwise({rest, squares}, [&](ScalarBuilder &s, ValueRange v) {
        Value error = average(s, v[0]);
        // Not less than 0: eps may be smaller than what rounding leaves.
        Value variance =
            s.max(s.sub(average(s, v[1]), s.mul(error, error)), s.constant(0));
        return s.inverse(s.sqrt(s.add(variance, s.constant(eps))));
      });
  SmallVector<Value> uniform;
  std::string subscripts = "f, , , ";
  for (StringRef name : {weightName, biasName})
    if (!name.empty()) {
      uniform.push_back(weight(name, {channels}));
      subscripts += ", f";
    }
  return update({rows, sum, rest, scale}, uniform, subscripts + "-> f",
                [&](ScalarBuilder &s, ValueRange v) {
                  Value mean = s.add(average(s, v[1]), average(s, v[2]));
                  Value result = s.mul(s.sub(v[0], mean), v[3]);
                  if (!weightName.empty())
                    result = s.mul(result, v[4]);
                  return biasName.empty() ? result : s.add(result, v.back());
                });
}

LayerBuilder::SelfLoops LayerBuilder::addSelfLoops(SelfLoopMode mode,
                                                   Value edges,
                                                   function_ref<Value()> fill) {
  GNNGraphType type = getGraphType();
  // Each node of these has one self loop already. On bipartite graphs a self
  // loop is an edge between nodes of one number, which segments may not have.
  bool hasLoops = type.hasContiguousRows();
  if (type.getBipartite() && type.getTopology() == Topology::BlockDiagonal) {
    (void)error(describe() +
                " adds self loops, which a bipartite block_diagonal graph "
                "cannot have; use 'graph: csr' or say 'add_self_loops: false'");
    return {};
  }
  if (hasLoops && (!edges || mode == SelfLoopMode::Reuse))
    return {getGraph(), edges};
  if (type.getTopology() == Topology::BlockDiagonal) {
    (void)error(describe() +
                " gives self loops values of their own, which is not supported "
                "on a block_diagonal graph; use 'graph: csr' or say "
                "'add_self_loops: false'");
    return {};
  }
  SmallVector<Type> edgeTypes;
  SmallVector<Value> carried, fills;
  if (edges) {
    edgeTypes.push_back(edges.getType());
    carried.push_back(edges);
    fills.push_back(fill());
  }
  auto op = AddSelfLoopsOp::create(
      getBuilder(), getLoc(),
      hasLoops || type.getBipartite() ? type : type.withSelfLoops(true),
      edgeTypes, mode, getGraph(), carried, fills);
  return {op.getResult(), edges ? op.getResultEdges().front() : Value()};
}
