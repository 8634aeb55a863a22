//===- LayerParts.cpp - What several layers are made of ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value gnn::frontend::squaredLengths(LayerBuilder &layer, Value rows) {
  return layer.update(rows, {}, "f ->", [](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], v[0]);
  });
}

Value gnn::frontend::scaleRows(LayerBuilder &layer, Value rows, Value factors) {
  return layer.update(
      {rows, factors}, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

Value gnn::frontend::normalizeRows(LayerBuilder &layer, Value rows) {
  Value inverse = layer.elementwise(
      squaredLengths(layer, rows), [](ScalarBuilder &s, ValueRange v) {
        return s.inverse(s.max(s.sqrt(v[0]), s.constant(1e-12)));
      });
  return scaleRows(layer, rows, inverse);
}

std::vector<float> gnn::frontend::multiplyMatrices(ArrayRef<float> left,
                                                   ArrayRef<float> right,
                                                   int64_t count) {
  if (left.empty() || right.empty())
    return {};
  int64_t rows = left.size() / count, columns = right.size() / count;
  std::vector<double> sums(columns);
  std::vector<float> result;
  result.reserve(rows * columns);
  for (int64_t row = 0; row < rows; ++row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t k = 0; k < count; ++k)
      for (int64_t column = 0; column < columns; ++column)
        sums[column] +=
            double(left[row * count + k]) * right[k * columns + column];
    result.insert(result.end(), sums.begin(), sums.end());
  }
  return result;
}

LogicalResult gnn::frontend::checkYields(LayerBuilder &layer,
                                         StringRef argument, Value rows,
                                         StringRef width) {
  int64_t channels = layer.getSize(width);
  if (getRowShape(rows) == ArrayRef<int64_t>(channels))
    return success();
  return layer.argumentError(
      argument, "'" + argument + "' of " + layer.describe() + " must yield " +
                    Twine(channels) + " channels, as '" + width +
                    "' says, got " + Twine(getNumChannels(rows)));
}

Value gnn::frontend::addBias(LayerBuilder &layer, Value rows) {
  if (!layer.getBoolean("bias"))
    return rows;
  return layer.addUniform(rows, layer.weight("bias", {getNumChannels(rows)}));
}

Value gnn::frontend::relu(LayerBuilder &layer, Value rows) {
  return layer.elementwise(
      rows, [](ScalarBuilder &s, ValueRange v) { return s.relu(v[0]); });
}

Value gnn::frontend::shiftedSoftplus(LayerBuilder &layer, Value rows) {
  return layer.elementwise(rows, [](ScalarBuilder &s, ValueRange v) {
    return s.sub(s.softplus(v[0]), s.constant(llvm::numbers::ln2));
  });
}

Value gnn::frontend::getRowsBeside(LayerBuilder &layer, StringRef argument,
                                   bool isAsWide) {
  FailureOr<Features> named = layer.getRows(argument);
  if (failed(named))
    return {};
  const Features &input = layer.getInputs().front();
  ArrayRef<int64_t> shape = getRowShape(named->value);
  if (named->rows == input.rows && named->type == input.type &&
      (isAsWide ? shape == getRowShape(input.value) : shape.size() == 1))
    return named->value;
  (void)layer.argumentError(
      argument,
      "'" + argument + "' of " + layer.getType() + " must name " +
          (isAsWide ? "rows like those of '" : "a row for each of '") +
          input.name + "', and '" + named->name + "' has others");
  return {};
}

Value gnn::frontend::mixRows(LayerBuilder &layer, Value rows, double kept,
                             Value others, double added) {
  return layer.elementwise({rows, others}, [&](ScalarBuilder &s, ValueRange v) {
    return s.add(s.mul(v[0], s.constant(kept)), s.mul(s.constant(added), v[1]));
  });
}

Value gnn::frontend::stackedLinear(LayerBuilder &layer, Value rows,
                                   Value weight) {
  if (getRowShape(rows).front() > 1)
    return layer.update(
        rows, weight, "tf, tfg -> tg",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  // One slice is an ordinary product, which is computed faster.
  SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
  Value matrix = tensor::CollapseShapeOp::create(
      layer.getBuilder(), layer.getLoc(), weight, groups);
  return layer.splitHeads(layer.matmul(layer.mergeHeads(rows), matrix), 1);
}

Value gnn::frontend::getDegree(LayerBuilder &layer, Value graph,
                               NodeSide side) {
  auto type = RankedTensorType::get({ShapedType::kDynamic},
                                    layer.getBuilder().getF32Type());
  return DegreeOp::create(layer.getBuilder(), layer.getLoc(), type, side,
                          graph);
}

Value gnn::frontend::joinHeads(LayerBuilder &layer, Value rows) {
  return layer.getBoolean("concat") ? layer.mergeHeads(rows)
                                    : layer.meanOverHeads(rows);
}

ArrayRef<StringRef> gnn::frontend::getAggregatorNames() {
  static const StringRef names[] = {"add", "sum", "mean", "max",    "min",
                                    "mul", "var", "std",  "softmax"};
  return names;
}

//===----------------------------------------------------------------------===//
// Split linear layers
//===----------------------------------------------------------------------===//

SplitLinear::SplitLinear(LayerBuilder &layer, StringRef name, int64_t out,
                         ArrayRef<int64_t> widths)
    : layer(layer), name(name.str() + ".weight"), out(out), widths(widths) {
  int64_t sum = 0;
  for (int64_t width : widths)
    sum += width;
  weights = layer.readWeight(this->name, {out, sum});
}

std::string SplitLinear::getName(size_t part) const {
  return widths.size() == 1 ? name : name + "." + std::to_string(part);
}

std::vector<float> SplitLinear::getPart(size_t part) const {
  int64_t begin = 0;
  for (int64_t width : ArrayRef(widths).take_front(part))
    begin += width;
  std::vector<float> values;
  int64_t rowSize = weights.size() / out;
  for (int64_t column = begin, e = weights.empty() ? 0 : begin + widths[part];
       column < e; ++column)
    for (int64_t row = 0; row < out; ++row)
      values.push_back(weights[row * rowSize + column]);
  return values;
}

Value SplitLinear::apply(Value rows, size_t part) const {
  return layer.matmul(
      rows, layer.constant(getName(part), getPart(part), {widths[part], out}));
}

Value SplitLinear::applyToEdges(Value graph, Value edges, size_t part) const {
  return edgeProduct(layer, graph, edges, getName(part), getPart(part), out);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

Value gnn::frontend::edgeProduct(LayerBuilder &layer, Value graph, Value edges,
                                 StringRef name, ArrayRef<float> weight,
                                 ArrayRef<int64_t> outShape) {
  assert(outShape.size() <= 2 && "no letters for more");
  SmallVector<int64_t> shape(cast<EdgesType>(edges.getType()).getShape());
  std::string in(shape.size(), 'd'), out = outShape.size() == 2 ? "hf" : "f";
  llvm::append_range(shape, outShape);
  EdgeOperands operands;
  operands.edge = {edges};
  operands.uniform = {layer.constant(name, weight, shape)};
  return layer.message(
      graph, operands, in + ", " + in + out + " -> " + out,
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

Value gnn::frontend::edgesToTensor(LayerBuilder &layer, Value graph,
                                   Value edges) {
  auto type = cast<EdgesType>(edges.getType());
  return EdgesToTensorOp::create(
      layer.getBuilder(), layer.getLoc(),
      type.getTensorType(cast<GNNGraphType>(graph.getType())), graph, edges);
}

Value gnn::frontend::getRowsOfEdges(LayerBuilder &layer, Value graph,
                                    Value edges) {
  OpBuilder &builder = layer.getBuilder();
  Location loc = layer.getLoc();
  auto graphType = cast<GNNGraphType>(graph.getType());
  auto type = cast<EdgesType>(edges.getType());
  Value tensor = edgesToTensor(layer, graph, edges);
  if (type.getShape().empty()) {
    auto rowType =
        RankedTensorType::get({ShapedType::kDynamic, 1}, builder.getF32Type());
    SmallVector<ReassociationIndices> groups{{0, 1}};
    SmallVector<OpFoldResult> shape{layer.getNumRows(tensor),
                                    builder.getIndexAttr(1)};
    return tensor::ExpandShapeOp::create(builder, loc, rowType, tensor, groups,
                                         shape);
  }
  SmallVector<ReassociationIndices> groups{{0}, {}};
  if (graphType.hasDenseEdges())
    groups.front().push_back(1);
  for (int64_t i = groups.front().size(), e = i + type.getShape().size(); i < e;
       ++i)
    groups.back().push_back(i);
  bool areRows = groups.front().size() == 1 && groups.back().size() == 1;
  return areRows ? tensor
                 : Value(tensor::CollapseShapeOp::create(builder, loc, tensor,
                                                         groups));
}

Value gnn::frontend::getEdgesOfRows(LayerBuilder &layer, Value graph,
                                    Value rows, ArrayRef<int64_t> shape) {
  OpBuilder &builder = layer.getBuilder();
  Location loc = layer.getLoc();
  auto graphType = cast<GNNGraphType>(graph.getType());
  auto type = EdgesType::get(builder.getContext(), shape, builder.getF32Type());
  RankedTensorType tensorType = type.getTensorType(graphType);
  Value tensor = rows;
  // Rows, or pairs of nodes, and what each has.
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups(1);
  if (graphType.hasDenseEdges())
    for (NodeSide side : {NodeSide::Destination, NodeSide::Source})
      sizes.push_back(
          NumNodesOp::create(builder, loc, side, graph).getResult());
  else
    sizes.push_back(layer.getNumRows(rows));
  llvm::append_range(groups.back(), llvm::seq<int64_t>(0, sizes.size()));
  groups.emplace_back();
  for (int64_t extent : shape) {
    groups.back().push_back(sizes.size());
    sizes.push_back(builder.getIndexAttr(extent));
  }
  if (tensorType != rows.getType())
    tensor = tensor::ExpandShapeOp::create(builder, loc, tensorType, rows,
                                           groups, sizes);
  return EdgesFromTensorOp::create(builder, loc, type, graph, tensor);
}

Value gnn::frontend::sequentialOnEdges(LayerBuilder &layer, Value graph,
                                       StringRef argument, ValueRange edges,
                                       ArrayRef<int64_t> as) {
  // PyTorch Geometric's LayerNorm of all rows would count pairs that a dense
  // graph stores but that are no edges.
  Topology topology = layer.getGraphType().getTopology();
  if (topology == Topology::Causal || topology == Topology::Window)
    for (const Node &node : layer.getArgument(argument).elements)
      if (const Node *type = node.find("type");
          type && type->text == "LayerNorm" && node.find("in_channels"))
        return layer.error(layer.describe() +
                           " normalises all its edges together, which is not "
                           "supported on this graph; use 'graph: csr'");
  SmallVector<Value> parts;
  for (Value part : edges)
    parts.push_back(getRowsOfEdges(layer, graph, part));
  Value rows = layer.sequential(argument, layer.concat(parts));
  if (!rows)
    return {};
  int64_t size = 1;
  for (int64_t extent : as)
    size *= extent;
  if (!as.empty() && getNumChannels(rows) != size) {
    (void)layer.argumentError(
        argument,
        "'" + argument + "' of " + layer.describe() + " must yield " +
            (as.size() == 1
                 ? ""
                 : "a matrix of shape " + formatShape(as) + ", which is ") +
            Twine(size) + " channels, got " + Twine(getNumChannels(rows)));
    return {};
  }
  return getEdgesOfRows(layer, graph, rows,
                        as.empty() ? getRowShape(rows) : as);
}

Value gnn::frontend::sendRows(LayerBuilder &layer, Value graph, Value rows,
                              Value weight) {
  EdgeOperands operands;
  operands.src = {rows};
  if (weight)
    operands.edge = {weight};
  return layer.message(graph, operands, weight ? "f, -> f" : "f -> f",
                       [](ScalarBuilder &s, ValueRange v) {
                         return v.size() == 1 ? v[0] : s.mul(v[0], v[1]);
                       });
}

Value gnn::frontend::sendDifferences(LayerBuilder &layer, Value graph,
                                     Value sources, Value destinations) {
  EdgeOperands operands;
  operands.dst = {destinations};
  operands.src = {sources};
  return layer.message(
      graph, operands, "f, f -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[1], v[0]); });
}

Value gnn::frontend::getLoopedGraph(LayerBuilder &layer) {
  if (!layer.getBoolean("add_self_loops"))
    return layer.getGraph();
  return layer.addSelfLoops(SelfLoopMode::Replace, Value(), {}).graph;
}

Value gnn::frontend::getOnes(LayerBuilder &layer, ArrayRef<int64_t> shape) {
  std::vector<float> ones(llvm::product_of(shape), 1.0f);
  return layer.constant("ones", ones, shape);
}

Value gnn::frontend::reverseGraph(LayerBuilder &layer, Value graph) {
  return ReverseOp::create(layer.getBuilder(), layer.getLoc(), graph.getType(),
                           TypeRange(), graph, ValueRange())
      .getResult();
}

std::pair<Value, Value> gnn::frontend::reverseGraph(LayerBuilder &layer,
                                                    Value graph, Value edges) {
  auto reversed =
      ReverseOp::create(layer.getBuilder(), layer.getLoc(), graph.getType(),
                        TypeRange{edges.getType()}, graph, ValueRange{edges});
  return {reversed.getResult(), reversed.getResultEdges().front()};
}

Value gnn::frontend::getGraphsOf(LayerBuilder &layer, Value rows) {
  if (Value batch = layer.getBatch())
    return batch;
  OpBuilder &builder = layer.getBuilder();
  auto type = GNNGraphType::get(builder.getContext(), Topology::Complete,
                                /*window=*/0, /*bipartite=*/true);
  Value one = arith::ConstantIndexOp::create(builder, layer.getLoc(), 1);
  return MakeGraphOp::create(builder, layer.getLoc(), type,
                             ValueRange{one, layer.getNumRows(rows)});
}

Value gnn::frontend::gatherGroupRows(LayerBuilder &layer, Value groups,
                                     Value rows) {
  Value graph = reverseGraph(layer, groups);
  // A node receives nothing else.
  return layer.aggregate(Aggregator::Sum, graph,
                         sendRows(layer, graph, rows, Value()));
}

Value gnn::frontend::attend(
    LayerBuilder &layer, Value graph, Value scores, Value values,
    Value edgeValues, function_ref<Value(ScalarBuilder &, Value)> change) {
  Value weights = EdgeSoftmaxOp::create(layer.getBuilder(), layer.getLoc(),
                                        scores.getType(), graph, scores);
  EdgeOperands operands;
  operands.src = {values};
  operands.edge = {weights};
  if (edgeValues)
    operands.edge.push_back(edgeValues);
  Value messages = layer.message(
      graph, operands, edgeValues ? "hf, h, hf -> hf" : "hf, h -> hf",
      [&](ScalarBuilder &s, ValueRange v) {
        Value value = v.size() == 2 ? v[0] : s.add(v[0], v[2]);
        return s.mul(v[1], change ? change(s, value) : value);
      });
  return layer.aggregate(Aggregator::Sum, graph, messages);
}

Value gnn::frontend::getPairGraph(LayerBuilder &layer) {
  OpBuilder &builder = layer.getBuilder();
  Location loc = layer.getLoc();
  auto getType = [&](Topology topology) {
    return GNNGraphType::get(builder.getContext(), topology, /*window=*/0,
                             /*bipartite=*/false, /*symmetric=*/true,
                             /*selfLoops=*/true, /*sorted=*/true);
  };
  if (Value batch = layer.getBatch()) {
    // Its sources are the nodes, its segments the graphs.
    Value nodes = GraphPartsOp::create(builder, loc, batch).getParts()[1];
    return MakeGraphOp::create(builder, loc, getType(Topology::BlockDiagonal),
                               ValueRange{nodes, nodes});
  }
  Value count =
      NumNodesOp::create(builder, loc, NodeSide::Destination, layer.getGraph());
  return MakeGraphOp::create(builder, loc, getType(Topology::Complete),
                             ValueRange{count, count});
}

Propagation gnn::frontend::getPropagation(LayerBuilder &layer, bool normalize,
                                          bool selfLoops, double loopWeight) {
  if (normalize)
    return normalizeEdges(layer, selfLoops, loopWeight);
  return {layer.getGraph(), layer.getEdgeValues(), Value()};
}

Propagation gnn::frontend::normalizeEdges(LayerBuilder &layer, bool selfLoops,
                                          double loopWeight) {
  return normalizeEdges(layer, layer.getEdgeValues(), selfLoops, loopWeight);
}

Propagation gnn::frontend::normalizeEdges(LayerBuilder &layer, Value weight,
                                          bool selfLoops, double loopWeight) {
  Propagation result{layer.getGraph(), weight, Value()};
  if (selfLoops) {
    auto looped = layer.addSelfLoops(SelfLoopMode::Reuse, result.weight, [&] {
      return layer.filled(layer.getNumRows(layer.getInput()), {}, loopWeight);
    });
    if (!looped.graph)
      return {};
    result.graph = looped.graph;
    result.weight = looped.edges;
  }
  Value degree =
      result.weight
          ? layer.aggregate(Aggregator::Sum, result.graph, result.weight)
          : getDegree(layer, result.graph, NodeSide::Destination);
  result.scale = layer.elementwise(degree, [](ScalarBuilder &s, ValueRange v) {
    Value inverse = s.inverse(s.sqrt(v[0]));
    return s.select(s.isZero(v[0]), s.constant(0), inverse);
  });
  return result;
}

Value gnn::frontend::propagate(LayerBuilder &layer,
                               const Propagation &propagation, Value rows) {
  EdgeOperands operands;
  operands.src = {rows};
  std::string subscripts = "f";
  if (propagation.scale) {
    operands.dst = {propagation.scale};
    operands.src.push_back(propagation.scale);
    subscripts = ", f,";
  }
  if (propagation.weight) {
    operands.edge = {propagation.weight};
    subscripts += ",";
  }
  Value messages =
      layer.message(propagation.graph, operands, subscripts + " -> f",
                    [](ScalarBuilder &s, ValueRange v) {
                      Value product = v[0];
                      for (Value factor : v.drop_front())
                        product = s.mul(product, factor);
                      return product;
                    });
  return layer.aggregate(Aggregator::Sum, propagation.graph, messages);
}
