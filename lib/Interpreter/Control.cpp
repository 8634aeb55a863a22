//===- Control.cpp - Functions, blocks and control flow ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const interpreter::Value &Evaluator::get(mlir::Value value) const {
  auto it = values.find(value.getAsOpaquePointer());
  assert(it != values.end() && "ops are evaluated after their operands");
  return it->second;
}

void Evaluator::set(mlir::Value value, Scalar scalar) {
  if (auto *integer = std::get_if<int64_t>(&scalar))
    set(value, Value(*integer));
  else
    set(value, Value(std::get<double>(scalar)));
}

Scalar Evaluator::getScalar(mlir::Value value) const {
  const Value &computed = get(value);
  if (auto *integer = std::get_if<int64_t>(&computed))
    return *integer;
  return std::get<double>(computed);
}

SmallVector<int64_t>
Evaluator::getIntegers(ArrayRef<OpFoldResult> mixed) const {
  return llvm::map_to_vector(mixed, [&](OpFoldResult entry) {
    if (auto attribute = dyn_cast<Attribute>(entry))
      return cast<IntegerAttr>(attribute).getInt();
    return getInteger(cast<mlir::Value>(entry));
  });
}

SmallVector<int64_t> Evaluator::getIntegers(ValueRange range) const {
  return llvm::map_to_vector(
      range, [&](mlir::Value value) { return getInteger(value); });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static LogicalResult verifyShape(EmitError emitError, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> expected) {
  bool fits = shape.size() == expected.size();
  if (fits)
    for (auto [size, wanted] : llvm::zip(shape, expected))
      fits &= ShapedType::isDynamic(wanted) || size == wanted;
  if (fits)
    return success();
  return emitError() << "its shape is [" << shape << "]";
}

/// Checks that a value from outside is what `type` says.
static LogicalResult verifyArgument(EmitError emitError,
                                    const interpreter::Value &value,
                                    Type type) {
  if (auto graphType = dyn_cast<GNNGraphType>(type)) {
    if (auto *graph = std::get_if<Graph>(&value))
      return verifyGraph(emitError, *graph, graphType);
    return emitError() << "it is no graph";
  }
  if (auto edgesType = dyn_cast<EdgesType>(type)) {
    auto *edges = std::get_if<Edges>(&value);
    if (!edges ||
        edges->values.isFloat != isa<FloatType>(edgesType.getElementType()))
      return emitError() << "it holds no such edge values";
    SmallVector<int64_t> expected{ShapedType::kDynamic};
    llvm::append_range(expected, edgesType.getShape());
    return verifyShape(emitError, edges->values.shape, expected);
  }
  if (auto tensorType = dyn_cast<RankedTensorType>(type)) {
    auto *tensor = std::get_if<Tensor>(&value);
    if (!tensor ||
        tensor->isFloat != isa<FloatType>(tensorType.getElementType()))
      return emitError() << "it is no such tensor";
    return verifyShape(emitError, tensor->shape, tensorType.getShape());
  }
  bool fits = isa<FloatType>(type) ? std::holds_alternative<double>(value)
                                   : std::holds_alternative<int64_t>(value);
  if (!fits || !type.isIntOrIndexOrFloat())
    return emitError() << "it is no such scalar";
  return success();
}

FailureOr<std::vector<interpreter::Value>>
interpreter::evaluate(func::FuncOp function,
                      ArrayRef<interpreter::Value> arguments) {
  if (arguments.size() != function.getNumArguments())
    return function.emitError() << "function '" << function.getName()
                                << "' takes " << function.getNumArguments()
                                << " arguments, got " << arguments.size();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Type type = function.getArgumentTypes()[i];
    auto emitError = [&, i = i]() {
      return function.emitError()
             << "argument " << i << " of function '" << function.getName()
             << "' must be " << type << ": ";
    };
    if (failed(verifyArgument(emitError, argument, type)))
      return failure();
  }
  return Evaluator(/*callDepth=*/0).call(function, arguments);
}

FailureOr<std::vector<interpreter::Value>>
Evaluator::call(func::FuncOp function, ArrayRef<Value> arguments) {
  if (function.isExternal())
    return function.emitError()
           << "function '" << function.getName() << "' has no body to evaluate";
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "function '" << function.getName()
           << "' has several blocks; the interpreter wants structured control "
              "flow";
  Block &block = function.getBody().front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    set(argument, value);
  if (failed(evaluate(block)))
    return failure();
  std::vector<Value> results;
  for (mlir::Value result : block.getTerminator()->getOperands())
    results.push_back(get(result));
  return results;
}

