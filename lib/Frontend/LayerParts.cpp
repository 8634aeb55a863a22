//===- LayerParts.cpp - What several layers are made of ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value gnn::frontend::normalizeRows(LayerBuilder &layer, Value rows) {
  Value squares =
      layer.update(rows, {}, "f ->", [](ScalarBuilder &s, ValueRange v) {
        return s.mul(v[0], v[0]);
      });
  return layer.update(
      {rows, squares}, {}, "f, -> f", [](ScalarBuilder &s, ValueRange v) {
        return s.div(v[0], s.max(s.sqrt(v[1]), s.constant(1e-12)));
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

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> gnn::frontend::getActivationNames() {
  static const StringRef names[] = {"relu", "elu",     "leaky_relu",
                                    "gelu", "silu",    "sigmoid",
                                    "tanh", "softplus"};
  return names;
}

Activation gnn::frontend::getActivation(LayerBuilder &layer,
                                        StringRef argument) {
  StringRef name = layer.isNull(argument) ? "" : layer.getChoice(argument);
  double parameter = name == "elu" ? 1 : name == "leaky_relu" ? 0.01 : 0;
  return {name, parameter};
}

Value Activation::apply(ScalarBuilder &s, Value value) const {
  if (name.empty())
    return value;
  if (name == "relu")
    return s.relu(value);
  if (name == "elu")
    return s.elu(value, parameter);
  if (name == "leaky_relu")
    return s.leakyReLU(value, parameter);
  if (name == "gelu")
    return s.gelu(value);
  if (name == "silu")
    return s.silu(value);
  if (name == "sigmoid")
    return s.sigmoid(value);
  if (name == "tanh")
    return s.tanh(value);
  assert(name == "softplus" && "not one of getActivationNames()");
  return s.softplus(value);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

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

Propagation gnn::frontend::normalizeEdges(LayerBuilder &layer, bool selfLoops,
                                          double loopWeight) {
  Propagation result{layer.getGraph(), layer.getEdgeValues(), Value()};
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
    Value inverse = s.div(s.constant(1), s.sqrt(v[0]));
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
