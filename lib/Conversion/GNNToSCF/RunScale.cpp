//===- RunScale.cpp - What all edges of a run are multiplied by -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunScale.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn;

/// The operand that an argument of the region of `function` is an element of.
static std::optional<unsigned> getOperand(const EdgeFunction &function,
                                          Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.body->front() ||
      argument == function.getAccumulator())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Whether two values, each of one function's region, are the same for each
/// edge. They depend on no feature.
static bool areSame(const EdgeFunction &first, Value a,
                    const EdgeFunction &second, Value b) {
  std::optional<unsigned> ofFirst = getOperand(first, a),
                          ofSecond = getOperand(second, b);
  if (ofFirst || ofSecond)
    return ofFirst && ofSecond &&
           first.operands[*ofFirst] == second.operands[*ofSecond] &&
           first.roles[*ofFirst] == second.roles[*ofSecond] &&
           first.operandMaps[*ofFirst].getNumResults() == 0 &&
           second.operandMaps[*ofSecond].getNumResults() == 0;
  if (a == b)
    return true;
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  return opA && opB && !isa<FeatureIndexOp>(opA) &&
         opA->getName() == opB->getName() &&
         opA->getAttrDictionary() == opB->getAttrDictionary() &&
         opA->getPropertiesAsAttribute() == opB->getPropertiesAsAttribute() &&
         opA->getNumRegions() == 0 && opA->getNumResults() == 1 &&
         opA->getNumOperands() == opB->getNumOperands() &&
         llvm::all_of(llvm::zip(opA->getOperands(), opB->getOperands()),
                      [&](auto operands) {
                        auto [left, right] = operands;
                        return areSame(first, left, second, right);
                      });
}

/// Whether `value` is 1 where the number `other` of `counting` is the same as
/// the loop over its features, and 0 elsewhere; `other` is `number` of
/// `function`.
static bool isOneWhereEqual(const EdgeFunction &counting, Value value,
                            const EdgeFunction &function, Value number) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || !matchPattern(select.getTrueValue(), m_OneFloat()) ||
      !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return false;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  Value left = compare.getLhs(), right = compare.getRhs();
  auto difference = left.getDefiningOp<arith::SubIOp>();
  if (difference && matchPattern(right, m_Zero())) {
    left = difference.getLhs();
    right = difference.getRhs();
  }
  for (auto [loop, other] : {std::pair(left, right), std::pair(right, left)})
    if (loop.getDefiningOp<FeatureIndexOp>() &&
        areSame(counting, other, function, number))
      return true;
  return false;
}

/// Whether `table` has, for each destination and number, how many of its edges
/// have this number.
static bool countsEdges(Value table, Value graph, const EdgeFunction &function,
                        Value number) {
  auto op = table.getDefiningOp<MessageAggregateOp>();
  if (!op || op.getGraph() != graph || !isSum(op.getAggregators()))
    return false;
  EdgeFunction counting = op.getEdgeFunction();
  return counting.getNumLoops() == 1 && !counting.hasReduction() &&
         isOneWhereEqual(counting, counting.getYieldedValue(), function,
                         number);
}

/// The table that `op` computes each element of the result from, alone.
static Value getElementwiseSource(UpdateOp op) {
  EdgeFunction function = op.getEdgeFunction();
  bool isElementwise =
      op.getNode().size() == 1 && op.getUniform().empty() &&
      !function.hasReduction() && function.resultMap.isIdentity() &&
      function.operandMaps.front().isIdentity() &&
      llvm::none_of(function.body->front(), [](Operation &inner) {
        return isa<IndexOp, FeatureIndexOp>(inner);
      });
  return isElementwise ? op.getNode().front() : Value();
}

/// What of a table of counts the element is for a row and number of whose edges
/// there are `numEdges`, or null if `table` is no such table.
static Value emitFromCount(OpBuilder &builder, Location loc, Value table,
                           Value numEdges,
                           llvm::function_ref<bool(Value)> isCount) {
  Type type = getElementTypeOrSelf(table);
  if (isCount(table)) {
    Value integer = arith::IndexCastOp::create(builder, loc,
                                               builder.getI64Type(), numEdges);
    return arith::SIToFPOp::create(builder, loc, type, integer);
  }
  auto update = table.getDefiningOp<UpdateOp>();
  Value source = update ? getElementwiseSource(update) : Value();
  if (!source)
    return {};
  Value element = emitFromCount(builder, loc, source, numEdges, isCount);
  if (!element)
    return {};
  EdgeFunction function = update.getEdgeFunction();
  IRMapping mapping;
  mapping.map(function.body->getArgument(0), element);
  for (Operation &inner : function.body->front().without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(function.getYieldedValue());
}

RunScale::RunScale(Value graph, const EdgeFunction &function,
                   const EdgeMatrices &matrices)
    : graph(graph), function(function), number(matrices.number),
      edgeFactor(matrices.factor) {
  auto product = edgeFactor.getDefiningOp<arith::MulFOp>();
  if (!product)
    return;
  for (unsigned i : {0, 1})
    if (isOfRun(product->getOperand(i))) {
      scale = product->getOperand(i);
      edgeFactor = product->getOperand(1 - i);
      return;
    }
}

/// Whether `value` is the same for all edges of a run, and all features.
bool RunScale::isOfRun(Value value) const {
  if (value == number)
    return true;
  if (std::optional<unsigned> operand = getOperand(function, value))
    return function.operandMaps[*operand].getNumResults() == 0 &&
           (function.roles[*operand] == OperandRole::Destination ||
            function.roles[*operand] == OperandRole::Uniform);
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &function.body->front())
    return value != function.getAccumulator();
  if (auto index = dyn_cast<IndexOp>(op))
    return index.getSide() == NodeSide::Destination;
  return !isa<FeatureIndexOp>(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isOfRun(operand); });
}

Value RunScale::emit(OpBuilder &builder, Location loc, Value destination,
                     Value matrix, Value numEdges) const {
  IRMapping mapping;
  mapping.map(number, matrix);
  auto isCount = [&](Value table) {
    return countsEdges(table, graph, function, number);
  };
  std::function<Value(Value)> emitValue = [&](Value value) -> Value {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (std::optional<unsigned> operand = getOperand(function, value)) {
      Value tensor = function.operands[*operand];
      if (!isa<RankedTensorType>(tensor.getType()))
        return tensor;
      SmallVector<Value> indices;
      if (function.roles[*operand] == OperandRole::Destination)
        indices.push_back(destination);
      return tensor::ExtractOp::create(builder, loc, tensor, indices);
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &function.body->front())
      return value;
    if (isa<IndexOp>(op))
      return destination;
    auto lookup = dyn_cast<tensor::ExtractOp>(op);
    if (lookup && lookup.getIndices().size() == 2 &&
        lookup.getIndices()[1] == number) {
      auto row = lookup.getIndices()[0].getDefiningOp<IndexOp>();
      if (row && row.getSide() == NodeSide::Destination)
        if (Value element = emitFromCount(builder, loc, lookup.getTensor(),
                                          numEdges, isCount))
          return element;
    }
    for (Value operand : op->getOperands())
      mapping.map(operand, emitValue(operand));
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  };
  return emitValue(scale);
}