LogicalResult Evaluator::evaluateCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError()
           << "calls '" << op.getCallee() << "', which is not in the module";
  // A recursion this deep would end in a stack overflow of the interpreter.
  constexpr unsigned kMaxCallDepth = 200;
  if (callDepth >= kMaxCallDepth)
    return op.emitOpError()
           << "is nested more than " << kMaxCallDepth << " calls deep";
  std::vector<Value> arguments;
  for (mlir::Value operand : op.getOperands())
    arguments.push_back(get(operand));
  FailureOr<std::vector<Value>> results =
      Evaluator(callDepth + 1).call(callee, arguments);
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip(op.getResults(), *results))
    set(result, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks and control flow
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluate(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(evaluate(&op)))
      return failure();
  return success();
}

LogicalResult Evaluator::evaluate(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(op, constant.getValue());
  if (auto constant = dyn_cast<func::CallOp>(op))
    return evaluateCall(constant);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return evaluateIf(branch);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return evaluateFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return evaluateWhile(loop);
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return evaluateForall(loop);
  if (auto alloc = dyn_cast<bufferization::AllocTensorOp>(op))
    return evaluateAlloc(alloc);
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    set(op->getResult(0), Value(loopIndices[index.getDim()]));
    return success();
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(structured);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "gnn")
    return evaluateGNN(op);
  if (dialect == "affine")
    return evaluateAffine(op);
  if (dialect == "tensor")
    return evaluateTensor(op);
  if (dialect == "arith" || dialect == "math")
    return evaluateElementwise(op);
  return op->emitError() << "the interpreter does not know '" << op->getName()
                         << "'";
}

LogicalResult Evaluator::evaluateIf(scf::IfOp op) {
  Region &region =
      getInteger(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  if (failed(evaluate(region.front())))
    return failure();
  for (auto [result, yielded] : llvm::zip(
           op.getResults(), region.front().getTerminator()->getOperands()))
    set(result, get(yielded));
  return success();
}

LogicalResult Evaluator::evaluateFor(scf::ForOp op) {
  int64_t lower = getInteger(op.getLowerBound());
  int64_t upper = getInteger(op.getUpperBound());
  int64_t step = getInteger(op.getStep());
  if (step <= 0)
    return op.emitOpError() << "needs a positive step, got " << step;
  std::vector<Value> carried;
  for (mlir::Value init : op.getInitArgs())
    carried.push_back(get(init));
  for (int64_t i = lower; i < upper;) {
    set(op.getInductionVar(), Value(i));
    for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), carried))
      set(argument, value);
    if (failed(evaluate(*op.getBody())))
      return failure();
    for (auto [value, yielded] :
         llvm::zip(carried, op.getBody()->getTerminator()->getOperands()))
      value = get(yielded);
    if (llvm::AddOverflow(i, step, i))
      break;
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    set(result, value);
  return success();
}

LogicalResult Evaluator::evaluateWhile(scf::WhileOp op) {
  std::vector<Value> carried;
  for (mlir::Value init : op.getInits())
    carried.push_back(get(init));
  while (true) {
    for (auto [argument, value] : llvm::zip(op.getBeforeArguments(), carried))
      set(argument, value);
    if (failed(evaluate(*op.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = op.getConditionOp();
    std::vector<Value> passed;
    for (mlir::Value value : condition.getArgs())
      passed.push_back(get(value));
    if (!getInteger(condition.getCondition())) {
      for (auto [result, value] : llvm::zip(op.getResults(), passed))
        set(result, value);
      return success();
    }
    for (auto [argument, value] : llvm::zip(op.getAfterArguments(), passed))
      set(argument, value);
    if (failed(evaluate(*op.getAfterBody())))
      return failure();
    carried.clear();
    for (mlir::Value yielded : op.getYieldOp().getOperands())
      carried.push_back(get(yielded));
  }
}

LogicalResult Evaluator::evaluateAffine(Operation *op) {
  Builder b(op->getContext());
  SmallVector<Attribute> operands, folded;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(b.getIndexAttr(getInteger(operand)));
  auto fold = [&](AffineMap map) {
    return succeeded(map.constantFold(operands, folded));
  };
  auto select = [&](auto choose) {
    int64_t chosen = cast<IntegerAttr>(folded.front()).getInt();
    for (Attribute value : llvm::drop_begin(folded))
      chosen = choose(chosen, cast<IntegerAttr>(value).getInt());
    set(op->getResult(0), Value(chosen));
    return success();
  };
  auto minimum = [](int64_t a, int64_t b) { return std::min(a, b); };
  auto maximum = [](int64_t a, int64_t b) { return std::max(a, b); };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op);
      apply && fold(apply.getAffineMap()))
    return select(minimum); // there is one
  if (auto least = dyn_cast<affine::AffineMinOp>(op);
      least && fold(least.getAffineMap()))
    return select(minimum);
  if (auto largest = dyn_cast<affine::AffineMaxOp>(op);
      largest && fold(largest.getAffineMap()))
    return select(maximum);
  return op->emitError() << "the interpreter does not know '" << op->getName()
                         << "'";
}
